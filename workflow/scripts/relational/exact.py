"""Exact checks, on a table small enough to enumerate, of the chains and of the fits' bound."""

from reseat.files.atomic import write_table
from reseat.papers.relational.studies import bound_table, count_partitions
from reseat.provenance.jobs import job

with job(snakemake.log[0]):
    params = snakemake.params
    write_table(bound_table(params.seed), snakemake.output.bound)
    write_table(count_partitions(params.check["n_sweeps"], params.seed), snakemake.output.counts)
