"""The aspect model and the scores of co-clusters, compared with slow versions of themselves."""

import logging

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.errors import DataError
from reseat.metrics.coclusters import (
    cell_counts,
    coverage,
    covered_share,
    dominant_labels,
    purity_curve,
)
from reseat.variational import AspectModel


def random_table(seed, n_rows=14, n_columns=11, mean=0.6):
    table = np.random.default_rng(seed).poisson(mean, (n_rows, n_columns))
    table[3] = 0  # a word without a partner
    table[0, 0] += 1
    return table


def dense_em(table, weights, n_steps):
    """Make steps of EM of the aspect model term by term; return the log likelihood of each too."""
    p_c, p_a, p_n = weights
    trace = []
    for _ in range(n_steps):
        joint = p_c * p_a[:, None, :] * p_n[None, :, :]
        total = joint.sum(axis=2)
        trace.append((table * np.log(total)).sum())
        expected = table[:, :, None] * joint / total[:, :, None]
        p_c = expected.sum(axis=(0, 1)) / table.sum()
        p_a = expected.sum(axis=1) / expected.sum(axis=(0, 1))
        p_n = expected.sum(axis=0) / expected.sum(axis=(0, 1))
    return (p_c, p_a, p_n), trace


def weights_of(model):
    return model.class_weights_, model.row_weights_, model.column_weights_


@pytest.mark.parametrize("n_classes", [1, 3, 4, 6])
def test_aspect_model_climbs_at_least_as_high_as_plain_em(n_classes):
    table = random_table(n_classes) + 1  # every pair seen, so that no logarithm is of 0
    settings = {"n_starts": 1, "tol": 0.0, "random_state": 5}
    start, once, end = (
        AspectModel(n_classes, max_iter=most, **settings).fit(table) for most in (1, 2, 2000)
    )
    # An iteration is worth its two steps of EM, from the start that the model draws.
    rng = np.random.default_rng(np.random.SeedSequence(5, spawn_key=(0,)))
    np.testing.assert_allclose(start.class_weights_, rng.dirichlet(np.ones(n_classes)), rtol=1e-9)
    for found, n in zip(weights_of(start)[1:], table.shape, strict=True):
        np.testing.assert_allclose(found, rng.dirichlet(np.ones(n), n_classes).T, rtol=1e-9)
    _, trace = dense_em(table, weights_of(start), 2)
    np.testing.assert_allclose(start.log_likelihood_, trace[0], rtol=1e-12)
    assert once.log_likelihood_ >= trace[1] - 1e-9
    # Plain EM moves from where it ends no more, and from the first iteration to the same place.
    _, after = dense_em(table, weights_of(end), 50)
    assert after[-1] - after[0] < 1e-7
    _, plain = dense_em(table, weights_of(once), 6000)
    assert end.log_likelihood_ == pytest.approx(plain[-1], abs=1e-3)


def test_one_class_is_independence():
    table = random_table(2)
    model = AspectModel(1, n_starts=1, random_state=0).fit(sp.csr_array(table))
    rows, columns = table.sum(axis=1) / table.sum(), table.sum(axis=0) / table.sum()
    np.testing.assert_allclose(model.row_weights_[:, 0], rows, rtol=1e-12)
    np.testing.assert_allclose(model.column_weights_[:, 0], columns, rtol=1e-12)
    seen = table > 0
    expected = (table[seen] * np.log(np.outer(rows, columns)[seen])).sum()
    np.testing.assert_allclose(model.log_likelihood_, expected, rtol=1e-12)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32 - 1), n_classes=st.integers(1, 20), mean=st.floats(0.02, 5))
def test_log_likelihood_never_falls(seed, n_classes, mean):
    table = random_table(seed, mean=mean)
    model = AspectModel(n_classes, n_starts=1, max_iter=60, tol=0.0, random_state=seed).fit(table)
    trace = model.log_likelihood_trace_
    assert (np.diff(trace) >= -1e-11 * (1 + np.abs(trace[:-1]))).all()
    live = model.class_weights_ > 0
    np.testing.assert_allclose(model.class_weights_.sum(), 1.0, rtol=1e-12)
    np.testing.assert_allclose(model.row_weights_.sum(axis=0)[live], 1.0, rtol=1e-9)
    np.testing.assert_allclose(model.column_weights_.sum(axis=0)[live], 1.0, rtol=1e-9)


def test_best_start_is_kept_whatever_the_threads():
    table = random_table(4, 30, 40)
    one, two = (AspectModel(5, 6, threads=threads, random_state=3).fit(table) for threads in (1, 3))
    assert one.row_weights_.tobytes() == two.row_weights_.tobytes()
    assert one.starts_.equals(two.starts_) and len(one.starts_) == 6
    assert one.log_likelihood_ == one.starts_["log_likelihood"].max()


