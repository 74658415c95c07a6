"""Studies beside the chains: seconds per sweep, and checks over all partitions."""

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from reseat.chains import MixtureModel, chain_seed
from reseat.datasets import draw_points
from reseat.dissimilarities import from_similarities, squared_distances
from reseat.likelihoods import WishartDistances, WishartSimilarities
from reseat.moves import gibbs_sweep
from reseat.papers.distances.plan import PAPER_KEY
from reseat.papers.enumerated import partitions, posterior, visit_counts
from reseat.partition import Partition
from reseat.priors import NBD, DirichletProcess, FiniteDirichlet, PartitionPrior, PitmanYor

# ---- Seconds per sweep of four algorithms, by numbers of objects and blocks ------------------

#: Slowest first: dense eigenvalues, the paper's roots, the closed form, and with a cache.
ALGORITHMS = ("naive", "secular", "closed", "cached")
POINTS = {"dim": 100, "theta": 0.15, "weights": "equal"}
SMALLEST, N_CLUSTERS = 20, 8
#: Number of objects on which a sweep in plain Python is timed; the time is scaled up to all n.
TIMED_OBJECTS = 6


def measure_scaling(scaling: Mapping[str, Any], seed: int) -> list[dict]:
    """Return median and quartiles of seconds per sweep in equilibrium, at growing sizes."""
    rng = np.random.default_rng(chain_seed(seed, PAPER_KEY, "scaling"))
    n_repeats, rows = scaling["n_repeats"], []
    for algorithm in ALGORITHMS:
        largest = scaling[f"largest_{algorithm}"]
        sizes = [largest // 2**k for k in range(4) if largest // 2**k >= SMALLEST]
        cells = [(n, N_CLUSTERS) for n in sorted(sizes)]
        cells += [(largest, k) for k in scaling["n_clusters"] if k != N_CLUSTERS]
        for n_items, n_blocks in cells:
            settings = {**POINTS, "n_items": n_items, "n_blocks": n_blocks}
            points = draw_points(settings, rng, "scaling", 0, seed)
            sweep = _sweeper(algorithm, points, rng)
            sweep()  # the first sweep runs with cold caches
            seconds = [sweep() for _ in range(n_repeats)]
            low, median, high = np.quantile(seconds, [0.25, 0.5, 0.75])
            row = {"algorithm": algorithm, "n_items": n_items, "n_clusters": n_blocks}
            row |= {"n_draws": n_repeats, "seconds_per_sweep": median, "low": low, "high": high}
            terms = _terms(n_items, n_blocks, seed) if algorithm == "secular" else np.nan
            rows.append(row | {"terms": terms})
    return rows


def _terms(n_items: int, n_blocks: int, seed: int) -> int:
    """Return how many terms of the secular equation a sweep adds up, for blocks of any sizes."""
    stream = chain_seed(seed, PAPER_KEY, "terms", str(n_items), str(n_blocks))
    rng = np.random.default_rng(stream)
    sizes = 1 + rng.multinomial(n_items - n_blocks, rng.dirichlet(np.ones(n_blocks)))
    joined = sizes + np.eye(n_blocks, dtype=int)
    states = [*joined, np.append(sizes, 1)]
    return n_items * sum(secular_log_det(state, POINTS["theta"])[1] for state in states)


def _sweeper(algorithm: str, points, rng: np.random.Generator) -> Callable[[], float]:
    """Return a function that runs a sweep from the true blocks and returns its CPU seconds."""
    distances = squared_distances(points.values, np.float32)
    labels, theta = points.labels, POINTS["theta"]
    if algorithm in ("closed", "cached"):
        prior = DirichletProcess(1.0)
        prior.prepare(points.n_items)
        cached = algorithm == "cached"
        likelihood = WishartDistances(distances, points.dim, theta=theta, cached=cached)

        def compiled() -> float:
            partition = Partition(labels)
            likelihood.assign(partition.label_array, partition.capacity)
            began = time.process_time()
            gibbs_sweep(partition, prior, likelihood, rng)
            return time.process_time() - began

        return compiled
    distances = distances.astype(float)

    def sweep() -> float:
        items = rng.integers(0, labels.size, TIMED_OBJECTS)
        given, sums = (points.dim, theta, 1.0), pair_sums(distances, labels)
        began = time.process_time()
        for item in items:
            if algorithm == "naive":
                naive_conditional(distances, labels, item, *given)
            else:
                secular_conditional(distances, labels, item, *given, sums)
        return (time.process_time() - began) * labels.size / TIMED_OBJECTS

    return sweep


# ---- Conditionals computed as in the paper and in the naive way, to compare their cost -------

#: Up to this share of a root, its interval is halved.
NARROW = 2.0**-50


def naive_conditional(distances, labels, item, dim, theta, concentration):
    """Return the log weights of an object in every block and a new one (eq. 14 and 15)."""
    _, others, sizes = np.unique(np.delete(labels, item), return_inverse=True, return_counts=True)
    n = labels.size
    weights = np.log(np.append(sizes, concentration))
    for candidate in range(weights.size):
        block = np.insert(others, item, candidate)
        shrunk = theta / (1 + theta * np.bincount(block))
        precision = np.eye(n) - (block[:, None] == block) * shrunk[block]
        row = precision.sum(axis=1)
        projected = precision - np.outer(row, row) / row.sum()
        log_det = np.log(np.linalg.eigvalsh(projected)[1:]).sum()
        s = -dim / 4 * np.vdot(projected, distances)
        weights[candidate] += dim / 2 * log_det - (n - 1) * dim / 2 * np.log(s)
    return weights


def secular_log_det(sizes, theta):
    """Return the log generalised determinant from the secular equation, and the terms it cost.

    Its eigenvalues are the roots of ``1 / gamma + sum_b n_b l_b^2 / (y - l_b)`` but 0, and poles.
    """
    poles, repeats = np.unique(1 / (1 + theta * np.asarray(sizes)), return_counts=True)
    n = (1 / poles - 1) / theta
    strength = repeats * n * poles**2
    total = (repeats * n * poles).sum()
    low, high, n_terms = poles[:-1].copy(), poles[1:].copy(), 0
    while (wide := high - low > NARROW * high).any():
        n_terms += int(wide.sum()) * poles.size
        middle = (low + high) / 2
        value = total + (strength / (middle[:, None] - poles)).sum(axis=1)
        above = value > 0  # the function decreases from one pole to the next
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return np.log((low + high) / 2).sum() + ((repeats - 1) * np.log(poles)).sum(), n_terms


def secular_conditional(distances, labels, item, dim, theta, concentration, sums=None):
    """Return the log weights of `naive_conditional` by roots, from `pair_sums` (theorem 1)."""
    if sums is None:
        sums = pair_sums(distances, labels)
    row = np.bincount(labels, distances[item], minlength=len(sums))  # O(n)
    left = sums.copy()
    left[labels[item]] -= row
    left[:, labels[item]] -= row
    sizes = np.bincount(labels, minlength=len(sums))
    sizes[labels[item]] -= 1
    kept = np.flatnonzero(sizes)
    left, row, sizes = left[np.ix_(kept, kept)], row[kept], sizes[kept]
    k, n = sizes.size, labels.size
    weights = np.log(np.append(sizes, concentration))
    for candidate in range(k + 1):
        joined = np.zeros((k + 1, k + 1))
        joined[:k, :k] = left
        joined[candidate, :k] += row
        joined[:k, candidate] += row
        grown = np.append(sizes, 0)
        grown[candidate] += 1
        eigenvalue = 1 / (1 + theta * grown)  # has no weight for an empty slot
        within = theta * eigenvalue @ joined.diagonal()
        between = eigenvalue @ joined @ eigenvalue
        s = dim / 4 * (within + between / (grown @ eigenvalue))
        log_det, _n_terms = secular_log_det(grown[grown > 0], theta)
        weights[candidate] += dim / 2 * log_det - (n - 1) * dim / 2 * np.log(s)
    return weights


def pair_sums(distances, labels):
    """Return the sums of the distances over pairs of slots."""
    member = np.zeros((labels.max() + 1, labels.size))
    member[labels, np.arange(labels.size)] = 1
    return member @ distances @ member.T


# ---- The sampler, checked against an enumeration of all partitions of a few objects ----------

CHECKED_PRIORS: Mapping[str, Callable[[], PartitionPrior]] = {
    "Ewens": lambda: DirichletProcess(1.0),
    "Dirichlet, k = 4": lambda: FiniteDirichlet(4, 0.25),
    "PYP": lambda: PitmanYor(1.0, 0.3),
    "NBD": lambda: NBD(1.3, 0.8),
}
LIKELIHOODS = ("TIWD", "WD")

DIM, THETA, N_BLOCKS = 3, 1.5, 3


def make_points(n_items: int, rng: np.random.Generator) -> np.ndarray:
    """Draw a few points in overlapping blocks, so that many partitions have some probability."""
    effect = np.sqrt(THETA) * rng.normal(size=(N_BLOCKS, DIM))
    return rng.normal(size=(n_items, DIM)) + effect[np.arange(n_items) % N_BLOCKS]


def make_likelihood(name: str, points: np.ndarray):
    """Return TIWD or WD with theta fixed; `squared_distances` would centre the points."""
    similarities = points @ points.T / DIM
    if name == "TIWD":
        distances = from_similarities(similarities)
        return WishartDistances(distances, DIM, theta=THETA, dtype=np.float64)
    return WishartSimilarities(similarities, DIM, theta=THETA, dtype=np.float64)


def count_partitions(check: Mapping[str, int], seed: int) -> pd.DataFrame:
    """Return each partition's exact probability and its visits, for each likelihood and prior."""
    rng = np.random.default_rng(chain_seed(seed, PAPER_KEY, "few"))
    points = make_points(check["n_items"], rng)
    found = []
    for likelihood in LIKELIHOODS:
        for prior, make in CHECKED_PRIORS.items():
            rng = np.random.default_rng(chain_seed(seed, PAPER_KEY, "few", likelihood, prior))
            model = MixtureModel(make(), make_likelihood(likelihood, points))
            name = f"{likelihood}, {prior}"
            found.append(visit_counts(name, model, posterior(model), check["n_sweeps"], rng))
    return pd.concat(found, ignore_index=True)


N_ITEMS = 6


def measure_invariance(seed: int) -> pd.DataFrame:
    """Return the largest change of a log posterior ratio when the points are transformed."""
    rng = np.random.default_rng(chain_seed(seed, PAPER_KEY, "invariance"))
    points = make_points(N_ITEMS, rng)
    rotation = np.linalg.qr(rng.normal(size=(DIM, DIM)))[0]
    order, same = rng.permutation(N_ITEMS), np.arange(N_ITEMS)
    moved = {
        "permutation": (points[order], order),
        "scale": (7.3 * points, same),
        "translation": (points + rng.normal(0, 5, DIM), same),
        "rotation": (points @ rotation, same),
    }
    states = partitions(N_ITEMS)
    rows = []
    for likelihood in LIKELIHOODS:
        plain = _log_ratios(likelihood, points, states)
        for name, (changed, places) in moved.items():
            labels = [np.array(state)[places] for state in states]
            worst = np.abs(_log_ratios(likelihood, changed, labels) - plain).max()
            expected = likelihood == "TIWD" or name != "translation"
            rows.append((name, likelihood, worst, len(states), expected))
    columns = ["transformation", "likelihood", "worst", "n_partitions", "holds_expected"]
    return pd.DataFrame(rows, columns=columns)


def _log_ratios(name: str, points: np.ndarray, states) -> np.ndarray:
    likelihood = make_likelihood(name, points)
    values = []
    for labels in states:
        likelihood.assign(np.asarray(labels), N_ITEMS)
        values.append(likelihood.log_marginal())
    return np.array(values) - np.mean(values)
