"""Figure 1: a small table before and after sorting."""

from pathlib import Path

from reseat.experiments.relational.blocks import read_toy, toy_table
from reseat.experiments.relational.published import Published
from reseat.experiments.tidy import write_table
from reseat.jobs import job
from reseat.plots import save_figure, toy_blocks

with job(snakemake.log[0]):
    toy = read_toy(snakemake.input.toy)
    published = Published.load(Path(snakemake.input.published[0]).parent)
    write_table(toy_table(snakemake.params.artefact, toy, published.fig1), snakemake.output.table)
    save_figure(toy_blocks(toy), snakemake.output.pdf.removesuffix(".pdf"))
