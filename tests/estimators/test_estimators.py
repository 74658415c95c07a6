"""Estimators: what they find, what they keep, and what they refuse."""

import subprocess
import sys
import warnings

import arviz_stats
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

import reseat
from reseat import (
    Microclustering,
    MultinomialMixture,
    RelationalModel,
    StudentMixture,
    SupervisedClustering,
    WishartDirichlet,
)
from reseat.chains import open_chain
from reseat.errors import DataError
from reseat.estimators.base import by_size, n_threads, seed_of
from reseat.estimators.supervised import _joined, _numbered
from reseat.summaries import describe

SHORT = {"n_chains": 2, "n_burn_in": 20, "n_samples": 20, "thin": 2, "random_state": 1}


@pytest.fixture
def documents(rng):
    truth = np.repeat([0, 1, 2], 12)
    words = rng.dirichlet(np.full(20, 0.1), 3)
    return np.array([rng.multinomial(30, words[k]) for k in truth]), truth


@pytest.fixture
def table(rng):
    rows, columns = np.repeat([0, 1], 12), np.repeat([0, 1, 2], 8)
    rate = np.array([[3.0, 0.1, 0.5], [0.1, 3.0, 0.5]])
    return rng.poisson(rate[rows][:, columns]), rows, columns


@pytest.fixture
def items(rng):
    entity = np.repeat(np.arange(15), 4)
    points = rng.normal(size=(15, 4))[entity] + 0.05 * rng.normal(size=(60, 4))
    return points, entity


def test_importing_reseat_loads_no_estimator():
    code = "import reseat, sys; print('sklearn' in sys.modules, 'StudentMixture' in dir(reseat))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
    with pytest.raises(AttributeError, match="No reseat attribute Mixture$"):
        reseat.Mixture  # noqa: B018


def test_documents_are_found_and_described(documents):
    counts, truth = documents
    model = MultinomialMixture(**SHORT).fit(sp.csr_array(counts))
    assert adjusted_rand_score(truth, model.labels_) == 1
    assert model.draws_.shape == (2, 10, 36) and model.log_joint_.shape == (2, 20)
    low, high = model.n_clusters_interval_
    assert low <= model.n_clusters_ <= high
    together = model.coclustering()
    by_hand = np.mean([draw[:, None] == draw for draw in model.draws_.reshape(20, 36)], axis=0)
    np.testing.assert_allclose(together, by_hand)
    assert model.rhat_["log_joint"] == describe(model.log_joint_)["rhat"]
    assert set(model.ess_) == set(model.traces_) >= {"n_clusters", "concentration"}


def test_files_and_memory_and_threads_give_the_same_draws(documents, tmp_path):
    counts, _ = documents
    plain = MultinomialMixture(**SHORT).fit(counts)
    filed = MultinomialMixture(**SHORT, folder=tmp_path / "chains", n_jobs=2).fit(counts)
    np.testing.assert_array_equal(plain.draws_, filed.draws_)
    np.testing.assert_array_equal(plain.log_joint_, filed.log_joint_)
    np.testing.assert_array_equal(plain.labels_, filed.labels_)
    tree = open_chain(tmp_path / "chains" / "chain-1.nc")
    np.testing.assert_array_equal(tree["partition"]["labels"].values[0], plain.draws_[1])


def test_records_may_be_texts_with_gaps(rng):
    people = rng.integers(0, 15, (30, 4)).astype(str).astype(object)
    person = np.append(np.arange(30), np.arange(10))
    records = people[person]
    records[35, 2] = None
    model = Microclustering(**SHORT | {"n_burn_in": 200}).fit(records)
    assert adjusted_rand_score(person, model.labels_) > 0.95
    assert len(model.categories_) == 4 and None not in model.categories_[2]


def test_distances_and_points_agree(rng):
    truth = np.repeat([0, 1], 15)
    points = rng.normal(size=(30, 3)) + 8 * truth[:, None]
    squared = ((points[:, None] - points) ** 2).sum(axis=2)
    of_points = WishartDirichlet(metric="euclidean", **SHORT).fit(points)
    assert of_points.dim_ == 3 and adjusted_rand_score(truth, of_points.labels_) == 1
    for square, matrix in ((False, squared), (True, np.sqrt(squared))):
        model = WishartDirichlet(square=square, dim=3, **SHORT).fit(matrix)
        np.testing.assert_array_equal(model.labels_, of_points.labels_)
    assert WishartDirichlet(**SHORT).fit(squared).dim_ <= 3


