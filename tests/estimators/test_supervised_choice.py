"""Which model of known entities is chosen, and that it is the better one."""

import threading

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from reseat import SupervisedClustering
from reseat.errors import ConfigError, DataError
from reseat.estimators.sampling import following
from reseat.likelihoods import GaussianReferences
from reseat.models.choosing import compare_models, hold_out
from reseat.models.supervised import Items
from reseat.threads import Stopped

SHORT = {"n_chains": 2, "n_burn_in": 20, "n_samples": 20, "thin": 2, "random_state": 3}
N_ENTITIES, N_EACH, N_KNOWN = 60, 5, 48


@pytest.fixture(scope="module")
def together():
    """Return items that vary along a diagonal, and entities that differ across it."""
    rng = np.random.default_rng(5)
    entity = np.repeat(np.arange(N_ENTITIES), N_EACH)
    along, across = (
        scatter * rng.normal(size=(entity.size, 4)) + rng.normal(size=(N_ENTITIES, 4))[entity]
        for scatter in (1.5, 0.2)
    )
    return np.hstack([along + across, along - across]), entity


@pytest.fixture(scope="module")
def known(together):
    return np.where(together[1] < N_KNOWN, together[1], -1)


@pytest.fixture(scope="module")
def found(together, known):
    """Return a fit whose model was chosen."""
    return SupervisedClustering(**SHORT).fit(together[0], known)


def test_what_varies_together_is_found_by_two_covariances(together, known, found):
    points, entity = together
    new = known < 0
    assert found.model_ == "two_covariances"
    agreement = adjusted_rand_score(entity[new], found.labels_[new])
    simple = SupervisedClustering(model="scdp1", **SHORT).fit(points, known)
    assert simple.model_ == "scdp1" and simple.choices_.empty
    assert agreement > 0.6 > adjusted_rand_score(entity[new], simple.labels_[new]) + 0.2
    assert found.choices_["F"].is_monotonic_decreasing
    best, other = found.choices_.groupby("model", sort=False)["F"].max()
    assert best > other + 0.2
    np.testing.assert_array_equal(found.labels_[~new], known[~new])
    assert found.n_clusters_ == np.unique(found.labels_[new]).size
    assert set(found.traces_) >= {"log_joint", "n_test_clusters"}
    assert adjusted_rand_score(entity[new], found.predict(points[new])) > 0.6


def test_the_choice_is_that_of_the_seed_and_the_chains_go_on(together, known, found, tmp_path):
    for n_samples in (10, SHORT["n_samples"]):
        model = SupervisedClustering(**SHORT | {"n_samples": n_samples}, folder=tmp_path)
        longer = model.fit(together[0], known)
    np.testing.assert_array_equal(found.draws_, longer.draws_)
    assert found.choices_.equals(longer.choices_)


def test_few_entities_decide_nothing(together, known):
    points = together[0]
    few = np.where(known < 7, known, -1)
    found = SupervisedClustering(**SHORT).fit(points, few)
    assert found.model_ == "scdp1" and found.choices_.empty
    # Nor do entities with one item each, except for the first, which has two.
    place = np.arange(points.shape[0])
    nearly_alone = np.where(place % N_EACH <= (place < N_EACH), known, -1)
    assert SupervisedClustering(**SHORT).fit(points, nearly_alone).model_ == "scdp1"


def test_settings_of_the_simple_model_choose_it_and_the_other_may_be_asked_for(together, known):
    points = together[0]
    for settings in ({"share": True}, {"concentration": 1.0}):
        assert SupervisedClustering(**settings, **SHORT).fit(points, known).model_ == "scdp1"
    asked = SupervisedClustering(model="two_covariances", concentration=1.0, **SHORT)
    assert asked.fit(points, known).choices_.empty
    with pytest.raises(DataError, match="needs items with known entities"):
        SupervisedClustering(model="two_covariances", **SHORT).fit(points)
    with pytest.raises(ConfigError, match="omit share, or choose 'scdp1'"):
        SupervisedClustering(model="two_covariances", share=True).fit(points, known)


@pytest.mark.parametrize("model", ["scdp1", "two_covariances"])
def test_groups_are_kept_apart(together, known, model):
    points, entity = together
    groups = entity % 2
    found = SupervisedClustering(model=model, **SHORT).fit(points, known, groups)
    for cluster in np.unique(found.labels_[known < 0]):
        assert np.unique(groups[(known < 0) & (found.labels_ == cluster)]).size == 1


def test_the_comparison_can_be_stopped(together, known):
    stop = threading.Event()
    stop.set()
    with following(stop=stop), pytest.raises(Stopped):
        SupervisedClustering(**SHORT).fit(together[0], known)


def test_many_training_items_are_sampled_entity_by_entity(monkeypatch, rng, together, known):
    monkeypatch.setattr("reseat.models.choosing.MAX_ITEMS", 60)
    points, entity = together
    seen = []

    def two_folds(entities, *_):
        seen.append(entities)
        half = np.isin(entities, np.unique(entities)[::2])
        return [half, ~half]

    monkeypatch.setattr("reseat.models.choosing.grouped_folds", two_folds)
    items = Items(GaussianReferences(points), known < 0, entity, np.zeros(entity.size, dtype=int))
    found = compare_models(items, {"model": "scdp1"}, rng)
    assert {one.model for one in found} == {"scdp1", "two_covariances"}
    assert (np.bincount(seen[0])[np.unique(seen[0])] == N_EACH).all() and seen[0].size == 60


def test_a_column_that_varies_only_among_items_that_are_not_drawn_is_left_out(
    monkeypatch, rng, together, known
):
    points, entity = together
    monkeypatch.setattr("reseat.models.choosing._sample", lambda items, _rng: drawn)
    drawn = np.flatnonzero(entity > 0)
    seen = []

    def compared(points, *args, **options):
        seen.append(points["given"])
        return hold_out(points, *args, **options)

    monkeypatch.setattr("reseat.models.choosing.hold_out", compared)
    for rare in (np.where(entity == 0, 1.0, 0.0), np.where(entity == 0, 1.0, 0.1)):
        data = GaussianReferences(np.c_[points, rare])
        items = Items(data, known < -9, entity, np.zeros(entity.size, dtype=int))
        found = compare_models(items, {"model": "scdp1"}, rng)
        assert {one.model for one in found} == {"scdp1", "two_covariances"}
        np.testing.assert_array_equal(seen.pop(), points[drawn])
