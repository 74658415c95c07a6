"""Scores of all partitions of a data set, and of trees cut beside them."""

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from reseat.experiments.distances.matrices import load_objects
from reseat.experiments.distances.plan import Run
from reseat.experiments.distances.scoring import score_models
from reseat.experiments.tidy import write_table
from reseat.io import atomic_path
from reseat.jobs import job

with job(snakemake.log[0]):
    folder = Path(snakemake.input.objects)
    read = cache(load_objects)
    scores = score_models(
        [Run(**run) for run in snakemake.params.runs],
        lambda run: read(folder / run.data_file),
        snakemake.input.chains,
    )
    write_table(pd.DataFrame(scores.rows), snakemake.output.scores)
    with atomic_path(snakemake.output.traces) as path:
        np.savez_compressed(path, **scores.traces)
