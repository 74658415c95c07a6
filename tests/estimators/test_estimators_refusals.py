"""Estimators refuse, in one sentence, what would mislead: types, texts, sizes."""

import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import squareform
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from reseat import (
    Microclustering,
    MultinomialMixture,
    RelationalModel,
    SupervisedClustering,
    WishartDirichlet,
)
from reseat.chains import Schedule
from reseat.errors import CheckpointError, ConfigError, DataError
from reseat.estimators.costs import check_memory
from reseat.estimators.records import RELAXED_UP_TO, alike, starts_of
from reseat.files.locking import try_lock

SHORT = {"n_chains": 2, "n_burn_in": 2, "n_samples": 4, "thin": 2, "random_state": 1}
MODELS = (
    Microclustering,
    MultinomialMixture,
    RelationalModel,
    SupervisedClustering,
    WishartDirichlet,
)
COUNTS = np.array([[3, 0, 1, 2], [2, 0, 1, 2], [0, 4, 1, 0], [0, 3, 1, 1]])
WRONG = {
    "concentration": ("1", True, [1, 2], np.ones(12), np.nan, np.inf, 0, -1, 1e-308, 1e308),
    "n_chains": ("3", None, 2.5, True, 0, 10**8),
    "n_burn_in": ("3", None, -1, 1.5, 10**14),
    "n_samples": ("3", None, 0, 10**14, 2 * 10**9),
    "thin": (None, 0, "2"),
    "max_clusters": ("3", 0, 2.5, True),
    "folder": ("", " ", 5, 2.5),
    "verbose": ("yes", None),
    "n_jobs": ("2", 0, 1.5, True, 10**9),
    "random_state": (-1, "a", 1.5, [1]),
    "prior": (None, 3, ["nbd"], "nbdd"),
    "beta": ("x", None, [1, 2], np.ones(12), 0, 1e300),
    "distortion": ("a", 0, None),
    "max_distortion": ("a", -1, 0.01),
    "per_field": ("yes", None, 1),
    "square": ("yes", None),
    "binary": ("yes", None),
    "share": ("yes", None),
    "standardise": ("no", None),
    "dim": ("x", True, 0.5, np.inf, 1e12),
    "metric": (None, 3),
    "model": (None, 3, ["scdp1"]),
    "inference": (None, []),
    "n_restarts": (0, "2"),
    "max_row_clusters": (0, "2"),
    "initialisation": (None, "soft", 3, (), ["hard", "soft"]),
}


#: Priors that have the parameter.
PRIORS = {"max_clusters": "finite_dirichlet", "concentration": "dirichlet_process"}
#: Beginnings of messages that may not begin with the parameter, by parameter and value.
OTHERWISE = {
    ("n_samples", 2 * 10**9): "2 chains of 2,000,000,002 sweeps",
    ("prior", "nbdd"): "Unknown prior 'nbdd'; did you mean 'nbd'?",
    ("max_distortion", 0.01): "distortion is 0.05 and max_distortion 0.01; ",
}


@pytest.mark.parametrize("kind", MODELS, ids=lambda kind: kind.__name__)
def test_parameters_of_wrong_types_and_sizes(kind):
    known = kind().get_params()
    for name, values in WRONG.items():
        for value in values if name in known else ():
            extra = {"prior": PRIORS[name]} if name in PRIORS else {}
            with pytest.raises(ConfigError) as found:
                kind(**SHORT | extra | {name: value}).fit(COUNTS)
            starts = [name]
            if not isinstance(value, list | np.ndarray) and (name, value) in OTHERWISE:
                starts.append(OTHERWISE[name, value])
            assert str(found.value).startswith(tuple(starts)), (name, value)
            assert "delta" not in str(found.value)


