"""A processed data set made from raw data, or draws from a recipe."""

from dataclasses import replace

import numpy as np

from reseat.chains import chain_seed
from reseat.datasets import build, configured, store, store_draws
from reseat.provenance.jobs import job

with job(snakemake.log[0]):
    params, output = snakemake.params, snakemake.output.data
    registry, settings = configured(snakemake.config, params.root, check_parsers=False)
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
        # One data set may be read in several ways; each reading has its own name.
        identity = replace(found.identity, name=snakemake.wildcards.dataset)
        found = found.identified(identity)
        print(identity.name, found.summary())
        if "card" in snakemake.output.keys():
            store(found, output)
        else:
            store_draws([found], output)