@pytest.mark.parametrize("inference", ["variational", "gibbs"])
def test_both_sides_of_a_table(table, inference):
    counts, rows, columns = table
    model = RelationalModel(inference=inference, **SHORT).fit(counts)
    assert adjusted_rand_score(rows, model.labels_) == 1
    assert adjusted_rand_score(columns, model.column_labels_) == 1
    n_chains = 1 if inference == "variational" else 2
    assert model.draws_.shape == (n_chains, 10, 24)
    assert model.column_draws_.shape == (n_chains, 10, 24)
    assert model.column_coclustering().shape == (24, 24)
    assert bool(model.rhat_) == (inference == "gibbs")


@pytest.mark.parametrize("model", ["scdp1", "scdp2", "scdp3_covariance", "cdp"])
def test_new_items_are_clustered_as_the_known_ones(items, model):
    points, entity = items
    y = np.where(entity < 10, entity, -1)
    found = SupervisedClustering(model=model, **SHORT).fit(points, y)
    np.testing.assert_array_equal(found.labels_[y >= 0], y[y >= 0])
    assert found.labels_[y < 0].min() >= 10
    assert found.draws_.shape == (2, 10, 60)
    assert found.n_clusters_ == np.unique(found.labels_[y < 0]).size
    # All numbers of clusters are of the items to cluster.
    row = found.summary().loc["clusters of the items to cluster"]
    assert tuple(row[["mean", "low", "high"]]) == (found.n_clusters_, *found.n_clusters_interval_)
    assert f"{found.n_clusters_} clusters of the items to cluster" in found._html_repr()
    if model in ("scdp1", "scdp2"):
        traced = found.traces_["n_test_clusters"][:, SHORT["thin"] - 1 :: SHORT["thin"]]
        np.testing.assert_array_equal(found._numbers_of_draws(), traced.ravel())
        assert adjusted_rand_score(entity[y < 0], found.labels_[y < 0]) == 1


