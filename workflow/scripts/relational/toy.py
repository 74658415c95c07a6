"""A small table before and after its rows and columns are sorted by cluster."""

import numpy as np

from reseat.datasets import Relations
from reseat.experiments.relational.plan import Fit
from reseat.experiments.relational.toy import sort_toy
from reseat.io import atomic_path
from reseat.jobs import job

with job(snakemake.log[0]):
    relations = Relations.load(snakemake.input.relations)
    with atomic_path(snakemake.output.toy) as path:
        np.savez_compressed(path, **sort_toy(Fit(**snakemake.params.fit), relations))
