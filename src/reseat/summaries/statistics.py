"""Statistics of a partition that are cheap enough to compute after every sweep."""

import numpy as np

from reseat.checks import as_sizes, check_whole
from reseat.equal_pairs import equal_pairs
from reseat.errors import DataError
from reseat.metrics import factorise, false_discovery_rate, false_negative_rate, pairs_within
from reseat.summaries.draws import canonical

#: Quantile of the normal distribution up to which half of a 95 % interval reaches.
NORMAL = 1.959964


def size_statistics(sizes) -> dict[str, float]:
    """Return statistics of the block sizes of a partition.

    Parameters
    ----------
    sizes : array_like of int, shape (n_blocks,)
        All at least 1.

    Returns
    -------
    dict
        ``n_singletons``, ``max_size``, ``mean_size`` and ``size_p90``, the 90th percentile.

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


def over_draws(statistic, draws, n_draws=200) -> dict[str, float]:
    """Return a statistic of the clusters with its uncertainty, which is that of the clusters, too.

    Estimates with errors are combined as in multiple imputation, with draws as completed data sets.

    Parameters
    ----------
    statistic : callable
        Called with the labels of a draw, numbered from 0 by first appearance, shape (n_items,);
        returns a number, or an estimate and its standard error.
    draws : array_like of int, shape (n_all_draws, n_items)
    n_draws : int
        Largest number of draws, evenly spaced, in which the statistic is computed.

    Returns
    -------
    dict
        ``mean``, ``sd``, and ``low`` and ``high``, the ends of the 95 % interval: quantiles of the
        draws or, with standard errors, of a normal distribution.

    References
    ----------
    Rubin (1987), Multiple imputation for nonresponse in surveys, section 3.1.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.summaries import over_draws
    >>> draws = [[0, 0, 1], [0, 1, 2]]
    >>> over_draws(lambda labels: labels.max() + 1, draws)["mean"]
    2.5
    >>> spent = np.array([10.0, 10.0, 40.0])
    >>> over_draws(lambda labels: np.bincount(labels, spent).mean(), draws)["mean"]
    25.0
    """
    codes, _ = canonical(draws)
    n_draws = check_whole("n_draws", n_draws, 1)
    chosen = np.linspace(0, len(codes) - 1, min(len(codes), n_draws)).astype(int)
    found = np.array([statistic(codes[place]) for place in chosen], dtype=float)
    if found.ndim > 2 or (found.ndim == 2 and found.shape[1] != 2) or not np.isfinite(found).all():
        raise DataError(
            "The statistic must be a finite number in every draw, or an estimate and its standard "
            "error."
        )
    values = found if found.ndim == 1 else found[:, 0]
    mean, between = float(values.mean()), float(values.var(ddof=1)) if len(values) > 1 else 0.0
    if found.ndim == 1:
        sd = between**0.5
        low, high = np.quantile(values, [0.025, 0.975]).tolist()
    else:
        sd = float(np.mean(found[:, 1] ** 2) + (1 + 1 / len(values)) * between) ** 0.5
        low, high = mean - NORMAL * sd, mean + NORMAL * sd
    return {"mean": mean, "sd": sd, "low": low, "high": high}


class PartitionStatistics:
    """Sizes of blocks and, where the truth is known, error rates of links.

    Parameters
    ----------
    truth : array_like of hashable, shape (n_items,), optional
        True block of every item.

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
            n_pairs = pairs_within(np.unique(self.truth, return_counts=True)[1])
            if n_pairs <= self.MANY * self.truth.size:
                self._pairs = equal_pairs(self.truth)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the statistics, in order."""
        sizes = ("n_singletons", "max_size", "mean_size", "size_p90")
        return sizes if self.truth is None else (*sizes, "fnr", "fdr")

    def __call__(self, labels, sizes) -> dict[str, float]:
        """Return the statistics; ``fnr`` and ``fdr`` are zero if there are no such pairs."""
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
