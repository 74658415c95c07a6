"""Collapsed Gibbs chains of both models, with a share of the cells held out."""

from reseat.datasets import Relations
from reseat.papers.relational.chains import run_gibbs
from reseat.provenance.jobs import job, resumable

with job(snakemake.log[0], stoppable=True) as stop:
    relations = Relations.load(snakemake.input.relations)
    run_gibbs(relations, **snakemake.params.gibbs, **resumable(snakemake, stop))
