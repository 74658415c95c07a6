"""Collapsed Gibbs for links between two types, against dense cells and enumeration."""

import threading
from itertools import product
from math import lgamma

import exact
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.chains import (
    Chain,
    CoupledModel,
    Interrupted,
    MixtureModel,
    Schedule,
    open_chain,
    run_chain,
    split_labels,
)
from reseat.errors import ConfigError, DataError
from reseat.likelihoods import (
    DirichletMultinomial,
    LinkTable,
    RelationalLinks,
    link_log_predictive,
)
from reseat.metrics import adjusted_rand
from reseat.moves import Chaperones, Pairs
from reseat.priors import DirichletProcess, FiniteDirichlet, PitmanYor

GIVEN = np.array([[5, 0, 1, 0], [3, 2, 0, 0], [0, 0, 4, 1]])
SETTINGS = settings(max_examples=30, deadline=None, derandomize=True)


def log_links(counts, rows, columns, beta, hidden=()):
    """Return the log marginal likelihood of a dense table, cell by cell and pair by pair."""
    total = 0.0
    for a, b in product(set(map(int, rows)), set(map(int, columns))):
        n = [0, 0]
        for i, j in product(np.flatnonzero(rows == a), np.flatnonzero(columns == b)):
            if (i, j) not in hidden:
                n[0 if counts[i, j] else 1] += max(int(counts[i, j]), 1)
        total += sum(lgamma(beta + x) - lgamma(beta) for x in n)
        total -= lgamma(2 * beta + sum(n)) - lgamma(2 * beta)
    return total


def couple(links, beta=0.1, priors=None):
    priors = (DirichletProcess(1.0), DirichletProcess(1.0)) if priors is None else priors
    return CoupledModel(
        {
            name: MixtureModel(prior, RelationalLinks(links, place, beta))
            for place, (name, prior) in enumerate(zip(links.types, priors, strict=True))
        }
    )


def draw_table(rng, shape=(5, 6), n_hidden=4):
    counts = rng.poisson(0.7, shape) * rng.integers(1, 4, shape)
    counts[0, 0] = 3
    cells = rng.choice(np.arange(1, counts.size), n_hidden, replace=False)
    return counts, np.stack(np.unravel_index(cells, shape), axis=1)


# ---- the density -----------------------------------------------------------------------------


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
@given(st.integers(0, 10**6))
def test_both_types_and_the_dense_table_agree(seed):
    rng = np.random.default_rng(seed)
    counts, hidden = draw_table(rng)
    beta = rng.uniform(0.05, 2)
    model = couple(LinkTable(sp.coo_array(counts), hidden), beta)
    rows, columns = rng.integers(0, 4, 5), rng.integers(0, 4, 6)
    model.start({"row": rows, "column": columns})
    expected = log_links(counts, rows, columns, beta, set(map(tuple, hidden.tolist())))
    for part in model.parts.values():
        part.condition(model.parts)
        assert part.likelihood.log_marginal() == pytest.approx(expected, abs=1e-9)
    linked, unlinked = model.parts["row"].likelihood.cell_counts
    for got, dense in zip(
        (linked, unlinked),
        model.parts["row"].likelihood.links.cell_counts(rows, columns),
        strict=True,
    ):
        assert np.array_equal(got[: dense.shape[0]], dense)


def test_links_of_ones_and_zeros_are_those_of_the_binary_table():
    counts, hidden = draw_table(np.random.default_rng(1))
    labels = {"row": np.array([0, 1, 0, 1, 2]), "column": np.array([0, 0, 1, 1, 2, 2])}
    values = []
    for links in (LinkTable(counts, hidden).binary(), LinkTable(counts > 0, hidden)):
        model = couple(links)
        model.start(labels)
        values.append(model.log_joint())
        assert set(links.held_out_counts) <= {0, 1}
    assert values[0] == values[1]


@pytest.mark.parametrize("place", [0, 1])
def test_scores_are_ratios_of_dense_joints(place):
    counts, hidden = draw_table(np.random.default_rng(2), (4, 4), 3)
    known = set(map(tuple, hidden.tolist()))
    other = np.array([0, 2, 0, 1])
    model = couple(LinkTable(counts, hidden), 0.3)

    def dense(labels):
        both = (np.array(labels), other)
        return log_links(counts, *(both if place == 0 else both[::-1]), 0.3, known)

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


# ---- the sampler -----------------------------------------------------------------------------

