"""Every metric against slow code written from its definition."""

import heapq
import importlib
import itertools
import math
import pkgutil
import sys
from collections import Counter
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import record_frames
import scipy.sparse
from exact import canonical, partitions
from guide import example
from hypothesis import given
from hypothesis import strategies as st
from site_inputs import tidy_rows

from reseat import metrics
from reseat.declarations import exported_names
from reseat.errors import DataError
from reseat.metrics import (
    Contingency,
    PairCounts,
    declared,
    evaluate,
    false_negative_rate,
    pair_counts,
    quantity,
    untimed,
)
from reseat.metrics.registry import DECLARED
from reseat.papers.published import Metric
from reseat.papers.records.study_tables import chaperones_table
from reseat.report.views import comparison_views, direction

METRICS = metrics.metrics()
#: Metrics of which a higher value is better, and those that are 0 for equal partitions.
SCORES = {q.function.__name__ for q in DECLARED.values() if q.function and q.better == 1}
DISTANCES = set(METRICS) - SCORES - {"edit_distance_pantel_lin", "q0"}


FIVE = list(partitions(5))
# All pairs up to the order of the items, which does not matter (see below).
KINDS = [z for z in FIVE if list(z) == sorted(z, key=lambda k: (-z.count(k), k))]
PAIRS_OF_FIVE = list(itertools.product(KINDS, FIVE))


def random_pairs(n_pairs=150):
    rng = np.random.default_rng(20)
    for _ in range(n_pairs):
        n = int(rng.integers(1, 60))
        true = rng.integers(rng.integers(1, 9), size=n)
        other = rng.integers(rng.integers(1, 9), size=n)
        pred = np.where(rng.random(n) < rng.random(), true, other)
        yield tuple(true.tolist()), tuple(pred.tolist())


SOME_PAIRS = list(random_pairs())


# -- slow definitions ---------------------------------------------------------------------------


@cache
def blocks(labels):
    """Return the blocks of a partition as a list of sets of items."""
    found = {}
    for item, label in enumerate(labels):
        found.setdefault(label, set()).add(item)
    return list(found.values())


def slow_pairs(true, pred):
    together = Counter(
        (true[i] == true[j], pred[i] == pred[j])
        for i, j in itertools.combinations(range(len(true)), 2)
    )
    return tuple(together[kind] for kind in itertools.product([True, False], repeat=2))


@cache
def slow_entropy(*variables):
    joint = Counter(zip(*variables, strict=True))
    n = sum(joint.values())
    return -math.fsum(c / n * math.log(c / n) for c in joint.values())


def slow_adjusted_rand(true, pred):
    """Return Hubert and Arabie's (index - expected) / (maximum - expected), in exact fractions."""
    n = len(true)
    index = Fraction(sum(math.comb(len(g & h), 2) for g in blocks(true) for h in blocks(pred)))
    in_true = sum(math.comb(len(g), 2) for g in blocks(true))
    in_pred = sum(math.comb(len(h), 2) for h in blocks(pred))
    if math.comb(n, 2) == 0:
        return 1.0
    expected = Fraction(in_true * in_pred, math.comb(n, 2))
    most = Fraction(in_true + in_pred, 2)
    return 1.0 if most == expected else float((index - expected) / (most - expected))


@cache
def slow_q0(true, pred):
    n, n_classes = len(true), len(set(true))
    counts = math.fsum(
        math.log(math.comb(len(h) + n_classes - 1, n_classes - 1)) for h in blocks(pred)
    )
    return slow_entropy(true, pred) - slow_entropy(pred) + counts / n


