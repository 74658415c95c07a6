"""What users of estimators expect: data frames, figures, ArviZ, notebooks, new items."""

import pickle
import re
from datetime import date
from unittest.mock import patch

import exact
import matplotlib.figure
import numpy as np
import pandas as pd
import pytest
from similar import customers
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from reseat import (
    Microclustering,
    MultinomialMixture,
    RelationalModel,
    StudentMixture,
    SupervisedClustering,
    WishartDirichlet,
)
from reseat.datasets.parsers.generated_customers import FIELDS
from reseat.errors import ConfigError, DataError, ReseatWarning
from reseat.estimators.sampling import _plain
from reseat.moves import gibbs_sweep

SHORT = {"n_chains": 2, "n_burn_in": 20, "n_samples": 20, "thin": 2, "random_state": 1}


def data(kind, rng):
    """Return points, counts or records of three clusters, and the cluster of each row."""
    truth = np.repeat([0, 1, 2], 14)
    if kind is MultinomialMixture:
        words = np.kron(np.eye(3), np.full(4, 0.25)) * 0.95 + 0.05 / 12
        return np.array([rng.multinomial(40, words[k] / words[k].sum()) for k in truth]), truth
    if kind is Microclustering:
        names = [["ann", "bob", "eve"][k] + n for k in truth for n in "abcde"]
        return np.array(names, dtype=object).reshape(-1, 5), truth
    return rng.normal(size=(len(truth), 2)) + 12 * truth[:, None], truth


def model_of(kind):
    return kind(metric="euclidean", **SHORT) if kind is WishartDirichlet else kind(**SHORT)


KINDS = (MultinomialMixture, Microclustering, WishartDirichlet, StudentMixture)


@pytest.mark.parametrize("kind", KINDS)
def test_new_items_join_the_clusters_of_those_that_are_like_them(kind, rng):
    X, truth = data(kind, rng)
    old = np.arange(len(X)) % 7 != 0
    model = model_of(kind).fit(X[old])
    labels_before = model.labels_.copy()
    share = model.predict_proba(X[~old])
    assert share.shape == ((~old).sum(), model.n_clusters_ + 1)
    np.testing.assert_allclose(share.sum(axis=1), 1)
    labels = model.predict(X[~old])
    if kind is not Microclustering:  # its clusters are small, so a new one is as likely
        assert adjusted_rand_score(truth[~old], labels) == 1
        of_old = [set(truth[old][model.labels_ == label]) for label in labels]
        assert of_old == [{k} for k in truth[~old]]
    assert (share.argmax(axis=1) == np.where(labels < 0, model.n_clusters_, labels)).all()
    np.testing.assert_array_equal(model.predict_proba(X[~old]), share)
    np.testing.assert_array_equal(model.labels_, labels_before)
    if kind is MultinomialMixture:  # scores tell what suits
        assert model.score(X[~old]) > 1 > model.score(rng.permuted(X[~old], axis=1))


def test_the_prior_of_words_is_sampled_unless_it_is_given():
    """Words of a cluster that are few need a small beta; equal words everywhere, a large one."""
    rng = np.random.default_rng(3)
    few = rng.multinomial(60, rng.dirichlet(np.full(40, 0.05), 3)[np.arange(30) % 3])
    even = rng.multinomial(60, np.full(40, 1 / 40), 30)
    means = [MultinomialMixture(**SHORT).fit(X).traces_["beta"].mean() for X in (few, even)]
    assert means[0] < 0.15 and means[1] > 1
    fixed = MultinomialMixture(**SHORT, beta=0.5).fit(few)
    assert np.unique(fixed.traces_["beta"]).tolist() == [0.5]


