"""Clustering by a pair classifier and agglomeration: Binary of Daumé and Marcu (2005)."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.cluster import hierarchy
from scipy.spatial.distance import num_obs_y
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from reseat.baselines import item_pairs
from reseat.baselines.pair_classifier import PairClassifier
from reseat.checks import check_between, check_choice, check_whole
from reseat.errors import ConfigError, DataError
from reseat.threads import in_threads

#: Objectives that the search of the classifier can maximise over the held-out pairs.
OBJECTIVES = ("F", "accuracy")
#: Number of pairs whose distances are computed at a time.
PAIRS_AT_A_TIME = 65_536
#: Largest absolute value of a bound on log2 gamma or log2 C; powers of two much beyond it overflow,
#: or underflow to 0.
MOST_LOG2 = 1000.0


@dataclass(eq=False, repr=False)
class BinaryClusterer(BaseEstimator):
    """Clusterer that learns from labelled items which pairs are similar, to merge new items.

    1. log2 gamma and log2 C are chosen by golden-section searches in turn, scored by
       cross-validation on pairs drawn from both sides of the folds.
    2. The link and the stopping threshold of the agglomeration are chosen by a second
       cross-validation, for the best pairwise F, on distances of minus the decision values.
    3. The classifier is trained again on pairs of all training items.

    Folds hold out entities, or groups if there are several.  The paper took a month for all pairs.

    Parameters
    ----------
    distances : callable (first, second) -> ndarray of float64, shape (n_pairs, n_features)
        Returns distances by feature of pairs, given by their numbers; called from several threads.
    n_pairs : int
        Largest number of pairs that a classifier learns from, in steps 2 and 3.
    n_search_pairs : int
        Largest number of pairs to learn from, and to score, in each fold of step 1.
    similar_share : float or None
        Share of similar pairs among those that are drawn; None for their share among all pairs.
    objective : {"F", "accuracy"}
        Objective of step 1, over the held-out pairs of all folds.  The paper does not state it.
    n_folds : int
    n_rounds, n_evaluations : int
        As for `alternate`.
    log2_gamma, log2_c : pair of float
        Bounds of the searches.
    max_held_pairs : int
        In step 2, held-out items are thinned at random to about this many pairs per fold.
    max_iter : int
        As for `PairClassifier`.
    threads : int
        Number of folds at a time, which does not change the results.
    random_state : int, numpy.random.SeedSequence or numpy.random.Generator

    Attributes
    ----------
    log2_gamma_, log2_c_, search_score_ : float
        Results of step 1.
    link_ : {"min", "max", "avg"}
    threshold_, cv_f_ : float
        Largest height of the merges that are made, and pairwise F of step 2.
    n_training_pairs_ : int
    classifier_ : PairClassifier

    References
    ----------
    Daumé and Marcu (2005), section 7.1.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.baselines import BinaryClusterer
    >>> rng = np.random.default_rng(1)
    >>> entities = np.repeat(np.arange(20), 3)
    >>> points = 5 * rng.normal(size=(20, 2))[entities] + 0.1 * rng.normal(size=(60, 2))
    >>> def distances(first, second):
    ...     return np.abs(points[first] - points[second])
    >>> model = BinaryClusterer(
    ...     distances, n_pairs=300, n_search_pairs=200, n_folds=2, n_evaluations=2, random_state=1
    ... )
    >>> model.fit(np.arange(45), entities[:45]).predict(np.arange(45, 60)).shape
    (15,)
    """

    distances: Callable
    _: KW_ONLY
    n_pairs: int = 20_000
    n_search_pairs: int = 1000
    similar_share: float | None = None
    objective: str = "F"
    n_folds: int = 10
    n_rounds: int = 2
    n_evaluations: int = 8
    log2_gamma: tuple[float, float] = (-15.0, 3.0)
    log2_c: tuple[float, float] = (-5.0, 15.0)
    max_held_pairs: int = 20_000
    max_iter: int = 200_000
    threads: int = 1
    random_state: int | np.random.SeedSequence | np.random.Generator = 0

    def fit(self, items, entities, groups=None):
        """Learn from training items.

        Parameters
        ----------
        items : array_like of int, shape (n_items,)
            Numbers of the items, as `distances` takes them.
        entities : array_like, shape (n_items,)
        groups : array_like, shape (n_items,), optional
            Only items of the same group form pairs.

        Returns
        -------
        self

        Raises
        ------
        DataError
            If there are no similar or no dissimilar pairs, or too few entities to hold some out.
        ConfigError
            If a parameter cannot be used.
        """
        self._check_settings()
        items = np.asarray(items)
        if items.shape != np.shape(entities):
            raise DataError(
                f"items has shape {items.shape} and entities {np.shape(entities)}; there must be "
                "one of each for every item."
            )
        entities, groups = item_pairs.check_items(entities, groups)
        item_pairs.require_both_kinds(item_pairs.count_pairs(entities, groups), "Binary")
        rng = np.random.default_rng(self.random_state)
        folds = item_pairs.grouped_folds(entities, groups, self.n_folds, rng)
        with threadpool_limits(1):
            self._search(items, entities, groups, folds, rng)
            self._choose_link(items, entities, groups, folds, rng)
        rows, similar = self._rows(items, entities, groups, self.n_pairs, rng)
        self.n_training_pairs_ = similar.size
        self.classifier_ = self._classifier(self.log2_gamma_, self.log2_c_).fit(rows, similar)
        return self

    def predict(self, items, groups=None) -> np.ndarray:
        """Cluster new items, those of each group separately.

        Parameters
        ----------
        items : array_like of int, shape (n_items,)
        groups : array_like, shape (n_items,), optional

        Returns
        -------
        ndarray of int32, shape (n_items,)
            Clusters numbered from 0 in order of first appearance.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before `fit`.
        DataError
            If there is no item.
        """
        check_is_fitted(self, "classifier_")
        items = np.asarray(items)
        _, groups = item_pairs.check_items(items, groups)
        labels, n_found = np.empty(items.size, dtype=np.int64), 0
        with threadpool_limits(1):
            for members in _members(groups):
                far = self._pair_distances(self.classifier_, items[members])
                labels[members] = n_found + cut(far, self.link_, self.threshold_)
                n_found = labels[members].max() + 1
        return pd.factorize(labels)[0].astype(np.int32)

    def _check_settings(self) -> None:
        if not callable(self.distances):
            raise ConfigError(
                f"distances is {self.distances!r}; it must be a function of two arrays of items."
            )
        check_choice("objective", self.objective, OBJECTIVES)
        for name in ("n_pairs", "n_search_pairs", "n_rounds", "max_held_pairs", "threads"):
            check_whole(name, getattr(self, name), 1)
        for name in ("n_folds", "n_evaluations"):
            check_whole(name, getattr(self, name), 2)
        if self.similar_share is not None:
            check_between("similar_share", self.similar_share, 0, 1)
        for name, bounds in (("log2_gamma", self.log2_gamma), ("log2_c", self.log2_c)):
            if np.shape(bounds) != (2,):
                raise ConfigError(f"{name} is {bounds!r}; it must be a pair of numbers.")
            low = check_between(f"{name}[0]", bounds[0], -MOST_LOG2, MOST_LOG2)
            check_between(f"{name}[1]", bounds[1], low, MOST_LOG2, "(]")

    def _classifier(self, log2_gamma: float, log2_c: float) -> PairClassifier:
        return PairClassifier(2.0**log2_gamma, 2.0**log2_c, max_iter=self.max_iter)

    def _rows(self, items, entities, groups, n_pairs, rng):
        first, second, similar = item_pairs.draw_rows(
            entities, groups, n_pairs, self.similar_share, rng
        )
        return self.distances(items[first], items[second]), similar

    def _search(self, items, entities, groups, folds, rng) -> None:
        def draw(side) -> tuple[np.ndarray, np.ndarray]:
            return self._rows(items[side], entities[side], groups[side], self.n_search_pairs, rng)

        drawn = [(draw(~held), draw(held)) for held in folds]

        def score(log2_gamma: float, log2_c: float) -> float:
            def count(fold) -> np.ndarray:
                (rows, similar), (held_rows, truth) = fold
                machine = self._classifier(log2_gamma, log2_c).fit(rows, similar)
                found = machine.predict(held_rows)
                return np.array([truth & found, truth & ~found, ~truth & found]).sum(axis=1)

            right, missed, wrong = sum(in_threads(count, drawn, self.threads))
            if self.objective == "accuracy":
                return 1 - (missed + wrong) / sum(truth.size for _, (_, truth) in drawn)
            return 2 * right / max(2 * right + missed + wrong, 1)

        (self.log2_gamma_, self.log2_c_), self.search_score_ = alternate(
            score, (self.log2_gamma, self.log2_c), self.n_rounds, self.n_evaluations
        )

    def _choose_link(self, items, entities, groups, folds, rng) -> None:
        drawn = []
        for held in folds:
            side = np.flatnonzero(~held)
            rows = self._rows(items[side], entities[side], groups[side], self.n_pairs, rng)
            drawn.append((rows, self._thinned(np.flatnonzero(held), entities, groups, rng)))

        def merge(fold) -> list[list[Merges]]:
            (rows, similar), kept = fold
            machine = self._classifier(self.log2_gamma_, self.log2_c_).fit(rows, similar)
            merges = []
            for place in _members(groups[kept]):
                members = kept[place]
                far = self._pair_distances(machine, items[members])
                merges.append([merge_gains(far, entities[members], link) for link in LINKS])
            return merges

        trees = chain.from_iterable(in_threads(merge, drawn, self.threads))
        kept = [item_pairs.count_pairs(entities[side], groups[side]) for _, side in drawn]
        n_similar = sum(count.similar for count in kept)
        best = {
            link: best_threshold(merges, n_similar)
            for link, merges in zip(LINKS, zip(*trees, strict=True), strict=True)
        }
        self.link_ = max(best, key=lambda link: best[link][1])
        self.threshold_, self.cv_f_ = best[self.link_]

    def _thinned(self, held: np.ndarray, entities, groups, rng) -> np.ndarray:
        n_pairs = sum(item_pairs.count_pairs(entities[held], groups[held]))
        if n_pairs <= self.max_held_pairs:
            return held
        n_kept = int(held.size * (self.max_held_pairs / n_pairs) ** 0.5)
        return np.sort(rng.choice(held, max(n_kept, 2), replace=False))

    def _pair_distances(self, machine: PairClassifier, items: np.ndarray) -> np.ndarray:
        """Return the condensed distances of all pairs, which are minus the decision values."""
        first, second = np.triu_indices(items.size, k=1)
        far = np.empty(first.size)
        for start in range(0, first.size, PAIRS_AT_A_TIME):
            part = slice(start, start + PAIRS_AT_A_TIME)
            rows = self.distances(items[first[part]], items[second[part]])
            far[part] = -machine.decision_function(rows)
        return far


def _members(groups: np.ndarray) -> list[np.ndarray]:
    return [np.flatnonzero(groups == group) for group in np.unique(groups)]


RATIO = (5**0.5 - 1) / 2


def golden_section(
    function: Callable[[float], float], low: float, high: float, n_evaluations: int
) -> tuple[float, float]:
    """Maximise a function with a single peak on an interval (Kiefer 1953).

    Parameters
    ----------
    function : callable
    low, high : float
    n_evaluations : int
        At least 2.  What remains is 0.618^(n_evaluations - 1) times as long as the interval.

    Returns
    -------
    place, value : float
        The best place seen and its value; it need not be near a peak if there are several.

    Raises
    ------
    ConfigError
        If the interval is empty or there are fewer than two evaluations.
    """
    if not low < high:
        raise ConfigError(f"the search needs an interval, low below high, not [{low}, {high}].")
    if n_evaluations < 2:
        raise ConfigError(f"n_evaluations is {n_evaluations}; a search needs at least 2.")
    left, right = high - RATIO * (high - low), low + RATIO * (high - low)
    seen = {left: function(left), right: function(right)}
    for _ in range(n_evaluations - 2):
        if seen[left] >= seen[right]:
            high, right = right, left
            new = left = high - RATIO * (high - low)
        else:
            low, left = left, right
            new = right = low + RATIO * (high - low)
        seen[new] = function(new)
    place = max(seen, key=seen.get)
    return place, seen[place]


def alternate(
    function: Callable[[float, float], float], bounds, n_rounds: int, n_evaluations: int
) -> tuple[tuple[float, float], float]:
    """Maximise a function of two variables by searches along each of them in turn.

    Parameters
    ----------
    function : callable
    bounds : sequence of two (low, high)
        The search starts from the middle of both.
    n_rounds, n_evaluations : int
        Number of searches along each variable, and of evaluations in each of them.

    Returns
    -------
    place : tuple of two float
    value : float
        As of `golden_section`.
    """
    place = [sum(bound) / 2 for bound in bounds]
    best = (-float("inf"), tuple(place))
    for _ in range(n_rounds):
        for axis, (low, high) in enumerate(bounds):

            def along(value: float, axis: int = axis) -> float:
                return function(*place[:axis], value, *place[axis + 1 :])

            found, value = golden_section(along, low, high, n_evaluations)
            # A search does not evaluate the current place, so it can end below the best value.
            if value >= best[0]:
                place[axis] = found
                best = (value, tuple(place))
    return best[1], best[0]


#: The links of Daumé and Marcu (2005, section 7) by their names, as scipy calls them.
LINKS = {"min": "single", "max": "complete", "avg": "average"}


class Merges(NamedTuple):
    """Heights of the merges of a tree, and pairs and similar pairs that each adds, (n_merges,)."""

    heights: np.ndarray
    pairs: np.ndarray
    similar: np.ndarray


def _tree(distances: np.ndarray, link: str) -> tuple[np.ndarray, float]:
    """Return a tree with heights from 0, as scipy needs, and what was added to the distances."""
    if link not in LINKS:
        raise ConfigError(f"the link is {link!r}; it must be one of {', '.join(LINKS)}.")
    lowest = distances.min()
    return hierarchy.linkage(distances - lowest, LINKS[link]), -lowest


def merge_gains(distances: np.ndarray, entities: np.ndarray, link: str) -> Merges:
    """Return the height of each merge of a tree, and the pairs and similar pairs that it adds."""
    n = entities.size
    if n < 2:
        return Merges(*np.zeros((3, 0)))
    tree, shift = _tree(distances, link)
    names, codes = np.unique(entities, return_inverse=True)
    counts = np.zeros((2 * n - 1, names.size))
    counts[np.arange(n), codes] = 1
    similar = np.empty(n - 1)
    sizes = np.ones(2 * n - 1)
    joined = tree[:, :2].astype(int)
    for merge, (a, b) in enumerate(joined):
        similar[merge] = counts[a] @ counts[b]
        counts[n + merge] = counts[a] + counts[b]
        sizes[n + merge] = sizes[a] + sizes[b]
    return Merges(tree[:, 2] - shift, sizes[joined].prod(axis=1), similar)


def best_threshold(merges: list[Merges], n_similar: int) -> tuple[float, float]:
    """Return the threshold, half-way between heights, of the best pooled F of sets, and F."""
    heights, pairs, similar = (np.concatenate(column) for column in zip(*merges, strict=True))
    if not heights.size:
        return 0.0, 0.0
    order = np.argsort(heights, kind="stable")
    heights, pairs, similar = heights[order], np.cumsum(pairs[order]), np.cumsum(similar[order])
    f = 2 * similar / (pairs + n_similar)
    # Merges of equal height are made together.
    f[:-1][heights[:-1] == heights[1:]] = -1.0
    best = int(np.argmax(f))
    if f[best] <= 0:
        return float(heights[0]) - 1.0, 0.0
    above = heights[best + 1] if best + 1 < heights.size else heights[best] + 2.0
    return float((heights[best] + above) / 2), float(f[best])


def cut(distances: np.ndarray, link: str, threshold: float) -> np.ndarray:
    """Return the clusters, from 0, after the merges that are at most `threshold` high."""
    if not distances.size:
        return np.zeros(1, dtype=int)
    tree, shift = _tree(distances, link)
    if threshold + shift < 0:
        return np.arange(num_obs_y(distances))
    return hierarchy.fcluster(tree, threshold + shift, criterion="distance") - 1
