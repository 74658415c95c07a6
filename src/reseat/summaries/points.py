"""Point summaries that the documents paper uses: the marginal and the MAP sample."""

from __future__ import annotations

import numpy as np

from reseat.summaries.draws import as_draws

# Items are treated in blocks, so that a million of them never need a sorted copy of all draws.
_BLOCK_VALUES = 4_000_000


def marginal_labels(draws):
    """Most frequent label of each item over the draws; ties go to the lowest label.

    The "marginal" summary of Walker and Ringger (2008, section 4). It is meaningful only if labels
    keep their meaning from draw to draw (no label switching).

    Parameters
    ----------
    draws : array_like of int, shape (n_draws, n_items)

    Returns
    -------
    ndarray, shape (n_items,)
        Of the dtype of the draws.

    Raises
    ------
    ValueError
        If the draws are no two-dimensional array of integers, or empty.
    """
    draws = as_draws(draws)
    n_draws, n_items = draws.shape
    labels = np.empty(n_items, dtype=draws.dtype)
    width = max(1, _BLOCK_VALUES // n_draws)
    for start in range(0, n_items, width):
        block = np.sort(draws[:, start : start + width], axis=0)
        labels[start : start + width] = _longest_run(block)
    return labels


def _longest_run(block):
    """Value of the longest run in each column of a sorted block; the first of equal ones."""
    best = block[0].copy()
    longest = np.ones(block.shape[1], dtype=np.int64)
    run = longest.copy()
    for above, row in zip(block[:-1], block[1:], strict=True):
        run = np.where(row == above, run + 1, 1)
        longer = run > longest
        best[longer] = row[longer]
        longest[longer] = run[longer]
    return best


class MarginalCounts:
    """Online counter of the labels each item takes, for chains whose draws are not all kept.

    Parameters
    ----------
    n_items : int
    n_slots : int
        Labels expected, 0 ... n_slots - 1. Room for higher ones is made when they come.

    Attributes
    ----------
    counts : ndarray of int32, shape (n_items, n_slots)
    n_updates : int
        Labellings counted so far.

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
            Non-negative slots.

        Raises
        ------
        ValueError
            If the labels are not one non-negative integer an item.
        """
        labels = np.asarray(labels)
        if labels.shape != self._rows.shape or labels.dtype.kind not in "iu":
            raise ValueError(
                f"labels has shape {labels.shape} and dtype {labels.dtype}: it must have one "
                f"integer for each of the {self._rows.size} items."
            )
        if labels.min() < 0:
            raise ValueError("labels contains a negative number: slots are numbered from 0.")
        self._make_room(int(labels.max()) + 1)
        self.counts[self._rows, labels] += 1
        self.n_updates += 1

    def _make_room(self, n_slots):
        n_items, available = self.counts.shape
        if n_slots > available:
            more = max(n_slots, available + available // 2) - available
            extra = np.zeros((n_items, more), dtype=self.counts.dtype)
            self.counts = np.hstack((self.counts, extra))

    def labels(self):
        """Most frequent label of each item, ties lowest; int64, shape (n_items,).

        Raises
        ------
        ValueError
            If nothing has been counted yet.
        """
        if self.n_updates == 0:
            raise ValueError("no labelling has been counted yet: call update first.")
        return self.counts.argmax(axis=1)

    def state(self):
        """Copy of everything a checkpoint needs, as a dict of arrays."""
        return {"counts": self.counts.copy(), "n_updates": np.int64(self.n_updates)}

    def restore(self, state):
        """Continue from what `state` returned.

        Raises
        ------
        ValueError
            If the state counts another number of items.
        """
        counts = np.array(state["counts"], dtype=np.int32)
        if counts.ndim != 2 or counts.shape[0] != self._rows.size:
            raise ValueError(
                f"the saved counts have shape {counts.shape}, not {self._rows.size} rows: they "
                "are from a different data set."
            )
        self.counts = counts
        self.n_updates = int(state["n_updates"])


def map_index(log_joint):
    """Index of the draw with the largest log joint, the first if several have it.

    The "MAP" summary of Walker and Ringger (2008, section 4); p(z | w) is proportional to p(z, w),
    so the largest joint is the largest posterior among the draws.

    Parameters
    ----------
    log_joint : array_like of float, shape (n_draws,)
        Nats.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If there is no draw, or a value is NaN.
    """
    log_joint = np.asarray(log_joint, dtype=float)
    if log_joint.ndim != 1 or log_joint.size == 0:
        raise ValueError(f"log_joint has shape {log_joint.shape}: it must have one value per draw.")
    if np.isnan(log_joint).any():
        position = int(np.argmax(np.isnan(log_joint)))
        raise ValueError(f"log_joint is NaN at draw {position}: the maximum cannot be determined.")
    return int(log_joint.argmax())
