"""What is particular to the mixture of Student-t components."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist, pdist
from sklearn.datasets import load_wine, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score

from reseat import StudentMixture
from reseat.errors import ConfigError, DataError, ReseatWarning
from reseat.estimators.points import TOO_LARGE
from reseat.metrics import adjusted_rand

pytestmark = pytest.mark.filterwarnings("ignore:The chains do not agree")
SHORT = {"n_chains": 2, "n_burn_in": 20, "n_samples": 20, "thin": 4, "random_state": 1}


def elongated(rng, n=120):
    """Return two parallel clusters, which are longer than they are apart, and their labels."""
    labels = np.repeat([0, 1], n // 2)
    return rng.normal(size=(n, 2)) * [8, 0.5] + np.c_[np.zeros(n), 5 * labels], labels


def test_clusters_may_be_long_and_of_any_spread(rng):
    points, labels = elongated(rng)
    points[labels == 0] = points[labels == 0] * [1, 0.2]
    model = StudentMixture(**SHORT).fit(points)
    assert adjusted_rand_score(labels, model.labels_) == 1
    assert model.n_directions_ == 2 and model.share_ == 1 and model.agreement_ > 0.95
    two = StudentMixture("finite_dirichlet", max_clusters=2, **SHORT).fit(points)
    assert adjusted_rand_score(labels, two.labels_) == 1
    assert not two.merged_ and two.traces_["n_components"].max() == 2


def test_one_gaussian_is_one_cluster_in_every_chain(rng):
    points = rng.normal(size=(150, 4)) @ rng.normal(size=(4, 4))
    model = StudentMixture(**SHORT | {"n_chains": 4, "n_burn_in": 80}).fit(points)
    assert model.n_clusters_ == 1
    assert (np.median(model.traces_["n_components"][:, -20:], axis=1) == 1).all()


def test_draws_are_the_same_whatever_the_units_of_the_columns(rng):
    wine = load_wine()
    turn = rng.normal(size=(13, 13))
    found = StudentMixture(**SHORT).fit(wine.data)
    assert adjusted_rand_score(wine.target, found.labels_) > 0.7
    for X in (wine.data / wine.data.std(axis=0), wine.data @ turn - 5):
        other = StudentMixture(**SHORT).fit(X).component_draws_
        np.testing.assert_array_equal(other, found.component_draws_)


def test_points_and_their_distances_have_the_same_clusters(rng):
    points, labels = elongated(rng)
    for given in (pdist(points), cdist(points, points)):
        model = StudentMixture(metric="precomputed", square=True, **SHORT).fit(given)
        assert adjusted_rand_score(labels, model.labels_) == 1 and model.share_ > 0.999
    some = StudentMixture(metric="precomputed", square=True, landmarks=40, **SHORT)
    assert adjusted_rand_score(labels, some.fit(given).labels_) == 1
    assert some.landmarks_.size == 40
    of_old = some.predict(cdist(points[:9], points))
    assert of_old.tolist() == some.labels_[:9].tolist()


def test_copies_count_once_and_are_in_one_cluster(rng):
    labels = np.arange(45) % 3
    points = rng.normal(size=(45, 8)) + 8 * np.eye(3, 8)[labels]
    place = rng.permutation(np.repeat(np.arange(45), rng.integers(1, 6, 45)))
    squares = cdist(points, points, "sqeuclidean")
    model = StudentMixture(metric="precomputed", **SHORT)
    with pytest.warns(ReseatWarning, match=f"{place.size - 45} of {place.size} objects are copies"):
        model.fit(squares[np.ix_(place, place)])
    assert adjusted_rand_score(labels[place], model.labels_) == 1
    assert (model.draws_[..., place == 3] == model.draws_[..., [np.argmax(place == 3)]]).all()
    assert adjusted_rand_score(labels[place], model.labels_at(3)) == 1
    first = [np.argmax(place == k) for k in range(9)]
    assert model.predict(squares[:9][:, place]).tolist() == model.labels_[first].tolist()


def test_components_without_a_valley_are_one_cluster():
    points, _ = make_moons(400, noise=0.06, random_state=0)
    with pytest.warns(ReseatWarning, match="not elliptical"):
        model = StudentMixture(merge=0.35, **SHORT).fit(points)
    assert model.merged_ and model.components_.max() + 1 > model.n_clusters_ >= 2
    for whole, parts in zip(model._flat_draws(), model._of_components(), strict=True):
        pairs = np.unique(np.c_[parts, whole], axis=0)
        assert pairs.shape[0] == np.unique(parts).size  # no component is divided
    apart = StudentMixture(merge=None, **SHORT).fit(points)
    np.testing.assert_array_equal(apart.labels_, model.components_)
    np.testing.assert_array_equal(apart.component_draws_, model.component_draws_)


def test_clusters_that_would_hold_nearly_all_items_stay_apart(rng):
    points = np.concatenate([rng.normal(size=(150, 2)), rng.normal(size=(150, 2)) + [1.5, 0]])
    points *= [1, 3]
    merged = StudentMixture(merge=1e-6, **SHORT).fit(points)
    sizes = np.bincount(merged.labels_)
    assert sizes.max() <= TOO_LARGE * 300 or not merged.merged_


def test_labels_at_every_number_are_nested_in_number(rng):
    centres = np.repeat(6 * rng.normal(size=(5, 3)), 30, axis=0)
    model = StudentMixture(**SHORT).fit(centres + rng.normal(size=(150, 3)))
    found = [model.labels_at(n).max() + 1 for n in (1, 2, 3, 4, 5)]
    assert found == [1, 2, 3, 4, 5]
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.labels_at(3), model.labels_at(3))
    with pytest.raises(ConfigError, match="n_clusters is 0"):
        model.labels_at(0)


def test_agreement_is_that_of_draws_of_different_chains():
    points, _ = make_circles(150, noise=0.05, factor=0.4, random_state=0)
    model = StudentMixture(**SHORT | {"n_samples": 8, "n_chains": 3}).fit(points)
    pairs = [(0, 1), (0, 2), (1, 2)]
    expected = [adjusted_rand(a, b) for i, j in pairs
                for a, b in zip(model.draws_[i], model.draws_[j], strict=True)]  # fmt: skip
    assert model.agreement_ == pytest.approx(np.mean(expected))
    assert "agreement of chains" in model.summary().index
    alone = StudentMixture(**SHORT | {"n_chains": 1}).fit(points[:20])
    assert np.isnan(alone.agreement_)


def test_scores_and_columns_of_zeros_neither_fail_nor_decide(rng):
    labels = np.repeat([0, 1, 2], 70)
    points = 4 * rng.normal(size=(3, 4))[labels] + rng.normal(size=(210, 4))
    scores = np.clip(np.rint(points), -6, 6)
    scores[rng.random(210) < 0.4, 0] = 0
    model = StudentMixture(**SHORT).fit(scores)
    assert np.isfinite(model.log_joint_).all()
    assert adjusted_rand_score(labels, model.labels_) > 0.6
    same = StudentMixture(**SHORT).fit(np.repeat([[0.0, 1.0], [2.0, 3.0]], 20, axis=0))
    assert same.n_clusters_ < 10


def test_missing_cells_are_integrated_out(rng):
    labels = np.repeat([0, 1, 2], 60)
    points = 6 * rng.normal(size=(3, 4))[labels] + rng.normal(size=(180, 4)) * [1, 5, 0.1, 1]
    holes = points.copy()
    holes[rng.random((180, 4)) < 0.15] = np.nan
    holes[np.isnan(holes).all(axis=1)] = 0
    model = StudentMixture(**SHORT).fit(holes)
    assert adjusted_rand_score(labels, model.labels_) > 0.9
    assert np.mean(model.predict(holes[:40]) == model.labels_[:40]) > 0.9
    wide = np.c_[holes, rng.normal(size=(180, 12))]
    with pytest.raises(DataError, match="180 rows and 16 columns"):
        StudentMixture(**SHORT).fit(wide)
    holes[7] = np.nan
    with pytest.raises(DataError, match="Row 7 of X has no number"):
        StudentMixture(**SHORT).fit(holes)


def test_categories_are_used_beside_numbers(rng):
    labels = np.repeat([0, 1, 2, 3], 50)
    table = pd.DataFrame({"a": rng.normal(size=200) + 8 * (labels % 2), "b": rng.normal(size=200)})
    alone = StudentMixture(**SHORT).fit(table)
    for name in ("kind", "place"):
        other = np.where(rng.random(200) < 0.05, labels % 2, labels // 2)
        table[name] = np.array(["x", "y"], dtype=object)[other]
    table.loc[3, "kind"] = None
    named = {"categorical_features": ["kind", "place"]}
    model = StudentMixture(**named, **SHORT).fit(table)
    assert alone.n_clusters_ == 2 and adjusted_rand_score(labels, model.labels_) > 0.8
    again = StudentMixture(**{"categorical_features": [2, 3]}, **SHORT).fit(table.to_numpy(object))
    np.testing.assert_array_equal(again.draws_, model.draws_)
    assert not model.merged_
    with pytest.raises(AttributeError, match="predict"):
        model.predict(table)
    with pytest.raises(DataError, match="no valleys between categories"):
        model.labels_at(2)
    for settings, said in (
        ({"categorical_features": ["sort"]}, "'sort', but X has no such column"),
        ({"categorical_features": [0, 1, 2, 3]}, "all columns"),
        ({"categorical_features": []}, "no column"),
        ({"categorical_features": ["place"]}, "texts"),
    ):
        with pytest.raises((ConfigError, DataError), match=said):
            StudentMixture(**settings, **SHORT).fit(table)
