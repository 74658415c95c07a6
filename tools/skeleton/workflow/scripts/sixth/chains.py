"""The chains of some models on a data set."""

from reseat.datasets import Corpus
from reseat.papers.chains import run_studies
from reseat.papers.sixth.chains import chains_of
from reseat.papers.sixth.plan import Run
from reseat.provenance.jobs import job

with job(snakemake.log[0], stoppable=True) as stop:
    corpus = Corpus.load(snakemake.input.corpus)
    run_studies(
        [Run(**run) for run in snakemake.params.runs],
        lambda run: chains_of(run, corpus),
        output=snakemake.output.chains,
        scratch=snakemake.params.scratch,
        threads=snakemake.threads,
        checkpoint_seconds=snakemake.params.checkpoint_seconds,
        stop=stop,
    )