def test_copies_count_once_and_share_the_cluster_of_the_one():
    """Thirty texts on three subjects; one of each is passed on twenty times."""
    rng = np.random.default_rng(5)
    laws = np.kron(np.eye(3), np.full(12, 1 / 12)) * 0.8 + 0.2 / 36
    texts = np.array([rng.multinomial(18, laws[k % 3]) for k in range(30)])
    place = np.r_[np.arange(30), np.repeat([0, 1, 2], 20)]
    with pytest.warns(ReseatWarning, match="60 of 90 documents are copies .* copies=each counts"):
        model = MultinomialMixture(**SHORT).fit(texts[place])
    alone = MultinomialMixture(**SHORT).fit(texts)
    np.testing.assert_array_equal(model.draws_, alone.draws_[..., place])
    np.testing.assert_array_equal(model.traces_["beta"], alone.traces_["beta"])
    assert adjusted_rand_score(place % 3, model.labels_) == 1
    assert model.predict(texts[:3]).tolist() == model.labels_[:3].tolist()
    assert model.predict_proba(texts[:3]).shape == (3, 4)
    each = MultinomialMixture(**SHORT, copies="each").fit(texts[place])
    assert each.draws_.shape == model.draws_.shape and each.n_clusters_ > 3
    # Where nothing else would be left, copies count.
    few = MultinomialMixture(**SHORT).fit(texts[np.r_[[0] * 20, 1]])
    assert few.draws_.shape[2] == 21 and len(few._kept_items) == 21


FIRST, SECOND, BETWEEN = [6, 1, 1, 1], [1, 6, 1, 1], [1, 1, 3, 1]
FIXED = {
    "dirichlet_process": {"concentration": 0.5},
    "pitman_yor": {"concentration": 0.5, "discount": 0.3},
    "finite_dirichlet": {"concentration": 0.5, "max_clusters": 4},
    "nbd": {},
}


def fitted_to_two_clusters(prior, **options):
    return MultinomialMixture(prior, **SHORT, **options).fit([FIRST] * 5 + [SECOND] * 5)


@pytest.mark.parametrize("prior", FIXED)
def test_probabilities_of_a_single_new_item_have_no_noise(prior, rng):
    """They are ratios of log joints, which use the formula of the prior and not its tables."""
    model = fitted_to_two_clusters(prior, beta=1.0, **FIXED[prior])
    build = model._extended(np.array([BETWEEN])).build
    draws = model._flat_draws()
    expected = np.zeros(model.n_clusters_ + 1)
    for draw in draws:
        old = np.unique(draw, return_inverse=True)[1]
        places = range(min(old.max() + 2, model.max_clusters or 11))
        joints = [build(rng, np.append(old, k), (gibbs_sweep,)).log_joint() for k in places]
        if model.max_clusters:  # a new cluster may have each of the labels that are left
            joints[-1] += np.log(max(model.max_clusters - old.max() - 1, 1))
        chances = np.exp(np.array(joints) - np.logaddexp.reduce(joints))
        for place, chance in zip(places, chances, strict=True):
            of = model.labels_[old == place]
            np.add.at(expected, of if of.size else [-1], chance / max(of.size, 1))
    found = model.predict_proba([BETWEEN])[0]
    np.testing.assert_allclose(found, expected / len(draws), atol=1e-9)


def test_probabilities_of_new_items_together_are_those_of_enumeration():
    """Of two new items, the first opens a new cluster, with the second or alone."""
    model = fitted_to_two_clusters("dirichlet_process", beta=0.5, concentration=0.5)
    counts, draws = np.array([FIRST] * 5 + [SECOND] * 5 + [BETWEEN] * 2), model._flat_draws()

    def chance_of_a_new_one(draw):
        old, weights = np.unique(draw, return_inverse=True)[1], {}
        n = old.max() + 1
        seats = [(a, b) for a in range(n + 1) for b in range(n + 2) if b <= max(n, a + 1)]
        for first, second in seats:
            labels = [*old, first, second]
            weights[first, second] = exact.log_dirichlet_multinomial(counts, labels, 0.5)
            weights[first, second] += exact.log_pitman_yor(labels, 0.5, 0.0)
        return sum(chance for (a, _), chance in exact.normalise(weights).items() if a == n)

    expected = np.mean([chance_of_a_new_one(draw) for draw in draws])
    found = []
    for model._seed in range(60):
        found.append(model.predict_proba([BETWEEN] * 2)[0, -1])
    assert np.mean(found) == pytest.approx(expected, abs=4 * np.std(found) / np.sqrt(60))
    assert np.std(found) < 0.05


