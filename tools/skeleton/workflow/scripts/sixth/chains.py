"""The chains of some models on a data set."""

from reseat.datasets import Corpus
from reseat.experiments.running import run_studies
from reseat.experiments.sixth.plan import Run
from reseat.experiments.sixth.sampling import chains_of
from reseat.jobs import job

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
