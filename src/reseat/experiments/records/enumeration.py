"""The sampler against every partition of five records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

import numpy as np
import pandas as pd

from reseat.chains import MixtureModel, chain_seed
from reseat.experiments.records.invariance import RECORDS
from reseat.experiments.records.plan import PAPER_KEY
from reseat.likelihoods import CategoricalRecords
from reseat.moves import Chaperones, SimilarPairs
from reseat.priors import NBD, NBNB, DirichletProcess, PartitionPrior, PitmanYor

__all__ = ["CHECKED_PRIORS", "N_ITEMS", "count_partitions"]

#: The paper's four priors with hyperparameters that are not sampled.
CHECKED_PRIORS: Mapping[str, Callable[[], PartitionPrior]] = {
    "DP": lambda: DirichletProcess(1.5),
    "PYP": lambda: PitmanYor(1.5, 0.3),
    "NBNB": lambda: NBNB(1.3, 0.8, 0.7, 0.4, r_hyperprior=None, p_hyperprior=None),
    "NBD": lambda: NBD(1.3, 0.8),
}

N_ITEMS = 5
#: Concentration of the records.
DELTA = 0.5


def partitions(n: int) -> Iterator[tuple[int, ...]]:
    """Every partition of `n` items, blocks numbered by first appearance."""
    found = [(0,)]
    for _ in range(n - 1):
        found = [labels + (k,) for labels in found for k in range(max(labels) + 2)]
    yield from found


def count_partitions(n_sweeps: int, seed: int) -> pd.DataFrame:
    """Exact posterior probability of each partition, and how often a chain was there.

    Parameters
    ----------
    n_sweeps : int
        Of a chain of chaperones with similar pairs, one a prior.
    seed : int

    Returns
    -------
    pandas.DataFrame
        `prior`, `partition`, `exact`, `count`.
    """
    codes = np.array(RECORDS[:N_ITEMS])
    rows = []
    for name, make in CHECKED_PRIORS.items():
        rng = np.random.default_rng(chain_seed(seed, PAPER_KEY, "enumeration", name))
        model = MixtureModel(
            make(), CategoricalRecords(codes, DELTA), (Chaperones(SimilarPairs(codes, rng)),)
        )
        states = list(partitions(N_ITEMS))
        log_joint = np.empty(len(states))
        for place, labels in enumerate(states):
            model.start(labels)
            log_joint[place] = model.log_joint()
        exact = np.exp(log_joint - log_joint.max())
        exact /= exact.sum()
        visits = Counter()
        for _ in range(n_sweeps):
            model.sweep(rng)
            visits[_first_appearance(model.labels)] += 1
        rows += [
            (name, "".join(map(str, labels)), probability, visits[labels])
            for labels, probability in zip(states, exact, strict=True)
        ]
    return pd.DataFrame(rows, columns=["prior", "partition", "exact", "count"])


def _first_appearance(labels: np.ndarray) -> tuple[int, ...]:
    seen: dict[int, int] = {}
    return tuple(seen.setdefault(label, len(seen)) for label in labels.tolist())