@pytest.mark.parametrize(("square", "landmarks"), [(True, None), (False, 20)])
@pytest.mark.parametrize("kind", [WishartDirichlet, StudentMixture])
def test_new_objects_are_known_by_their_distances(kind, square, landmarks, rng):
    """They are where all objects would be placed together, up to a map of all coordinates."""
    points, truth = data(kind, rng)
    distances = ((points[:, None] - points) ** 2).sum(axis=2) ** (0.5 if square else 1)
    old = np.arange(len(points)) % 7 != 0
    given = {"metric": "precomputed", "square": square, "landmarks": landmarks}
    model = kind(**given, **SHORT).fit(distances[np.ix_(old, old)])
    rows = distances[np.ix_(~old, old)]
    of_old = [set(truth[old][model.labels_ == label]) for label in model.predict(rows)]
    assert of_old == [{k} for k in truth[~old]]
    with_others = np.hstack([rows, distances[np.ix_(~old, ~old)]])
    np.testing.assert_array_equal(model.predict(with_others), model.predict(rows))
    beyond = ((points[old] + 300) ** 2).sum(axis=1) ** (0.5 if square else 1)
    assert model.predict([beyond]).tolist() == [-1]
    if kind is StudentMixture:
        placed = model._placed_beside(rows).coordinates
        first = model._points.coordinates
        design = np.column_stack([points, np.ones(len(points))])
        change = np.linalg.lstsq(design[old], first, rcond=None)[0]
        np.testing.assert_allclose(design[~old] @ change, placed, atol=1e-3)  # of a grid


def test_a_matrix_with_new_objects_is_as_their_points_give_it(rng):
    points = rng.normal(size=(24, 3)) + np.repeat([[0.0], [2.0]], 12, axis=0)
    squares = ((points[:, None] - points) ** 2).sum(axis=2)
    model = WishartDirichlet(dim=3, **SHORT).fit(squares[:20, :20])
    np.testing.assert_allclose(model._with_rows(squares[20:, :20], squares[20:, 20:]), squares)
    # The old ones span the space, and coordinates are on a grid.
    np.testing.assert_allclose(model._with_rows(squares[20:, :20], None), squares, atol=1e-3)


def test_new_objects_with_impossible_distances_are_refused(rng):
    points, _ = data(WishartDirichlet, rng)
    matrix = ((points[:, None] - points) ** 2).sum(axis=2)
    model = WishartDirichlet(**SHORT).fit(matrix)
    with pytest.raises(DataError, match="negative distance, -4, in row 0 and column 2"):
        model.predict(np.where(np.arange(len(matrix)) == 2, -4.0, matrix[:2]))
    with pytest.raises(ValueError, match="features"):
        model.predict(matrix[:2, :5])


@pytest.mark.parametrize("kind", [*KINDS, RelationalModel])
def test_what_is_shown(kind, rng):
    X, _ = data(MultinomialMixture if kind is RelationalModel else kind, rng)
    model = RelationalModel(n_restarts=1, **SHORT) if kind is RelationalModel else model_of(kind)
    with pytest.raises(NotFittedError):
        model.summary()
    assert "clusters in" not in model._repr_mimebundle_()["text/html"]
    model.fit(X)
    summary = model.summary()
    assert isinstance(summary, pd.DataFrame)
    assert summary.loc["clusters in labels_", "mean"] == model.n_clusters_
    for name, values in model.traces_.items():
        assert summary.loc[name, "mean"] == pytest.approx(values.mean())
        assert summary.loc[name, "rhat"] == pytest.approx(model.rhat_[name], nan_ok=True)
    html = model._repr_mimebundle_()["text/html"]
    assert f"{model.n_clusters_} clusters in" in html and "<table" in html
    if kind in (MultinomialMixture, RelationalModel):  # all have the plots of one class
        for name in ("posterior", "coclustering", "sizes", "traces"):
            assert isinstance(model.plot(name), matplotlib.figure.Figure)
    with pytest.raises(ConfigError, match="did you mean 'traces'"):
        model.plot("trace")
    read = model.to_arviz()
    np.testing.assert_array_equal(read.partition["labels"].values, model.draws_)
    if kind is not RelationalModel:
        counted = "n_components" if kind is StudentMixture else "n_clusters"
        np.testing.assert_array_equal(read.posterior[counted], model.traces_[counted])
        np.testing.assert_array_equal(read.sample_stats["log_joint"], model.log_joint_)


