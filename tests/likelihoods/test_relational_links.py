"""Collapsed Gibbs for links between two types, against dense cells and enumeration."""

from concurrent.futures import ThreadPoolExecutor
from itertools import product
from math import lgamma
from threading import Barrier

import exact
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import dblquad
from scipy.special import gamma, gammaln
from strikes import chain_of

from reseat.chains import CoupledModel, MixtureModel, Schedule, open_chain, run_chain, split_labels
from reseat.errors import ConfigError, DataError
from reseat.likelihoods import (
    DirichletMultinomial,
    LinkTable,
    RelationalLinks,
    RelationalRates,
    link_log_predictive,
    link_table,
)
from reseat.priors import DirichletProcess, FiniteDirichlet, PitmanYor

GIVEN = np.array([[5, 0, 1, 0], [3, 2, 0, 0], [0, 0, 4, 1]])
SETTINGS = settings(max_examples=30, deadline=None, derandomize=True)


def log_links(counts, rows, columns, beta, hidden=(), trials=None):
    """Return the log marginal likelihood of a dense table, cell by cell and pair by pair."""
    total = 0.0
    for a, b in product(set(map(int, rows)), set(map(int, columns))):
        n = [0, 0]
        for i, j in product(np.flatnonzero(rows == a), np.flatnonzero(columns == b)):
            if (i, j) in hidden:
                continue
            n[0] += int(counts[i, j])
            n[1] += int(counts[i, j] == 0) if trials is None else int(trials[i, j] - counts[i, j])
        total += sum(lgamma(beta + x) - lgamma(beta) for x in n)
        total -= lgamma(2 * beta + sum(n)) - lgamma(2 * beta)
    return total


def log_rates(counts, rows, columns, beta, own, mean=None):
    """Return the log density of Poisson counts, where `own` says which sides have own rates."""
    mean = counts.mean() if mean is None else mean
    total = -sum(lgamma(1 + c) for c in counts.flat)
    for a, b in product(set(map(int, rows)), set(map(int, columns))):
        cell = counts[np.ix_(rows == a, columns == b)]
        total += beta * np.log(beta / mean) + lgamma(beta + cell.sum()) - lgamma(beta)
        total -= (beta + cell.sum()) * np.log(beta / mean + cell.size)
    for table, labels, vary in ((counts, rows, own[0]), (counts.T, columns, own[1])):
        for block in set(map(int, labels)) if vary else ():
            degrees = table[labels == block].sum(axis=1)
            n, D = degrees.size, degrees.sum()
            total += lgamma(n) - lgamma(n + D) + D * np.log(n)
            total += sum(lgamma(1 + d) for d in degrees)
    return total


def couple(links, beta=0.1, priors=None, make=RelationalLinks):
    priors = (DirichletProcess(1.0), DirichletProcess(1.0)) if priors is None else priors
    return CoupledModel(
        {
            name: MixtureModel(prior, make(links, place, beta))
            for place, (name, prior) in enumerate(zip(links.types, priors, strict=True))
        }
    )


def draw_table(rng, shape=(5, 6), n_hidden=4):
    counts = rng.poisson(0.7, shape) * rng.integers(1, 4, shape)
    counts[0, 0] = 3
    cells = rng.choice(np.arange(1, counts.size), n_hidden, replace=False)
    return counts, np.stack(np.unravel_index(cells, shape), axis=1)


@pytest.mark.parametrize(
    ("binary", "value"), [(False, -73.44555856967158), (True, -45.93653598136561)]
)
def test_evidence_under_truncated_sticks_has_the_golden_value(binary, value):
    """The published toy is summed over all labels of 3 and 2 clusters, with the drawn entities."""

    def log_sticks(labels, n_clusters):
        sizes = np.bincount(labels, minlength=n_clusters)
        later = sizes[::-1].cumsum()[::-1]
        return sum(
            lgamma(1 + sizes[t]) + lgamma(1 + later[t + 1]) - lgamma(2 + later[t])
            for t in range(n_clusters - 1)
        )

    links = LinkTable(GIVEN)
    links = links.binary() if binary else links
    weights = []
    for rows, columns in product(product(range(3), repeat=3), product(range(2), repeat=4)):
        model = couple(links)
        model.start({"row": np.array(rows), "column": np.array(columns)})
        marginal = model.parts["column"].likelihood.log_marginal()
        weights.append(marginal + log_sticks(rows, 3) + log_sticks(columns, 2))
    seen = np.maximum(GIVEN > 0 if binary else GIVEN, 1)
    drawn = sum(
        lgamma(n.size) - lgamma(n.size + n.sum()) + sum(lgamma(1 + x) for x in n)
        for n in (seen.sum(axis=0), seen.sum(axis=1))
    )
    assert np.logaddexp.reduce(weights) + drawn == pytest.approx(value, abs=1e-9)


