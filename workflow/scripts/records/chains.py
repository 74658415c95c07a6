"""The chains of some models on all draws of a data set."""

from pathlib import Path

from reseat.datasets import Records
from reseat.experiments.records.plan import Run
from reseat.experiments.records.sampling import chains_of
from reseat.experiments.running import run_studies
from reseat.jobs import job

with job(snakemake.log[0], stoppable=True) as stop:
    folder = Path(snakemake.input.records)
    run_studies(
        [Run(**run) for run in snakemake.params.runs],
        lambda run: chains_of(run, Records.load(folder / run.data_file)),
        output=snakemake.output.chains,
        scratch=snakemake.params.scratch,
        threads=snakemake.threads,
        checkpoint_seconds=snakemake.params.checkpoint_seconds,
        stop=stop,
    )