@pytest.mark.parametrize(
    ("likelihood", "kind"), [("categorical", int), ("similar", int), ("similar", object)]
)
def test_new_records_have_values_of_the_types_of_the_fit(likelihood, kind):
    frame = pd.DataFrame({"town": ["rome", "rome", "oslo", "bonn"], "born": [1, 1, 2, 3]})
    frame["born"] = frame["born"].astype(kind)
    model = Microclustering(likelihood=likelihood, **SHORT).fit(frame)
    with pytest.raises(DataError, match="Column 'born' of X has texts, but had numbers when"):
        model.predict(frame.astype(str))
    gaps = frame.astype(object)
    gaps.loc[1:, "born"] = None
    for same in (frame.astype({"born": float}), gaps, gaps.assign(born=None)):
        assert model.predict(same).shape == (4,)


@pytest.mark.parametrize("kind", KINDS)
def test_new_items_are_seated_by_the_parameters_of_the_fit(kind, rng):
    X, _ = data(kind, rng)
    model = model_of(kind).fit(X)
    expected = model.predict_proba(X[:3])
    changed = {"prior": "finite_dirichlet", "max_clusters": 2, "thin": 5}
    own = {MultinomialMixture: {"beta": 9.0}, WishartDirichlet: {"metric": "cosine", "dim": 9.0}}
    model.set_params(**changed | own.get(kind, {}))
    for same in (model, pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(same.predict_proba(X[:3]), expected)
    assert model.max_clusters == 2 and clone(model).prior == "finite_dirichlet"
    assert model.to_arviz().partition["draw"].values.tolist() == [*range(1, 20, 2)]
    model.fit(X)
    assert not np.array_equal(model.predict_proba(X[:3]), expected)


def test_the_model_that_was_chosen_predicts(rng):
    centres = rng.normal(size=(14, 3))
    X = np.repeat(centres, 3, axis=0) + 0.35 * rng.normal(size=(42, 3))
    y = np.repeat([*range(10), -1, -1, -1, -1], 3)
    model = SupervisedClustering(n_chains=1, n_burn_in=2, n_samples=4, random_state=None).fit(X, y)
    assert len(model.choices_) > 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SupervisedClustering, "_compare", None)  # nothing is compared again
        first = model.predict(X[-12:])
    model.set_params(random_state=5, share=True, concentration=1e4)
    np.testing.assert_array_equal(model.predict(X[-12:]), first)


def test_nothing_remains_of_a_fit_that_is_interrupted(rng):
    table, _truth = data(Microclustering, rng)
    model = Microclustering(**SHORT).fit(table)
    interrupted = patch(
        "reseat.estimators.base.minimise_expected_loss", side_effect=KeyboardInterrupt
    )
    with interrupted, pytest.raises(KeyboardInterrupt):
        model.fit(table[:6])
    assert not hasattr(model, "draws_") and not hasattr(model, "categories_")
    for ask in (model.summary, model.coclustering, lambda: model.predict(table)):
        with pytest.raises(NotFittedError):
            ask()


def test_accented_letters_are_one_text_however_they_are_written():
    table = [["jos\u00e9 garc\u00eda", "m\u00e1laga"], ["jose\u0301 garci\u0301a", "ma\u0301laga"]]
    table += [["anna berg", "oslo"], ["petra klein", "bonn"], ["ivan petrov", "kiev"]]
    for given in (table, np.array(table), pd.DataFrame(table)):
        model = Microclustering(likelihood="categorical", **SHORT).fit(given)
        assert [values.size for values in model.categories_] == [4, 4]
    assert model.predict([table[1]]) == model.predict([table[0]])


TIMES = pd.DataFrame({"v": pd.to_datetime(["2020-01-01"] * 3), "t": list("aab")})
FLOATS = pd.DataFrame({"v": np.array([0.1, 0.1, 0.2], "f4"), "t": list("aab")})


@pytest.mark.parametrize(
    ("known", "new", "words"),
    [
        ([["ann", "a"]] * 3, [[b"ann", "a"]], "has bytes, but had texts"),
        (TIMES, TIMES[:1].assign(v=[date(2020, 1, 1)]), "has dates, but had times"),
        (FLOATS, FLOATS[:1].astype({"v": float}),
         "Column 'v' of X has numbers of the type float64, but had float32"),
        ([["x", "y"]] * 3, [["x", "y"], [None, None]], "Record 1 of X has no value in any field"),
    ],
)  # fmt: skip
def test_records_that_could_equal_no_old_one_are_refused(known, new, words):
    model = Microclustering(likelihood="categorical", **SHORT).fit(known)
    with pytest.raises(DataError, match=words):
        model.predict(new)


