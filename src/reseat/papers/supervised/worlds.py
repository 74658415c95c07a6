"""Data whose clusters and types are known: the pluses of footnote 9, and draws from models."""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
import scipy
from scipy.cluster.hierarchy import fcluster, linkage

from reseat.baselines import kmeans_labels
from reseat.chains import chain_seed, split_labels
from reseat.likelihoods import GaussianReferences
from reseat.metrics import evaluate
from reseat.models.supervised import Items, build
from reseat.numerics import rounded
from reseat.papers.supervised.plan import PAPER_KEY, SYSTEMS
from reseat.papers.supervised.results import by_dataset, label
from reseat.papers.tables import mean_and_error, rows_of, tidy, tidy_row
from reseat.vocabulary import GENERATED

#: Systems that are run, as models of the library.
MODELS = {system: SYSTEMS[system] for system in ("SCDP-1", "SCDP-2", "SCDP-3", "CDP")}
#: Half of the items are on each arm of a plus: standard deviations along and across it.
ALONG, ACROSS = 1.5, 0.02
#: Pluses by their number of features. In the plane, the arms do not tell to which plus they belong.
PLUSES = {"pluses": 8, "pluses in the plane": 2}
#: Features and types of the data that are drawn from a model.
N_FEATURES, N_TYPES = 8, 3
#: Angles and ratios of the metrics that are tried on pluses, and linkages beside K-Means.
N_ANGLES, RATIOS = 6, np.geomspace(1, 300, 6)
LINKAGES = ("single", "average", "complete")
#: The system whose clusters are the best of all these, which only the truth tells.
BEST_METRIC = "best metric"


class World(NamedTuple):
    """Items of training and test entities, half of each."""

    points: np.ndarray
    entities: np.ndarray
    types: np.ndarray

    @property
    def test(self) -> np.ndarray:
        """Whether each item is one to be clustered."""
        return self.entities > self.entities.max() // 2


def draw_pluses(n_features: int, rng: np.random.Generator, n_entities: int, n_items: int) -> World:
    """Draw entities whose items lie on a plus: an arm of even features and one of odd ones."""
    entities = np.repeat(np.arange(2 * n_entities), n_items)
    types = np.arange(entities.size) % 2
    means = rng.standard_normal((2 * n_entities, n_features))
    deviations = np.where(np.arange(n_features) % 2 == types[:, None], ALONG, ACROSS)
    noise = rng.standard_normal(deviations.shape)
    return World(rounded(means[entities] + deviations * noise), entities, types)


def draw_from(model: str, rng: np.random.Generator, n_entities: int, n_items: int) -> World:
    """Draw items of a model with all parameters 1 and types of equal probability."""
    entities = np.repeat(np.arange(2 * n_entities), n_items)
    types = rng.integers(N_TYPES, size=entities.size)
    means = rng.standard_normal((2 * n_entities, N_FEATURES))
    squares = np.square(means[:, None] - means)[np.triu_indices(len(means), 1)]
    shape = (N_TYPES, N_FEATURES)
    if model == "SCDP-1":
        precisions = rng.standard_exponential(shape)
    elif model == "SCDP-2":  # the gamma distribution with the moments of the paper's recipe
        mean, variance = squares.mean(axis=0) / 2, (squares / 2).var(axis=0)
        precisions = rng.gamma(mean**2 / variance, variance / mean, shape)
    else:  # exp(-t - S/t), an inverse Gaussian of the general kind
        sums = squares.sum(axis=0)
        law = scipy.stats.geninvgauss(1.0, 2 * np.sqrt(sums), scale=np.sqrt(sums))
        precisions = law.rvs(shape, random_state=rng)
    noise = rng.standard_normal((entities.size, N_FEATURES)) / np.sqrt(precisions[types])
    return World(rounded(means[entities] + noise), entities, types)


