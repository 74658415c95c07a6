"""Invariance of the posterior to transformations of the points, over all partitions of a few."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseat.chains import chain_seed
from reseat.experiments.distances.enumeration import LIKELIHOODS, make_likelihood, make_points
from reseat.experiments.distances.plan import PAPER_KEY
from reseat.experiments.enumerated import partitions

__all__ = ["measure_invariance"]

N_ITEMS = 6
TRANSFORMATIONS = ("permutation", "scale", "translation", "rotation")


def measure_invariance(seed: int) -> pd.DataFrame:
    """Return the largest change of a log posterior ratio when the points are transformed.

    `worst` is the largest absolute change, over all partitions, of the log likelihood less its
    mean, and `holds_expected` says whether theory expects none.
    """
    rng = np.random.default_rng(chain_seed(seed, PAPER_KEY, "invariance"))
    points = make_points(N_ITEMS, rng)
    rotation = np.linalg.qr(rng.normal(size=(points.shape[1],) * 2))[0]
    order = rng.permutation(N_ITEMS)
    moved = {
        "permutation": (points[order], order),
        "scale": (7.3 * points, np.arange(N_ITEMS)),
        "translation": (points + rng.normal(0, 5, points.shape[1]), np.arange(N_ITEMS)),
        "rotation": (points @ rotation, np.arange(N_ITEMS)),
    }
    states = partitions(N_ITEMS)
    rows = []
    for likelihood in LIKELIHOODS:
        plain = _log_ratios(likelihood, points, states)
        for name in TRANSFORMATIONS:
            changed, places = moved[name]
            labels = [np.array(state)[places] for state in states]
            worst = np.abs(_log_ratios(likelihood, changed, labels) - plain).max()
            expected = likelihood == "TIWD" or name != "translation"
            rows.append((name, likelihood, worst, len(states), expected))
    columns = ["transformation", "likelihood", "worst", "n_partitions", "holds_expected"]
    return pd.DataFrame(rows, columns=columns)


def _log_ratios(name: str, points: np.ndarray, states) -> np.ndarray:
    likelihood = make_likelihood(name, points)
    values = np.empty(len(states))
    for place, labels in enumerate(states):
        likelihood.assign(np.asarray(labels), N_ITEMS)
        values[place] = likelihood.log_marginal()
    return values - values.mean()
