"""Figures 2 and 3: the pairs that occur, sorted by the clusters of one model."""

from pathlib import Path

from reseat.experiments.relational.blocks import blocks_table, read_sorted
from reseat.experiments.relational.published import Published
from reseat.experiments.relational.tidy import ROLES, SIDES, read_results
from reseat.experiments.tidy import write_table
from reseat.jobs import job
from reseat.plots import dot_matrices, save_figure

with job(snakemake.log[0]):
    given, params = snakemake.input, snakemake.params
    found = [read_sorted(path) for path in given.sorted]
    table = blocks_table(
        params.artefact,
        params.model,
        read_results(given.restarts, "restarts"),
        found,
        Published.load(Path(given.published[0]).parent),
    )
    write_table(table, snakemake.output.table)
    save_figure(dot_matrices(found, table, ROLES, SIDES), snakemake.output.pdf.removesuffix(".pdf"))
