"""Figure 3: the number of clusters against the sweep."""

from pathlib import Path

from reseat.experiments.distances.published import Published
from reseat.experiments.distances.tidy import read_scores
from reseat.experiments.distances.traces import read_traces, trace_table
from reseat.experiments.tidy import write_table
from reseat.jobs import job
from reseat.plots import cluster_traces, save_figure

with job(snakemake.log[0]):
    given = snakemake.input
    table = trace_table(
        snakemake.params.artefact,
        read_traces(given.traces[0]),
        read_scores(given.scores),
        Published.load(Path(given.published[0]).parent).fig3,
    )
    write_table(table, snakemake.output.table)
    save_figure(cluster_traces(table), snakemake.output.pdf.removesuffix(".pdf"))