def sample_worlds(worlds, settings, seed) -> pd.DataFrame:
    """Score every system on draws of each kind of data; of chains, means over the second half."""
    draws = {name: partial(draw_pluses, n_features) for name, n_features in PLUSES.items()}
    draws |= {f"drawn from {name}": partial(draw_from, name) for name in MODELS if name != "CDP"}
    rows = []
    for world, draw in draws.items():
        for number in range(worlds["n_draws"]):
            stream = (PAPER_KEY, "worlds", world, number)
            rng = np.random.default_rng(chain_seed(seed, *stream))
            data = draw(rng, worlds["n_entities"], worlds["n_items"])
            about = {"world": world, "draw": number}
            for system, name, value in _systems(data, world, worlds, settings, seed, stream):
                rows.append(about | {"system": system, "quantity": name, "value": value})
    return pd.DataFrame(rows)


def _systems(data, world, worlds, settings, seed, stream) -> Iterator[tuple[str, str, float]]:
    for system in MODELS:
        rng = np.random.default_rng(chain_seed(seed, *stream, system))
        score, n_types = _sampled(data, system, worlds["n_sweeps"], settings, rng)
        yield system, "ARI", float(score)
        yield system, "types", float(n_types)
    points, truth = data.points[data.test], data.entities[data.test]
    n_clusters = np.unique(truth).size

    def score(found):
        return evaluate(truth, found)["adjusted_rand"]

    plain = score(kmeans_labels(points, n_clusters, n_restarts=10))
    yield "K-Means", "ARI", plain
    if world in PLUSES:
        best = max(score(found) for found in _under_metrics(points, n_clusters))
        yield BEST_METRIC, "ARI", max(plain, best)


def _sampled(data, system, n_sweeps, settings, rng) -> np.ndarray:
    """Return the mean adjusted Rand index and number of types."""
    model, joint = MODELS[system], system != "CDP"
    given = {**settings, "model": model}
    given |= {"moves": "joint", "move": settings["joint"]} if joint else {}
    # Training and test items are groups of their own, as two documents are.
    likelihood = GaussianReferences(data.points, np.arange(data.points.shape[1]))
    items = Items(likelihood, data.test, data.entities, data.test.astype(int))
    chain, traces = build(given, items, rng, "singletons"), []
    for sweep in range(n_sweeps):
        chain.sweep(rng)
        if sweep >= n_sweeps // 2:
            parts = split_labels(chain.labels, chain.part_sizes) if joint else {}
            labels = parts["publication"][data.test] if joint else chain.labels
            n_types = np.unique(parts["type"]).size if joint else 1
            traces.append((evaluate(data.entities[data.test], labels)["adjusted_rand"], n_types))
    return np.mean(traces, axis=0)


def _under_metrics(points, n_clusters) -> Iterator[np.ndarray]:
    """Yield clusters of points by several methods under metrics that turn and stretch the arms."""
    for angle in np.linspace(0, np.pi, N_ANGLES, endpoint=False):
        even, odd = points[:, ::2], points[:, 1::2]
        first = np.cos(angle) * even + np.sin(angle) * odd
        second = np.cos(angle) * odd - np.sin(angle) * even
        for ratio in RATIOS:
            turned = np.hstack([ratio * first, second])
            yield kmeans_labels(turned, n_clusters, n_restarts=5)
            for method in LINKAGES:
                yield fcluster(linkage(turned, method), n_clusters, "maxclust")


@tidy()
def worlds_table(artefact, worlds):
    """Return the mean scores of every system on each kind of data over the draws."""
    frame = worlds.rename(columns={"world": "dataset"}).assign(status=GENERATED, role="worlds")
    for identity, part in by_dataset(frame, artefact):
        for system in part["system"].unique():
            for quantity, own in rows_of(part, system=system).groupby("quantity", sort=False):
                found = mean_and_error(own["value"])
                yield tidy_row(identity, label(system), "mean over draws", quantity, found)
