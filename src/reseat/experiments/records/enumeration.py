"""Comparison of the sampler with the exact posterior over all partitions of five records."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from reseat.chains import MixtureModel, chain_seed
from reseat.experiments.enumerated import posterior, visit_counts
from reseat.experiments.records.invariance import RECORDS
from reseat.experiments.records.plan import PAPER_KEY
from reseat.likelihoods import CategoricalRecords
from reseat.moves import Chaperones, SimilarPairs
from reseat.priors import NBD, NBNB, DirichletProcess, PartitionPrior, PitmanYor

__all__ = ["CHECKED_PRIORS", "N_ITEMS", "count_partitions"]

#: The paper's four priors, with fixed hyperparameters.
CHECKED_PRIORS: Mapping[str, Callable[[], PartitionPrior]] = {
    "DP": lambda: DirichletProcess(1.5),
    "PYP": lambda: PitmanYor(1.5, 0.3),
    "NBNB": lambda: NBNB(1.3, 0.8, 0.7, 0.4, r_hyperprior=None, p_hyperprior=None),
    "NBD": lambda: NBD(1.3, 0.8),
}

N_ITEMS = 5
#: Concentration of the likelihood of the records.
DELTA = 0.5


def count_partitions(n_sweeps: int, seed: int) -> pd.DataFrame:
    """Return the exact posterior probability of each partition, and how often a chain visits it.

    There is one chain per prior; its move is chaperones with similar pairs.
    """
    codes = np.array(RECORDS[:N_ITEMS])
    found = []
    for name, make in CHECKED_PRIORS.items():
        rng = np.random.default_rng(chain_seed(seed, PAPER_KEY, "enumeration", name))
        model = MixtureModel(
            make(), CategoricalRecords(codes, DELTA), (Chaperones(SimilarPairs(codes, rng)),)
        )
        found.append(visit_counts(name, model, posterior(model), n_sweeps, rng))
    return pd.concat(found, ignore_index=True)
