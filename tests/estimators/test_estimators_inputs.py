"""Data as users have them: missing values of all kinds, constant columns, unknown entities."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist, squareform
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from reseat import Microclustering, RelationalModel, SupervisedClustering, WishartDirichlet
from reseat.errors import DataError
from reseat.summaries import describe

SHORT = {"n_chains": 2, "n_burn_in": 10, "n_samples": 20, "thin": 2, "random_state": 1}


@pytest.fixture
def people(rng):
    """Return records of names and years, some of which are missing, as None."""
    names = np.array(["".join(rng.choice(list("aeilmnorst"), 6)) for _ in range(20)], dtype=object)
    frame = pd.DataFrame({"first": names[rng.integers(20, size=60)], "last": "", "born": ""})
    frame["last"] = names[rng.integers(20, size=60)]
    frame["born"] = rng.integers(1940, 1999, 60).astype(str)
    return frame.mask(rng.random(frame.shape) < 0.2, None).dropna(how="all").reset_index(drop=True)


@pytest.mark.parametrize("likelihood", ["similar", "categorical"])
def test_a_missing_value_is_missing_whatever_it_is_called(people, likelihood):
    people = people[:25]

    def fitted(X):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            short = SHORT | {"n_burn_in": 2, "n_samples": 4}
            return Microclustering(likelihood=likelihood, **short).fit(X).log_joint_

    expected = fitted(people.to_numpy(dtype=object))
    nan = people.astype(object).where(people.notna(), np.nan)
    na, nat = (people.where(people.notna(), missing) for missing in (pd.NA, pd.NaT))
    typed = people.astype("string"), people.convert_dtypes(), people.astype("category")
    for same in (*typed, na.to_numpy(dtype=object), nat, nan, nan.to_numpy(dtype=object).tolist()):
        np.testing.assert_array_equal(fitted(same), expected)


def test_numbers_of_another_byte_order_are_the_same():
    model, numbers = Microclustering(**SHORT), np.array([[1, 2], [1, 2], [3, 4], [5, 2]])
    found = model.fit(numbers).log_joint_
    np.testing.assert_array_equal(model.fit(numbers.astype(">i4")).log_joint_, found)


def test_misspelt_names_of_few_people_are_near():
    """Each is there twice, once with a letter less; no two records have the same last name."""
    first = ["margarete", "christopher", "elisabeth", "alexander", "katharina", "sebastian"]
    last = (
        "brandstetter schneider zimmermann oberhauser kowalski lindenberg hoffmeister eriksson "
        "fitzgerald castellanos johansen vandermeer papadopoulos rodriguez ivanovich montgomery "
        "steinbrecher winterfeld"
    ).split()
    towns = ["dresden", "stuttgart", "hamburg", "hannover", "leipzig"]
    people = [[first[k % 6], name, towns[k % 5]] for k, name in enumerate(last)]
    again = [[one, name[:4] + name[5:], town] for one, name, town in people]
    short = {"n_chains": 2, "n_burn_in": 200, "n_samples": 100, "thin": 1, "random_state": 1}
    found = Microclustering(**short).fit(people + again)
    assert found.likelihood_ == "similar"
    assert (found.labels_[:18] == found.labels_[18:]).all() and found.labels_.max() == 17


def test_a_number_that_is_none_is_remarked_on(people, rng):
    amounts = np.round(rng.normal(size=len(people)), 2).astype(object)
    amounts[3] = "unknown"
    with pytest.warns(UserWarning, match="1 of .* values of 'amount' are not numbers.*'unknown'"):
        Microclustering(**SHORT).fit(people.assign(amount=amounts))
    amounts[3] = None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ConvergenceWarning)  # the chains are short
        Microclustering(**SHORT).fit(people.assign(amount=amounts))


def test_columns_that_do_not_vary_are_no_dimensions(rng):
    points = np.r_[rng.normal(size=(20, 3)), rng.normal(size=(20, 3)) + 4]
    model = WishartDirichlet(metric="euclidean", **SHORT)
    plain = model.fit(points)
    assert plain.dim_ == 3
    draws = plain.draws_
    more = model.fit(np.c_[points, np.ones((40, 5))])
    assert more.dim_ == 3
    np.testing.assert_array_equal(more.draws_, draws)
    assert model.fit(np.c_[points, points[:, 0]]).dim_ == 3
    assert model.fit(np.c_[np.ones((4, 2)), rng.normal(size=(4, 6))]).dim_ == 6


def test_distances_may_be_condensed(rng):
    pairs = pdist(np.r_[rng.normal(size=(8, 3)), rng.normal(size=(8, 3)) + 4])
    model = WishartDirichlet(square=True, landmarks=12, **SHORT)
    expected = model.fit(squareform(pairs)).draws_
    for same in (pairs, pairs.tolist(), pd.Series(pairs)):
        np.testing.assert_array_equal(model.fit(same).draws_, expected)
    with pytest.raises(DataError, match="X contains 119 numbers in condensed form, but 15 objects"):
        model.fit(pairs[1:])
    with pytest.raises(DataError, match="X contains no numbers"):
        model.fit(pairs[:0])


@pytest.fixture
def half_known(rng):
    """Return items of four entities, two of which are known."""
    X = np.repeat([[0, 0], [9, 0], [0, 9], [9, 9]], 5, axis=0) + rng.normal(size=(20, 2))
    return X, np.array(["a"] * 5 + ["b"] * 5 + [None] * 10, dtype=object)


def test_words_in_an_array_of_texts_are_no_entities(half_known):
    X, known = half_known
    model = SupervisedClustering(model="scdp1", **SHORT)
    expected = model.fit(X, known).labels_
    for word in ("nan", "None", "N/A", "?"):
        texts = np.array([word if name is None else name for name in known])
        with pytest.warns(UserWarning, match=f"Entries of y containing '[{word}]*' are treated"):
            np.testing.assert_array_equal(model.fit(X, texts).labels_, expected)
    for same in (np.where(known == None, " ", known).astype(str), known.astype("S4")):  # noqa: E711
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Entries of y containing 'None'")
            np.testing.assert_array_equal(model.fit(X, same).labels_, expected)
    assert model.classes_.size == 2


def test_words_among_objects_are_entities_that_are_remarked_on(half_known):
    X, known = half_known
    known[12:14] = "None"
    model = SupervisedClustering(model="scdp1", **SHORT)
    for given in (known, known.tolist(), pd.Series(known)):
        said = "2 of 12 entries of y are 'None', which is treated as a"
        with pytest.warns(UserWarning, match=said):
            assert model.fit(X, given).classes_.tolist() == ["None", "a", "b"]


def test_words_in_a_table_of_texts_are_no_categories():
    X = np.array([["ann", "rome"], ["bob", np.nan], ["eve", np.nan], ["joe", " "]])
    with pytest.warns(UserWarning, match="Entries of X containing 'nan' are treated as missing"):
        found = Microclustering(**SHORT).fit(X)
    assert found.categories_[1].tolist() == ["rome"]


@pytest.mark.parametrize("word", ["NULL", "Unknown", "n.a.", "-"])
def test_words_among_objects_are_categories_that_are_remarked_on(word):
    frame = pd.DataFrame({"name": ["ann", "bob", "eve", "joe"], "town": ["rome", word, word, ""]})
    said = f"2 of 4 entries of column 'town' of X are '{word}', which is treated as a value; use"
    with pytest.warns(UserWarning, match=said):
        assert Microclustering(**SHORT).fit(frame).categories_[1].tolist() == ["rome", word]


def test_few_draws_are_described_without_a_warning():
    few = np.array([[0.0, 0.0, 0.0, 1.0], [1.0, 1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ConvergenceWarning)  # the chains are short
        assert describe(few)["mean"] == pytest.approx(0.5)


def test_summaries_of_relations_have_both_sides_and_whole_numbers_of_clusters(rng):
    counts = np.kron(np.eye(3, dtype=int), np.full((8, 6), 3)) + rng.poisson(0.3, (24, 18))
    model = RelationalModel(inference="gibbs", **SHORT).fit(counts)
    table = model.summary()
    low, high = table.loc["n_clusters_column", ["low", "high"]]
    assert (low, high) == model.n_column_clusters_interval_
    assert table.loc["clusters in column_labels_", "mean"] == model.n_column_clusters_
    model = RelationalModel(**SHORT).fit(counts)
    assert [*model.summary().index] == ["clusters in labels_", "clusters in column_labels_"]
    assert 1 <= model.n_best_restarts_ <= model.n_restarts


def test_a_bound_that_one_restart_found_may_not_be_the_highest(rng):
    rates = rng.gamma(0.5, 2, (8, 8))
    counts = rng.poisson(rates[np.ix_(rng.integers(8, size=80), rng.integers(8, size=60))])
    # With merges, all restarts would reach the same bound.
    model = RelationalModel(n_restarts=4, initialisation="dirichlet_1", merge=False, **SHORT)
    said = "Only one of 4 restarts reached the highest bound"
    with pytest.warns(UserWarning, match=said) as told:
        model.fit(counts)
    assert told[0].filename == __file__  # the warning points to the user's line
    best = model.posterior_.restarts["elbo"]
    assert model.n_best_restarts_ == 1 == (best > best.max() - 1).sum()


@pytest.mark.filterwarnings("ignore:Only one of")
def test_clusters_of_the_posterior_have_the_numbers_of_the_labels():
    rng = np.random.default_rng(5)
    rates = rng.gamma(0.5, 2, (3, 3))
    counts = rng.poisson(rates[np.ix_(rng.integers(3, size=24), rng.integers(3, size=20))])
    model = RelationalModel(n_restarts=2, **SHORT).fit(counts)
    posterior = model.posterior_
    assert (np.diff(posterior.sizes["row"]) > 0).any()  # labels_ are ordered by their own sizes
    np.testing.assert_array_equal(posterior.labels["row"], model.labels_)
    np.testing.assert_array_equal(posterior.labels["column"], model.column_labels_)
    rows, columns = posterior.memberships["row"], posterior.memberships["column"]
    np.testing.assert_allclose(posterior.tau[0][0], model.beta + rows.T @ counts @ columns)


@pytest.mark.filterwarnings("ignore:Only one of")
def test_the_best_of_all_starts_is_kept():
    rng = np.random.default_rng(5)
    rates = rng.gamma(0.3, 0.67, (3, 3))
    counts = rng.poisson(rates[np.ix_(rng.integers(3, size=60), rng.integers(3, size=60))])
    alone = {
        start: RelationalModel(n_restarts=2, initialisation=start, **SHORT).fit(counts)
        for start in ("k_means", "dirichlet_01")
    }
    model = RelationalModel(n_restarts=4, **SHORT).fit(counts)
    restarts = model.posterior_.restarts
    assert model.elbo_ == restarts["elbo"].max() == max(part.elbo_ for part in alone.values())
    assert alone["k_means"].n_clusters_ < 3 <= model.n_clusters_  # too few links for K-means
    for start, part in alone.items():
        own = restarts.loc[restarts["initialisation"] == start, "elbo"]
        np.testing.assert_array_equal(own, part.posterior_.restarts["elbo"])
    # With fewer restarts than starts, only the first starts are used.
    one = RelationalModel(n_restarts=1, **SHORT).fit(counts)
    assert [*one.posterior_.restarts["initialisation"]] == ["k_means"]


def test_a_generator_gives_a_seed_for_each_fit(rng):
    X = [["ann", "rome"], ["ann", "rome"], ["bob", "oslo"], ["eve", "bonn"]]
    settings = SHORT | {"random_state": np.random.default_rng(5)}
    model = Microclustering(**settings)
    first, second = model.fit(X).log_joint_, model.fit(X).log_joint_
    assert not np.array_equal(first, second)
    settings["random_state"] = np.random.default_rng(5)
    np.testing.assert_array_equal(Microclustering(**settings).fit(X).log_joint_, first)


LARGE = [2**53 + k for k in range(12)]


class OtherFrame:
    """A data frame as in polars: as an array, it consists of floats."""

    def __init__(self, **columns):
        self.columns, self._values = [*columns], columns

    def __getitem__(self, name):
        return OtherSeries(self._values[name])

    def __array__(self, dtype=None, copy=None):
        return np.array([*self._values.values()], dtype=float).T.astype(dtype or float)


class OtherSeries:
    def __init__(self, values):
        self._values = values

    def to_list(self):
        return [*self._values]

    def __array__(self, dtype=None, copy=None):
        return np.array(self._values, dtype=float).astype(dtype or float)


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"phone": LARGE, "x": [1.0, 2.0, np.nan] * 4}),
        pd.DataFrame({"phone": np.array(LARGE, dtype=np.uint64), "x": [-1, 2] * 6}),
        pd.DataFrame({"phone": LARGE, "x": [1.0, 2.0, None] * 4}).convert_dtypes(),
        [[phone, 1.5] for phone in LARGE],
        OtherFrame(phone=LARGE, x=[1.5, None] * 6),
        OtherFrame(phone=[*LARGE, None], x=[1.5] * 13),
    ],
)
def test_large_whole_numbers_are_values_of_their_own(X):
    model = Microclustering(likelihood="categorical", **SHORT).fit(X)
    assert model.categories_[0].tolist() == LARGE
    assert model.predict(X).shape == model.labels_.shape


def test_small_numbers_are_read_as_before():
    frame = pd.DataFrame({"a": [1, 2, 3, 1], "b": [1.0, 2.0, np.nan, 1.0]})
    for same in (frame, OtherFrame(a=[1, 2, 3, 1], b=[1.0, 2.0, None, 1.0])):
        found = Microclustering(**SHORT).fit(same)
        assert [values.dtype.kind for values in found.categories_] == ["f", "f"]
        assert found.feature_names_in_.tolist() == ["a", "b"]


def test_large_numbers_of_entities_are_not_merged(rng):
    X = np.repeat(rng.normal(size=(10, 3)), 3, axis=0) + 0.1 * rng.normal(size=(30, 3))
    y = [2**53 + k // 3 if k < 24 else None for k in range(30)]
    with_nan = [np.nan if name is None else name for name in y]
    column = np.array([y], dtype=object).T
    for written in (with_nan, y, pd.Series(y, dtype="Int64"), OtherSeries(y), column):
        model = SupervisedClustering(model="scdp1", **SHORT).fit(X, written)
        assert model.classes_.tolist() == LARGE[:8]
        assert model.labels_[:24].tolist() == np.repeat(range(8), 3).tolist()


def test_dates_are_the_same_in_every_unit_and_may_be_missing():
    days = np.array(["2001-02-03", "2001-02-04", "2001-02-03", "1999-01-01"], dtype="M8[D]")
    frame = Microclustering(**SHORT).fit(pd.DataFrame(days.astype("M8[s]").reshape(-1, 1)))
    for unit in ("D", "s", "ns"):
        array = Microclustering(**SHORT).fit(days.astype(f"M8[{unit}]").reshape(-1, 1))
        assert np.array_equal(array.labels_, frame.labels_)
        assert str(array.categories_[0][0]).startswith("2001-02-03")
    frame = pd.DataFrame({"name": ["ann", "bob", "ann", "eve"], "day": days.astype("M8[ns]")})
    frame.loc[1, "day"] = None
    found = Microclustering(**SHORT).fit(frame).categories_[1]
    assert [str(day.date()) for day in found] == ["2001-02-03", "1999-01-01"]


def test_a_matrix_that_was_changed_in_memory_is_not_read_from_its_file(tmp_path):
    points = np.random.default_rng(0).normal(size=(30, 2))
    apart = np.linalg.norm(points[:, None] - points, axis=2)
    np.save(tmp_path / "d.npy", apart)
    mapped = np.load(tmp_path / "d.npy", mmap_mode="c")
    mapped **= 2
    found = WishartDirichlet(landmarks=10, **SHORT).fit(mapped)
    assert found.dim_ == WishartDirichlet(landmarks=10, **SHORT).fit(np.array(mapped)).dim_


def test_distances_do_not_depend_on_the_number_of_threads():
    codes = np.random.default_rng(1).integers(0, 4, (150, 40))
    apart = (codes[:, None] != codes).mean(axis=2)
    traces = []
    for threads in (1, 2):
        with threadpool_limits(threads, user_api="blas"):
            traces.append(WishartDirichlet(**SHORT).fit(apart).log_joint_)
    assert np.array_equal(*traces)
