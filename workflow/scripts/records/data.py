"""Draws of a recipe, or real records, in a folder."""

import numpy as np

from reseat.chains import chain_seed
from reseat.datasets import DataSettings, Registry, build_recipe, build_records, draw_records
from reseat.experiments.records.plan import PAPER_KEY
from reseat.io import atomic_folder
from reseat.jobs import job

with job(snakemake.log[0]):
    params = snakemake.params
    registry = Registry.load(params.registry, params.schema, check_parsers=False)
    settings = DataSettings.from_config(snakemake.config["data"])
    if params.delta is None:
        found = [build_records(registry, params.source, settings)]
    else:
        recipe = build_recipe(registry, params.source, settings)
        streams = [
            chain_seed(params.seed, PAPER_KEY, params.source, params.delta, number)
            for number in range(params.n_draws)
        ]
        found = [
            draw_records(recipe, params.delta, np.random.default_rng(stream), number, params.seed)
            for number, stream in enumerate(streams)
        ]
    with atomic_folder(snakemake.output.records) as folder:
        for number, records in enumerate(found):
            print(records.identity.name, records.summary())
            records.save(folder / f"{number}.npz")
