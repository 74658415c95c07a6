"""Estimators refuse, in one sentence, what would mislead: types, texts, sizes."""

import warnings
from contextlib import contextmanager
from decimal import Decimal
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from reseat import (
    Microclustering,
    MultinomialMixture,
    RelationalModel,
    StudentMixture,
    SupervisedClustering,
    WishartDirichlet,
)
from reseat.chains import Schedule
from reseat.errors import CheckpointError, ConfigError, DataError
from reseat.estimators.records import RELAXED_UP_TO, alike, starts_of
from reseat.estimators.sampling import check_memory
from reseat.files.locking import try_lock

SHORT = {"n_chains": 2, "n_burn_in": 2, "n_samples": 4, "thin": 2, "random_state": 1}
MODELS = (
    *(Microclustering, MultinomialMixture, RelationalModel, StudentMixture),
    *(SupervisedClustering, WishartDirichlet),
)
COUNTS = np.array([[3, 0, 1, 2], [2, 0, 1, 2], [0, 4, 1, 0], [0, 3, 1, 1]])
WRONG = {
    "concentration": ("1", True, [1, 2], np.ones(12), np.nan, np.inf, 0, -1, 1e-308, 1e308),
    "n_chains": ("3", None, 2.5, True, 0, 10**8), "n_burn_in": ("3", None, -1, 1.5, 10**14),
    "n_samples": ("3", None, 0, 10**14, 2 * 10**9), "thin": (None, 0, "2"),
    "max_clusters": ("3", 0, 2.5, True), "folder": ("", " ", 5, 2.5), "verbose": ("yes", None),
    "n_jobs": ("2", 0, 1.5, True, 10**9), "random_state": (-1, "a", 1.5, [1]),
    "prior": (None, 3, ["nbd"], "nbdd"), "beta": ("x", None, [1, 2], np.ones(12), 0, 1e300),
    "copies": (None, 3, "twice"), "distortion": ("a", 0, None), "max_distortion": ("a", -1, 0.01),
    "per_field": ("yes", None, 1), "square": ("yes", None), "binary": ("yes", None),
    "share": ("yes", None), "standardise": ("no", None), "dim": ("x", True, 0.5, np.inf, 1e12),
    "metric": (None, 3), "model": (None, 3, ["scdp1"]), "inference": (None, []),
    "n_restarts": (0, "2"), "max_row_clusters": (0, "2"),
    "initialisation": (None, "soft", 3, (), ["hard", "soft"]),
}  # fmt: skip
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


