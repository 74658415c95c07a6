"""Posterior summaries of all models on a data set."""

from pathlib import Path

import pandas as pd

from reseat.datasets import Records
from reseat.files.atomic import write_arrays, write_table
from reseat.papers.records.plan import Run
from reseat.papers.records.scores import score_models
from reseat.provenance.jobs import job

with job(snakemake.log[0]):
    data = Path(snakemake.input.records)
    scores = score_models(
        [Run(**run) for run in snakemake.params.runs],
        lambda run: Records.load(data / run.data_file),
        snakemake.input.chains,
    )
    for name in ("summary", "chains", "sizes"):
        write_table(pd.DataFrame(getattr(scores, name)), snakemake.output[name])
    write_arrays(scores.traces, snakemake.output.traces)
