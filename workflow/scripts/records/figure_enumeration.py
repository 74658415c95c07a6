"""Exact against sampled posterior of five records."""

from reseat.experiments.enumerated import check_table, read_counts
from reseat.experiments.tidy import write_table
from reseat.jobs import job
from reseat.plots import exact_versus_sampled, save_figure

with job(snakemake.log[0]):
    table = check_table(snakemake.params.artefact, read_counts(snakemake.input.counts))
    write_table(table, snakemake.output.table)
    save_figure(exact_versus_sampled(table), snakemake.output.pdf.removesuffix(".pdf"))