@contextmanager
def nothing_said():
    """Fail at a warning, except that the chains are short."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


@pytest.mark.filterwarnings("ignore")
def test_whole_floats_are_as_good_as_whole_numbers():
    finite = {"prior": "finite_dirichlet", **SHORT}
    for model in (
        MultinomialMixture(**finite, max_clusters=2.0),
        Microclustering(**finite, max_clusters=2.0),
        WishartDirichlet(**SHORT, metric="cityblock", landmarks=3.0),
        RelationalModel(**SHORT, n_restarts=2.0, max_row_clusters=2.0, max_column_clusters=2.0),
    ):
        assert model.fit(COUNTS).labels_.shape == (4,)


def test_sentences_use_names_of_the_user():
    with pytest.raises(ConfigError, match="leaves no draw"):
        MultinomialMixture(n_samples=2, thin=3).check_settings()
    with pytest.raises(ConfigError, match="^distortion is 1e-301; it must lie in"):
        Microclustering(max_distortion=1e-300, distortion=1e-301).check_settings()
    with pytest.raises(ConfigError, match="max_clusters is '3', but the prior"):
        MultinomialMixture(max_clusters="3").check_settings()
    with pytest.raises(ConfigError, match="needs at least 3"):
        MultinomialMixture("nbnb", **SHORT).fit(COUNTS[:2])
    with pytest.raises(ConfigError, match="sources are not given"):
        Microclustering(at_most_one="each", **SHORT).fit(RECORDS)
    with pytest.raises(ConfigError, match="^1 chain of .* draws are kept, takes .* lower n_samp"):
        check_memory(1, Schedule(0, 2 * 10**9, 1))
    with pytest.raises(ConfigError, match="^2 chains .* of 9 items .* or n_chains, or raise thin"):
        check_memory(2, Schedule(0, 2 * 10**9, 1), 9)


@pytest.mark.parametrize("name", ["prior", "random_state", "n_samples", "max_clusters"])
@pytest.mark.parametrize("value", [-(10**5000), "x" * 5000], ids=type)
def test_endless_parameters_are_not_repeated(name, value):
    with pytest.raises(ConfigError) as caught:
        MultinomialMixture(**{**SHORT, name: value}).fit(COUNTS)
    assert len(str(caught.value)) < 400


def as_objects(rows):
    return np.array(rows, dtype=object)


TEXTS = ["bread and flour", "flour and oven", "engine and oil", "oil and wheel"]
NUMERIC, RECORDED = MODELS[1:], MODELS[:1]
RAGGED = "Row 0 of X has length 3, but row 1 has length 2; all rows must have the same length"
DATES = (
    pd.date_range("2001-02-03", periods=6),
    pd.date_range("2001-02-03", periods=6, tz="UTC"),
    pd.period_range("2001-02", periods=6, freq="M"),
    pd.timedelta_range("1 day", periods=6),
    pd.date_range("2001-02-03", periods=6).date,
)
WITH_DATES = [pd.DataFrame({"n": [1.0, 2, 3, 4, 5, 6], "day": days}) for days in DATES]
#: Objects that are no finite numbers.
ODD = (10**5000, 10**400, None, pd.NA, Decimal("sNaN"), 1j)
ODD_ROWS = [[*COUNTS[:1].tolist(), [2, 0, value, 2], *COUNTS[2:].tolist()] for value in ODD]
NO_CATEGORIES = (10**5000, -(10**5000), np.inf, object())
POINTS = np.random.default_rng(3).normal(size=(12, 2))
SCALED, MAHALANOBIS = (
    partial(WishartDirichlet, metric=metric) for metric in ("seuclidean", "mahalanobis")
)
LAZY = type("LazyFrame", (), {"columns": ["a"], "collect": lambda self: None})()
APART = np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))
STRUCTURED = np.array([(1, 2.0), (2, 1.0), (3, 3.0)], dtype=[("a", int), ("b", float)])
MISNAMED = pd.DataFrame(1.0 - np.eye(4), index=[*"abcd"], columns=[*"abdc"])
FRAMES = [X for both in WITH_DATES for X in (both, both[["day"]], as_objects(both))]
ODD_TABLES = [
    X for rows in ODD_ROWS for X in (rows, as_objects(rows), pd.DataFrame(as_objects(rows)))
]
ITERATORS = [lambda: iter(COUNTS), lambda: zip([1, 2], [3, 4], strict=True)]
ONE_TEXT = [TEXTS, tuple(TEXTS), np.array(TEXTS)]
NO_VALUES = [[["ann", 1], ["ann", 1], ["bob", value], ["eve", 2]] for value in NO_CATEGORIES]
TWO_NAMES = pd.DataFrame([["ann", 1], ["bob", 2], ["eve", 3]], columns=["a", "a"])
#: Estimators, tables (or functions that make one) and what is said of each of them.
REFUSED = [
    (MODELS, [None], "X is None; it must be a table"),
    (MODELS, [[[1, 2, 3], [4, 5]]], RAGGED),
    (MODELS, [[[1, [2, 3]], [4, 5]]], "Some entries of X are lists"),
    (MODELS, [[["dog", "cat", "dog"], ["car", "bus"]]], f"X contains texts|{RAGGED}"),
    (MODELS, [COUNTS[..., None]], r"Reshape your data: X has the shape \(4, 4, 1\); it must be a"),
    (MODELS, [COUNTS[0]], r"Reshape your data: X has the shape \(4,\)|4 numbers in condensed form"),
    (MODELS, [COUNTS * 1j, pd.DataFrame(COUNTS * 1j)], "Complex data not supported: X contains"),
    (MODELS, [[{"a": 1, "b": 2}] * 4, {"a": [1, 2, 3]}], r"pass pandas\.DataFrame\(X\)"),
    (MODELS, [STRUCTURED], r"structured array; pass pandas\.DataFrame\(X\)"),
    (MODELS, ITERATORS, r"X is an iterator.*pass list\(X\)"),
    (MODELS, [np.ma.masked_equal(COUNTS, 3)], "masked"),
    (
        NUMERIC,
        [pd.DataFrame({"a": pd.array([1, None, 3]), "b": 1})],
        "Row 1, column 'a' of X is NaN",
    ),
    (NUMERIC, [COUNTS.astype(str)], "X contains texts"),
    (NUMERIC, [COUNTS.astype("datetime64[D]")], "X contains dates"),
    (NUMERIC, FRAMES, "X contains dates or times; convert them"),
    (NUMERIC, ODD_TABLES, "Row 1, column 2 of X is .{,70}; every|Complex data"),
    ([MultinomialMixture], ONE_TEXT, "CountVectorizer"),
    (NUMERIC[1:], [TEXTS, as_objects(TEXTS)], "contains texts; it must be a table of"),
    (RECORDED, [*ONE_TEXT, as_objects(TEXTS)], "one row per record and one column per field"),
    (RECORDED, NO_VALUES, "Row 2, column 1 of X is .{,70}; correct it, or use None"),
    (RECORDED, [TWO_NAMES], "Two columns of X are called 'a'"),
    (RECORDED, [[["ann", "rome"], ["bob", "oslo"]]], "only 2 records; the priors"),
    (MODELS[-2:], [APART * 1e300, APART * 1e-320], "to be squared; change its unit"),
    (MODELS[-1:], [np.zeros((5, 3))], "X is 5 x 3, not square; .* rows are points, use metric="),
    (MODELS[-1:], [MISNAMED], "X has different names for rows and columns; use the same names"),
    (MODELS, [LAZY], r"X is a lazy frame.*pass X\.collect\(\)"),
    ([SCALED, MAHALANOBIS], [np.c_[POINTS, np.ones(12)]], "constant"),
    ([MAHALANOBIS], [np.c_[POINTS, POINTS @ [3.7, 1 / 3]], np.eye(5, 9)], "or follow from others"),
    ([partial(StudentMixture, metric="precomputed")], [np.zeros((10, 2))], "not square"),
]


@pytest.mark.parametrize(("kinds", "tables", "said"), REFUSED)
def test_tables_that_are_refused(kinds, tables, said):
    for kind in kinds:
        for X in tables:
            with pytest.raises(DataError, match=said):
                kind(**SHORT).fit(X() if callable(X) else X)


def test_a_long_number_is_a_category_like_any_other():
    records = [["ann", 1], ["ann", 1], ["bob", 10**400], ["eve", 2]]
    assert len(Microclustering(**SHORT).fit(records).labels_) == 4


RECORDS = COUNTS[[0, 1, 2, 3] * 3]
KNOWN = np.array(["a", "a", "b", "b", *8 * [None]], dtype=object)
MASKED = np.ma.masked_equal(np.repeat([0, 1, 2, 99], 3), 99)
MIXED = as_objects(["a", "a", 7, 7, -1, None] * 2)
PAIRS = [(0, 1), (0, 1), (1, 1), None] * 3
LISTS = "Some entries of {} are lists; there must be one number or"
#: What is given besides the points of `SupervisedClustering`, and what is said.
REFUSED_KNOWN = [
    ({"y": np.tile(KNOWN[:3], (4, 1))}, r"A table of shape \(4, 3\) with entities is given"),
    ({"y": KNOWN[:9]}, "9 entities are given for 12 items; y must have one per item"),
    ({"y": KNOWN, "groups": np.zeros((3, 4))}, r"shape \(3, 4\) with groups is given"),
    ({"y": KNOWN, "groups": "a"}, "1 groups are given for 12 items"),
    ({"y": np.where(KNOWN == "b", "a", KNOWN)}, "have the same entity"),
    ({"y": [*range(6), *6 * [-1]]}, "has its own entity"),
    ({"y": np.arange(12)}, "has its own entity"),
    ({"y": [None] * 12}, "contains no known entity"),
    ({"y": [-1] * 12}, "contains no known entity"),
    ({"y": [np.nan] * 12}, "contains no known entity"),
    ({"y": PAIRS}, LISTS.format("y")),
    ({"y": MIXED}, "mixed types.*convert all of them to texts"),
    ({"y": MASKED}, "^y has masked entries.*fill them, or remove their items"),
    ({"y": np.repeat([0, 1, 2, -1], 3), "groups": MASKED}, "^groups has masked entries"),
]
#: Sources of records, and what is said.
REFUSED_SOURCES = [
    ("abcd", "1 sources are given for 12 records"),
    (["a"] * 3, "3 sources are given for 12 records"),
    (np.ones((12, 2)), r"A table of shape \(12, 2\) with sources is given for 12 records"),
    (PAIRS, "Some entries of sources are lists"),
    (MASKED, "^sources has masked entries.*remove their records"),
]
WORD, MISSING = "'nan', which means a missing value", "missing; give it one"
for value, fault in (
    *(("", MISSING), (" ", MISSING), (None, MISSING), (np.nan, f"({WORD}|missing)")),
    *(("nan", WORD), ({}, "{}; it must be a number or a text")),
):
    given = ["a", "b", value, "b", *"ab" * 4]
    REFUSED_KNOWN.append(({"y": KNOWN, "groups": given}, f"The group of the item 2 is {fault}"))
    for same in (given, as_objects(given)):
        REFUSED_SOURCES.append((same, f"The source of the record 2 is {fault}"))


@pytest.mark.parametrize(("given", "said"), REFUSED_KNOWN)
def test_entities_and_groups_that_are_refused(given, said):
    model = SupervisedClustering(model="scdp1", **SHORT)
    with pytest.raises(DataError, match=said):
        model.fit(POINTS, **given)
    if given.get("groups") is MASKED:
        with pytest.raises(DataError, match=said):
            model.fit(POINTS, given["y"]).predict(POINTS, groups=MASKED)


@pytest.mark.parametrize(("sources", "said"), REFUSED_SOURCES)
def test_sources_that_are_refused(sources, said):
    with pytest.raises(DataError, match=said):
        Microclustering(likelihood="similar", **SHORT).fit(RECORDS, sources=sources)


FINITE = {"prior": "finite_dirichlet", "max_clusters": 13}
TOO_MANY = "max_clusters is 13, but there are only 12 items; lower"
#: Estimators with parameters that do not fit together or to the data, and what is said.
REFUSED_TOGETHER = [
    (SupervisedClustering(max_clusters=3), "max_clusters is 3, but no prior .* limit; omit it"),
    (SupervisedClustering(model="scdp1", share=True), "share=True lets items join .* omit one of"),
    *((SupervisedClustering(feature_of=features), "feature_of")
      for features in ((0, 1, 9), (-1, 0), (1, 1), (0, -1), "ab")),
    *((MultinomialMixture("pitman_yor", discount=discount), "discount is")
      for discount in ("a", True, -0.1, 1, 0.99999999)),
    (MultinomialMixture("finite_dirichlet"), "needs max_clusters"),
    (MultinomialMixture(max_clusters=3), "has no such limit"),
    (MultinomialMixture(discount=0.1), "has no parameter discount"),
    (MultinomialMixture("nbd", concentration=1.0), "has no parameter concentration"),
    (MultinomialMixture(**FINITE), TOO_MANY),
    (WishartDirichlet(metric="cityblock", **FINITE), TOO_MANY),
    (RelationalModel(inference="gibbs", **FINITE | {"max_clusters": 5}), "only 4 items; lower"),
    (RelationalModel(prior="nbd"), "use inference='gibbs'"),
    (RelationalModel(inference="vb"), "inference is 'vb'"),
    (SupervisedClustering(prior="nbd"), "prior is 'nbd'"),
    (RelationalModel(n_restarts=10**9), "n_restarts is 1000000000; .* at most 10000"),
    (Microclustering(**FINITE), TOO_MANY),
    (Microclustering(likelihood="categorical"), "likelihood='similar'"),
    (Microclustering(likelihood="similar", per_field=True),
     "per_field is True, but the likelihood is 'similar'"),
    (RelationalModel(folder="files"), "variational inference runs no"),
    (MultinomialMixture(folder="a\0b"), "path of a folder"),
    (Microclustering(at_most_one="all"), "or 'each'"),
    (Microclustering(at_most_one=["west"]), "no record is from 'west'; there are a, b"),
    (Microclustering(at_most_one="each", **FINITE | {"max_clusters": 9}), "leave one out"),
    (StudentMixture(metric="cosine"), "metric is 'cosine'"),
    (StudentMixture(merge=0), "merge is 0"),
    (StudentMixture(merge=1.5), "merge is 1.5"),
    (StudentMixture(landmarks=10), "points need no landmarks"),
    (StudentMixture(scale=1), "scale is 1"),
    (StudentMixture(metric="precomputed", categorical_features=["kind"]),
     "distances have no columns"),
]  # fmt: skip


@pytest.mark.parametrize(("model", "said"), REFUSED_TOGETHER)
def test_parameters_that_do_not_go_together(model, said):
    given = {}
    if isinstance(model, SupervisedClustering):
        given = {"y": KNOWN, "groups": list("xyxyxyxyxyxy")}
    if isinstance(model, Microclustering):
        given = {"sources": ["a", "b"] * 6}
    of_points = isinstance(model, SupervisedClustering | StudentMixture | WishartDirichlet)
    X = POINTS if of_points else RECORDS
    with pytest.raises(ConfigError, match=said):
        model.set_params(**SHORT).fit(X, **given)


def test_one_column_and_one_group_will_do():
    model = SupervisedClustering(**SHORT)
    expected = model.fit(POINTS, KNOWN).labels_
    np.testing.assert_array_equal(model.fit(POINTS, KNOWN[:, None]).labels_, expected)
    model = SupervisedClustering(model="scdp1", share=True, **SHORT)
    assert model.fit(POINTS, KNOWN, groups=[5] * 12).labels_.size == 12
    model = Microclustering(likelihood="similar", **SHORT)
    expected = model.fit(COUNTS, sources=[0, 1, 0, 1]).log_joint_
    found = model.fit(COUNTS, sources=[[0], [1], [0], [1]]).log_joint_
    np.testing.assert_array_equal(found, expected)


def test_nothing_is_learned_without_entities_or_sampled_without_others():
    assert SupervisedClustering(**SHORT).fit(COUNTS).predict(COUNTS).shape == (4,)
    model = SupervisedClustering().fit(POINTS, np.repeat([1, 2, 3], 4))
    for show in (model.coclustering, model.summary, model.plot, model.to_arviz):
        with pytest.raises(DataError, match="All items were known, so nothing was sampled"):
            show()
    with pytest.raises(NotFittedError):
        SupervisedClustering().summary()


def test_points_whose_digits_are_lost(rng):
    points = rng.normal(size=(12, 3))
    for metric in ("euclidean", "cityblock"):
        model = WishartDirichlet(metric=metric, **SHORT)
        with pytest.warns(UserWarning, match="Column 0 of X varies by .*to multiples of 2;"):
            model.fit(points + 1e16)
        with nothing_said():
            model.fit(points + [1e6, 1e9, 1e12])


def test_fields_that_tell_nothing_are_remarked_on(rng):
    points = rng.normal(size=(30, 2))
    with pytest.warns(UserWarning, match="column 0, 1"):
        Microclustering(**SHORT).fit(points)
    with nothing_said():
        Microclustering(**SHORT).fit(rng.integers(0, 5, (30, 2)))


def test_a_folder_is_that_of_one_fit(tmp_path):
    folder, distances = tmp_path / "chains", APART**2
    folder.mkdir()
    model = WishartDirichlet(folder=folder, **SHORT)
    with try_lock(folder), pytest.raises(ConfigError, match="where another fit is running; wait"):
        model.fit(distances)
    assert not list(folder.iterdir())
    model.fit(distances)
    for settings, X, said in (
        ({"random_state": 2}, distances, "or delete the files of the chains to start over"),
        ({"square": True}, distances, "created with square = False, this run has True"),
        ({}, 2 * distances, "is of other data"),
    ):
        with pytest.raises(CheckpointError, match=said):
            WishartDirichlet(folder=folder, **SHORT | settings).fit(X)


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(DataError, match="cannot be written to"):
        MultinomialMixture(**SHORT, folder=tmp_path / "file" / "chains").fit(COUNTS)


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
