"""Exact and sampled posteriors of a few items, for every model."""

from reseat.files.atomic import write_table
from reseat.papers.supervised.enumeration import run_enumeration
from reseat.provenance.jobs import job

with job(snakemake.log[0]):
    found = run_enumeration(snakemake.params.n_sweeps, snakemake.params.seed)
    write_table(found, snakemake.output.counts)