@SETTINGS
@given(st.integers(0, 10**6), st.booleans())
def test_both_types_and_the_dense_table_agree(seed, tried):
    rng = np.random.default_rng(seed)
    counts, hidden = draw_table(rng)
    trials = counts + rng.poisson(0.8, counts.shape) if tried else None
    beta = rng.uniform(0.05, 2)
    model = couple(LinkTable(sp.coo_array(counts), hidden, trials=trials), beta)
    rows, columns = rng.integers(0, 4, 5), rng.integers(0, 4, 6)
    model.start({"row": rows, "column": columns})
    expected = log_links(counts, rows, columns, beta, set(map(tuple, hidden.tolist())), trials)
    for part in model.parts.values():
        part.condition(model.parts)
        assert part.likelihood.log_marginal() == pytest.approx(expected, abs=1e-9)
    rows_only = model.parts["row"].likelihood
    tables = rows_only.links.cell_counts(rows, columns)
    for got, dense in zip(rows_only.cell_counts, tables, strict=True):
        assert np.array_equal(got[: dense.shape[0]], dense)


def test_binary_tables_are_those_of_ones_and_zeros_and_of_one_trial_for_every_pair():
    counts, hidden = draw_table(np.random.default_rng(1))
    ones = np.minimum(counts, 1)
    labels = {"row": np.array([0, 1, 0, 1, 2]), "column": np.array([0, 0, 1, 1, 2, 2])}
    values = []
    for links in (
        LinkTable(counts, hidden).binary(),
        LinkTable(counts > 0, hidden),
        LinkTable(ones, hidden, trials=np.ones_like(ones)),
    ):
        model = couple(links)
        model.start(labels)
        values.append((model.log_joint(), *link_log_predictive(links, [tuple(labels.values())])))
        assert set(links.held_out_counts) <= {0, 1}
    assert values[0] == values[1] == pytest.approx(values[2], abs=1e-9)


@pytest.mark.parametrize("kind", ["links", "trials", "rates"])
@pytest.mark.parametrize("place", [0, 1])
def test_scores_are_ratios_of_dense_joints(place, kind):
    rng = np.random.default_rng(2)
    counts, hidden = draw_table(rng, (4, 4), 3)
    hidden = None if kind == "rates" else hidden
    known = set() if hidden is None else set(map(tuple, hidden.tolist()))
    trials = counts + rng.poisson(0.8, counts.shape) if kind == "trials" else None
    other = np.array([0, 2, 0, 1])
    links = LinkTable(counts, hidden, trials=trials)
    model = couple(links, 0.3, make=RelationalRates if kind == "rates" else RelationalLinks)

    def dense(labels):
        both = (np.array(labels), other)
        both = both if place == 0 else both[::-1]
        if kind == "rates":
            return log_rates(counts, *both, 0.3, (True, True))
        return log_links(counts, *both, 0.3, known, trials)

    for labels in exact.partitions(4):
        both = (np.array(labels), other)
        model.start(dict(zip(("row", "column"), both if place == 0 else both[::-1], strict=True)))
        part = list(model.parts.values())[place]
        part.condition(model.parts)
        part.partition.grow(7)
        part.likelihood.grow(7)
        for item in range(4):
            rest = labels[:item] + labels[item + 1 :]
            slots = [5, *sorted(set(rest)), *({labels[item]} - set(rest))]
            score = part.likelihood.log_predictive(item, labels[item])
            assert score[5] == pytest.approx(score[-1], abs=1e-9)
            one_by_one = part.likelihood.log_predictive(item, labels[item], slots)
            expected = np.array([dense([*labels[:item], k, *labels[item + 1 :]]) for k in slots])
            for got in (score[slots], one_by_one):
                assert np.allclose(got - got[0], expected - expected[0], rtol=0, atol=1e-9)


