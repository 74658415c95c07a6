"""Collapsed Gibbs chains of both models, with a share of the cells held out."""

from reseat.datasets import Relations
from reseat.papers.relational.chains import run_gibbs
from reseat.provenance.jobs import job

with job(snakemake.log[0], stoppable=True) as stop:
    params = snakemake.params
    run_gibbs(
        Relations.load(snakemake.input.relations),
        **params.gibbs,
        output=snakemake.output.chains,
        scratch=params.scratch,
        threads=snakemake.threads,
        checkpoint_seconds=params.checkpoint_seconds,
        stop=stop,
    )