def test_whole_floats_are_as_good_as_whole_numbers():
    finite = {"prior": "finite_dirichlet", **SHORT}
    for model in (
        MultinomialMixture(**finite, max_clusters=2.0),
        Microclustering(**finite, max_clusters=2.0),
        WishartDirichlet(**SHORT, metric="cityblock", landmarks=3.0),
        RelationalModel(**SHORT, n_restarts=2.0, max_row_clusters=2.0, max_column_clusters=2.0),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert model.fit(COUNTS).labels_.shape == (4,)


def test_groups_have_no_largest_number_of_clusters():
    with pytest.raises(ConfigError, match="max_clusters is 3, but no prior .* limit; omit it"):
        SupervisedClustering(max_clusters=3, **SHORT).fit(COUNTS)


def test_sentences_use_names_of_the_user():
    with pytest.raises(ConfigError, match="^distortion is 1e-301; it must lie in"):
        Microclustering(max_distortion=1e-300, distortion=1e-301).check_settings()
    with pytest.raises(ConfigError, match="max_clusters is '3', but the prior"):
        MultinomialMixture(max_clusters="3").check_settings()
    with pytest.raises(ConfigError, match="^1 chain of .* draws are kept, takes .* lower n_samp"):
        check_memory(1, Schedule(0, 2 * 10**9, 1))
    with pytest.raises(ConfigError, match="^2 chains .* of 9 items .* or n_chains, or raise thin"):
        check_memory(2, Schedule(0, 2 * 10**9, 1), 9)


def test_sharing_excludes_groups(rng):
    points, names = rng.normal(size=(6, 2)), ["a", "a", "b", "b", None, None]
    model = SupervisedClustering(model="scdp1", share=True, **SHORT)
    with pytest.raises(ConfigError, match="share=True lets items join .* omit one of them"):
        model.fit(points, names, groups=list("xyxyxy"))
    assert model.fit(points, names, groups=[5] * 6).labels_.size == 6


def test_discounts():
    for value in ("a", True, -0.1, 1, 0.99999999):
        with pytest.raises(ConfigError, match="discount is"):
            MultinomialMixture("pitman_yor", discount=value, **SHORT).fit(COUNTS)


TEXTS = ["bread and flour", "flour and oven", "engine and oil", "oil and wheel"]


@pytest.mark.parametrize("X", [TEXTS, tuple(TEXTS), np.array(TEXTS), np.array(TEXTS, dtype=object)])
def test_a_list_of_texts(X):
    with pytest.raises(DataError, match="CountVectorizer"):
        MultinomialMixture(**SHORT).fit(X)
    for kind in (RelationalModel, SupervisedClustering, WishartDirichlet):
        with pytest.raises(DataError, match="X contains texts; it must be a table of numbers"):
            kind(**SHORT).fit(X)
    with pytest.raises(DataError, match="one row per record and one column per field"):
        Microclustering(**SHORT).fit(X)


@pytest.mark.parametrize(
    "kind", [MultinomialMixture, RelationalModel, WishartDirichlet, Microclustering]
)
def test_more_clusters_than_items(kind):
    own = {"inference": "gibbs"} if kind is RelationalModel else {}
    model = kind("finite_dirichlet", max_clusters=5, **own, **SHORT)
    with pytest.raises(ConfigError, match="max_clusters is 5, but there are only 4 items; lower"):
        model.fit(squareform([1, 1, 1, 1, 1, 1]) if kind is WishartDirichlet else COUNTS)


@pytest.mark.parametrize("kind", MODELS, ids=lambda kind: kind.__name__)
def test_dictionaries(kind):
    for X in ([{"a": 1, "b": 2}] * 4, {"a": [1, 2, 3], "b": [3, 4, 5]}):
        with pytest.raises(DataError, match=r"pass pandas\.DataFrame\(X\)"):
            kind().fit(X)


RAGGED = "Row 0 of X has length 3, but row 1 has length 2; all rows must have the same length"
GAPS = pd.DataFrame({"a": pd.array([1, None, 3, 4], dtype="Int64"), "b": [1, 0, 2, 3]})


@pytest.mark.parametrize("kind", MODELS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize(
    ("X", "said"),
    [
        (None, "X is None; it must be a table"),
        ([[1, 2, 3], [4, 5]], RAGGED),
        ([[1, [2, 3]], [4, 5]], "Some entries of X are lists"),
        ([["dog", "cat", "dog"], ["car", "bus"]], f"X contains texts|{RAGGED}"),
        (COUNTS[..., None], r"Reshape your data: X has the shape \(4, 4, 1\); it must be a table"),
        (COUNTS * 1j, "Complex data not supported: X contains complex numbers"),
        (pd.DataFrame(COUNTS * 1j), "Complex data not supported: X contains complex numbers"),
        (GAPS, "Row 1, column 'a' of X is NaN"),
        (COUNTS[0], r"Reshape your data: X has the shape \(4,\)|4 numbers in condensed form"),
    ],
)
def test_what_is_no_table_of_numbers(kind, X, said):
    if kind is Microclustering and X is GAPS:
        return  # it takes this as a missing value
    with pytest.raises(DataError, match=said):
        kind(**SHORT).fit(X)


ODD = (10**5000, 10**400, None, pd.NA, Decimal("sNaN"), 1j)


@pytest.mark.parametrize("value", ODD, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("form", [np.array, pd.DataFrame, list])
def test_objects_that_are_no_finite_numbers(form, value):
    rows = COUNTS.tolist()
    rows[1][2] = value
    X = form(rows) if form is list else form(rows, dtype=object)
    for kind in MODELS[1:]:
        with pytest.raises(DataError, match="Row 1, column 2 of X is .{,70}; every|Complex data"):
            kind(**SHORT).fit(X)


@pytest.mark.parametrize("value", [10**5000, -(10**5000), np.inf, object()], ids=type)
def test_cells_that_are_no_categories(value):
    records = [["ann", 1], ["ann", 1], ["bob", value], ["eve", 2]]
    with pytest.raises(DataError, match="Row 2, column 1 of X is .{,70}; correct it, or use None"):
        Microclustering(**SHORT).fit(records)
    records[2][1] = 10**400  # a category like any other
    assert len(Microclustering(**SHORT).fit(records).labels_) == 4


@pytest.mark.parametrize("name", ["prior", "random_state", "n_samples", "max_clusters"])
@pytest.mark.parametrize("value", [-(10**5000), "x" * 5000], ids=type)
def test_endless_parameters_are_not_repeated(name, value):
    with pytest.raises(ConfigError) as caught:
        MultinomialMixture(**{**SHORT, name: value}).fit(COUNTS)
    assert len(str(caught.value)) < 400


def test_points_whose_digits_are_lost(rng):
    points = rng.normal(size=(12, 3))
    for metric in ("euclidean", "cityblock"):
        model = WishartDirichlet(metric=metric, **SHORT)
        with pytest.warns(UserWarning, match="Column 0 of X varies by .*to multiples of 2;"):
            model.fit(points + 1e16)
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(points + [1e6, 1e9, 1e12])


def test_arrays_that_would_be_misread():
    numeric = (MultinomialMixture, RelationalModel, SupervisedClustering, WishartDirichlet)
    for kind in numeric:
        with pytest.raises(DataError, match="X contains texts"):
            kind(**SHORT).fit(COUNTS.astype(str))
        with pytest.raises(DataError, match="dates"):
            kind(**SHORT).fit(COUNTS.astype("datetime64[D]"))
    for kind in MODELS:
        with pytest.raises(DataError, match="masked"):
            kind(**SHORT).fit(np.ma.masked_equal(COUNTS, 3))


@pytest.mark.parametrize("scale", [1e300, 1e-320])
def test_values_that_cannot_be_squared(scale):
    distances = np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))
    with pytest.raises(DataError, match="to be squared; change its unit"):
        WishartDirichlet(**SHORT).fit(distances * scale)
    with pytest.raises(DataError, match="to be squared; change its unit"):
        SupervisedClustering(**SHORT).fit(COUNTS * scale, [0, 0, 1, -1])


KNOWN = np.array(["a", "a", "b", "b", *8 * [None]], dtype=object)


@pytest.mark.parametrize(
    "given, said",
    [
        ({"y": np.tile(KNOWN[:3], (4, 1))}, r"A table of shape \(4, 3\) with entities is given"),
        ({"y": KNOWN[:9]}, "9 entities are given for 12 items; y must have one per item"),
        (
            {"y": KNOWN, "groups": np.zeros((3, 4))},
            r"shape \(3, 4\) with groups is given",
        ),
        ({"y": KNOWN, "groups": "a"}, "1 groups are given for 12 items"),
        ({"y": np.where(KNOWN == "b", "a", KNOWN)}, "have the same entity"),
        ({"y": [*range(6), *6 * [-1]]}, "has its own entity"),
        ({"y": np.arange(12)}, "has its own entity"),
    ],
)
def test_entities_and_groups_that_do_not_fit(rng, given, said):
    with pytest.raises(DataError, match=said):
        SupervisedClustering().fit(rng.normal(size=(12, 2)), **given)


def test_masked_entities_groups_and_sources(rng):
    X = rng.normal(size=(12, 2))
    y = np.ma.masked_equal(np.repeat([0, 1, 2, 99], 3), 99)
    with pytest.raises(DataError, match="^y has masked entries.*fill them, or remove their items"):
        SupervisedClustering(**SHORT).fit(X, y)
    known = np.repeat([0, 1, 2, -1], 3)
    with pytest.raises(DataError, match="^groups has masked entries"):
        SupervisedClustering(**SHORT).fit(X, known, groups=y)
    with pytest.raises(DataError, match="^groups has masked entries"):
        SupervisedClustering(model="scdp1", **SHORT).fit(X, known).predict(X, groups=y)
    with pytest.raises(DataError, match="^sources has masked entries.*remove their records"):
        Microclustering(likelihood="similar", **SHORT).fit(COUNTS[[0, 1, 2, 3] * 3], sources=y)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("", "the {} 2 is missing; give it one"),
        (" ", "the {} 2 is missing; give it one"),
        (np.nan, "the {} 2 is ('nan', which means a missing value|missing)"),
        ("nan", "the {} 2 is 'nan', which means a missing value"),
        ({}, "the {} 2 is {{}}; it must be a number or a text"),
    ],
)
def test_groups_and_sources_that_are_missing(rng, value, said):
    given = ["a", "b", value, "b", *"ab" * 4]
    model = SupervisedClustering(model="scdp1", **SHORT)
    with pytest.raises(DataError, match="The group of " + said.format("item")):
        model.fit(rng.normal(size=(12, 2)), KNOWN, groups=given)
    records = Microclustering(likelihood="similar", **SHORT)
    for same in (given, np.array(given, dtype=object)):
        with pytest.raises(DataError, match="The source of " + said.format("record")):
            records.fit(COUNTS[[0, 1, 2, 3] * 3], sources=same)


