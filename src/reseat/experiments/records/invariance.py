"""Exact check that the chaperones algorithm leaves the posterior invariant.

For a few records, every partition can be listed and the transition
probabilities of one move written down as a matrix.  The compiled move is not
used: the probabilities follow from its definition, a draw from the exact joint
probabilities restricted to the partitions that are allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import permutations

import numpy as np
import pandas as pd
from scipy.sparse.csgraph import connected_components
from scipy.special import gammaln, softmax

from reseat.experiments.enumerated import first_appearance, partitions
from reseat.moves import Pairs, SimilarPairs
from reseat.priors import PartitionPrior

__all__ = ["RECORDS", "invariance_table", "stationary_law", "transition_matrix"]

#: Orders in which the union of the two blocks is visited. The second depends on how it is split.
ORDERS = ("ascending", "block by block")

#: Concentration of the likelihood of the records.
DELTA = 0.5

#: Example records with three fields.
RECORDS = ((0, 1, 2), (0, 1, 0), (1, 0, 2), (1, 1, 1), (0, 1, 2), (2, 0, 0))

State = tuple[int, ...]


def invariance_table(
    priors: Mapping[str, Callable[[], PartitionPrior]],
    n_items: int | Sequence[int] = (3, 4),
    *,
    n_scans: Sequence[int] = (1, 2),
) -> pd.DataFrame:
    """Return the distance between the posterior and the stationary law of the chaperones.

    The law is that of the exact transition matrix; `irreducible` says whether every partition can
    be reached from every other, and can also be kept. See Zanella et al. (2016), supplement,
    section C.
    """
    rows = []
    for n in np.atleast_1d(n_items):
        codes = np.array(RECORDS[:n])
        states = partitions(int(n))
        pair_laws = {
            "uniform": Pairs(n).probabilities(),
            "similarity": SimilarPairs(codes, np.random.default_rng(0)).probabilities(),
        }
        log_likelihood = np.array([_log_likelihood(codes, z, DELTA) for z in states])
        for name, make in priors.items():
            prior = make()
            prior.prepare(int(n))
            log_prior = np.array([prior.log_prob(np.bincount(z)) for z in states])
            log_joint = dict(zip(states, log_prior + log_likelihood, strict=True))
            posterior = softmax(log_prior + log_likelihood)
            for pairs, law in pair_laws.items():
                for order in ORDERS:
                    for scans in n_scans:
                        matrix = transition_matrix(log_joint, law, order, scans)
                        distance = np.abs(posterior - stationary_law(matrix)).sum() / 2
                        found = {"prior": name, "pairs": pairs, "n_items": int(n)}
                        found |= {"n_scans": scans, "order": order, "total_variation": distance}
                        rows.append(found | {"irreducible": _is_irreducible(matrix)})
    return pd.DataFrame(rows)


def transition_matrix(
    log_joint: Mapping[State, float],
    pair_law: np.ndarray,
    order: str = "ascending",
    n_scans: int = 1,
) -> np.ndarray:
    """Return the law of the partition after one pair of chaperones, from every partition.

    Rows and columns are in the order of `log_joint`, whose partitions are labels numbered in order
    of appearance; `pair_law` has the probability of each ordered pair, shape (n_items, n_items).
    """
    index = {z: place for place, z in enumerate(log_joint)}
    choices: dict[tuple, list[tuple[State, float]]] = {}
    total = np.zeros((len(index), len(index)))
    for i, j in permutations(range(len(pair_law)), 2):
        for start in index:
            law = {start: pair_law[i, j]}
            for item in _visits(start, i, j, order) * n_scans:
                after: dict[State, float] = {}
                for z, probability in law.items():
                    key = (z, item, i, j)
                    if key not in choices:
                        choices[key] = _conditional(z, item, i, j, log_joint)
                    for moved, share in choices[key]:
                        after[moved] = after.get(moved, 0.0) + probability * share
                law = after
            for z, probability in law.items():
                total[index[start], index[z]] += probability
    return total


def _visits(z: State, i: int, j: int, order: str) -> list[int]:
    """Return the items of the two blocks in the order in which a move from `z` visits them."""
    union = [item for item in range(len(z)) if z[item] in (z[i], z[j])]
    if order == "block by block":
        union.sort(key=lambda item: z[item] != z[i])  # stable: ascending within a block
    return union


def _conditional(z, item, i, j, log_joint):
    """Return the law after `item` is reseated, when the union has to stay with the chaperones."""
    union = [n for n in range(len(z)) if z[n] in (z[i], z[j])]
    allowed = []
    for label in (z[i], z[j], len(z)):  # the last is a block of its own
        moved = (*z[:item], label, *z[item + 1 :])
        if all(moved[n] in (moved[i], moved[j]) for n in union):
            allowed.append(first_appearance(moved))
    allowed = list(dict.fromkeys(allowed))
    weights = softmax(np.array([log_joint[moved] for moved in allowed]))
    return list(zip(allowed, weights, strict=True))


def stationary_law(matrix: np.ndarray) -> np.ndarray:
    """Return the law that an irreducible transition matrix leaves invariant, shape (n_states,)."""
    n = len(matrix)
    system = np.vstack([matrix.T - np.eye(n), np.ones(n)])
    return np.linalg.lstsq(system, np.append(np.zeros(n), 1.0), rcond=None)[0]


def _is_irreducible(matrix: np.ndarray) -> bool:
    parts = connected_components(matrix > 0, directed=True, connection="strong")[0]
    return bool(parts == 1 and np.all(np.diag(matrix) > 0))


def _log_likelihood(codes: np.ndarray, z: State, delta: float) -> float:
    """Return the log marginal likelihood of records with empirical marginals (section 3.4)."""
    value = 0.0
    for column in codes.T:
        gamma = np.bincount(column) / column.size
        gamma = gamma[gamma > 0]
        levels = np.unique(column)
        for k in set(z):
            counts = (column[np.array(z) == k, None] == levels).sum(axis=0)
            value += gammaln(delta) - gammaln(delta + counts.sum())
            value += (gammaln(delta * gamma + counts) - gammaln(delta * gamma)).sum()
    return float(value)
