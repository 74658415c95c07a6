"""Raw data to a processed data set, or to the draws of one."""

from dataclasses import replace

import numpy as np

from reseat.chains import chain_seed
from reseat.datasets import DataSettings, Registry, build, store, store_draws
from reseat.jobs import job

with job(snakemake.log[0]):
    params, output = snakemake.params, snakemake.output.data
    registry = Registry.load(params.registry, params.schema, check_parsers=False)
    settings = DataSettings.from_config(snakemake.config["data"])
    found = build(registry, params.source, settings, params.seed, params.kind, **params.options)
    if params.draws is not None:
        found = [
            found.draw(
                **params.draws["settings"],
                rng=np.random.default_rng(chain_seed(*params.draws["stream"], number)),
                number=number,
                seed=params.seed,
            )
            for number in range(params.draws["n_draws"])
        ]
        for draw in found:
            print(draw.identity.name, draw.summary())
        store_draws(found, output)
    else:
        # A reading of a data set goes by its own name.
        identity = replace(found.identity, name=snakemake.wildcards.dataset)
        found = found.identified(identity)
        print(identity.name, found.summary())
        if "card" in snakemake.output.keys():
            store(found, output)
        else:
            store_draws([found], output)