CASES = {
    "counts, Dirichlet process": (
        (None, False),
        [(lambda: DirichletProcess(1.0), lambda z: exact.log_pitman_yor(z, 1.0, 0.0))] * 2,
    ),
    "binary with cells held out, two priors": (
        ([(0, 1), (2, 2), (1, 0)], True),
        [
            (lambda: PitmanYor(0.5, 0.3), lambda z: exact.log_pitman_yor(z, 0.5, 0.3)),
            (lambda: FiniteDirichlet(3, 0.8), lambda z: exact.log_finite_dirichlet(z, 3, 0.8)),
        ],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_sweeps_reach_the_enumerated_posterior_of_both_partitions(case):
    (hidden, binary), priors = CASES[case]
    counts = np.array([[2, 0, 1, 0], [1, 1, 0, 0], [0, 0, 1, 1]])
    links = LinkTable(counts, hidden)
    if binary:
        links, counts = links.binary(), np.minimum(counts, 1)
    log_weight = {}
    for rows, columns in product(exact.partitions(3), exact.partitions(4)):
        value = priors[0][1](rows) + priors[1][1](columns)
        value += log_links(counts, np.array(rows), np.array(columns), 0.4, set(hidden or ()))
        log_weight[rows + columns] = value
    model = couple(links, 0.4, [make() for make, _ in priors])
    model.start({"row": np.zeros(3, dtype=int), "column": np.zeros(4, dtype=int)})
    rng = np.random.default_rng(3)

    def state(labels):
        return exact.canonical(labels[:3]) + exact.canonical(labels[3:])

    counted = exact.visits(lambda: model.sweep(rng), lambda: model.labels, 50_000, state)
    target = exact.normalise(log_weight)
    assert max(target.values()) < 0.5  # not a posterior that any sampler would reach
    assert exact.total_variation(target, counted) < 0.02


def test_other_moves_run_in_a_part():
    counts, hidden = draw_table(np.random.default_rng(4), (12, 9))
    model = couple(LinkTable(counts, hidden))
    model.parts["row"].moves = (Chaperones(Pairs(12)),)
    rng = np.random.default_rng(5)
    model.start_at_random({"row": 3, "column": 2}, rng)
    assert sum(model.sweep(rng) for _ in range(50)) > 0
    labels = split_labels(model.labels, model.part_sizes)
    expected = log_links(
        counts, labels["row"], labels["column"], 0.1, set(map(tuple, hidden.tolist()))
    )
    assert model.parts["column"].likelihood.log_marginal() == pytest.approx(expected, abs=1e-9)


def test_statistics_have_no_drift():
    rng = np.random.default_rng(6)
    counts, hidden = draw_table(rng, (30, 40), 100)
    model = couple(LinkTable(counts, hidden), 0.5)
    model.start({"row": np.zeros(30, dtype=int), "column": np.zeros(40, dtype=int)})
    assert sum(model.sweep(rng) for _ in range(400)) > 2000
    part = model.parts["column"]
    labels = split_labels(model.labels, model.part_sizes)
    expected = log_links(
        counts, labels["row"], labels["column"], 0.5, set(map(tuple, hidden.tolist()))
    )
    assert part.likelihood.log_marginal() == pytest.approx(expected, abs=1e-9)
    kept = (
        part.likelihood.log_marginal(),
        [part.likelihood.log_predictive(item, labels["column"][item]) for item in range(40)],
    )
    part.condition(model.parts)
    assert part.likelihood.log_marginal() == kept[0]
    for item in range(40):
        assert np.array_equal(
            part.likelihood.log_predictive(item, labels["column"][item]), kept[1][item]
        )


def test_planted_blocks_are_found_from_one_block():
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 4, 60), rng.integers(0, 5, 80)
    rate = rng.permutation(np.repeat([0.05, 1.5], 10)).reshape(4, 5)
    counts = rng.poisson(rate[np.ix_(*truth)])
    model = couple(LinkTable(counts))
    model.start({"row": np.zeros(60, dtype=int), "column": np.zeros(80, dtype=int)})
    for _ in range(60):
        model.sweep(rng)
    found = split_labels(model.labels, model.part_sizes)
    for labels, true in zip(found.values(), truth, strict=True):
        assert adjusted_rand(true, labels) > 0.9


# ---- chains ----------------------------------------------------------------------------------


def make_chain(folder, **changes):
    counts, hidden = draw_table(np.random.default_rng(8), (20, 15), 20)
    links = LinkTable(counts, hidden, types=("adjective", "noun"))

    def build(rng):
        model = couple(links, 0.2)
        model.start_at_random({"adjective": 4, "noun": 3}, rng)
        return model

    arguments = {
        **{"number": 0, "build": build, "schedule": Schedule(5, 40, thin=2), "seed": 3},
        **{"stream": ("links",), "path": folder / "chain.nc", "scratch": folder / "scratch"},
    }
    return Chain(**(arguments | changes))


def test_a_chain_that_was_stopped_ends_with_the_draws_of_one_that_was_not(tmp_path):
    whole = open_chain(run_chain(make_chain(tmp_path)))
    (tmp_path / "stopped").mkdir()
    stopped = make_chain(tmp_path / "stopped")
    for n_sweeps in (1, 7, 20):
        stop = threading.Event()

        def statistics(_labels, _sizes, stop=stop, left=[n_sweeps]):  # noqa: B006
            left[0] -= 1
            if left[0] == 0:
                stop.set()
            return {}

        statistics.names = ()
        with pytest.raises(Interrupted):
            run_chain(make_chain(tmp_path / "stopped", statistics=statistics), stop=stop)
    again = open_chain(run_chain(stopped, checkpoint_seconds=0))
    for group in ("posterior", "sample_stats", "partition"):
        for name, values in whole[group].data_vars.items():
            assert np.array_equal(values, again[group][name]), name
    assert {"n_clusters_adjective", "concentration_noun"} <= set(whole["posterior"].data_vars)
    drawn = split_labels(whole["partition"]["labels"].values[0], {"adjective": 20, "noun": 15})
    places = (whole["partition"]["draw"] - 6).values
    for name, labels in drawn.items():
        expected = whole["posterior"][f"n_clusters_{name}"].values[0, places]
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


# ---- cells held out --------------------------------------------------------------------------


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


def test_held_out_counts_are_not_seen():
    counts, hidden = draw_table(np.random.default_rng(13))
    changed = counts.copy()
    changed[hidden[:, 0], hidden[:, 1]] += 5
    labels = {"row": np.array([0, 1, 0, 1, 2]), "column": np.array([0, 0, 1, 1, 2, 2])}
    values = []
    for table in (counts, changed):
        model = couple(LinkTable(table, hidden))
        model.start(labels)
        values.append(model.log_joint())
    assert values[0] == values[1]


# ---- bad input -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "held_out", "sentence"),
    [
        ([[1, -2], [0, 1]], None, "row 0 has the count -2 in column 1"),
        ([[1.5, 2], [0, 1]], None, "row 0 has the count 1.5"),
        ([[1, 2], [np.nan, 1]], None, "row 1 has the count nan"),
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
    for beta in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(ConfigError, match="beta is"):
            RelationalLinks(links, 0, beta)
    with pytest.raises(ConfigError, match="place is 2"):
        RelationalLinks(links, 2)
    with pytest.raises(ConfigError, match="two different names"):
        LinkTable(GIVEN, types=("noun", "noun"))
    rows = MixtureModel(DirichletProcess(1.0), RelationalLinks(links, 0))
    with pytest.raises(ConfigError, match="two parts"):
        CoupledModel({"row": rows})
    columns = MixtureModel(DirichletProcess(1.0), RelationalLinks(links, 1))
    model = CoupledModel({"row": rows, "noun": columns})
    with pytest.raises(ConfigError, match="partition of 'column'"):
        model.start({"row": np.zeros(3, dtype=int), "noun": np.zeros(4, dtype=int)})
    with pytest.raises(DataError, match="2 labels were given for 3 items"):
        rows.likelihood.assign([0, 0], 2)
    alone = MixtureModel(DirichletProcess(1.0), DirichletMultinomial(GIVEN))
    alone.start([0, 0, 0])
    with pytest.raises(TypeError, match="does not depend on other partitions"):
        alone.condition({})


def test_bad_cells_to_predict_are_refused():
    links = LinkTable(GIVEN, [(0, 1)])
    draw = [(np.zeros(3, dtype=int), np.zeros(4, dtype=int))]
    with pytest.raises(DataError, match="no draws"):
        link_log_predictive(links, [])
    with pytest.raises(DataError, match="no values"):
        link_log_predictive(links, draw, cells=[(0, 0)])
    with pytest.raises(DataError, match="has the value -1"):
        link_log_predictive(links, draw, values=-1)
    with pytest.raises(DataError, match="outside the table"):
        link_log_predictive(links, draw, cells=[(3, 0)], values=1)
    with pytest.raises(ConfigError, match="beta is -0.1"):
        link_log_predictive(links, draw, beta=-0.1)