def slow_scores(true, pred):
    n = len(true)
    classes, clusters = blocks(true), blocks(pred)
    n11, n10, n01, n00 = slow_pairs(true, pred)
    precision = n11 / (n11 + n01) if n11 + n01 else 1.0
    recall = n11 / (n11 + n10) if n11 + n10 else 1.0
    h_true, h_pred, h_both = slow_entropy(true), slow_entropy(pred), slow_entropy(true, pred)
    mutual = h_true + h_pred - h_both
    homogeneity = mutual / h_true if len(classes) > 1 else 1.0
    completeness = mutual / h_pred if len(clusters) > 1 else 1.0
    both = homogeneity + completeness
    purity = sum(max(len(g & h) for g in classes) for h in clusters) / n
    inverse_purity = sum(max(len(g & h) for h in clusters) for g in classes) / n
    q_most = h_true + math.log(len(classes))
    q_least = slow_q0(true, true)
    one_class = len(classes) == 1
    return {
        "rand_index": (n11 + n00) / math.comb(n, 2) if n > 1 else 1.0,
        "pair_precision": precision,
        "pair_recall": recall,
        "pair_f": 2 * precision * recall / (precision + recall) if precision + recall else 0.0,
        "adjusted_rand": slow_adjusted_rand(true, pred),
        "vi": h_true + h_pred - 2 * mutual,
        "nvi": 1 - (h_true + h_pred - 2 * mutual) / math.log(n) if n > 1 else 1.0,
        "homogeneity": homogeneity,
        "completeness": completeness,
        # Rounding leaves 1e-17 of information in unrelated partitions.
        "v_measure": 2 * homogeneity * completeness / both if both > 1e-14 else 0.0,
        "purity": purity,
        "inverse_purity": inverse_purity,
        "edit_distance": 1 - purity,
        "edit_distance_pantel_lin": len(clusters) / n + 1 - purity,
        "edit_score": purity + inverse_purity - 1,
        "steinbach_f": sum(
            len(g) / n * max(2 * len(g & h) / (len(g) + len(h)) for h in clusters) for g in classes
        ),
        "q0": slow_q0(true, pred),
        "q2": 1.0 if one_class else (q_most - slow_q0(true, pred)) / (q_most - q_least),
        "q2_ratio": 1.0 if one_class else q_least / slow_q0(true, pred),
        "n_clusters": len(clusters),
        "n_classes": len(classes),
    }


def neighbours(partition, merge_cost):
    """Yield the partitions that are one edit away, with the cost of the edit.

    An item moves to another cluster or opens one, or two clusters merge.
    """
    for item in range(len(partition)):
        for target in range(max(partition) + 2):
            edited = list(partition)
            edited[item] = target
            yield canonical(edited), 1
    for k, other in itertools.combinations(range(max(partition) + 1), 2):
        yield canonical(k if label == other else label for label in partition), merge_cost


def fewest_edits(start, merge_cost):
    """Return the cost of the cheapest edits from one partition to every other (Dijkstra)."""
    cost, queue = {start: 0}, [(0, start)]
    while queue:
        so_far, partition = heapq.heappop(queue)
        if so_far > cost[partition]:
            continue
        for edited, step in neighbours(partition, merge_cost):
            if so_far + step < cost.get(edited, math.inf):
                cost[edited] = so_far + step
                heapq.heappush(queue, (so_far + step, edited))
    return cost


# -- against the definitions --------------------------------------------------------------------


#: Scores of two partitions, cached because several tests ask for them.
known_scores = cache(evaluate)


def test_scores_of_all_pairs_of_partitions_of_five_items_and_of_random_ones():
    assert len(FIVE) == 52 and len(KINDS) == 7
    for true, pred in PAIRS_OF_FIVE + SOME_PAIRS:
        scores = known_scores(true, pred)
        for name, value in slow_scores(true, pred).items():
            # `pytest.approx` would take most of the time.
            assert abs(scores[name] - value) <= 1e-12, (name, true, pred)


def test_pair_counts_and_error_rates():
    for true, pred in SOME_PAIRS:
        counts = metrics.pair_counts(true, pred)
        n11, n10, n01, n00 = slow_pairs(true, pred)
        assert (counts.n11, counts.n10, counts.n01, counts.n00) == (n11, n10, n01, n00)
        fnr = n10 / (n11 + n10) if n11 + n10 else 0.0
        fdr = n01 / (n11 + n01) if n11 + n01 else 0.0
        assert metrics.false_negative_rate(true, pred) == pytest.approx(fnr, abs=1e-15)
        assert metrics.false_discovery_rate(true, pred) == pytest.approx(fdr, abs=1e-15)


