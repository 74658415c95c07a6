"""What is asked of a finished fit: why records are together, and where new ones belong."""

import pickle

import exact
import numpy as np
import pandas as pd
import pytest
from similar import customers

from reseat import Microclustering, MultinomialMixture, RelationalModel, WishartDirichlet
from reseat.chains import MixtureModel
from reseat.datasets.parsers.generated_customers import FIELDS, parse_generated_customers
from reseat.dissimilarities import squared_distances
from reseat.errors import ConfigError, DataError
from reseat.estimators import extending
from reseat.priors import NBNB
from reseat.summaries import over_draws

SHORT = {"random_state": 1, "n_chains": 2, "n_burn_in": 5, "n_samples": 20, "thin": 1}


@pytest.fixture(scope="module", params=["similar", "categorical"])
def fitted(request):
    cells = parse_generated_customers({}, seed=5, n_records=60).cells
    model = Microclustering(likelihood=request.param, **SHORT)
    with pytest.warns():
        return model.fit(cells)


def log_odds(fitted, first, second):
    """Return the log odds that the first item is with the second and not alone, by log joints."""
    prior, likelihood, *_ = fitted._explained()
    for part in (prior, likelihood):
        part.restore({name: fitted.traces_[name].mean() for name in part.hyperparameters})
    model, found = MixtureModel(prior, likelihood), []
    for label in (fitted.labels_[second], fitted.labels_.max() + 1):
        labels = fitted.labels_.copy()
        labels[first] = label
        model.start(np.unique(labels, return_inverse=True)[1])
        found.append(model.log_joint())
    return pytest.approx(found[0] - found[1], abs=1e-8)


def test_the_rows_add_up_to_the_log_odds_of_the_model(fitted):
    sizes = np.bincount(fitted.labels_)
    in_large = np.flatnonzero(sizes[fitted.labels_] > 2)
    alone = np.flatnonzero(sizes[fitted.labels_] == 1)
    pairs = [in_large[[0, 1]], (in_large[0], alone[0]), (alone[0], in_large[0]), alone[:2]]
    for pair, odds in zip(pairs, fitted._explanations(pairs), strict=True):
        assert odds["log_odds"].sum() == log_odds(fitted, *pair)
        np.testing.assert_allclose(odds["pair"] + odds["others"], odds["log_odds"])
    assert np.allclose(odds["others"], 0.0)  # two records that are both alone


@pytest.mark.filterwarnings("ignore")
def test_words_add_up_to_the_log_odds_of_the_model():
    counts = np.tile(9 * np.eye(12, dtype=int) + np.arange(12)[:, None], (2, 1))
    model = MultinomialMixture(**SHORT)
    model.fit(pd.DataFrame(counts, columns=list("abcdefghijkl")))
    kept = model._kept_items
    beta, prior = model.traces_["beta"].mean(), model._explained()[0]
    prior.restore({"concentration": model.traces_["concentration"].mean()})
    for first, second in [(0, 1), (2, 5)]:
        odds, expected = model.explain(first, second), 0
        for sign, label in ((1, model.labels_[second]), (-1, model.labels_.max() + 1)):
            labels = model.labels_[kept].copy()
            labels[np.flatnonzero(kept == first)] = label
            law = exact.log_dirichlet_multinomial(counts[kept], labels.tolist(), beta)
            expected += sign * (law + prior.log_prob(np.unique(labels, return_counts=True)[1]))
        assert odds["log_odds"].sum() == pytest.approx(expected, abs=1e-8)
        assert set(odds.index) <= {*"abcdefghijkl", "length", "prior"}
        assert odds["first"].drop(["length", "prior"]).gt(0).all()
    with pytest.raises(DataError, match="Item 20 is a copy"):
        model.explain(20, 0)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("metric", ["precomputed", "euclidean"])
