"""The partition that minimises a posterior expected loss, by greedy search."""

from dataclasses import dataclass

import numpy as np

from reseat.checks import check_whole
from reseat.metrics import Contingency, factorise, rand_index, vi
from reseat.summaries._search import GreedySearch, overlap_sum
from reseat.summaries.draws import DrawClusters, as_draws, canonical
from reseat.threads import Stopped, in_threads

# A table larger than this would be slower than counting the overlaps from the members.
_DENSE_BYTES = 256 * 2**20
# Adding a row of the table costs about a quarter as much per entry as visiting a member.
_TABLE_ADVANTAGE = 4
# Bound of the sweeps, which end much earlier, because each lowers the loss.
_MAX_SWEEPS = 1000
# Overlaps that are counted between two checks of whether to stop; a few tenths of a second.
_PIECE = 20_000_000
# Improvements of the objective below this are rounding errors.
_LEAST_IMPROVEMENT = 1e-9
# Values of f are multiples of this, so that their sums are exact: partitions of equal loss are tied
# on every processor, whatever its logarithms.
_GRID = 2.0**-20


@dataclass(frozen=True)
class PartitionEstimate:
    """A partition chosen to represent the posterior, and its expected loss.

    Attributes
    ----------
    labels : ndarray of int32, shape (n_items,)
        Clusters numbered by first appearance.
    expected_loss : float
        See the function `expected_loss`.
    loss : {"vi", "binder"}
    n_clusters : int
    method : str
        The start of the search that found it.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.summaries import minimise_expected_loss
    >>> draws = np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1]])
    >>> estimate = minimise_expected_loss(draws, rng=np.random.default_rng(1))
    >>> estimate.labels.tolist(), estimate.n_clusters
    ([0, 0, 1], 2)
    """

    labels: np.ndarray
    expected_loss: float
    loss: str
    n_clusters: int
    method: str


class _Objective:
    """The function f of a loss (see `_search`), and the expected loss computed with it."""

    def __init__(self, loss, clusters):
        n_items, self.n_draws = clusters.cells.shape
        n = np.arange(n_items + 2.0)
        if loss == "vi":
            self.f = np.rint(n * np.log(np.maximum(n, 1.0)) / _GRID) * _GRID
            self.scale = 1.0 / n_items
        else:
            self.f = n * (n - 1.0) / 2.0
            self.scale = 2.0 / (n_items * (n_items - 1.0)) if n_items > 1 else 0.0
        self.step = np.diff(self.f)
        self.clusters = clusters
        self.of_draws = self.f[np.diff(clusters.starts)].sum() / self.n_draws

    def __call__(self, codes):
        own = self.f[np.bincount(codes)].sum()
        shared = overlap_sum(self.clusters, codes, self.f) / self.n_draws
        return max(0.0, float((own + self.of_draws - 2.0 * shared) * self.scale))


def minimise_expected_loss(
    draws,
    loss="vi",
    max_clusters=None,
    n_runs=16,
    *,
    rng,
    n_reallocations=10,
    n_threads=1,
    stop=None,
    progress=None,
):
    """Search for the partition with the least posterior expected loss.

    A greedy search of the SALSO kind (Dahl, Johnson and Mueller 2022). A run puts the items one by
    one, in random order, into the cluster that is best at that moment, sweeps over all until none
    moves, and then dissolves whole clusters on trial. Besides, the best draws are improved by the
    same sweeps, so that the result is never worse. A sweep costs O(n_items * n_draws * n_clusters).

    Parameters
    ----------
    draws : array_like of int, shape (n_draws, n_items)
    loss : {"vi", "binder"}
        See `expected_loss`.
    max_clusters : int, optional
        Largest number of clusters of the result. Without a limit, noisy draws may give very many
        tiny clusters under Binder's loss; the number of clusters of the draws is a sensible one.
    n_runs : int
        Number of searches from scratch, and largest number of searches from draws.
    rng : numpy.random.Generator or int
    n_reallocations : int
        Number of clusters dissolved on trial each time the sweeps have settled.
    n_threads : int
        Number of searches at a time, which does not change the result.
    stop : threading.Event, optional
        Set to abandon the search.
    progress : reseat.chains.progress.Progress, optional
        Advanced by one step when a search has ended.

    Returns
    -------
    PartitionEstimate

    Raises
    ------
    ValueError
        If the loss is unknown, the draws are no table of integers, or a number is out of range.
    reseat.threads.Stopped
        If `stop` was set.
    """
    check_loss(loss)
    n_runs = check_whole("n_runs", n_runs, 1)
    n_threads = check_whole("n_threads", n_threads, 1)
    n_reallocations = check_whole("n_reallocations", n_reallocations)
    if max_clusters is not None:
        max_clusters = check_whole("max_clusters", max_clusters, 1)
    rng = np.random.default_rng(rng)
    codes, n_clusters = canonical(draws)
    clusters = DrawClusters(codes, n_clusters)
    objective = _Objective(loss, clusters)
    limit = min(max_clusters or codes.shape[1], codes.shape[1])

    def check_stop():
        if stop is not None and stop.is_set():
            raise Stopped("the search for the partition was stopped")

    def try_out(draw):
        check_stop()
        return objective(codes[draw])

    few = np.flatnonzero(n_clusters <= limit).tolist()
    # The first draw of each partition.
    distinct = sorted({codes[draw].tobytes(): draw for draw in reversed(few)}.values())
    tried = dict(zip(distinct, in_threads(try_out, distinct, n_threads, stop), strict=True))
    best_draws = sorted(tried, key=tried.get)[:n_runs]
    starts = [(f"sequential allocation, run {run + 1}", None) for run in range(n_runs)]
    starts += [(f"improved draw {draw}", codes[draw]) for draw in best_draws]
    seeds = rng.integers(2**63, size=len(starts))

    def search(run):
        (_, start), seed = run
        found = _descend(clusters, objective, limit, start, n_reallocations, seed, check_stop)
        if progress is not None:
            progress.step()
        return objective(found), found

    found = in_threads(search, zip(starts, seeds, strict=True), n_threads, stop)
    best = min(range(len(found)), key=lambda index: found[index][0])
    labels = found[best][1]
    # The objective is a difference of large sums; this value is computed without cancellation.
    value = expected_loss(codes, labels, loss)
    return PartitionEstimate(labels, value, loss, int(labels.max()) + 1, starts[best][0])


