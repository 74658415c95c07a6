"""Chains of records that tests interrupt and go on with."""

import numpy as np
from strikes import chain_of

from reseat.chains import MixtureModel, Schedule
from reseat.likelihoods import (
    CategoricalRecords,
    HitMissRecords,
    RecordIndex,
    SimilarityIndex,
    SimilarRecords,
)
from reseat.moves import Chaperones, SimilarPairs, gibbs_sweep
from reseat.priors import ESCD, NBD, NBNB
from reseat.priors.hyperpriors import BetaHyperprior, GammaHyperprior
from reseat.summaries import PartitionStatistics

RNG = np.random.default_rng(8)
TRUTH = RNG.integers(0, 150, 240)
CODES = RNG.integers(0, 6, (150, 4))[TRUTH]
CODES[RNG.random(CODES.shape) < 0.05] = 0
CODES[RNG.random(CODES.shape) < 0.05] = -1
CODES[:, 0] = np.abs(CODES[:, 0])
INDEX = RecordIndex(CODES)
NEAR = SimilarityIndex(INDEX, [([0, 1, 3], [1, 2, 5], [2.0, 3.0, 4.0])] * 3 + [None])
PAIRS = SimilarPairs(CODES, np.random.default_rng(1))

MODELS = {
    "nbd": lambda: MixtureModel(
        NBD(),
        CategoricalRecords(INDEX, 0.05, per_field=True, hyperprior=GammaHyperprior(1, 1, 0.2)),
        (Chaperones(PAIRS),),
    ),
    "nbnb": lambda: MixtureModel(
        NBNB(),
        CategoricalRecords(INDEX, 0.05, hyperprior=GammaHyperprior()),
        (gibbs_sweep, Chaperones(PAIRS, n_scans=2)),
    ),
    "hit-miss": lambda: MixtureModel(NBD(), HitMissRecords(INDEX, 0.02), (Chaperones(PAIRS),)),
    "similar": lambda: MixtureModel(
        ESCD(),
        SimilarRecords(
            NEAR,
            0.02,
            BetaHyperprior(1, 4),
            np.arange(len(CODES)) % 2,
            steepness_hyperprior=GammaHyperprior(2, 1),
        ),
        (Chaperones(PAIRS),),
    ),
}


def chain(folder, model="nbd", n_sweeps=1_000):
    def build(rng):
        made = MODELS[model]()
        made.start_at_random(len(CODES), rng)
        return made

    tenth = n_sweeps // 10
    schedule = Schedule(tenth, 9 * tenth, thin=3, snapshots=(5, n_sweeps))
    given = {"stream": ("kill", model), "statistics": PartitionStatistics(TRUTH)}
    return chain_of(build, folder, schedule, **given)
