"""Point estimates from what is most probable for each item alone."""

import numpy as np

from reseat.checks import as_labels
from reseat.metrics import factorise
from reseat.summaries.draws import canonical


def matching_sets(draws):
    """Return the partition into shared most probable maximal matching sets.

    A cluster of the estimate is a set of items that each of them is in most often, of all clusters
    in the draws; every other item is alone (Steorts, Hall and Fienberg 2016, section 5).

    Parameters
    ----------
    draws : array_like of int, shape (n_draws, n_items)

    Returns
    -------
    ndarray of int32, shape (n_items,)
        Labels, numbered by first appearance.

    Raises
    ------
    DataError
        If the draws are not a two-dimensional array of integers.

    Examples
    --------
    >>> from reseat.summaries import matching_sets
    >>> matching_sets([[0, 0, 1, 1], [0, 0, 0, 1], [0, 0, 1, 2]]).tolist()
    [0, 0, 1, 2]
    """
    codes, n_clusters = canonical(draws)
    clusters = codes + (np.cumsum(n_clusters) - n_clusters)[:, None]
    # Clusters with equal sums of random numbers of their members are the same set, but for one
    # chance in 10^20 or so. The sums are below 2^53, so that they are exact.
    n_draws, n_items = codes.shape
    keys = np.random.default_rng(0).integers(1 << 53, size=(2, n_items)) // n_items
    sums = [np.bincount(clusters.ravel(), np.tile(key, n_draws)) for key in keys]
    set_of = np.unique(sums, axis=1, return_inverse=True)[1].reshape(-1)
    sizes = np.empty_like(set_of)
    sizes[set_of] = np.bincount(clusters.ravel())
    best = np.empty(n_items, dtype=np.int64)
    for item, seen in enumerate(set_of[clusters].T):
        sets, at, times = np.unique(seen, return_index=True, return_counts=True)
        # Of sets that are equally probable, the one that was drawn first.
        best[item] = sets[np.lexsort((at, -times))[0]]
    shared = np.bincount(best, minlength=sizes.size)[best] == sizes[best]
    alone = sizes.size + np.arange(n_items)
    return factorise(np.where(shared, best, alone))[0].astype(np.int32)


class MarginalCounts:
    """Online counter of the labels each item takes, for chains whose draws are not all kept.

    The most frequent ones are the "marginal" summary of Walker and Ringger (2008, section 4). It
    is meaningful only if labels keep their meaning from draw to draw (no label switching).

    Parameters
    ----------
    n_items : int
    n_slots : int
        Number of labels expected; room for higher ones is made when they occur.

    Attributes
    ----------
    counts : ndarray of int32, shape (n_items, n_slots)
    n_updates : int

    Examples
    --------
    >>> from reseat.summaries import MarginalCounts
    >>> counts = MarginalCounts(n_items=3, n_slots=2)
    >>> for labels in ([0, 0, 1], [0, 1, 1], [0, 1, 1]):
    ...     counts.update(labels)
    >>> counts.labels().tolist()
    [0, 1, 1]
    """

    def __init__(self, n_items, n_slots):
        if n_items < 1 or n_slots < 1:
            raise ValueError(f"n_items ({n_items}) and n_slots ({n_slots}) must be at least 1.")
        self.counts = np.zeros((n_items, n_slots), dtype=np.int32)
        self.n_updates = 0
        self._rows = np.arange(n_items)

    def update(self, labels):
        """Count one labelling.

        Parameters
        ----------
        labels : array_like of int, shape (n_items,)

        Raises
        ------
        ValueError
            If the labels are not one whole number of at least 0 per item.
        """
        labels = as_labels(labels, self._rows.size)
        available = self.counts.shape[1]
        lacking = int(labels.max()) + 1 - available
        if lacking > 0:
            self.counts = np.pad(self.counts, ((0, 0), (0, max(lacking, available // 2))))
        self.counts[self._rows, labels] += 1
        self.n_updates += 1

    def labels(self):
        """Return the most frequent label of each item, the lowest if tied; int64, shape (n_items,).

        Raises
        ------
        ValueError
            If nothing has been counted yet.
        """
        if self.n_updates == 0:
            raise ValueError("no labelling has been counted yet: call update first.")
        return self.counts.argmax(axis=1)

    def state(self):
        """Return a copy of everything that a checkpoint needs, as a dict of arrays."""
        return {"counts": self.counts.copy(), "n_updates": np.int64(self.n_updates)}

    def restore(self, state):
        """Restore a state that `state` returned.

        Raises
        ------
        ValueError
            If the state is of another number of items.
        """
        counts = np.array(state["counts"], dtype=np.int32)
        if counts.ndim != 2 or counts.shape[0] != self._rows.size:
            raise ValueError(
                f"the saved counts have shape {counts.shape}, not {self._rows.size} rows: they "
                "are from a different data set."
            )
        self.counts = counts
        self.n_updates = int(state["n_updates"])
