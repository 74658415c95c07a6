"""Posterior co-clustering: how often two items are in the same cluster."""

import numpy as np
import scipy

from reseat.summaries._search import count_together
from reseat.summaries.draws import DrawClusters, canonical
from reseat.summaries.duplicates import probable_pairs

_BLOCK_CELLS = 20_000_000
# Share of pairs that are together, over all draws, up to which they are counted one by one.
_FEW_PAIRS = 0.5
# Mean size of the cluster of an item up to which pairs are listed, in memory free of the draws.
_PAIRED = 3.0


def coclustering_blocks(draws, block_size=None):
    """Yield the upper triangle of the co-clustering matrix a few rows at a time.

    Parameters
    ----------
    draws : array_like of int, shape (n_draws, n_items)
    block_size : int, optional
        Number of rows at a time; by default as many as have about 20 million entries.

    Yields
    ------
    first : int
        Item of the first row.
    rows : ndarray of int32, shape (n_rows, n_items)
        Number of draws in which item first + r and item j are together, for j >= first + r;
        0 elsewhere. The next block overwrites the array.

    Raises
    ------
    ValueError
        If the draws are not a two-dimensional array of integers, or `block_size` is below 1.
    """
    codes, n_clusters = canonical(draws)
    clusters = DrawClusters(codes, n_clusters)
    n_items = codes.shape[1]
    if block_size is None:
        block_size = max(1, _BLOCK_CELLS // n_items)
    if block_size < 1:
        raise ValueError(f"block_size is {block_size}: it must be at least 1.")
    buffer = np.empty((min(block_size, n_items), n_items), dtype=np.int32)
    for first in range(0, n_items, block_size):
        rows = buffer[: n_items - first]
        rows[:] = 0
        count_together(clusters.cells, clusters.members, clusters.starts, first, rows)
        yield first, rows


def coclustering(draws, threshold=0.05, dense_limit=20_000, block_size=None, dtype=np.float64):
    """Return the share of the draws in which each pair of items is in the same cluster.

    For more than `dense_limit` items, only the shares of at least `threshold` are kept, in a sparse
    matrix that is built in pieces, so that the full matrix is never in memory.

    Parameters
    ----------
    draws : array_like of int, shape (n_draws, n_items)
    threshold : float
        In (0, 1].
    dense_limit : int
    block_size : int, optional
        As for `coclustering_blocks`.
    dtype : dtype
        Floating-point type of the shares.

    Returns
    -------
    ndarray or scipy.sparse.csr_array, shape (n_items, n_items)
        Symmetric, ones on the diagonal.

    Raises
    ------
    ValueError
        If the draws are not a two-dimensional array of integers, the threshold is not in (0, 1], or
        the type is not one of floating-point numbers.
    """
    if not 0.0 < threshold <= 1.0:
        raise ValueError(f"threshold is {threshold}: it must be above 0 and at most 1.")
    if not np.issubdtype(dtype, np.floating):
        raise ValueError(f"dtype is {np.dtype(dtype)}: shares need floating-point numbers.")
    n_draws, n_items = np.shape(draws) if np.ndim(draws) == 2 else (0, 0)
    if n_items <= dense_limit:
        return _dense(coclustering_blocks(draws, block_size), n_draws, n_items, dtype)
    codes, n_clusters = canonical(draws)
    # Ordered pairs, over all draws; an item and itself count.
    together = sum(float((np.bincount(draw).astype(float) ** 2).sum()) for draw in codes)
    if together <= _PAIRED * codes.size:
        return _of_pairs(codes, threshold, dtype)
    if together < _FEW_PAIRS * n_items * n_items:
        return _sparse(_of_small_clusters(codes, n_clusters), n_draws, threshold, dtype)
    return _sparse(coclustering_blocks(draws, block_size), n_draws, threshold, dtype)


def _of_pairs(codes, threshold, dtype):
    """Return the same as `_sparse`, from the pairs of each draw."""
    n_items = codes.shape[1]
    first, second, share = probable_pairs(codes, threshold)
    cells = share.astype(dtype), (first, second)
    upper = scipy.sparse.csr_array(cells, shape=(n_items, n_items))
    return upper + upper.T + scipy.sparse.eye_array(n_items, dtype=dtype, format="csr")


def _of_small_clusters(codes, n_clusters):
    """Yield counts as `coclustering_blocks` does, of both triangles and in sparse rows."""
    n_draws, n_items = codes.shape
    first = np.concatenate(([0], np.cumsum(n_clusters)))
    cells = (codes + first[:-1, None]).T.ravel()
    of_item = scipy.sparse.csr_array(
        (np.ones(cells.size, dtype=np.int32), cells, np.arange(n_items + 1) * n_draws),
        shape=(n_items, int(first[-1])),
    )
    of_cell = of_item.T.tocsr()
    size = max(1, _BLOCK_CELLS // (4 * n_draws))
    for start in range(0, n_items, size):
        yield start, of_item[start : start + size] @ of_cell


def _dense(blocks, n_draws, n_items, dtype):
    share = np.empty((n_items, n_items), dtype=dtype)
    for first, rows in blocks:
        last = first + rows.shape[0]
        # The columns before `first` already hold what earlier blocks mirrored.
        np.divide(rows[:, first:], n_draws, out=share[first:last, first:], casting="unsafe")
        corner = share[first:last, first:last]
        corner[:] = np.maximum(corner, corner.T)
        share[last:, first:last] = share[first:last, last:].T
    return share


def _sparse(blocks, n_draws, threshold, dtype):
    upper = []
    # Counts are compared, not shares, so that 5 draws of 100 do reach a threshold of 0.05.
    least = threshold * n_draws * (1 - 1e-12)
    for first, rows in blocks:
        kept = scipy.sparse.triu(rows * (rows >= least), k=first, format="csr")
        kept.data = (kept.data / n_draws).astype(dtype)
        upper.append(kept)
    upper = scipy.sparse.vstack(upper, format="csr")
    return scipy.sparse.csr_array(upper + scipy.sparse.triu(upper, k=1, format="csr").T)