def test_counts_beyond_the_tables_lose_nothing_but_rounding():
    """Log gamma of three million is 4e7, with a last place of 7e-9."""
    counts = np.array([[3_000_000, 0, 5], [2, 1_500_000, 0]])
    rows, columns = np.array([0, 0]), np.array([0, 0, 1])
    model = couple(LinkTable(counts), 0.1)
    model.start({"row": rows, "column": columns})
    likelihood = model.parts["column"].likelihood
    expected = log_links(counts, rows, columns, 0.1)
    assert likelihood.log_marginal() == pytest.approx(expected, abs=1e-7)
    got = likelihood.log_predictive(0, 0)
    moved = log_links(counts, rows, np.array([1, 0, 1]), 0.1)
    assert got[1] - got[0] == pytest.approx(moved - expected, abs=1e-7)


def test_threads_that_ask_for_a_table_at_once_share_one(monkeypatch):
    """Compiled code points at it, so that the first answer must stay in place."""
    links, both = LinkTable([[3, 0], [0, 2]]), Barrier(2)

    def slow(values):
        both.wait(timeout=60)
        return gammaln(values)

    monkeypatch.setattr(link_table, "gammaln", slow)
    with ThreadPoolExecutor(2) as threads:
        one, two = threads.map(links.log_gamma, (0.1, 0.1))
    assert one is two is links.log_gamma(0.1)


OWN = list(product((False, True), repeat=2))


def with_rates(own):
    """Return a function that makes the likelihood of a side, with or without own rates."""
    return lambda links, place, beta: RelationalRates(links, place, beta, own[place])


@pytest.mark.parametrize("own", OWN)
def test_both_types_and_the_dense_table_agree_on_rates(own):
    rng = np.random.default_rng(20)
    counts, _ = draw_table(rng)
    model = couple(LinkTable(counts), 0.4, make=with_rates(own))
    for _ in range(4):
        rows, columns = rng.integers(0, 4, 5), rng.integers(0, 4, 6)
        model.start({"row": rows, "column": columns})
        for part in model.parts.values():
            part.condition(model.parts)
            expected = log_rates(counts, rows, columns, 0.4, own)
            assert part.likelihood.log_marginal() == pytest.approx(expected, abs=1e-9)


def test_rates_are_integrated_out():
    """A block of two rows and one column: over the rate of the cell and the shares of the rows."""
    beta, mean = 0.7, 1.5

    def density(share, rate):
        rates = 2 * rate * np.array([share, 1 - share])
        prior = (beta / mean) ** beta * rate ** (beta - 1) * np.exp(-beta / mean * rate)
        return np.prod(rates ** (3, 1)) * np.exp(-rates.sum()) / 6 * prior / gamma(beta)

    value, _ = dblquad(density, 0, np.inf, 0, 1)
    rows = RelationalRates(LinkTable([[3], [1]]), 0, beta, True, mean)
    rows.assign([0, 0], 1)
    # The only column has the rate 1, whether it is its own or not.
    assert rows.log_marginal() == pytest.approx(np.log(value), abs=1e-7)


def test_rates_are_calibrated():
    """Over tables drawn from the model, posterior probabilities average to those of the prior."""
    rng, found = np.random.default_rng(21), []
    beta, mean, shape = 1.0, 3.0, (2, 3)
    pairs = product(exact.partitions(2), exact.partitions(3))
    states = [(*both, own) for both in pairs for own in OWN]
    prior = np.array([sum(exact.log_pitman_yor(z, 1.0, 0.0) for z in s[:2]) for s in states])
    weights = np.exp(prior - np.logaddexp.reduce(prior))
    features = np.array([[*own, z == (0, 0), len(set(w)) == 2] for z, w, own in states]) * 1.0
    while len(found) < 150:
        *labels, own = states[rng.choice(len(states), p=weights)]
        rates = rng.gamma(beta, mean / beta, shape)[np.ix_(*map(np.array, labels))]
        for side, (z, vary) in enumerate(zip(labels, own, strict=True)):
            for block in set(z) if vary else ():
                at = np.flatnonzero(np.array(z) == block)
                share = at.size * rng.dirichlet(np.ones(at.size))
                np.moveaxis(rates, side, 0)[at] *= share[:, None]
        counts = rng.poisson(rates)
        if not counts.any():  # such a table is refused; it says little on anything
            found.append(weights @ features)
            continue
        log = prior + [log_rates(counts, *map(np.array, s[:2]), beta, s[2], mean) for s in states]
        found.append(np.exp(log - np.logaddexp.reduce(log)) @ features)
    error = np.std(found, axis=0) / np.sqrt(len(found))
    assert (np.abs(np.mean(found, axis=0) - weights @ features) < 4 * error + 0.005).all()


