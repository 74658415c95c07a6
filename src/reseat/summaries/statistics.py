"""Statistics of a partition that are cheap enough to compute after every sweep."""

import numpy as np

from reseat.checks import as_sizes
from reseat.equal_pairs import equal_pairs
from reseat.errors import DataError
from reseat.metrics import (
    factorise,
    false_discovery_rate,
    false_negative_rate,
    pairs_within,
)


def size_statistics(sizes) -> dict[str, float]:
    """Return statistics of the block sizes of a partition.

    Parameters
    ----------
    sizes : array_like of int, shape (n_blocks,)
        All at least 1.

    Returns
    -------
    dict
        ``n_singletons``, ``max_size``, ``mean_size`` and ``size_p90``, the 90th
        percentile with linear interpolation.

    Raises
    ------
    DataError
        If there is no block, or a size is not a whole number of at least 1.

    References
    ----------
    Zanella et al. (2016), section 4.
    """
    sizes = as_sizes(sizes)
    counts = np.bincount(sizes)
    below = np.cumsum(counts)
    n_blocks = int(below[-1])
    rank = 0.9 * (n_blocks - 1)
    low = int(rank)
    # Sizes at the ranks on both sides of `rank`; ranks are counted from 0.
    lower, upper = np.searchsorted(below, [low, min(low + 1, n_blocks - 1)], side="right")
    return {
        "n_singletons": float(counts[1]) if counts.size > 1 else 0.0,
        "max_size": float(counts.size - 1),
        "mean_size": float(np.sum(sizes)) / n_blocks,
        "size_p90": float(lower + (rank - low) * (upper - lower)),
    }


class PartitionStatistics:
    """Sizes of blocks and, where the truth is known, error rates of links.

    Parameters
    ----------
    truth : array_like of hashable, shape (n_items,), optional
        True block of every item.  The pairs within true blocks are listed
        once, unless there are far more of them than items.

    Raises
    ------
    DataError
        If there is no item, or the true block of one is missing.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.summaries import PartitionStatistics
    >>> statistics = PartitionStatistics(truth=[0, 0, 1])
    >>> found = statistics(np.array([0, 1, 1], dtype=np.int32), np.array([1, 2]))
    >>> found["max_size"], found["fnr"]
    (2.0, 1.0)
    """

    #: Number of true pairs per item beyond which a contingency table is cheaper than a list.
    MANY = 50

    def __init__(self, truth=None):
        self.truth = None if truth is None else factorise(truth, "truth")[0]
        self._pairs = None
        if self.truth is not None:
            self._pairs = self._list_pairs()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the statistics, in order."""
        sizes = ("n_singletons", "max_size", "mean_size", "size_p90")
        return sizes if self.truth is None else (*sizes, "fnr", "fdr")

    def __call__(self, labels, sizes) -> dict[str, float]:
        """Return the statistics of a partition.

        ``fnr`` is the share of true pairs that are not linked, ``fdr`` the share of linked pairs
        that are false; each is zero if there are no such pairs.
        """
        found = size_statistics(sizes)
        if self.truth is None:
            return found
        if len(labels) != self.truth.size:
            raise DataError(
                f"{len(labels)} labels are compared with {self.truth.size} true labels; the "
                "numbers must be equal."
            )
        if self._pairs is None:
            return found | {
                "fnr": float(false_negative_rate(self.truth, labels)),
                "fdr": float(false_discovery_rate(self.truth, labels)),
            }
        first, second = self._pairs
        hits = int(np.count_nonzero(labels[first] == labels[second]))
        linked = pairs_within(sizes)
        return found | {
            "fnr": 1.0 - hits / first.size if first.size else 0.0,
            "fdr": 1.0 - hits / linked if linked else 0.0,
        }

    def _list_pairs(self):
        """Return the pairs of items in the same true block, or None if there are too many."""
        sizes = np.unique(self.truth, return_counts=True)[1]
        if pairs_within(sizes) > self.MANY * self.truth.size:
            return None
        return equal_pairs(self.truth)
