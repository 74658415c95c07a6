"""Exact and sampled posteriors of five records, and the exact stationary law of the chaperones."""

from reseat.files.atomic import write_table
from reseat.papers.records.studies import CHECKED_PRIORS, count_partitions, invariance_table
from reseat.provenance.jobs import job

with job(snakemake.log[0]):
    write_table(invariance_table(CHECKED_PRIORS), snakemake.output.invariance)
    counts = count_partitions(snakemake.params.n_sweeps, snakemake.params.seed)
    write_table(counts, snakemake.output.counts)