def test_distances_add_up_to_the_log_odds_of_the_model(metric):
    points = np.random.default_rng(4).normal(size=(16, 3)) + np.repeat([[0], [4]], 8, axis=0)
    X = points if metric == "euclidean" else squared_distances(points)
    model = WishartDirichlet(metric=metric, **SHORT).fit(X)
    for pair in [(0, 1), (2, 15)]:
        odds = model.explain(*pair)
        assert odds["log_odds"].sum() == log_odds(model, *pair)
        assert odds.index.tolist() == ["distances", "prior"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "options",
    [{}, {"inference": "gibbs"}, {"inference": "gibbs", "binary": True}, {"own_rates": "yes"}],
)
def test_cells_add_up_to_the_log_odds_of_the_model(options):
    rng = np.random.default_rng(6)
    counts = rng.poisson(np.kron([[4, 0.5], [0.5, 3], [2, 2]], np.ones((4, 5))))
    model = RelationalModel(**options, **SHORT).fit(counts)
    both = {"row": model.labels_, "column": model.column_labels_}
    fitted = model._of_fit()
    prior = fitted._explained()[0]
    rates = tuple(model.own_rates_.values()) or None
    whole = fitted._start(fitted._links(*model._table), rng, 0, rates, {})
    for side, explain in (("row", model.explain), ("column", model.explain_columns)):
        odds = explain(0, 4)
        labels = both[side]
        found = []
        for label in (labels[4], labels.max() + 1):
            moved = labels.copy()
            moved[0] = label
            named = both | {side: np.unique(moved, return_inverse=True)[1]}
            whole.start(named)
            concentration = np.mean(model.traces_.get(f"concentration_{side}", 1.0))
            prior.restore({"concentration": concentration})
            sizes = np.bincount(named[side])
            found.append(whole.parts["column"].likelihood.log_marginal() + prior.log_prob(sizes))
        assert odds["log_odds"].sum() == pytest.approx(found[0] - found[1], abs=1e-8)
    with pytest.raises(ConfigError, match="one kind"):
        RelationalModel(one_kind=True, **SHORT).fit(counts[:10, :10]).explain(0, 1)


def test_a_table_shows_the_values(fitted):
    odds = fitted.explain(0, 1)
    names = [name for name in fitted.feature_names_in_ if name in odds.index]
    assert names and odds.index[-1] == "prior"
    cells = parse_generated_customers({}, seed=5, n_records=60).cells
    assert odds.loc[names, "first"].tolist() == cells.loc[0, names].tolist()
    for pair in [(0, 0), (0, 60), ("a", 1)]:
        with pytest.raises(DataError, match=r"by itself|There is no item"):
            fitted.explain(*pair)


def test_statistics_over_draws(fitted):
    number = fitted.over_draws(lambda labels: labels.max() + 1, n_draws=1000)
    n_clusters = [np.unique(draw).size for draw in fitted._flat_draws()]
    assert number["mean"] == pytest.approx(np.mean(n_clusters))
    assert number["sd"] == pytest.approx(np.std(n_clusters, ddof=1))
    assert number["low"] <= number["mean"] <= number["high"]


def test_standard_errors_are_combined_as_in_multiple_imputation():
    draws = [[0, 0, 1], [0, 1, 1], [0, 1, 2], [0, 0, 0]]
    found = over_draws(lambda labels: (labels.max(), 0.5), draws)
    estimates = np.array([1.0, 1.0, 2.0, 0.0])
    variance = 0.25 + 1.25 * estimates.var(ddof=1)
    assert found["mean"] == 1.0 and found["sd"] ** 2 == pytest.approx(variance)
    assert found["high"] - found["low"] == pytest.approx(2 * 1.959964 * variance**0.5)
    for wrong in (lambda labels: np.nan, lambda labels: (1, 2, 3)):
        with pytest.raises(DataError, match="finite number in every draw"):
            over_draws(wrong, draws)
    assert pd.Series(over_draws(np.max, draws[:1])).notna().all()


# ---- new records -------------------------------------------------------------------------

THINNED = SHORT | {"n_burn_in": 20, "thin": 2}
SMALL = [["a", "x", "k"], ["a", "x", "k"], ["b", "y", "k"], ["b", "x", "l"], ["c", "y", "l"]]


def shares(model, new, item):
    """Return the probabilities of the clusters of one of the new records, by the definitions."""
    table = pd.DataFrame(SMALL + new)
    codes = np.column_stack([pd.factorize(table[column])[0] for column in table])
    a, q = NBNB().n_blocks_law(len(codes))
    found = np.zeros(model.n_clusters_ + 1)
    for (chain, number), draw in zip(np.ndindex(model.draws_.shape[:2]), model._flat_draws(),
                                     strict=True):  # fmt: skip
        now = {name: trace[chain, 2 * number + 1] for name, trace in model.traces_.items()}
        old, law = exact.canonical(draw), {}
        for z in exact.partitions(len(codes)):
            if z[: len(old)] == old:
                sizes = np.bincount(z).tolist()
                law[z] = exact.log_categorical(codes, z, now["delta"])
                law[z] += exact.log_nbnb(sizes, a, q, now["r"], now["p"])
        for z, chance in exact.normalise(law).items():
            of = model.labels_[np.array(old) == z[len(old) + item]]
            np.add.at(found, of if of.size else [-1], chance / max(of.size, 1))
    return found / len(model._flat_draws())