PROCESS = (lambda: DirichletProcess(1.0), lambda z: exact.log_pitman_yor(z, 1.0, 0.0))
TWO_PRIORS = [
    (lambda: PitmanYor(0.5, 0.3), lambda z: exact.log_pitman_yor(z, 0.5, 0.3)),
    (lambda: FiniteDirichlet(3, 0.8), lambda z: exact.log_finite_dirichlet(z, 3, 0.8)),
]


@pytest.mark.parametrize("rates", [False, True], ids=["two priors", "own rates of the rows"])
def test_sweeps_reach_the_enumerated_posterior_of_both_partitions(rates):
    """Links have cells that are held out; zeros and ones instead of counts are tested above."""
    counts = np.array([[2, 0, 1, 0], [1, 1, 0, 0], [0, 0, 1, 1]])
    priors, hidden = ([PROCESS] * 2, ()) if rates else (TWO_PRIORS, [(0, 1), (2, 2), (1, 0)])
    counts = counts * [[4, 1, 2, 1]] if rates else counts
    links = LinkTable(counts, hidden or None)
    make = with_rates((True, False)) if rates else RelationalLinks
    log_weight = {}
    for rows, columns in product(exact.partitions(3), exact.partitions(4)):
        value = priors[0][1](rows) + priors[1][1](columns)
        both = np.array(rows), np.array(columns)
        if rates:
            value += log_rates(counts, *both, 0.4, (True, False))
        else:
            value += log_links(counts, *both, 0.4, set(hidden))
        log_weight[rows + columns] = value
    model = couple(links, 0.4, [prior() for prior, _ in priors], make)
    model.start({"row": np.zeros(3, dtype=int), "column": np.zeros(4, dtype=int)})
    rng = np.random.default_rng(3)

    def state(labels):
        return exact.canonical(labels[:3]) + exact.canonical(labels[3:])

    n_sweeps, near = (10_000, 0.03) if rates else (30_000, 0.02)  # those of rates are slower
    counted = exact.visits(lambda: model.sweep(rng), lambda: model.labels, n_sweeps, state)
    target = exact.normalise(log_weight)
    assert max(target.values()) < 0.5  # not a posterior that any sampler would reach
    assert exact.total_variation(target, counted) < near


def test_a_chain_has_the_labels_and_the_numbers_of_clusters_of_both_types(tmp_path):
    counts, hidden = draw_table(np.random.default_rng(8), (20, 15), 20)

    def build(rng):
        model = couple(LinkTable(counts, hidden, types=("adjective", "noun")), 0.2)
        model.start_at_random({"adjective": 4, "noun": 3}, rng)
        return model

    tree = open_chain(run_chain(chain_of(build, tmp_path, Schedule(5, 40, thin=2))))
    assert {"n_clusters_adjective", "concentration_noun"} <= set(tree["posterior"].data_vars)
    drawn = split_labels(tree["partition"]["labels"].values[0], {"adjective": 20, "noun": 15})
    places = (tree["partition"]["draw"] - 6).values
    for name, labels in drawn.items():
        expected = tree["posterior"][f"n_clusters_{name}"].values[0, places]
        assert [np.unique(z).size for z in labels] == list(expected)


def test_log_joint_is_that_of_data_and_both_partitions():
    counts, _ = draw_table(np.random.default_rng(9), (8, 9), 0)
    model, rng = couple(LinkTable(counts)), np.random.default_rng(10)
    model.start_at_random({"row": 2, "column": 2}, rng)
    for _ in range(5):
        model.sweep(rng)
        labels = split_labels(model.labels, model.part_sizes)
        expected = log_links(counts, labels["row"], labels["column"], 0.1)
        expected += sum(exact.log_pitman_yor(z, 1.0, 0.0) for z in labels.values())
        assert model.log_joint() == pytest.approx(expected, abs=1e-9)
    state, value = model.state(), model.log_joint()
    model.sweep(rng)
    model.restore(state)
    assert model.log_joint() == value


