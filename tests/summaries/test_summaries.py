"""Summaries of draws, compared with exhaustive search, slow code and densities on a grid."""

import itertools
import math
import subprocess
import sys

import numpy as np
import pytest
from arviz_stats.base import array_stats
from exact import partitions
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import sparse, special, stats

from reseat import metrics, summaries
from reseat.errors import DataError
from reseat.metrics import vi
from reseat.summaries import PartitionStatistics, _search, diagnostics, matching_sets, search
from reseat.summaries._valleys import valley_depths
from reseat.summaries.draws import DrawClusters, canonical


def slow_binder(a, b):
    pairs = list(itertools.combinations(range(len(a)), 2))
    return sum((a[i] == a[j]) != (b[i] == b[j]) for i, j in pairs) / max(1, len(pairs))


def slow_entropy(*variables):
    rows = list(zip(*variables, strict=True))
    shares = [rows.count(row) / len(rows) for row in set(rows)]
    return -math.fsum(share * math.log(share) for share in shares)


def slow_vi(a, b):
    return 2 * slow_entropy(a, b) - slow_entropy(a) - slow_entropy(b)


SLOW = {"binder": slow_binder, "vi": slow_vi}


def noisy_draws(rng, n_draws, n_items, n_clusters, noise):
    truth = rng.integers(n_clusters, size=n_items)
    other = rng.integers(n_clusters, size=(n_draws, n_items))
    return truth, np.where(rng.random((n_draws, n_items)) < noise, other, truth)


draws_of_few = st.integers(1, 6).flatmap(
    lambda n: st.lists(
        st.lists(st.integers(-3, 4), min_size=n, max_size=n), min_size=1, max_size=9
    ).map(np.array)
)


def slow_marginal(draws):
    columns = np.asarray(draws).T.tolist()
    return [min(set(column), key=lambda label: (-column.count(label), label)) for column in columns]


def test_online_counts_are_the_marginal():
    draws = np.random.default_rng(2).integers(6, size=(25, 40))
    counter = summaries.MarginalCounts(40, 2)  # grows to 6 slots
    for draw in draws[:10]:
        counter.update(draw)
    kept = counter.state()
    for draw in draws[10:]:
        counter.update(draw)
    assert counter.labels().tolist() == slow_marginal(draws)
    resumed = summaries.MarginalCounts(40, 2)
    resumed.restore(kept)
    assert resumed.n_updates == 10
    for draw in draws[10:]:
        resumed.update(draw)
    assert (resumed.labels() == counter.labels()).all()
    assert (resumed.counts == counter.counts).all()
    assert kept["counts"].sum() == 10 * 40  # the state is a copy


@pytest.mark.parametrize("labels", [[0, 1], [0, -1, 0], [0.5, 1.0, 2.0], [[0, 1, 2]]])
def test_online_counts_refuse(labels):
    counter = summaries.MarginalCounts(3, 2)
    with pytest.raises(ValueError, match="[Ll]abel"):
        counter.update(labels)
    assert counter.n_updates == 0
    with pytest.raises(ValueError, match="no labelling"):
        counter.labels()
    with pytest.raises(ValueError, match="a different data set"):
        counter.restore({"counts": np.zeros((2, 2)), "n_updates": 1})


def slow_coclustering(draws):
    draws = np.asarray(draws)
    return (draws[:, :, None] == draws[:, None, :]).mean(axis=0)


@given(draws_of_few)
def test_dense_coclustering(draws):
    assert summaries.coclustering(draws) == pytest.approx(slow_coclustering(draws), abs=1e-15)


@pytest.mark.parametrize("block_size", [1, 7, 100, None])
@pytest.mark.parametrize("threshold", [0.05, 0.3, 1.0])
def test_blocked_coclustering_is_dense_coclustering(block_size, threshold):
    _, draws = noisy_draws(np.random.default_rng(3), 20, 60, 5, 0.4)
    dense = summaries.coclustering(draws, block_size=block_size)
    assert dense == pytest.approx(slow_coclustering(draws), abs=1e-15)
    options = {"threshold": threshold, "dense_limit": 10, "block_size": block_size}
    blocked = summaries.coclustering(draws, **options)
    assert sparse.issparse(blocked)
    kept = np.where(np.round(dense * 20) >= np.round(threshold * 20), dense, 0.0)
    assert blocked.toarray() == pytest.approx(kept, abs=1e-15)
    assert blocked.nnz == np.count_nonzero(kept)