@pytest.mark.parametrize("sizes", [[3_100_000_000], [4_500_000_000, 2], [3 * 10**9] * 3])
def test_pairs_of_thousands_of_millions_of_items_are_exact(sizes):
    table = Contingency.from_table(np.diag(sizes))
    n = sum(sizes)
    together = sum(k * (k - 1) // 2 for k in sizes)
    assert pair_counts(table) == PairCounts(together, 0, 0, n * (n - 1) // 2 - together)
    one = Contingency.from_table(np.array([sizes]))
    expected = 1 - together / (n * (n - 1) // 2)
    assert false_negative_rate(one) == pytest.approx(expected, abs=1e-15)


def test_edit_distances_are_the_fewest_edits():
    """Both edit distances are found for five items by a search of the graph of partitions."""
    free = {start: fewest_edits(start, merge_cost=0) for start in FIVE}
    paid = {start: fewest_edits(start, merge_cost=1) for start in FIVE}
    for true, pred in PAIRS_OF_FIVE:
        assert metrics.edit_distance(true, pred) == free[pred][true] / 5
        assert metrics.edit_distance_as_printed(true, pred) == paid[pred][true] / 5
        edits = paid[pred][true] + paid[true][pred]
        expected = pytest.approx(1 - edits / 10, abs=1e-15)
        assert metrics.edit_score_as_printed(true, pred) == expected
        assert known_scores(true, pred)["edit_score_as_printed"] == expected


def test_edit_distance_as_printed_with_ties():
    """With ties, the number of merges requires a matching; every choice among ties is tried."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        true, pred = rng.integers(4, size=12), rng.integers(5, size=12)
        classes, clusters = blocks(tuple(true)), blocks(tuple(pred))
        edits = min(
            sum(len(h - classes[g]) for h, g in zip(clusters, choice, strict=True))
            + len(clusters)
            - len(set(choice))
            for choice in itertools.product(range(len(classes)), repeat=len(clusters))
        )
        assert metrics.edit_distance_as_printed(true, pred) == edits / 12


# -- conventions --------------------------------------------------------------------------------


def test_one_item():
    scores = evaluate([4], ["x"])
    assert {name: scores[name] for name in SCORES} == dict.fromkeys(SCORES, 1.0)
    assert {name: scores[name] for name in DISTANCES} == dict.fromkeys(DISTANCES, 0.0)
    assert scores["q0"] == 0.0 and {"vi", "edit_distance"} <= DISTANCES and len(SCORES) > 15


# -- properties ---------------------------------------------------------------------------------

label_pairs = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=40
).map(lambda rows: tuple(map(list, zip(*rows, strict=True))))


@given(label_pairs, st.permutations(range(7)), st.permutations(range(7)), st.randoms())
def test_names_and_order_do_not_matter_and_equal_partitions_are_perfect(
    labels, rename_true, rename_pred, random
):
    true, pred = labels
    names = [-(2**70), 2**63 - 1, "a", ("tuple", 1), -5, 3.5, b"bytes"]
    renamed = [names[rename_true[label]] for label in true]
    scores = evaluate(true, pred)
    assert evaluate(renamed, [rename_pred[label] for label in pred]) == scores
    rows = list(zip(*labels, strict=True))
    random.shuffle(rows)
    shuffled = evaluate(*map(list, zip(*rows, strict=True)))
    assert shuffled == pytest.approx(scores, abs=1e-12)
    of_themselves = evaluate(true, [f"cluster {label}" for label in true])
    assert {name: of_themselves[name] for name in DISTANCES} == dict.fromkeys(DISTANCES, 0.0)
    for name in SCORES:
        assert of_themselves[name] == pytest.approx(1.0, abs=1e-12), name


# -- the table ----------------------------------------------------------------------------------


@given(label_pairs)
def test_table_from_counts_is_table_from_labels(labels):
    table = Contingency.from_labels(*labels)
    dense = pd.crosstab(*map(np.asarray, labels)).to_numpy()
    padded = np.pad(dense, ((1, 0), (0, 2)))
    again = Contingency.from_table(padded)
    assert evaluate(again) == pytest.approx(evaluate(table), abs=1e-12)
    assert table.n_items == len(labels[0])
    rows = table.to_sparse().toarray()
    assert sorted(map(sorted, rows.tolist())) == sorted(map(sorted, dense.tolist()))
    assert (table.transpose().to_sparse().toarray() == rows.T).all()


def test_every_metric_takes_a_table_and_labels():
    true, pred = SOME_PAIRS[3]
    table = Contingency.from_labels(true, pred)
    scores = evaluate(true, pred)
    assert evaluate(table) == scores
    assert list(scores) == [*METRICS, "n_clusters", "n_classes"]
    for name, metric in METRICS.items():
        assert metric(table) == metric(true, pred) == metric(list(true), np.array(pred))
        assert metric(labels_true=true, labels_pred=pred) == scores[name]
        assert "labels_pred" in metric.__doc__
        assert getattr(metrics, name) is metric and name in metrics.__all__


def test_kinds_of_labels():
    true, pred = [0, 0, 1, 2, 2], [1, 1, 1, 0, 0]
    expected = evaluate(true, pred)
    huge = np.array([2**63 - 1, -(2**63), 0])
    for dtype in (np.int8, np.uint64, np.float32, np.float64, ">i4", "U3", "S3", object):
        assert evaluate(np.array(true).astype(dtype), np.array(pred).astype(dtype)) == expected
    assert evaluate(huge[true], huge[pred]) == expected
    assert evaluate(pd.Series(["nan", "b", "c"])[true], pd.Categorical(pred)) == expected
    assert evaluate(np.array([True, False])[[0, 0, 1, 1]], [0, 0, 1, 1])["vi"] == 0.0
    # A number and its spelling are two labels.
    assert Contingency.from_labels([1, "1", 1], [0, 1, 0]).n_classes == 2


@pytest.mark.parametrize(
    ("true", "pred", "message"),
    [
        ([0, 1], [0, 1, 1], "labels_true has 2 items and labels_pred 3"),
        ([], [], "labels_true is empty"),
        ([0, 1], [0.0, math.nan], "labels_pred has no label .* at position 1"),
        ([None, 1], [0, 0], "labels_true has no label .* at position 0"),
        ([0, 1], [[0], [1]], "cannot be hashed"),
        (np.zeros((2, 2)), [0, 0], r"labels_true has shape \(2, 2\)"),
        ("ab", [0, 0], "labels_true is a str"),
        (3, [0], "single value"),
        (np.ma.masked_equal([1, 2], 2), [0, 0], "masked"),
    ],
)
def test_bad_labels(true, pred, message):
    with pytest.raises(DataError, match=message):
        evaluate(true, pred)


@pytest.mark.parametrize(
    "table",
    [[[1, -1]], [[0.5]], [[0, 0]], [1, 2], [[math.inf]], [[2**63, 1], [2, 3]], [[2**61, 2**61]]],
)
def test_bad_table(table):
    with pytest.raises(DataError, match="contingency table"):
        Contingency.from_table(table)
    with pytest.raises(ValueError, match="labels_pred is missing"):
        metrics.vi([0, 1])
    with pytest.raises(ValueError, match="not both"):
        metrics.vi(Contingency.from_labels([0], [0]), [0])


def test_a_million_items():
    """Large counts stay exact, and a table of a million cells is usable."""
    rng = np.random.default_rng(1)
    n = 1_000_000
    true = rng.integers(1000, size=n)
    scores = evaluate(true, rng.integers(1000, size=n))
    assert scores["adjusted_rand"] == pytest.approx(0.0, abs=1e-4)
    assert scores["n_classes"] == scores["n_clusters"] == 1000
    # Two halves against one block: all counts are known in closed form.
    halves = evaluate(np.arange(n) % 2, np.zeros(n, dtype=int))
    within = 2 * math.comb(n // 2, 2)
    assert halves["pair_precision"] == within / math.comb(n, 2)
    assert halves["vi"] == pytest.approx(math.log(2), abs=1e-12)
    singletons = evaluate(np.arange(n // 10), np.arange(n // 10)[::-1])
    assert singletons["pair_f"] == 1.0 and singletons["vi"] == 0.0


# -- declarations -------------------------------------------------------------------------------


@pytest.fixture
def new_metric(tmp_path, monkeypatch):
    """Add a module of metrics in another folder of the package, and remove it after the test."""
    (tmp_path / "surplus.py").write_text(example("src/reseat/metrics/surplus.py"), encoding="utf-8")
    monkeypatch.setattr(metrics, "__path__", [*metrics.__path__, str(tmp_path)])
    before = dict(DECLARED)
    yield
    DECLARED.clear()
    DECLARED.update(before)
    sys.modules.pop("reseat.metrics.surplus", None)


def test_a_new_metric_is_one_file(new_metric):
    true, pred = [0, 0, 1], [0, 1, 2]
    assert evaluate(true, pred)["block_surplus"] == 1.0
    assert declared("surplus").function(true, true) == 0.0
    assert declared("surplus").what.startswith("By how many blocks")
    assert direction("surplus") == "\N{DOWNWARDS ARROW}"
    table = tidy_rows("t", "news", "faithful").iloc[:1].assign(metric="surplus")
    (view,) = comparison_views(table, {}, pd.DataFrame({"row": []}))
    assert [(m["name"], m["arrow"]) for m in view["metrics"]] == [
        ("surplus", "\N{DOWNWARDS ARROW}")
    ]
    names = exported_names(Path(metrics.__path__[-1]))
    assert names == {"surplus": ["block_surplus"]}


def test_a_metric_that_was_taken_away_is_not_known():
    assert "block_surplus" not in evaluate([0], [0])
    with pytest.raises(DataError, match="'surplus' is not a declared quantity"):
        direction("surplus")
    with pytest.raises(DataError, match=r"'NV1' is not .*did you mean 'NVI'\?"):
        declared("NV1")


@pytest.mark.parametrize(
    ("name", "arrow"),
    [
        *[("ARI", "\N{UPWARDS ARROW}"), ("CED (text)", "\N{DOWNWARDS ARROW}"), ("E[K]", "")],
        *[("R-hat", "\N{DOWNWARDS ARROW}"), ("gain, test clusters", "\N{UPWARDS ARROW}")],
        *[("test clusters", ""), ("CPU hours of all chains", "\N{DOWNWARDS ARROW}")],
    ],
)
def test_arrows_of_metrics_and_other_quantities(name, arrow):
    assert direction(name) == arrow
    assert declared(name).what.endswith((".", ")."))


def test_all_that_depends_on_the_speed_of_a_machine_is_measured():
    runs = record_frames.moves({"chaperones_similarity": 3.0, "gibbs": 0.5})
    faster = runs.assign(seconds=runs["seconds"] * np.where(runs["move"] == "gibbs", 0.5, 0.7))
    one, other = (untimed(chaperones_table("micro_chaperones", each)) for each in (runs, faster))
    pd.testing.assert_frame_equal(one, other)


def test_what_is_declared_has_a_name_of_its_own_a_direction_and_a_sentence():
    columns = [one.function.__name__ for one in DECLARED.values() if one.function is not None]
    assert len({*columns, "n_classes", "n_clusters"}) == len(columns) + 2
    assert all(one.what and one.better in (-1, 0, 1) for one in DECLARED.values())
    with pytest.raises(ValueError, match="'VI' is declared twice"):
        quantity("VI", -1, "Something.")


def test_every_metric_that_a_family_prints_is_declared():
    from reseat import papers

    found = set()
    for module in pkgutil.walk_packages(papers.__path__, "reseat.papers."):
        for value in vars(importlib.import_module(module.name)).values():
            values = value if isinstance(value, tuple) else (value,)
            found |= {one for one in values if isinstance(one, Metric)}
    assert len(found) > 20
    for one in found:
        assert one.better == declared(one.name).better


def test_entries_of_one_cell_are_looked_at_before_they_are_added():
    cell = ([0, 0], [0, 0])
    bytes_ = scipy.sparse.coo_array((np.array([200, 100], dtype="u1"), cell))
    assert Contingency.from_table(bytes_).n_items == 300
    with pytest.raises(DataError, match="non-negative"):
        Contingency.from_table(scipy.sparse.coo_array((np.array([5, -2]), cell)))
    with pytest.raises(DataError, match="numbers, not complex128"):
        Contingency.from_table(np.eye(2, dtype=complex))
