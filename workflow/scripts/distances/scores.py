"""Scores of all partitions of a data set, and of hierarchical trees cut to match them."""

from functools import cache
from pathlib import Path

import pandas as pd

from reseat.files.atomic import write_arrays, write_table
from reseat.papers.distances.objects import load_objects
from reseat.papers.distances.plan import Run
from reseat.papers.distances.scores import score_models
from reseat.provenance.jobs import job

with job(snakemake.log[0]):
    folder = Path(snakemake.input.objects)
    read = cache(load_objects)
    scores = score_models(
        [Run(**run) for run in snakemake.params.runs],
        lambda run: read(folder / run.data_file),
        snakemake.input.chains,
    )
    write_table(pd.DataFrame(scores.rows), snakemake.output.scores)
    write_arrays(scores.traces, snakemake.output.traces)
