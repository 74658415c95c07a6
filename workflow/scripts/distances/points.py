"""The draws of a set of points, in a folder."""

import numpy as np

from reseat.chains import chain_seed
from reseat.datasets import Registry, build_points
from reseat.experiments.distances.plan import PAPER_KEY
from reseat.io import atomic_folder
from reseat.jobs import job

with job(snakemake.log[0]):
    params = snakemake.params
    registry = Registry.load(params.registry, params.schema, check_parsers=False)
    with atomic_folder(snakemake.output.objects) as folder:
        for number in range(params.n_draws):
            stream = chain_seed(params.seed, PAPER_KEY, params.dataset, number)
            rng = np.random.default_rng(stream)
            points = build_points(registry, params.dataset, rng, number, params.seed)
            print(points.identity.name, points.summary())
            points.save(folder / f"{number}.npz")