def test_coclustering_above_the_dense_limit():
    """There are 25,000 items in pairs, whose full matrix would take 5 GB."""
    n = 25_000
    draws = np.stack([np.arange(n) // 2, np.arange(n) // 2, np.arange(n)])
    shares = summaries.coclustering(draws, block_size=500)
    assert shares.shape == (n, n)
    assert shares.nnz == 2 * n
    assert shares[6, 7] == shares[7, 6] == pytest.approx(2 / 3)
    assert shares[6, 6] == 1.0


def test_coclustering_refuses():
    for draws, options, words in (
        ([[0, 1]], {"dtype": int}, "dtype is int64: shares need floating-point numbers"),
        ([[0, 1]], {"threshold": 0.0}, "threshold"),
        ([[0, 1]], {"block_size": 0}, "block_size"),
        ([0, 1], {}, "shape"),
    ):
        with pytest.raises(ValueError, match=words):
            summaries.coclustering(draws, **options)


def vi_of_rounded_terms(one, other):
    """Return the variation of information, of terms that are multiples of the search's grid."""

    def total(labels):
        sizes = np.unique(labels, return_counts=True)[1]
        return sum(round(n * math.log(n) / search._GRID) * search._GRID for n in sizes.tolist())

    return (total(one) + total(other) - 2 * total(one * (other.max() + 1) + other)) / one.size


@given(draws_of_few, st.sampled_from(["binder", "vi"]), st.data())
def test_expected_loss(draws, loss, data):
    n = draws.shape[1]
    labels = data.draw(st.lists(st.integers(0, 5), min_size=n, max_size=n))
    expected = np.mean([SLOW[loss](labels, draw) for draw in draws.tolist()])
    assert summaries.expected_loss(draws, labels, loss) == pytest.approx(expected, abs=1e-12)
    codes, n_clusters = canonical(draws)
    objective = search._Objective(loss, DrawClusters(codes, n_clusters))
    own = canonical([labels])[0][0]
    if loss == "vi":
        expected = np.mean([vi_of_rounded_terms(own, draw) for draw in codes])
    assert objective(own) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("draws", "labels", "loss", "message"),
    [
        ([[0, 1]], [0, 1], "f1", "unknown loss 'f1'"),
        ([[0, 1]], [0, 1, 1], "vi", "items"),
        ([[0.5, 1]], [0, 1], "vi", "dtype"),
        ([0, 1], [0, 1], "vi", "shape"),
        (np.empty((0, 3), dtype=int), [0, 1, 1], "vi", "needs at least one draw"),
    ],
)
def test_expected_loss_refuses(draws, labels, loss, message):
    with pytest.raises(ValueError, match=message):
        summaries.expected_loss(draws, labels, loss)
    for key, value in {"loss": "ari", "n_runs": 0, "n_threads": 0, "max_clusters": 0}.items():
        with pytest.raises(ValueError, match="unknown loss" if key == "loss" else key):
            summaries.minimise_expected_loss([[0, 1, 1]], rng=0, **{key: value})


def least_loss(draws, loss, max_clusters=None):
    """Return the least loss over all partitions, each of which is compared with each draw."""
    draws = np.asarray(draws)
    n = draws.shape[1]
    candidates = np.array([p for p in partitions(n) if max(p) < (max_clusters or n)])
    if loss == "binder":
        i, j = np.triu_indices(n, 1)
        together = candidates[:, i] == candidates[:, j]
        differ = together[:, None] != (draws[:, i] == draws[:, j])
        losses = differ.sum(axis=2) / max(1, i.size)
    else:
        ours = candidates[..., None] == np.arange(n)
        theirs = draws[..., None] == np.unique(draws)
        both = np.einsum("pik,dil->pdkl", ours, theirs, dtype=int)
        # Entropies of blocks of these sizes, up to a term that cancels.
        own, other, joint = (
            -special.xlogy(sizes, sizes).sum(axis=axes) / n
            for sizes, axes in ((both.sum(axis=3), 2), (both.sum(axis=2), 2), (both, (2, 3)))
        )
        losses = 2 * joint - own - other
    return losses.mean(axis=1).min()


@pytest.mark.parametrize("loss", ["binder", "vi"])
@pytest.mark.parametrize(
    ("n_items", "limit"), [*((n, None) for n in (1, 2, 3, 5, 6, 7)), *((6, n) for n in (1, 2, 3))]
)
def test_search_finds_the_least_loss(loss, n_items, limit):
    """The search is compared with all partitions (877 of 7 items), for clear and vague draws."""
    rng = np.random.default_rng(10 + limit if limit else n_items)
    for noise in (0.2, 0.5, 0.8, 1.0):
        _, draws = noisy_draws(rng, int(rng.integers(2, 12)), n_items, 5 if limit else 3, noise)
        found = summaries.minimise_expected_loss(draws, loss, max_clusters=limit, rng=rng)
        assert found.expected_loss == pytest.approx(least_loss(draws, loss, limit), abs=1e-12)
        assert found.expected_loss == summaries.expected_loss(draws, found.labels, loss)
        assert found.n_clusters == len(set(found.labels.tolist())) <= (limit or n_items)
        assert found.loss == loss


@pytest.mark.parametrize("loss", ["binder", "vi"])
@pytest.mark.parametrize("max_clusters", [4, 300])
def test_both_ways_of_counting_overlaps_agree(loss, max_clusters):
    """The dense table and the members give the same search path, and the change is correct."""
    rng = np.random.default_rng(6)
    _, draws = noisy_draws(rng, 15, 300, 12, 0.6)
    codes, n_clusters = canonical(draws)
    clusters = DrawClusters(codes, n_clusters)
    objective = search._Objective(loss, clusters)
    dense = _search.GreedySearch(clusters, objective.step, max_clusters, 2**24)
    counted = _search.GreedySearch(clusters, objective.step, max_clusters, 0)
    assert dense.is_dense and not counted.is_dense
    items = np.arange(300, dtype=np.int32)
    dense.sweep(items)
    counted.sweep(items)
    start = objective(canonical([dense.labels])[0][0])
    before = dense.change
    moved = 1
    while moved:
        order = rng.permutation(items)
        moved = dense.sweep(order)
        assert moved == counted.sweep(order)
        assert (dense.labels == counted.labels).all()
        assert dense.change == pytest.approx(counted.change, abs=1e-8)
    end = objective(canonical([dense.labels])[0][0])
    change = (dense.change - before) * objective.scale
    assert end - start == pytest.approx(change, abs=1e-10)
    assert end < start


def test_undone_reallocation_restores_the_partition():
    rng = np.random.default_rng(7)
    _, draws = noisy_draws(rng, 10, 80, 4, 0.2)
    codes, n_clusters = canonical(draws)
    clusters = DrawClusters(codes, n_clusters)
    objective = search._Objective("vi", clusters)
    for dense_bytes in (0, 2**24):
        state = _search.GreedySearch(clusters, objective.step, 80, dense_bytes)
        state.load(codes[0])
        before, labels = state.change, canonical([state.labels])[0][0]
        items = np.flatnonzero(state.labels == 1).astype(np.int32)
        state.take_out(items)
        assert (state.labels[items] == -1).all()
        state.put_together(items)
        assert state.change == pytest.approx(before, abs=1e-9)
        assert (canonical([state.labels])[0][0] == labels).all()


def test_table_grows_and_is_given_up():
    """There are far more clusters than the table starts with; once it is too small for them."""
    draws = np.tile(np.arange(200), (3, 1))
    codes, n_clusters = canonical(draws)
    clusters = DrawClusters(codes, n_clusters)
    step = search._Objective("vi", clusters).step
    order = np.random.default_rng(8).permutation(200).astype(np.int32)
    for dense_bytes, stays_dense in [(2**24, True), (600 * 12 * 50, False)]:
        state = _search.GreedySearch(clusters, step, 200, dense_bytes)
        assert state.is_dense
        assert state.sweep(order) == 200
        assert state.is_dense == stays_dense
        assert len(set(state.labels.tolist())) == 200
        assert state.sweep(order) == 0


def test_search_recovers_the_truth_at_size():
    rng = np.random.default_rng(9)
    truth, draws = noisy_draws(rng, 30, 2000, 8, 0.3)
    found = summaries.minimise_expected_loss(draws, "vi", n_runs=1, rng=rng)
    assert vi(truth, found.labels) == 0.0


@pytest.mark.parametrize("dtype", [np.int8, np.float16, object])
def test_small_types_are_described_as_what_they_hold(dtype):
    draws = np.random.default_rng(0).integers(-100, 100, (4, 200))
    assert summaries.describe(draws.astype(dtype)) == summaries.describe(draws)
    assert summaries.describe(draws > 20) == summaries.describe((draws > 20).astype(dtype))
    with pytest.raises(DataError, match="The draws must be numbers"):
        summaries.describe(np.array([["a", "b"]]))


@pytest.mark.parametrize("n_draws", [1, 2, 3])
def test_chains_too_short_to_agree_are_marked(n_draws, caplog):
    draws = np.random.default_rng(1).normal(size=(3, 4))
    found = summaries.describe(draws[:, :n_draws])
    assert np.isinf(found["rhat"]) and np.isnan([found["ess"], found["mcse"]]).all()
    assert np.isnan(summaries.describe(draws[:1, :n_draws])["rhat"])
    assert summaries.describe(np.ones((3, n_draws)))["rhat"] == 1.0
    assert np.isfinite(summaries.describe(draws)["rhat"])
    assert np.isnan(summaries.describe(draws[:1])["rhat"])
    assert not caplog.records  # ArviZ warns of what it cannot compute


def test_disagreement_is_that_of_all_companions(rng):
    draws = rng.integers(0, 6, (3, 40, 12))
    draws[2] = np.where(draws[2] == 5, 4, draws[2])  # a chain that has not found a cluster
    together = draws[..., :, None] == draws[..., None, :]
    together &= ~np.eye(12, dtype=bool)
    chains, overall = together.mean(axis=1), together.mean(axis=(0, 1))
    companions = together.sum(axis=-1, keepdims=True)
    share = np.divide(together, companions, where=companions > 0, out=np.zeros(together.shape))
    weights = (share / (companions > 0).sum(axis=-2, keepdims=True)).mean(axis=(0, 1))
    apart = np.divide(np.abs(chains - overall), overall, where=overall > 0, out=0 * chains)
    expected = (weights * apart).sum(axis=(-1, -2)).max()
    assert summaries.disagreement(draws) == pytest.approx(expected, rel=0.05)
    assert summaries.disagreement(draws[[0, 0]]) == 0.0
    assert summaries.disagreement(np.arange(5)[None, None]) == 0.0  # nothing is together


def test_result_depends_on_the_seed_only():
    _, draws = noisy_draws(np.random.default_rng(11), 20, 120, 6, 0.7)
    one = summaries.minimise_expected_loss(draws, "binder", n_runs=3, rng=5)
    rng = np.random.default_rng(5)
    again = summaries.minimise_expected_loss(draws, "binder", n_runs=3, rng=rng, n_threads=3)
    assert (one.labels == again.labels).all()
    assert (one.expected_loss, one.method) == (again.expected_loss, again.method)


def slow_matching_sets(draws):
    """Return the sets of items that are the most probable set of each of their members."""
    best = []
    for item in range(len(draws[0])):
        seen = [frozenset(np.flatnonzero(np.equal(draw, draw[item]))) for draw in draws]
        best.append(max(seen, key=lambda found: (seen.count(found), -seen.index(found))))
    return {found for found in best if all(best[other] == found for other in found)}


def test_most_probable_sets_of_draws_made_by_hand():
    # 0 and 1 are together in two of three draws, and 2 joins them once; 3 and 4 are as often apart
    # as together, and were together first.
    draws = [[5, 5, 5, 9, 9], [1, 1, 2, 3, 4], [0, 0, 1, 2, 2], [0, 1, 1, 2, 3]]
    assert matching_sets(draws).tolist() == [0, 0, 1, 2, 2]
    # 1 is most often with 0, but 0 is most often alone.
    draws = [[0, 0, 1], [0, 1, 1], [0, 1, 1], [0, 0, 1], [0, 0, 1]]
    assert matching_sets(draws).tolist() == [0, 0, 1]
    assert matching_sets([[0, 1, 1], [0, 0, 1], [0, 1, 2]]).tolist() == [0, 1, 2]


def test_most_probable_sets_are_those_found_by_comparing_sets(rng):
    for n_clusters in (2, 4, 9):
        draws = rng.integers(n_clusters, size=(7, 12))
        draws[1:4] = draws[0]
        draws[2, :4] = 30
        labels = matching_sets(draws)
        found = {frozenset(np.flatnonzero(labels == label)) for label in labels}
        slow = slow_matching_sets(draws)
        assert {one for one in found if len(one) > 1} == {one for one in slow if len(one) > 1}


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
@settings(max_examples=60)
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
    without = PartitionStatistics()  # without a truth, there are no error rates
    found = without(labels, sizes_of(labels).astype(np.int32))
    assert tuple(found) == without.names == ("n_singletons", "max_size", "mean_size", "size_p90")


@pytest.mark.parametrize(("n", "fnr", "fdr"), [(20_000, True, False), (100_000, False, True)])
def test_pairs_of_large_blocks_are_not_listed_and_do_not_overflow(n, fnr, fdr):
    """All items form one block, of the truth or of the labels; the other ones are of two items."""
    one, pairs = np.zeros(n, dtype=np.int32), np.arange(n, dtype=np.int32) // 2
    truth, labels = (one, pairs) if fnr else (pairs, one)
    found = PartitionStatistics(truth)(labels, sizes_of(labels))
    share = 1 - (n // 2) / (n * (n - 1) / 2)
    assert found["fnr"] == pytest.approx(share if fnr else 0.0, abs=1e-12)
    assert found["fdr"] == pytest.approx(share if fdr else 0.0, abs=1e-15)


@pytest.mark.parametrize("truth", [[0, np.nan, np.nan, 1], ["a", None, None, "b"]], ids=str)
def test_unknown_entities_and_other_numbers_of_labels_are_refused(truth):
    with pytest.raises(DataError, match="has no label .* at position 1"):
        metrics.evaluate(truth, [0, 1, 2, 3])
    with pytest.raises(DataError, match="truth has no label .* at position 1"):
        PartitionStatistics(truth)
    with pytest.raises(DataError, match="2 labels are compared with 3 true labels"):
        PartitionStatistics([0, 1, 1])(np.array([0, 1]), np.array([1, 1]))


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
        summaries.size_statistics(sizes)


def autoregressive(n_chains, n_draws, correlation, seed):
    """Return chains in which neighbouring draws are correlated."""
    draws = np.random.default_rng(seed).normal(size=(n_chains, n_draws))
    for draw in range(1, n_draws):
        draws[:, draw] += correlation * draws[:, draw - 1]
    return draws


@np.errstate(all="ignore")
@pytest.mark.parametrize("values", [np.array, np.round, np.sign, np.cumsum, np.square])
def test_diagnostics_are_those_of_arviz(values):
    still = np.ones((2, 10))
    assert diagnostics.bulk_ess(still) == diagnostics._ess(still) == 20  # the largest
    names = {"rhat": diagnostics.rhat, "ess": diagnostics.bulk_ess, "mcse": diagnostics.mcse}
    sizes = itertools.product((1, 2, 5), (4, 5, 6, 7, 11, 90), (-0.9, 0.97))
    for seed, (n_chains, n_draws, correlation) in enumerate(sizes):
        draws = autoregressive(n_chains, n_draws, correlation, seed)
        draws = values(draws).reshape(draws.shape)
        for name, function in names.items():
            if n_chains > 1 or name != "rhat":
                expected = getattr(array_stats, name)(draws, chain_axis=0, draw_axis=1)
                assert function(draws) == pytest.approx(expected, rel=1e-12, nan_ok=True), name


def test_summaries_load_neither_pandas_nor_the_distributions_of_scipy():
    """A job takes as long to start as what it imports."""
    code = (
        "import sys, numpy as np; from reseat.summaries import describe; describe(np.eye(4, 9)); "
        "print(*sorted({'arviz_stats', 'pandas', 'scipy.stats', 'xarray'} & {*sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def depth_by_grid(means, covariances, sizes, tails):
    """Return the depth along the ridge line of two components, from densities of SciPy."""
    inverse = [np.linalg.inv(c) for c in covariances]
    at = []
    for share in np.linspace(0, 1, 401):
        parts = [(1 - share) * inverse[0], share * inverse[1]]
        pull = sum(part @ mean for part, mean in zip(parts, means, strict=True))
        at.append(np.linalg.solve(sum(parts), pull))
    density = sum(
        size * stats.multivariate_t(mean, covariance, df=tails).pdf(at)
        for mean, covariance, size in zip(means, covariances, sizes, strict=True)
    )
    left, right = np.maximum.accumulate(density), np.maximum.accumulate(density[::-1])[::-1]
    return float(np.log(np.minimum(left, right) / density).max())


@pytest.mark.parametrize("seed", range(12))
def test_depths_are_those_of_the_density_along_the_ridge_line(seed):
    rng = np.random.default_rng(seed)
    q, tails = rng.integers(1, 5), rng.choice([2.0, 8.0, 1000.0])
    roots = rng.normal(size=(2, q, q)) + 2 * np.eye(q)
    covariances = roots @ np.swapaxes(roots, 1, 2)
    means = rng.normal(size=(2, q)) * 4
    sizes = rng.integers(5, 50, 2)
    found = valley_depths(means, np.linalg.inv(covariances), sizes, tails)
    expected = depth_by_grid(means, covariances, sizes, tails)
    assert np.array_equal(found, found.T) and not found.diagonal().any()
    assert found[0, 1] == pytest.approx(expected, abs=0.02 + 0.1 * expected)


def test_one_peak_has_no_valley_and_far_ones_a_deep_one():
    means = [[0.0, 0.0], [1.0, 0.0], [100.0, 0.0]]
    found = valley_depths(means, [np.eye(2)] * 3, [10, 10, 10], 1000.0)
    assert found[0, 1] == 0 and found[0, 2] > 100 and found[1, 2] > 100
