"""Three references, few enough to enumerate all pairs of their partitions."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
from scipy.special import gammaln, kve

from reseat.chains import chain_seed
from reseat.experiments.enumerated import partitions, posterior, visit_counts
from reseat.experiments.supervised.plan import PAPER_KEY
from reseat.likelihoods import GaussianReferences
from reseat.models.references import SUPERVISED_MODELS, build_supervised
from reseat.priors import DirichletProcess

__all__ = ["MODELS", "REFERENCES", "log_normaliser", "pair_probabilities", "run_enumeration"]

#: The references of the regression values, with one feature; all hyperparameters are 1.
REFERENCES = np.array([0.3, 0.5, -1.2])
#: The models that define a distribution to sample from, with their printed names.
MODELS = {
    "scdp1": "SCDP-1",
    "scdp2_exact": "SCDP-2 (exact)",
    "scdp3_covariance": "SCDP-3 (covariance)",
    "scdp3_precision": "SCDP-3 (precision)",
    "cdp": "CDP",
}

#: Grid of means; sums over it equal the integrals to at least four digits.
GRID = np.linspace(-5.4, 5.4, 73)
#: Weight of the inverse precision below which the distribution is a gamma one to all digits.
NO_WEIGHT = 1e-14


def run_enumeration(n_sweeps: int, seed: int) -> pd.DataFrame:
    """Return the exact posterior probability of each pair of partitions, and a chain's visits.

    Returns
    -------
    pandas.DataFrame
        With the columns of `reseat.experiments.enumerated.COUNTS`. A partition has publications and
        types, such as ``001|000``; that of CDP has the publications alone.
    """
    n = REFERENCES.size
    found = []
    for name, printed in MODELS.items():
        rng = np.random.default_rng(chain_seed(seed, PAPER_KEY, "enumeration", name))
        model = build_supervised(
            GaussianReferences(REFERENCES[:, None]),
            name,
            rng,
            test=np.ones(n, dtype=bool),
            known=np.zeros(n, dtype=int),
            prior=DirichletProcess(1.0),
            type_prior=DirichletProcess(1.0),
        )
        law = SUPERVISED_MODELS[name]
        exact = posterior(model) if name == "cdp" else pair_probabilities(law)
        found.append(visit_counts(printed, model, exact, n_sweeps, rng))
    return pd.concat(found, ignore_index=True)


@cache
def pair_probabilities(law: str) -> dict[tuple, float]:
    """Return the posterior probability of each pair of partitions, of publications and of types.

    Given the means, the precisions are integrated out in closed form; the means are integrated
    out by a sum over a grid.

    Parameters
    ----------
    law : {"fixed", "between", "covariance", "precision"}
        Distribution of the precisions given the means.

    Returns
    -------
    dict of (partition, partition) to float
    """
    states = partitions(REFERENCES.size)
    log_weight = {}
    for c in states:
        K = max(c) + 1
        means = np.stack(np.meshgrid(*[GRID] * K, indexing="ij"), axis=-1).reshape(-1, K)
        log_mean = -(means**2).sum(axis=1) / 2 - K * np.log(2 * np.pi) / 2
        parameters = _law(law, means)
        empty = log_normaliser(*parameters)
        residuals = (REFERENCES - means[:, c]) ** 2
        log_block = {
            members: _log_block(parameters, residuals[:, members]) - empty
            for d in states
            for members in _blocks(d)
        }
        for d in states:
            log_density = log_mean + sum(log_block[members] for members in _blocks(d))
            integral = np.logaddexp.reduce(log_density) + K * np.log(GRID[1] - GRID[0])
            log_weight[c, d] = integral + _log_process(c) + _log_process(d)
    total = np.logaddexp.reduce(list(log_weight.values()))
    return {pair: float(np.exp(value - total)) for pair, value in log_weight.items()}


def _blocks(labels: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the items of each block."""
    return [tuple(np.flatnonzero(np.equal(labels, k)).tolist()) for k in range(max(labels) + 1)]


def _log_block(parameters: tuple, residuals: np.ndarray) -> np.ndarray:
    """Return the log of the integral over the precision of a type with these residuals."""
    shape, rate, chi = parameters
    return log_normaliser(shape + residuals.shape[1] / 2, rate + residuals.sum(axis=1) / 2, chi)


def _law(law: str, means: np.ndarray) -> tuple:
    """Return shape, rate and weight of the inverse precision, for each row of means."""
    K = means.shape[1]
    pairs = [(j, k) for j in range(K) for k in range(j)]
    squares = np.zeros((len(means), 0))
    if pairs:
        squares = np.stack([(means[:, j] - means[:, k]) ** 2 for j, k in pairs], axis=1)
    zero, one, total = np.zeros(len(means)), np.ones(len(means)), squares.sum(axis=1)
    if law == "covariance":
        return one, one, total
    if law == "precision":
        return one, 1 + total, zero
    if law == "between" and K >= 3:
        mean, variance = squares.mean(axis=1), squares.var(axis=1)
        known = variance > 1e-12 * mean**2
        variance = np.where(known, variance, 1.0)
        shape = np.where(known, mean**2 / (4 * variance), 1.0)
        return shape, np.where(known, mean / (2 * variance), 1.0), zero
    return one, one, zero


def log_normaliser(shape, rate, chi):
    """Return the log of the integral of ``t^(shape-1) exp(-rate t - chi / t)`` over positive t.

    Parameters
    ----------
    shape, rate, chi : array_like of float of any shape
        Broadcast against each other; `chi` may be 0, but the others must be positive.
    """
    shape, rate, chi = np.broadcast_arrays(shape, rate, chi)
    values = gammaln(shape) - shape * np.log(rate)
    some = chi > NO_WEIGHT
    if some.any():
        a, b, c = shape[some], rate[some], chi[some]
        z = 2 * np.sqrt(b * c)
        values[some] = np.log(2 * kve(a, z)) - z + a / 2 * np.log(c / b)
    return values


def _log_process(labels: tuple[int, ...]) -> float:
    """Return the log weight of a partition under a Dirichlet process of concentration 1."""
    return float(gammaln(np.bincount(labels)).sum())
