"""Exact against sampled posterior of a few items, for every model."""

from reseat.experiments.supervised.costs import enumeration_table, read_enumeration
from reseat.experiments.tidy import write_table
from reseat.jobs import job
from reseat.plots import exact_versus_sampled, save_figure

with job(snakemake.log[0]):
    counts = read_enumeration(snakemake.input.counts)
    table = enumeration_table(snakemake.params.artefact, counts)
    write_table(table, snakemake.output.table)
    save_figure(exact_versus_sampled(table), snakemake.output.pdf.removesuffix(".pdf"))
