"""Numbers that describe a partition, compared with numpy and the metrics."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reseat import metrics
from reseat.errors import DataError
from reseat.summaries import PartitionStatistics, size_statistics


def sizes_of(labels):
    sizes = np.bincount(labels)
    return sizes[sizes > 0]


class Tables(PartitionStatistics):
    """Statistics for which the pairs of any true block are too many to be listed."""

    MANY = 0


labellings = st.integers(1, 60).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, n), min_size=n, max_size=n),
        st.lists(st.integers(0, n), min_size=n, max_size=n),
    )
)


@pytest.mark.parametrize("kind", [PartitionStatistics, Tables])
@settings(max_examples=150, deadline=None)
@given(labellings=labellings)
@example(labellings=([0], [3]))
@example(labellings=([0] * 40, [0] * 40))
@example(labellings=(list(range(9)), list(range(9))))
def test_statistics_are_those_of_numpy_and_the_metrics(kind, labellings):
    truth, labels = map(np.array, labellings)
    statistics = kind(truth)
    sizes = sizes_of(labels)
    found = statistics(labels, np.random.default_rng(0).permutation(sizes))
    assert tuple(found) == statistics.names
    assert all(type(value) is float for value in found.values())
    assert found["n_singletons"] == (sizes == 1).sum()
    assert found["max_size"] == sizes.max()
    assert found["mean_size"] == pytest.approx(sizes.mean(), abs=1e-12)
    assert found["size_p90"] == pytest.approx(np.percentile(sizes, 90), abs=1e-12)
    fnr = metrics.false_negative_rate(truth, labels)
    fdr = metrics.false_discovery_rate(truth, labels)
    assert found["fnr"] == pytest.approx(fnr, abs=1e-12)
    assert found["fdr"] == pytest.approx(fdr, abs=1e-12)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8, np.uint32])
def test_types_of_labels_do_not_matter(dtype):
    truth = np.array([2, 0, 0, 1, 1, 1], dtype=dtype)
    labels = np.array([0, 0, 1, 2, 2, 1], dtype=dtype)
    found = PartitionStatistics(truth)(labels, sizes_of(labels).astype(np.int32))
    assert found["fnr"] == pytest.approx(3 / 4)
    assert found["fdr"] == pytest.approx(2 / 3)


def test_without_a_truth_there_are_no_error_rates():
    statistics = PartitionStatistics()
    found = statistics(np.array([0, 0, 1]), np.array([2, 1]))
    assert tuple(found) == statistics.names == ("n_singletons", "max_size", "mean_size", "size_p90")


def test_pairs_of_large_true_blocks_are_not_listed():
    """All 20,000 items form one block, whose 200 million pairs would be expensive to follow."""
    truth = np.zeros(20_000, dtype=int)
    labels = np.arange(20_000) // 2
    found = PartitionStatistics(truth)(labels, sizes_of(labels))
    assert found["fnr"] == pytest.approx(1 - 10_000 / (20_000 * 19_999 / 2), abs=1e-12)
    assert found["fdr"] == 0.0


def test_linked_pairs_do_not_overflow():
    labels = np.zeros(100_000, dtype=np.int32)
    truth = np.arange(100_000) // 2
    found = PartitionStatistics(truth)(labels, np.array([100_000], dtype=np.int32))
    assert found["fnr"] == 0.0
    assert found["fdr"] == pytest.approx(1 - 50_000 / (100_000 * 99_999 / 2), abs=1e-15)


def test_labels_must_be_as_many_as_the_true_ones():
    with pytest.raises(DataError, match="2 labels are compared with 3 true labels"):
        PartitionStatistics([0, 1, 1])(np.array([0, 1]), np.array([1, 1]))


@pytest.mark.parametrize("truth", [[0, np.nan, np.nan, 1], ["a", None, None, "b"]], ids=str)
def test_unknown_entities_are_refused_as_by_the_metrics(truth):
    with pytest.raises(DataError, match="has no label .* at position 1"):
        metrics.evaluate(truth, [0, 1, 2, 3])
    with pytest.raises(DataError, match="truth has no label .* at position 1"):
        PartitionStatistics(truth)


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ([], "There are no block sizes; at least one is required"),
        ([2, 0, 1], "The block sizes: entry 1 is 0"),
        ([2, 1.5], "The block sizes: entry 1 is 1.5"),
        ([-1], "The block sizes: entry 0 is -1"),
    ],
)
def test_statistics_are_of_sizes(sizes, words):
    with pytest.raises(DataError, match=words):
        size_statistics(sizes)