def test_sources_and_entities_of_wrong_shapes(rng):
    model = Microclustering(likelihood="similar", **SHORT)
    expected = model.fit(COUNTS, sources=[0, 1, 0, 1]).log_joint_
    np.testing.assert_array_equal(
        model.fit(COUNTS, sources=[[0], [1], [0], [1]]).log_joint_, expected
    )
    for sources, said in (
        ("abcd", "1 sources are given for 4 records"),
        (np.ones((4, 2)), r"A table of shape \(4, 2\) with sources is given for 4 records"),
        ([(0, 1), (0, 1), None, (0, 1)], "Some entries of sources are lists"),
    ):
        with pytest.raises(DataError, match=said):
            model.fit(COUNTS, sources=sources)
    pairs = [(0, 1), (0, 1), (1, 1), None]
    with pytest.raises(DataError, match="Some entries of y are lists; there must be one number or"):
        SupervisedClustering(**SHORT).fit(COUNTS, pairs)


@pytest.mark.parametrize("kind", MODELS, ids=lambda kind: kind.__name__)
def test_structured_arrays_and_generators(kind):
    structured = np.array([(1, 2.0), (2, 1.0), (3, 3.0)], dtype=[("a", int), ("b", float)])
    with pytest.raises(DataError, match=r"structured array; pass pandas\.DataFrame\(X\)"):
        kind(**SHORT).fit(structured)
    for X in ((row for row in COUNTS), zip([1, 2], [3, 4], strict=True)):
        with pytest.raises(DataError, match=r"X is an iterator.*pass list\(X\)"):
            kind(**SHORT).fit(X)