@pytest.mark.parametrize("per_field", [False, True])
def test_a_distortion_that_its_bound_cuts_off_is_told_of(per_field, rng, recwarn):
    truth = np.repeat(np.arange(30), 3)
    codes = rng.integers(8, size=(30, 6))[truth]
    wrong = rng.random(codes.shape) < 0.3
    records = np.where(wrong, rng.integers(8, size=codes.shape), codes)
    settings = {"likelihood": "categorical", "per_field": per_field, **SHORT, "n_burn_in": 100}
    Microclustering(**settings).fit(records)
    fields = r" of \d of 6 fields" if per_field else ""
    said = re.compile(f"The 95 % interval of the distortion{fields} ends at its")
    assert any(said.match(str(warning.message)) for warning in recwarn)
    recwarn.clear()
    Microclustering(max_distortion=20.0, **settings).fit(records)
    Microclustering(max_distortion=None, **settings).fit(records)
    assert not any("bound" in str(warning.message) for warning in recwarn)


def test_texts_and_numbers_in_a_column_are_told_of(rng):
    table, _truth = data(Microclustering, rng)
    table[:, 0] = [str(n) if n % 2 else n for n in range(len(table))]
    with pytest.warns(UserWarning, match="Column '0' of X has numbers and texts"):
        Microclustering(**SHORT).fit(table)


def test_a_fit_with_a_metric_of_ones_own_has_a_name_that_lasts():
    def metric(one, other):
        return abs(one - other).sum()

    named = _plain(metric)
    assert named.endswith("metric") and "0x" not in named


def test_a_careless_register_has_more_mistakes(rng):
    """One of two registers of customers spoils many post codes."""
    cells, _ = customers(300, moves=0.0)
    table = pd.DataFrame(cells, columns=FIELDS)
    careless = rng.random(300) < 0.5
    spoilt = careless & table["postcode"].notna() & (rng.random(300) < 0.5)
    table.loc[spoilt, "postcode"] = table["postcode"].str[:-1] + "x"
    sources = np.where(careless, "south", "north")
    model = Microclustering(**SHORT | {"n_burn_in": 5}).fit(table, sources=sources)
    numbers = pd.factorize(sources)[1].tolist()
    beta = [model.traces_[f"beta_2_{number}"].mean() for number in range(2)]
    assert beta[numbers.index("south")] > 2 * beta[numbers.index("north")]
    with pytest.raises(ConfigError, match="fit the old and the new records together"):
        model.predict(table)


SEATED = "MultinomialMixture Microclustering WishartDirichlet StudentMixture SupervisedClustering"
CHECKED = {"n_chains": 1, "n_burn_in": 5, "n_samples": 4, "thin": 2, "random_state": 0}
#: Checks that fail, and why, by the names of models that fail them.
EXPECTED_FAILURES = {
    ("check_clustering", "it is given points with negative coordinates"):
        "MultinomialMixture Microclustering RelationalModel precomputed",
    ("check_positive_only_tag_during_fit", "a precomputed matrix is square"): "precomputed",
    ("check_methods_sample_order_invariance", "new items are clustered together"): SEATED,
    ("check_methods_subset_invariance", "new items are clustered together"): SEATED,
    ("check_estimator_sparse_array", "clusters are no classes"): "MultinomialMixture",
    ("check_estimator_sparse_matrix", "clusters are no classes"): "MultinomialMixture",
}  # fmt: skip


def expected_failures(estimator):
    names = {type(estimator).__name__, getattr(estimator, "metric", None)}
    if isinstance(estimator, StudentMixture):
        names = {"StudentMixture"}
    return {
        check: reason
        for (check, reason), failing in EXPECTED_FAILURES.items()
        if names & set(failing.split())
    }


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [
        MultinomialMixture(**CHECKED),
        Microclustering(**CHECKED),
        WishartDirichlet(**CHECKED),
        WishartDirichlet(metric="euclidean", **CHECKED | {"n_burn_in": 20}),
        StudentMixture(**CHECKED | {"n_burn_in": 20}),
        RelationalModel(n_restarts=1, max_row_clusters=5, max_column_clusters=5, **CHECKED),
        RelationalModel(inference="gibbs", **CHECKED),
        SupervisedClustering(**CHECKED),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn(estimator, check):
    check(estimator)