def test_a_new_record_has_the_probabilities_of_its_seats_given_each_draw():
    """Without noise: the parameters are those of the draw, and not drawn again."""
    model = Microclustering(likelihood="categorical", **THINNED).fit(SMALL)
    for new in (["a", "x", "l"], ["c", None, "l"], ["c", "y", "k"]):
        expected = shares(model, [new], 0)
        np.testing.assert_allclose(model.predict_proba([new])[0], expected, atol=1e-6)


def test_two_new_records_are_seated_together():
    model = Microclustering(likelihood="categorical", **THINNED).fit(SMALL)
    new = [["d", "z", "m"], ["d", "z", "m"]]
    found = []
    for model._seed in range(30):
        found.append(model.predict_proba(new)[0])
    error = np.std(found, axis=0) / np.sqrt(30)
    wrong = np.abs(np.mean(found, axis=0) - shares(model, new, 0))
    np.testing.assert_array_less(wrong, 4 * error + 1e-3)
    assert model.extend(new).labels_.tolist() == [*model.labels_, *[model.n_clusters_] * 2]


@pytest.fixture(scope="module")
def fitted_to_some():
    """Return customers, and a fit to the first 110 of them."""
    cells, truth = customers(150)
    table = pd.DataFrame(cells, columns=FIELDS)
    return table, truth, Microclustering(**THINNED).fit(table[:110])


def test_likely_pairs_are_candidates_enough(fitted_to_some, monkeypatch):
    table, _, model = fitted_to_some
    new = table[110:]
    by_all = model.predict_proba(new)
    monkeypatch.setattr(extending, "EVERY_CLUSTER_UP_TO", 0)
    np.testing.assert_allclose(model.predict_proba(new), by_all, atol=0.05)


def test_a_fit_is_extended_twice(fitted_to_some):
    table, truth, model = fitted_to_some
    stranger = ["Zoe", "Quux", "99999", "Nowhere", "1901", "0777"]
    new = pd.DataFrame([*table[110:130].to_numpy(), stranger, stranger], columns=FIELDS)
    once = model.extend(new)
    np.testing.assert_array_equal(once.labels_[:110], model.labels_)
    expected = model.predict(new)
    known = expected >= 0
    np.testing.assert_array_equal(once.labels_[110:][known], expected[known])
    assert once.labels_[-1] == once.labels_[-2] >= model.n_clusters_
    assert once.draws_.shape[2] == once.labels_.size == 132
    stored = pickle.loads(pickle.dumps(once))
    pd.testing.assert_frame_equal(stored.explain(0, 120), once.explain(0, 120))
    again = once.extend(table[130:])
    np.testing.assert_array_equal(again.labels_[:132], once.labels_)
    joined = again.labels_[132:] < once.n_clusters_
    before = np.append(truth[:130], [-1, -2])
    twin = np.isin(truth[130:], before)
    assert np.mean(joined == twin) > 0.8
    assert model.labels_.size == 110 and model.thin == 2


def of_two_guides(n_people=60):
    """Return two files in which each person has at most one record, and the person of each."""
    rng = np.random.default_rng(3)
    first = rng.choice(["ann", "bob", "eve", "tom"], n_people)
    last = rng.choice(["smith", "jones", "lee", "novak"], n_people)
    born = rng.integers(1950, 1980, n_people).astype(str)
    table = pd.DataFrame({"first": first, "last": last, "born": born})
    person = np.append(np.arange(n_people), np.arange(0, n_people, 2))
    guide = np.repeat(["north", "south"], [n_people, n_people // 2])
    return table.iloc[person].reset_index(drop=True), person, guide


@pytest.mark.parametrize("likelihood", ["categorical", "similar"])
def test_no_draw_has_two_records_of_a_source_in_a_cluster(likelihood):
    table, person, guide = of_two_guides()
    model = Microclustering(likelihood=likelihood, at_most_one="each", **THINNED)
    model.fit(table, sources=guide)
    for draw in (*model._flat_draws(), model.labels_):
        pairs = pd.DataFrame({"cluster": draw, "guide": guide})
        assert not pairs.duplicated().any()
    model.set_params(at_most_one=["south"]).fit(table, sources=guide)
    several = pd.DataFrame({"cluster": model._flat_draws()[-1], "guide": guide})
    assert not several[guide == "south"].duplicated().any()
