"""What a fitted estimator keeps when data are refused, changed afterwards or fitted again."""

import linecache
import shutil
import sys
from types import ModuleType

import numpy as np
import pytest
import scipy.sparse as sp
from given_files import put
from sklearn.metrics import pairwise_distances
from threadpoolctl import threadpool_info, threadpool_limits

from reseat import (
    Microclustering,
    MultinomialMixture,
    RelationalModel,
    StudentMixture,
    SupervisedClustering,
    WishartDirichlet,
)
from reseat.errors import CheckpointError, DataError
from reseat.priors import prior

SHORT = {"n_chains": 2, "n_burn_in": 5, "n_samples": 20, "thin": 2, "random_state": 1}
COUNTS = np.repeat([[9, 1, 0], [0, 1, 9]], 6, axis=0)
ENTITY = np.repeat(np.arange(12), 3)


@pytest.fixture
def points(rng):
    return 5 * rng.normal(size=(12, 2))[ENTITY] + 0.3 * rng.normal(size=(36, 2))


FITS = {
    "documents": (MultinomialMixture(**SHORT), COUNTS, np.full((5, 4), 0.5)),
    "relational": (RelationalModel(n_restarts=2, random_state=1), COUNTS, np.full((5, 4), 0.5)),
    "records": (Microclustering(**SHORT), COUNTS.astype(str), np.full((2, 4), "a", dtype=object)),
    "distances": (WishartDirichlet(**SHORT, metric="euclidean"), COUNTS, np.full((5, 4), 1e200)),
    "points": (StudentMixture(**SHORT), COUNTS, np.full((5, 4), 1e200)),
    "supervised": (SupervisedClustering(**SHORT, model="cdp"), COUNTS, np.full((5, 4), 1e200)),
}


@pytest.mark.parametrize("kind", FITS)
def test_a_refused_fit_leaves_the_earlier_one(kind):
    model, good, bad = FITS[kind]
    labels, n_features = model.fit(good).labels_.copy(), model.n_features_in_
    with pytest.raises(DataError):
        model.fit(bad)
    assert model.n_features_in_ == n_features
    np.testing.assert_array_equal(model.labels_, labels)
    if hasattr(model, "predict"):
        assert model.predict(good[[0, 6]]).shape == (2,)


def test_new_items_do_not_depend_on_what_becomes_of_the_data(points):
    new = points[:4].copy()
    mutable = points.copy()
    model = WishartDirichlet(**SHORT, metric="euclidean").fit(mutable)
    expected = model.predict(new)
    mutable += 100
    np.testing.assert_array_equal(model.predict(new), expected)

    mutable, known = points.copy(), np.where(ENTITY < 8, ENTITY, -1)
    model = SupervisedClustering(**SHORT, share=True, model="scdp1").fit(mutable, known)
    expected = model.predict(new)
    mutable[:24] = mutable[23::-1]
    np.testing.assert_array_equal(model.predict(new), expected)


@pytest.mark.parametrize("metric", ["l2", "minkowski", "nan_euclidean"])
def test_a_metric_of_several_names_is_one(metric, points):
    plain = WishartDirichlet(**SHORT, metric="euclidean").fit(points)
    other = WishartDirichlet(**SHORT, metric=metric).fit(points)
    np.testing.assert_array_equal(plain.log_joint_, other.log_joint_)


@pytest.mark.parametrize("given", [("seuclidean", None), ("mahalanobis", None), ("seuclidean", 9)])
def test_new_points_do_not_change_the_distances_of_the_old(given, points, monkeypatch):
    seen = []

    def measured(*args, **options):
        seen.append(pairwise_distances(*args, **options)[: len(points)])
        blas = [one for one in threadpool_info() if one["user_api"] == "blas"]
        assert all(one["num_threads"] == 1 for one in blas)
        return pairwise_distances(*args, **options)

    monkeypatch.setattr("reseat.estimators.distances.pairwise_distances", measured)
    metric, landmarks = given
    model = WishartDirichlet(**SHORT, metric=metric, square=True, landmarks=landmarks).fit(points)
    with threadpool_limits(2, user_api="blas"):
        model.predict(50 * points[:3])
    # With landmarks, their distances from each other are also looked at.
    np.testing.assert_array_equal(seen[-1][:, : seen[0].shape[1]], seen[0])


def test_duplicates_are_added_up_whatever_their_type():
    """The cells are stored twice, as halves whose sum overflows a byte."""
    expected, places = 400 * (COUNTS > 0), np.tile(np.nonzero(COUNTS), 2)
    twice = sp.coo_array((np.full(places.shape[1], 200, dtype=np.uint8), tuple(places)))
    for model in (MultinomialMixture(**SHORT), RelationalModel(n_restarts=2, random_state=1)):
        plain = model.fit(expected).labels_
        found = model.fit(twice)
        np.testing.assert_array_equal(found.labels_, plain)
    assert found.elbo_ == model.fit(expected).elbo_


@pytest.mark.parametrize("halves", [(-2, 5), (0.5, 0.5)])
def test_a_bad_count_is_not_added_away(halves):
    table = sp.coo_array((np.array([*halves, 1, 1]), ([0, 0, 1, 2], [0, 0, 1, 0])), shape=(3, 2))
    for model in (MultinomialMixture(**SHORT), RelationalModel(random_state=1)):
        with pytest.raises(ValueError, match=r"(?i)negative|whole"):
            model.fit(table)


def test_a_chain_without_its_last_state_spoils_nothing(tmp_path):
    def fit(n_samples):
        return MultinomialMixture(**SHORT | {"n_samples": n_samples}, folder=tmp_path).fit(COUNTS)

    expected = fit(20).log_joint_
    shutil.rmtree(tmp_path / "chain-1.state")
    with pytest.raises(CheckpointError, match="request as many samples as before"):
        fit(40)
    np.testing.assert_array_equal(fit(20).log_joint_, expected)


FLAT = """
import numpy as np
from reseat.priors import PartitionPrior, prior

@prior("mine", title="Mine")
class Mine(PartitionPrior):
    def tabulate(self):
        zeros = np.zeros(self.n_items + 1)
        self.set_tables(log_join=zeros, log_open=zeros + WEIGHT)

    def log_prob(self, sizes):
        return 0.0
"""


@pytest.mark.parametrize("at_prompt", [False, True])
def test_draws_under_an_earlier_prior_of_ones_own_are_not_returned(
    at_prompt, tmp_path, monkeypatch
):
    """This holds whether its code is in a file or was typed at the prompt."""

    def declare(weight):
        code = FLAT.replace("WEIGHT", weight)
        sys.modules["mine"] = ModuleType("mine")
        if not at_prompt:
            path = sys.modules["mine"].__file__ = str(put(tmp_path / "mine.py", code))
            linecache.clearcache()
            code = compile(code, path, "exec")
        exec(code, vars(sys.modules["mine"]))

    def fit():
        model = MultinomialMixture("mine", **SHORT, folder=tmp_path / "chains")
        return model.fit(COUNTS).log_joint_

    monkeypatch.setattr(prior, "declared", dict(prior.declared))
    monkeypatch.setitem(sys.modules, "mine", None)
    try:
        declare("1.0")
        first = fit()
        declare("1.0")
        np.testing.assert_array_equal(fit(), first)
        declare("2.0")
        with pytest.raises(CheckpointError, match=r"with prior_code = "):
            fit()
    finally:
        prior.pop("mine", None)