def test_columns_may_be_of_any_unit_and_constant_ones_are_named(items):
    points, entity = items
    y = np.where(entity < 9, entity, -1)
    model = SupervisedClustering(model="scdp1", **SHORT)
    expected = model.fit(points, y).draws_
    tiny = points * [1.0, 2.0**-60, 2.0**-300, 1.0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(model.fit(tiny, y).draws_, expected)
    model.set_params(standardise=False)
    expected = model.fit(points, y).draws_
    noisy = np.c_[points, 1e-16 * points[:, :1]]
    with pytest.warns(UserWarning, match="training items are left out: 4.$"):
        np.testing.assert_array_equal(model.fit(noisy, y).draws_, expected)
    frame = pd.DataFrame(points, columns=list("abcd")).assign(weight=7.0)
    with pytest.warns(UserWarning, match="training items are left out: 'weight'.$"):
        np.testing.assert_array_equal(model.fit(frame, y).draws_, expected)


def test_groups_of_new_items_are_not_made_texts_of_numbers():
    found = _joined(np.array([1, 2]), np.array(["1", "a"]))
    assert np.unique(_numbered(found)).size == 4
    assert _joined(np.array([1]), np.array([3])).dtype == int


def test_items_may_join_the_known_entities(items, rng):
    points, entity = items
    names = np.array([f"e{number:02}" for number in entity], dtype=object)
    names[rng.permutation(60)[:20]] = None
    found = SupervisedClustering(share=True, **SHORT).fit(points, names)
    assert adjusted_rand_score(entity, found.labels_) == 1
    known = found.labels_ < found.classes_.size
    expected = [f"e{number:02}" for number in entity[known]]
    assert found.classes_[found.labels_[known]].tolist() == expected


def test_new_clusters_are_no_known_entities_even_if_those_are_joined():
    points = np.array([0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 9.0, 9.1])[:, None]
    found = SupervisedClustering(share=True, **SHORT)
    found.fit(points, ["a", "a", "b", "c", "d", None, None, None])
    # One cluster of all known items, which an unknown one joins, and a new one.
    draws = np.tile([0, 0, 0, 0, 0, 0, 1, 1], (3, 1))
    assert found._estimate(draws, 1).tolist() == [0, 0, 1, 2, 3, 0, 4, 4]


ENTITIES = ["a", "a", "b", "b"]


@pytest.mark.parametrize(
    "y",
    [
        [*ENTITIES, -1, -1],
        (*ENTITIES, None, -1),
        [*(name.encode() for name in ENTITIES), b"-1", b" "],
        [*ENTITIES, np.nan, None],
        np.array([*ENTITIES, -1, "-1"]),
        pd.Series([*ENTITIES, -1, None]),
        pd.Series([*ENTITIES, pd.NA, "-1"], dtype="string"),
        pd.Series([*ENTITIES, None, None], dtype="category"),
        np.array([[*ENTITIES, -1.0, None]], dtype=object).T,
        np.array([7, 7, 9, 9, -1, -1], dtype=np.int8),
        [7.0, 7.0, 9.0, 9.0, -1.0, np.nan],
        pd.Series([7, 7, 9, 9, None, -1], dtype="Int64"),
        np.array(["7.0", "7.0", "9.0", "9.0", "-1.0", "-1.0"]),
        np.array(["7.0", "7.0", "9.0", "9.0", "-1.0", "-1.0"], dtype=object),
    ],
    ids=lambda y: type(y).__name__,
)
def test_items_without_an_entity_are_marked_in_any_of_the_usual_ways(items, y):
    points = items[0][[0, 1, 4, 5, 8, 9]]
    found = SupervisedClustering(**SHORT).fit(points, y)
    assert found.classes_.astype(str).tolist() in (["a", "b"], ["7", "9"], ["7.0", "9.0"])
    assert found.labels_[:4].tolist() == [0, 0, 1, 1]
    assert found.labels_[4:].min() == 2


def test_groups_may_be_whatever_pandas_holds(items):
    X, entity = items
    y, codes = np.where(entity < 10, entity, -1), np.arange(len(X)) % 2
    model = SupervisedClustering(**SHORT, model="scdp1")
    numbered = model.fit(X, y, groups=codes).labels_
    names = pd.Series(np.array(["a", "b"])[codes])
    days = pd.to_datetime("2026-01-01") + pd.to_timedelta(codes, "D")
    large = codes.astype(np.uint64) + np.uint64(2**63)
    for groups in (names, names.astype("category"), days, large):
        np.testing.assert_array_equal(model.fit(X, y, groups=groups).labels_, numbered)
        assert len(model.predict(X[:3], groups=groups[:3])) == 3
    with pytest.raises(DataError, match="The group of the item 1 is missing"):
        model.fit(X, y, groups=pd.Series(["a", None] * (len(X) // 2)))


def test_a_second_fit_leaves_nothing_of_the_first(items, table):
    X, entity = items
    known = entity < 10
    model = SupervisedClustering(**SHORT, model="scdp1").fit(X, np.where(known, entity, -1))
    model.fit(X[known], entity[known])
    assert model.n_clusters_ == 0 and not hasattr(model, "draws_")
    relations = RelationalModel(n_restarts=1, random_state=1).fit(table[0])
    relations.set_params(inference="gibbs", n_burn_in=2, n_samples=4).fit(table[0])
    assert hasattr(relations, "draws_") and not hasattr(relations, "elbo_")


def test_draws_of_arviz_are_those_of_the_same_sweeps(documents, table):
    found = MultinomialMixture(**SHORT).fit(documents[0]).to_arviz()
    kept, labels = found.partition["draw"].values, found.partition["labels"].values
    assert list(kept) == list(range(1, 20, 2))
    numbers = [[np.unique(draw).size for draw in chain] for chain in labels]
    np.testing.assert_array_equal(found.posterior["n_clusters"].sel(draw=kept).values, numbers)
    assert arviz_stats.summary(found).index.tolist() == ["n_clusters", "concentration", "beta"]
    both = RelationalModel(inference="gibbs", **SHORT).fit(table[0]).to_arviz().partition
    assert both["column_labels"].sizes == {"chain": 2, "draw": 10, "column": table[0].shape[1]}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (np.nan, "the matrix: the entry in row .* is nan"),
        (-1.0, "the matrix: the entry in row .* is -1; every pair"),
        (50.0, "the matrix is not symmetric: .* the other way round"),
    ],
)
def test_the_rows_of_landmarks_are_checked(rng, value, said):
    points = rng.normal(size=(30, 3))
    squared = ((points[:, None] - points) ** 2).sum(axis=2)
    model = WishartDirichlet(landmarks=12, **SHORT)
    one, other = model.fit(squared).landmarks_[[3, 8]]
    squared[one, other] = value
    with pytest.raises(DataError, match=said):
        model.fit(squared)


def test_the_caller_is_warned_if_chains_do_not_agree(rng):
    words = rng.dirichlet(np.full(60, 0.05), 12)
    counts = np.array([rng.multinomial(40, words[k]) for k in rng.integers(0, 12, 120)])
    modes = MultinomialMixture(prior="finite_dirichlet", max_clusters=8, **SHORT)
    with pytest.warns(ConvergenceWarning, match="R-hat of log_joint is .* at most 1.05") as told:
        modes.fit(counts)
    assert told[0].filename == __file__ and modes.rhat_["log_joint"] > 1.05
    with pytest.warns(ConvergenceWarning, match="^Chains of 2 sweeps are too short to tell"):
        MultinomialMixture(n_burn_in=0, n_samples=2, random_state=1).fit(counts)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        alike = rng.multinomial(40, words[0], 8)
        MultinomialMixture(n_chains=2, n_burn_in=100, n_samples=800, random_state=1).fit(alike)


def test_new_documents_without_known_words_are_remarked_on(rng):
    counts = rng.poisson(1.0, (12, 5)) + 1
    model = MultinomialMixture(**SHORT).fit(counts)
    with pytest.warns(UserWarning, match="1 of 2 new documents contain no words that were known"):
        model.predict(np.array([[1, 0, 2, 0, 1], [0] * 5]))


def test_points_may_lie_in_memory_as_pandas_leaves_them(rng):
    points = rng.normal(size=(2001, 3))
    short = {"n_chains": 1, "n_burn_in": 1, "n_samples": 2, "thin": 1, "random_state": 1}
    model = WishartDirichlet(metric="euclidean", **short)
    expected = model.fit(points).draws_
    for given in (pd.DataFrame(points, columns=list("abc")), np.asfortranarray(points)):
        np.testing.assert_array_equal(model.fit(given).draws_, expected)


@pytest.mark.parametrize("dtype", [">f8", ">i4", np.float16])
def test_counts_may_be_of_any_numeric_type(documents, table, dtype):
    models = MultinomialMixture(**SHORT), RelationalModel(n_restarts=1, random_state=1)
    for model, counts in zip(models, (documents[0], table[0]), strict=True):
        expected = model.fit(counts).labels_
        np.testing.assert_array_equal(model.fit(counts.astype(dtype)).labels_, expected)


def test_predict_leaves_the_estimator_alone(items):
    points, entity = items
    model = SupervisedClustering(**SHORT).fit(points[:40], entity[:40])
    assert model.n_clusters_ == 0 and model.n_clusters_interval_ == (0, 0)
    assert model.choices_.empty and "F" in model.choices_
    labels = model.predict(points[40:])
    assert adjusted_rand_score(entity[40:], labels) == 1 and labels.min() == 10
    np.testing.assert_array_equal(model.labels_, entity[:40])


PRIORS = ("dirichlet_process", "pitman_yor", "nbnb", "nbd", "finite_dirichlet")


@pytest.mark.parametrize("prior", PRIORS)
def test_every_prior_with_every_model(prior, documents, table, rng):
    extra = {"prior": prior} | ({"max_clusters": 5} if prior == "finite_dirichlet" else {})
    quick = SHORT | {"n_burn_in": 1, "n_samples": 4} | extra
    counts, points = documents[0][::2], rng.normal(size=(20, 3))
    for model, X in (
        (MultinomialMixture(**quick), counts),
        (Microclustering(**quick), counts[:, :4]),
        (WishartDirichlet(metric="euclidean", **quick), points),
        (StudentMixture(**quick), points),
        (RelationalModel(inference="gibbs", **quick), table[0]),
    ):
        found = model.fit(X)
        assert found.draws_.shape == (2, 2, len(X)) and np.isfinite(found.log_joint_).all()


def test_numbers_of_seeds_threads_and_clusters():
    assert by_size(np.array([7, 3, 3, 9, 9, 1])).tolist() == [2, 0, 0, 1, 1, 3]
    assert seed_of(5) == 5 and seed_of(None) != seed_of(None)
    assert seed_of(np.random.RandomState(3)) == seed_of(np.random.RandomState(3))
    assert n_threads(None) == 1 and n_threads(3) == 3 and n_threads(-1) >= 1
