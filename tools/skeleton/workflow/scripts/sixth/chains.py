"""The chains of some models on a data set."""

from reseat.datasets import Corpus
from reseat.experiments.sixth.plan import Run
from reseat.experiments.sixth.sampling import run_models
from reseat.jobs import job

with job(snakemake.log[0]) as stop:
    run_models(
        [Run(**run) for run in snakemake.params.runs],
        Corpus.load(snakemake.input.corpus),
        output=snakemake.output.chains,
        scratch=snakemake.params.scratch,
        threads=snakemake.threads,
        checkpoint_seconds=snakemake.params.checkpoint_seconds,
        stop=stop,
    )