def test_one_column_of_entities_will_do(rng):
    X = rng.normal(size=(12, 2))
    model = SupervisedClustering(n_chains=1, n_burn_in=2, n_samples=4, random_state=1)
    expected = model.fit(X, KNOWN).labels_
    np.testing.assert_array_equal(model.fit(X, KNOWN[:, None]).labels_, expected)


def test_nothing_was_sampled_of_known_items(rng):
    model = SupervisedClustering().fit(rng.normal(size=(12, 2)), np.repeat([1, 2, 3], 4))
    for show in (model.coclustering, model.summary, model.plot, model.to_arviz):
        with pytest.raises(DataError, match="All items were known, so nothing was sampled"):
            show()
    with pytest.raises(NotFittedError):
        SupervisedClustering().summary()


def test_nobody_known():
    for y in ([None] * 4, [-1] * 4, [np.nan] * 4):
        with pytest.raises(DataError, match="contains no known entity"):
            SupervisedClustering(**SHORT).fit(COUNTS, y)
    found = SupervisedClustering(**SHORT).fit(COUNTS)
    assert found.predict(COUNTS).shape == (4,)


@pytest.mark.parametrize("given", [(0, 1, 9, 9), (-1, 0, 1, 2), (1, 1, 2, 2), (0, 1, 0, 1), "abcd"])
def test_features_that_are_not_numbered(given):
    with pytest.raises(ConfigError, match="feature_of"):
        SupervisedClustering(feature_of=given, **SHORT).fit(COUNTS, [0, 0, 1, -1])