def test_predictive_of_a_held_out_cell_is_a_ratio_of_evidences():
    counts, hidden = draw_table(np.random.default_rng(11))
    links = LinkTable(counts, hidden)
    assert np.array_equal(links.held_out_counts, counts[hidden[:, 0], hidden[:, 1]])
    rng = np.random.default_rng(12)
    draws = [(rng.integers(0, 3, 5), rng.integers(0, 3, 6)) for _ in range(3)]
    got = link_log_predictive(links, draws, 0.3)
    floats = [tuple(labels.astype(float) for labels in draw) for draw in draws]
    assert np.array_equal(link_log_predictive(links, floats, 0.3), got)
    known = set(map(tuple, hidden.tolist()))
    for cell, value in zip(map(tuple, hidden.tolist()), got, strict=True):
        ratios = [
            np.exp(log_links(counts, *z, 0.3, known - {cell}) - log_links(counts, *z, 0.3, known))
            for z in draws
        ]
        assert value == pytest.approx(np.log(np.mean(ratios)), abs=1e-9)
    yes, no = (np.exp(link_log_predictive(links, draws, 0.3, values=v)) for v in (1, 0))
    assert np.allclose(yes + no, 1)


@pytest.mark.parametrize(
    ("counts", "held_out", "sentence"),
    [
        ([[1, -2], [0, 1]], None, "row 0 has the count -2 in column 1"),
        (np.zeros((2, 3)), None, "No pair is linked"),
        ([[1, 0], [0, 0]], [(0, 0)], "No pair is linked"),
        (np.ones((0, 3)), None, "shape"),
        ([[1, 2], [0, 1]], [(0, 2)], r"\(0, 2\), which is outside"),
        ([[1, 2], [0, 1]], [(0, 1), (1, 1), (0, 1)], "twice"),
        ([[1, 2], [0, 1]], [(0.5, 1)], "whole numbers"),
        ([[1, 2], [0, 1]], [0, 1], "two columns"),
    ],
)
def test_bad_links_are_refused(counts, held_out, sentence):
    with pytest.raises(DataError, match=sentence):
        LinkTable(counts, held_out)


def test_bad_settings_are_refused():
    links = LinkTable(GIVEN)
    with pytest.raises(ConfigError, match="place is 2"):
        RelationalLinks(links, 2)
    with pytest.raises(ConfigError, match="two different names"):
        LinkTable(GIVEN, types=("noun", "noun"))
    for table in (LinkTable(GIVEN, [(0, 1)]), LinkTable(GIVEN, trials=GIVEN + 1)):
        with pytest.raises(ConfigError, match="use RelationalLinks"):
            RelationalRates(table, 0)
    with pytest.raises(DataError, match="Row 0 has 5 links in column 0, but only 4 trials"):
        LinkTable(GIVEN, trials=np.minimum(GIVEN, 4))
    with pytest.raises(DataError, match="2 x 4 trials for 3 x 4 counts"):
        LinkTable(GIVEN, trials=GIVEN[:2])
    rows = MixtureModel(DirichletProcess(1.0), RelationalLinks(links, 0))
    with pytest.raises(ConfigError, match="two parts"):
        CoupledModel({"row": rows})
    columns = MixtureModel(DirichletProcess(1.0), RelationalLinks(links, 1))
    model = CoupledModel({"row": rows, "noun": columns})
    with pytest.raises(ConfigError, match="partition of 'column'"):
        model.start({"row": np.zeros(3, dtype=int), "noun": np.zeros(4, dtype=int)})
    alone = MixtureModel(DirichletProcess(1.0), DirichletMultinomial(GIVEN))
    alone.start([0, 0, 0])
    with pytest.raises(TypeError, match="does not depend on other partitions"):
        alone.condition({})


def test_bad_cells_to_predict_are_refused():
    links = LinkTable(GIVEN, [(0, 1)])
    draw = [(np.zeros(3, dtype=int), np.zeros(4, dtype=int))]
    for draws, options, error, sentence in (
        ([], {}, DataError, "no draws"),
        (draw, {"cells": [(0, 0)]}, DataError, "no values"),
        (draw, {"values": -1}, DataError, "has the value -1"),
        (draw, {"cells": [(3, 0)], "values": 1}, DataError, "outside the table"),
        (draw, {"beta": -0.1}, ConfigError, "beta is -0.1"),
    ):
        with pytest.raises(error, match=sentence):
            link_log_predictive(links, draws, **options)
