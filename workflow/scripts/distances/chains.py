"""The chains of all models on all draws of a data set."""

from functools import cache
from pathlib import Path

from reseat.experiments.distances.matrices import load_objects
from reseat.experiments.distances.plan import Run
from reseat.experiments.distances.sampling import run_models
from reseat.jobs import job

with job(snakemake.log[0]) as stop:
    folder = Path(snakemake.input.objects)
    read = cache(load_objects)
    run_models(
        [Run(**run) for run in snakemake.params.runs],
        lambda run: read(folder / run.data_file),
        output=snakemake.output.chains,
        scratch=snakemake.params.scratch,
        threads=snakemake.threads,
        checkpoint_seconds=snakemake.params.checkpoint_seconds,
        stop=stop,
    )
