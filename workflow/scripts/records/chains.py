"""The chains of some models on all draws of a data set."""

from pathlib import Path

from reseat.datasets import Records
from reseat.papers.chains import run_studies
from reseat.papers.records.chains import chains_of
from reseat.papers.records.plan import Run
from reseat.provenance.jobs import job, resumable

with job(snakemake.log[0], stoppable=True) as stop:
    folder = Path(snakemake.input.records)
    run_studies(
        [Run(**run) for run in snakemake.params.runs],
        lambda run: chains_of(run, Records.load(folder / run.data_file)),
        **resumable(snakemake, stop),
    )
