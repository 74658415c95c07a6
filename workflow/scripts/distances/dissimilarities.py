"""Dissimilarities of real objects, made into squared distances of negative type."""

import numpy as np

from reseat.chains import chain_seed
from reseat.datasets import (
    Sequences,
    build,
    configured,
    store_draws,
    transform_scores,
)
from reseat.dissimilarities import kernel_pca, negative_mass, to_negative_type
from reseat.experiments.distances.plan import PAPER_KEY
from reseat.jobs import job

with job(snakemake.log[0]):
    given, params = snakemake.input, snakemake.params
    settings = params.settings
    if given.scores:
        sequences = Sequences.load(given.sequences)
        objects = transform_scores(np.load(given.scores), sequences, settings["kappa"])
    else:
        registry, data = configured(snakemake.config, params.root, check_parsers=False)
        objects = build(registry, params.dataset, data, kind="dissimilarities")
    share = negative_mass(objects.values)
    rank = min(settings["rank"], kernel_pca(objects.values).shape[1])
    rng = np.random.default_rng(chain_seed(params.seed, PAPER_KEY, params.dataset, "rank"))
    values = to_negative_type(objects.values, rank, settings["method"], rng)
    changed = float(np.sqrt(np.mean((values - objects.values) ** 2)))
    objects = objects.replace_values(
        values.astype(np.float32),
        rank=rank,
        method=settings["method"],
        negative_mass=round(share, 6),
        rms_change=round(changed, 6),
    )
    print(objects.identity.name, objects.summary())
    print(f"negative share of the spectrum {share:.4f}; rank {rank} changes {changed:.4f} (rms)")
    store_draws([objects], snakemake.output.objects)
