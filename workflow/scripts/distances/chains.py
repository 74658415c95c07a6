"""The chains of all models on all draws of a data set."""

from functools import cache
from pathlib import Path

from reseat.papers.chains import run_studies
from reseat.papers.distances.chains import chains_of
from reseat.papers.distances.objects import load_objects
from reseat.papers.distances.plan import Run
from reseat.provenance.jobs import job, resumable

with job(snakemake.log[0], stoppable=True) as stop:
    folder, params = Path(snakemake.input.objects), snakemake.params
    read = cache(load_objects)
    run_studies(
        [Run(**run) for run in params.runs],
        lambda run: chains_of(run, read(folder / run.data_file), params.memory_bound_mb),
        **resumable(snakemake, stop),
    )
