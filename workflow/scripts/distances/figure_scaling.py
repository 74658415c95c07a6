"""Seconds a sweep against the number of objects and of clusters."""

from pathlib import Path

from reseat.experiments.distances.costs import read_timings, scaling_table
from reseat.experiments.distances.published import Published
from reseat.experiments.tidy import write_table
from reseat.jobs import job
from reseat.plots import save_figure, sweep_costs

with job(snakemake.log[0]):
    published = Published.load(Path(snakemake.input.published[0]).parent)
    timings = read_timings(snakemake.input.timings)
    table = scaling_table(snakemake.params.artefact, timings, published.scaling)
    write_table(table, snakemake.output.table)
    save_figure(sweep_costs(table), snakemake.output.pdf.removesuffix(".pdf"))