def test_fields_that_tell_nothing_are_remarked_on(rng):
    points = rng.normal(size=(30, 2))
    with pytest.warns(UserWarning, match="column 0, 1"):
        Microclustering(**SHORT).fit(points)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ConvergenceWarning)  # the chains are short
        Microclustering(**SHORT).fit(rng.integers(0, 5, (30, 2)))


def test_plain_distances_are_noticed(rng):
    points = rng.normal(size=(40, 3))
    plain = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    with pytest.warns(UserWarning, match="set square=True"):
        WishartDirichlet(**SHORT).fit(plain)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ConvergenceWarning)  # the chains are short
        WishartDirichlet(square=True, **SHORT).fit(plain)
        WishartDirichlet(**SHORT).fit(plain**2)
        WishartDirichlet(**SHORT).fit((COUNTS[:, :1] != COUNTS[:, 0]).astype(float))


def test_two_fits_do_not_share_a_folder(tmp_path, rng):
    points = rng.normal(size=(30, 3))
    folder = tmp_path / "chains"
    folder.mkdir()
    model = WishartDirichlet(metric="euclidean", folder=folder, **SHORT)
    with try_lock(folder), pytest.raises(ConfigError, match="where another fit is running; wait"):
        model.fit(points)
    assert not list(folder.iterdir())
    model.fit(points)
    with pytest.raises(CheckpointError, match="or delete the files of the chains to start over"):
        model.set_params(random_state=2).fit(points)


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(DataError, match="cannot be written to"):
        MultinomialMixture(**SHORT, folder=tmp_path / "file" / "chains").fit(COUNTS)


# ---- chains of many records ------------------------------------------------------------------


def test_many_records_start_together_where_they_agree(rng):
    person = rng.integers(0, 400, 900)
    codes = rng.integers(0, 30, (400, 4))[person]
    labels = alike(codes, np.random.default_rng(1))
    n_labels = labels.max() + 1
    assert n_labels * 4 >= 900 and np.unique(labels).size == n_labels
    for label in range(0, n_labels, 20):  # records that agree in all fields are together
        first = codes[labels == label][0]
        assert (labels[(codes == first).all(axis=1)] == label).all()
    few, many = codes[:50], np.tile(codes, (1 + RELAXED_UP_TO // 900, 1))
    assert [start(rng) for start in starts_of(few, None)] == ["singletons", 50]
    assert [start(rng) for start in starts_of(many, 7)] == [7, 7]
    first, second = starts_of(many, None)
    assert first(rng) == "singletons" and second(rng).shape == (len(many),)
