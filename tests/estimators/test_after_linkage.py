"""Why two records are together, and numbers that inherit the uncertainty of the entities."""

import exact
import numpy as np
import pandas as pd
import pytest

from reseat import Microclustering, MultinomialMixture, RelationalModel, WishartDirichlet
from reseat.chains import MixtureModel
from reseat.datasets.parsers.generated_customers import parse_generated_customers
from reseat.dissimilarities import squared_distances
from reseat.errors import ConfigError, DataError
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