def _descend(clusters, objective, limit, start, n_reallocations, seed, check_stop):
    """Run one search, from scratch (`start` None) or from a partition; return canonical labels."""
    rng = np.random.default_rng(seed)
    n_items, n_draws = clusters.cells.shape
    sizes = np.diff(clusters.starts)
    members_to_visit = float(np.dot(sizes, sizes)) / (n_items * n_draws)
    table_pays = sizes.size / n_draws <= _TABLE_ADVANTAGE * members_to_visit
    search = GreedySearch(clusters, objective.step, limit, _DENSE_BYTES if table_pays else 0)
    items = np.arange(n_items, dtype=np.int32)
    work = n_draws * max(members_to_visit, 1.0, sizes.size / n_draws if table_pays else 0.0)
    size = int(max(1, _PIECE // work))

    def sweep():
        order, n_moved = rng.permutation(items), 0
        for first in range(0, n_items, size):
            check_stop()
            n_moved += search.sweep(order[first : first + size])
        return n_moved

    if start is None:
        sweep()
    else:
        search.load(start)
    improved = True
    while improved:
        for _ in range(_MAX_SWEEPS):
            if sweep() == 0:
                break
        check_stop()
        improved = _reallocate(search, rng, n_reallocations)
    return factorise(search.labels)[0].astype(np.int32)


def _reallocate(search, rng, n_reallocations):
    """Dissolve clusters, reallocate their items, undo what does not help; return if any did."""
    improved = False
    slots = np.unique(search.labels)
    for slot in rng.permutation(slots)[:n_reallocations]:
        items = np.flatnonzero(search.labels == slot).astype(np.int32)
        if items.size == 0:
            continue
        before = search.change
        search.take_out(items)
        search.sweep(rng.permutation(items))
        search.sweep(rng.permutation(items))
        if search.change < before - _LEAST_IMPROVEMENT:
            improved = True
        else:
            search.take_out(items)
            search.put_together(items)
            search.change = before
    return improved


LOSSES = {"binder": lambda table: 1.0 - rand_index(table), "vi": vi}


def check_loss(loss):
    """Raise a ValueError unless `loss` names one of `LOSSES`."""
    if loss not in LOSSES:
        raise ValueError(f"unknown loss {loss!r}: choose one of {', '.join(sorted(LOSSES))}.")


def expected_loss(draws, labels, loss="vi"):
    """Return the mean loss of a partition over the draws.

    Parameters
    ----------
    draws : array_like of int, shape (n_draws, n_items)
    labels : array_like of hashable, shape (n_items,)
    loss : {"vi", "binder"}
        Variation of information in nats (Meila 2003; Wade and Ghahramani 2018), or the share of
        pairs of items on which two partitions disagree (Binder 1978), 1 - Rand index.

    Returns
    -------
    float
        The exact Monte Carlo mean, from one contingency table per draw.

    Raises
    ------
    ValueError
        If the loss is unknown, or labels and draws do not match.
    """
    check_loss(loss)
    tables = (Contingency.from_labels(labels, draw) for draw in as_draws(draws))
    return float(np.mean([LOSSES[loss](table) for table in tables]))
