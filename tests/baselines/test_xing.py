"""Xing's metric, and the pairs and folds from which the baselines of mentions learn."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist
from scipy.stats import chisquare
from sklearn.exceptions import NotFittedError

from reseat.baselines import XingMetric, kmeans_labels
from reseat.baselines.item_pairs import (
    check_items,
    draw_dissimilar,
    draw_pairs,
    draw_rows,
    grouped_folds,
)
from reseat.errors import ConfigError, DataError

# ---- pairs and folds ---------------------------------------------------------------------


def pairs_of(groups):
    return {(i, j) for i, j in combinations(range(len(groups)), 2) if groups[i] == groups[j]}


def as_set(first, second):
    pairs = set(map(tuple, np.sort(np.stack([first, second], axis=1), axis=1).tolist()))
    assert len(pairs) == len(first)
    return pairs


def test_all_pairs_of_the_groups_are_listed(rng):
    groups = rng.integers(5, size=60)
    assert as_set(*draw_pairs(groups, 10**6, rng)) == pairs_of(groups)


def test_pairs_are_drawn_evenly(rng):
    groups = np.array([0, 1, 0, 1, 1, 0, 1, 2])  # 3 and 6 pairs
    drawn = [min(as_set(*draw_pairs(groups, 1, rng))) for _ in range(3600)]
    counts = pd.Series(drawn).value_counts()
    assert set(counts.index) == pairs_of(groups)
    assert chisquare(counts).pvalue > 1e-4


def test_drawn_pairs_are_stratified(rng):
    entities, groups = check_items(rng.integers(12, size=200), rng.integers(3, size=200))
    similar, every = pairs_of(entities), pairs_of(groups)
    different = as_set(*draw_dissimilar(entities, groups, 500, rng))
    assert 450 < len(different) <= 500 and different <= every - similar
    assert as_set(*draw_dissimilar(entities, groups, 10**6, rng)) == every - similar
    for share, expected in ((None, len(similar) / len(every)), (0.4, 0.4)):
        first, second, same = draw_rows(entities, groups, 400, share, rng)
        assert as_set(first[same], second[same]) <= similar
        assert as_set(first[~same], second[~same]) <= every - similar
        assert same.mean() == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize("n_entities, n_folds, expected", [(40, 5, 5), (5, 10, 10), (7, 4, 4)])
def test_folds_never_share_an_entity(rng, n_entities, n_folds, expected):
    entities, groups = check_items(rng.permutation(np.arange(200) % n_entities))
    folds = grouped_folds(entities, groups, n_folds, rng)
    assert len(folds) == expected
    for held in folds:
        assert not set(entities[held]) & set(entities[~held])
        assert 2 <= np.unique(entities[held]).size <= n_entities - 2
    if n_entities >= 2 * n_folds:
        assert np.array_equal(sum(folds), np.ones(200))  # every item is held out once


def test_no_fold_holds_out_a_single_entity_however_large_it_is(rng):
    entities = np.repeat(np.arange(11), [300, *range(1, 11)])
    folds = grouped_folds(entities, np.zeros(entities.size, dtype=int), 4, rng)
    assert [np.unique(entities[held]).size >= 2 for held in folds] == [True] * 4
    assert sum(folds).all()


def test_folds_hold_out_whole_documents(rng):
    documents = rng.integers(9, size=150)
    entities, groups = check_items(rng.integers(4, size=150), documents)
    folds = grouped_folds(entities, groups, 3, rng)
    assert len(folds) == 3
    for held in folds:
        assert not set(documents[held]) & set(documents[~held])


# ---- the metric ------------------------------------------------------------------------------


@pytest.fixture
def labelled():
    """Return training items of 8 entities with 3 features (2, 1, 2 coordinates), the last noise."""
    rng = np.random.default_rng(9)
    entities = np.repeat(np.arange(8), 5)
    points = rng.normal(size=(8, 5))[entities] * [2, 2, 1, 0, 0]
    points += rng.normal(size=(40, 5)) * [0.5, 0.5, 0.5, 2, 2]
    return points, entities, np.array([0, 0, 1, 2, 2])


def squared_distances(points, entities, feature_of):
    first, second = np.triu_indices(len(points), 1)
    squares = (points[first] - points[second]) ** 2
    by_feature = np.stack([squares[:, feature_of == f].sum(axis=1) for f in range(3)], axis=1)
    similar = entities[first] == entities[second]
    return by_feature[similar], by_feature[~similar]


def test_xing_finds_the_least_of_the_objective(labelled, rng):
    points, entities, feature_of = labelled
    similar, dissimilar = squared_distances(*labelled)
    for constant in (0.2, 3.0):
        metric = XingMetric(constant, feature_of=feature_of).fit(points, entities)
        assert (metric.n_similar_, metric.n_dissimilar_) == (len(similar), len(dissimilar))

        def value(weights, constant=constant):
            near, far = similar @ weights, np.sqrt(dissimilar @ weights)
            return near.sum() - constant * np.log(far.sum())

        least = value(metric.weights_)
        for _ in range(200):
            other = np.abs(metric.weights_ * np.exp(rng.normal(scale=0.1, size=3)))
            assert value(other) > least
        # The optimum has this property for any data.
        assert (similar @ metric.weights_).sum() == pytest.approx(constant / 2, rel=2.0**-11)
        assert metric.weights_[2] < 0.1 * metric.weights_[0]
        assert pdist(metric.transform(points)[:2])[0] ** 2 == pytest.approx(
            similar[0] @ metric.weights_
        )


def test_every_positive_constant_gives_the_same_direction_and_partition(labelled, rng):
    points, entities, feature_of = labelled
    metric = XingMetric(feature_of=feature_of).fit(points, entities)
    ratio = metric.n_similar_ / metric.n_dissimilar_
    assert ratio**2 < 0.02
    new = points + rng.normal(scale=0.3, size=points.shape)
    partitions = []
    for constant in (1.0, ratio, ratio**2, 50.0, 1e12):
        found = XingMetric(constant, feature_of=feature_of).fit(points, entities)
        assert found.weights_ / constant == pytest.approx(metric.weights_, rel=2.0**-11)
        partitions.append(kmeans_labels(found.transform(new), 8, n_restarts=3, seed=2))
    assert all(np.array_equal(partitions[0], labels) for labels in partitions)
    plain = XingMetric(0.0, feature_of=feature_of).fit(points, entities)
    euclidean = kmeans_labels(new, 8, n_restarts=3, seed=2)
    assert np.array_equal(kmeans_labels(plain.transform(new), 8, n_restarts=3, seed=2), euclidean)
    assert not np.array_equal(partitions[0], euclidean)


def test_xing_from_some_of_the_dissimilar_pairs(labelled):
    points, entities, feature_of = labelled
    whole = XingMetric(feature_of=feature_of).fit(points, entities)
    some = [
        XingMetric(feature_of=feature_of, max_dissimilar=400, random_state=5).fit(points, entities)
        for _ in range(2)
    ]
    assert some[0].n_drawn_ <= 400 < whole.n_drawn_ == whole.n_dissimilar_
    assert np.array_equal(some[0].weights_, some[1].weights_)
    assert some[0].weights_[:2] == pytest.approx(whole.weights_[:2], rel=0.2)


def test_xing_pairs_stay_within_groups():
    points = np.array([[0.0], [1.0], [5.0], [0.0], [2.0], [9.0]])
    metric = XingMetric().fit(points, [0, 0, 1, 2, 2, 3], groups=[0, 0, 0, 1, 1, 1])
    assert (metric.n_similar_, metric.n_dissimilar_) == (2, 4)


@pytest.mark.parametrize(
    "entities, points, sentence",
    [
        ([0, 1, 2, 3], [0, 1, 2, 3], "no two training items are similar"),
        ([0, 0, 0, 0], [0, 1, 2, 3], "no two training items are dissimilar"),
        ([0, 0, 1, 1], [2, 2, 3, 3], "at least one similar pair that differs"),
        ([0, 0, 1, 1], [2, 2, 2, 2], "no metric can separate them"),
        ([0, 0, 1, 1], [0, 1, np.nan, 3], "X: row 2 contains a non-finite value; remove the item"),
        ([0, 0, 1, 1], [0, 1, np.inf, 3], "X: row 2 contains a non-finite value; remove the item"),
    ],
)
def test_xing_says_what_it_lacks(entities, points, sentence):
    with pytest.raises(DataError, match=sentence):
        XingMetric().fit(np.array(points, dtype=float)[:, None], entities)


@pytest.mark.parametrize("constant", [np.nan, np.inf, -1, "a"])
def test_xing_refuses_what_is_no_constant(constant):
    with pytest.raises(ConfigError, match="^C is .*; it must be finite and at least 0"):
        XingMetric(constant).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])


def test_weights_are_of_the_coordinates_that_were_learned_from():
    points = np.array([[0.0, 5.0], [0.1, -5.0], [3.0, 4.0], [3.1, -4.0]])
    with pytest.raises(NotFittedError):
        XingMetric().transform(points)
    metric = XingMetric().fit(points, [0, 0, 1, 1])
    weighted = metric.transform(points)
    assert np.array_equal(metric.set_params(feature_of=[0, 0]).transform(points), weighted)
    with pytest.raises(DataError, match="the weights are of 2 coordinates"):
        metric.transform(points[:, :1])
    with pytest.raises(DataError, match="X: row 0 contains a non-finite value"):
        metric.transform([[np.nan, 1.0]])
    for wrong in ([0, 2], [0], [0, -1]):
        with pytest.raises(DataError, match="feature_of"):
            XingMetric(feature_of=wrong).fit(points, [0, 0, 1, 1])
    with pytest.raises(DataError, match="y 2 items; each needs a row"):
        XingMetric(C=0).fit(points, [0, 0])


def test_scaled_coordinates_keep_their_names():
    table = pd.DataFrame({"a": [0.0, 0.1, 3.0, 3.1], "b": [5.0, -5.0, 4.0, -4.0]})
    metric = XingMetric().set_output(transform="pandas").fit(table, [0, 0, 1, 1])
    assert metric.transform(table).columns.tolist() == ["a", "b"]
    assert metric.feature_names_in_.tolist() == ["a", "b"]