def test_labels_of_pairs():
    table = random_table(6, 17, 9)
    model = AspectModel(4, n_starts=1, random_state=0).fit(table)
    joint = model.class_weights_ * model.row_weights_[:, None] * model.column_weights_[None]
    labels = joint.argmax(axis=2)
    distinct = np.sort(joint, axis=2)
    clear = distinct[..., -1] > distinct[..., -2] * (1 + 1e-9)
    np.testing.assert_array_equal(model.pair_labels()[clear], labels[clear])
    np.testing.assert_array_equal(model.pair_labels(slice(5, 9)), model.pair_labels()[5:9])
    # In the row without pairs all classes tie, and the lowest is returned.
    assert not model.pair_labels()[3].any()


# ---- coverage and purity -----------------------------------------------------------------


def loop_counts(rows, columns, labels, observed, n_labels):
    row_names, column_names = list(dict.fromkeys(rows)), list(dict.fromkeys(columns))
    counts = np.zeros((len(row_names), len(column_names), n_labels), dtype=int)
    for i, j in np.ndindex(labels.shape):
        if observed is None or observed[i, j]:
            cell = row_names.index(rows[i]), column_names.index(columns[j])
            counts[*cell, labels[i, j]] += 1
    return counts


def loop_scores(counts):
    n_labels = counts.shape[2]
    covered, curve = set(), np.zeros(n_labels)
    for cell in counts.reshape(-1, n_labels):
        if cell.sum():
            covered.add(list(cell).index(max(cell)))
            curve += np.cumsum(sorted(cell, reverse=True))
    return len(covered) / n_labels, curve / counts.sum()


@pytest.mark.parametrize("density", [None, 0.02, 0.5])
@pytest.mark.parametrize("n_rows", [1, 23])
def test_coverage_and_purity_against_loops(n_rows, density, monkeypatch):
    monkeypatch.setattr("reseat.metrics.coclusters._CHUNK", 90)  # many blocks
    rng = np.random.default_rng(n_rows)
    rows, columns = rng.choice([2, 5, 9, 11], n_rows).tolist(), rng.integers(6, size=31).tolist()
    labels = rng.integers(7, size=(n_rows, 31)).astype(np.int32)
    observed = None
    if density is not None:
        observed = rng.random((n_rows, 31)) < density
        observed[0, 0] = True
    counts = cell_counts(rows, columns, labels, observed, n_labels=8)
    expected = loop_counts(rows, columns, labels, observed, 8)
    np.testing.assert_array_equal(counts, expected)
    share, curve = loop_scores(expected)
    assert coverage(counts) == pytest.approx(share)
    np.testing.assert_allclose(purity_curve(counts), curve)
    for dtype in (np.uint8, np.uint64):
        np.testing.assert_array_equal(purity_curve(counts.astype(dtype)), purity_curve(counts))
    assert purity_curve(counts)[-1] == 1 and (np.diff(purity_curve(counts)) >= 0).all()
    np.testing.assert_allclose(covered_share(counts).sum(), 1)
    if observed is not None:
        again = cell_counts(rows, columns, labels, sp.csr_array(observed * 3), n_labels=8)
        np.testing.assert_array_equal(again, counts)


def test_ties_go_to_the_lowest_label_and_are_logged(caplog):
    counts = np.array([[[2, 2, 0], [0, 0, 0]], [[0, 1, 3], [1, 0, 1]]])
    with caplog.at_level(logging.INFO, logger="reseat"):
        np.testing.assert_array_equal(dominant_labels(counts), [[0, -1], [2, 0]])
    assert "2 of 3 cells" in caplog.text
    np.testing.assert_allclose(covered_share(counts), [2 / 3, 0, 1 / 3])
    assert coverage(counts) == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("labels", "changes", "sentence"),
    [
        (np.zeros((2, 3), int), {}, "each of 2 x 2 pairs"),
        (np.zeros((2, 2)), {}, "a whole number for each"),
        (np.full((2, 2), -1), {}, "must run from 0"),
        (np.full((2, 2), 3), {"n_labels": 3}, "must run from 0 to 2"),
        (np.zeros((2, 2), int), {"observed": np.ones((2, 3))}, "observed must have the shape"),
        (np.ma.masked_equal([[0, 1], [1, 1]], 0), {}, "pair_labels: masked entries"),
        (np.eye(2, dtype=int), {"observed": [[1, 0], [np.nan, 0]]}, "is NaN in row 1, column 0"),
    ],
)
def test_bad_pair_labels_are_refused(labels, changes, sentence):
    with pytest.raises(DataError, match=sentence):
        cell_counts([0, 1], [0, 1], labels, **changes)


def test_tables_without_pairs_are_refused():
    with pytest.raises(DataError, match="at least one positive"):
        purity_curve(np.zeros((2, 2, 3), int))
    with pytest.raises(DataError, match="counts: masked entries"):
        coverage(np.ma.masked_equal(np.arange(12).reshape(2, 2, 3), 5))
