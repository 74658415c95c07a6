"""Dissimilarities of real objects, made into squared distances of negative type."""

import numpy as np

from reseat.chains import chain_seed
from reseat.datasets import Sequences, build, configured, store_draws, transform_scores
from reseat.papers.distances.objects import make_euclidean
from reseat.papers.distances.plan import PAPER_KEY
from reseat.provenance.jobs import job

with job(snakemake.log[0]):
    given, params = snakemake.input, snakemake.params
    settings = params.settings
    if given.scores:
        sequences = Sequences.load(given.sequences)
        objects = transform_scores(np.load(given.scores), sequences, settings["kappa"])
    else:
        registry, data = configured(snakemake.config, params.root, check_parsers=False)
        objects = build(registry, params.dataset, data, kind="dissimilarities")
    rng = np.random.default_rng(chain_seed(params.seed, PAPER_KEY, params.dataset, "rank"))
    objects, said = make_euclidean(objects, settings["rank"], settings["method"], rng)
    print(objects.identity.name, objects.summary())
    print(said)
    store_draws([objects], snakemake.output.objects)
