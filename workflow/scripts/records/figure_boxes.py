"""Figure 2: posterior statistics of the partition."""

from pathlib import Path

from reseat.experiments.records.published import Published
from reseat.experiments.records.series import boxes_table
from reseat.experiments.records.tidy import SETS, read_summaries
from reseat.experiments.tidy import write_table
from reseat.jobs import job
from reseat.plots import posterior_boxes, save_figure

with job(snakemake.log[0]):
    published = Published.load(Path(snakemake.input.published[0]).parent)
    summaries = read_summaries(snakemake.input.summaries)
    table = boxes_table(snakemake.params.artefact, summaries, published.fig2)
    write_table(table, snakemake.output.table)
    save_figure(posterior_boxes(table, SETS), snakemake.output.pdf.removesuffix(".pdf"))
