"""Posterior summaries of all models on a data set."""

from pathlib import Path

import numpy as np
import pandas as pd

from reseat.datasets import Records
from reseat.experiments.records.plan import Run
from reseat.experiments.records.scoring import score_models
from reseat.experiments.tidy import write_table
from reseat.io import atomic_path
from reseat.jobs import job

with job(snakemake.log[0]):
    data = Path(snakemake.input.records)
    scores = score_models(
        [Run(**run) for run in snakemake.params.runs],
        lambda run: Records.load(data / run.data_file),
        snakemake.input.chains,
    )
    for name in ("summary", "chains", "sizes"):
        write_table(pd.DataFrame(getattr(scores, name)), snakemake.output[name])
    with atomic_path(snakemake.output.traces) as path:
        np.savez_compressed(path, **scores.traces)
