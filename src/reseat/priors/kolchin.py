"""Kolchin partitions: a law of the number of blocks, and then a law of their sizes."""

import numpy as np
from scipy.special import gammaln

from reseat.checks import as_sizes, check_between, check_strength
from reseat.errors import ConfigError

#: Number of proposals after which a draw given the number of items is abandoned.
MAX_PROPOSALS = 100_000


def size_counts(sizes) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct block sizes in increasing order, and how many blocks have each."""
    counts = np.bincount(as_sizes(sizes))
    distinct = np.flatnonzero(counts)
    return distinct, counts[distinct]


def log_truncation(shape: float, success: float) -> float:
    """Return the log of ``1 - (1 - success)^shape``: a negative binomial is not zero."""
    return float(np.log(-np.expm1(shape * np.log1p(-success))))


class KolchinPrior:
    """Mixin, before `PartitionPrior`, for Kolchin priors with a negative binomial number of blocks.

    ``K ~ NegBin(a, q)`` and the sizes are independent, all conditioned to be at least 1. Without
    `a` and `q`, mean and standard deviation of K, before that, are half the number of items.
    """

    def __init__(self, a: float | None = None, q: float | None = None):
        if (a is None) != (q is None):
            raise ConfigError("Specify both a and q, or neither to have them solved for.")
        if a is not None:
            check_strength("a", a, 0)
            check_between("q", q, 0, 1, "()")
        self._solved = a is None
        self.a, self.q = a, q

    def n_blocks_law(self, n_items: int) -> tuple[float, float]:
        """Return ``(a, q)``, solved for `n_items`, three or more, unless they were given."""
        if not self._solved:
            return self.a, self.q
        half = n_items / 2
        if half <= 1:
            raise ConfigError(
                f"No a and q give {n_items} items half as many blocks on average; specify a and q, "
                "or give at least three items."
            )
        return half / (half - 1), 1 - 1 / half

    def prepare(self, n_items: int) -> None:
        """Solve for a and q if necessary, and fill the tables for `n_items` items."""
        self.a, self.q = self.n_blocks_law(n_items)
        super().prepare(n_items)

    def log_prob(self, sizes) -> float:
        """Return the joint log probability of one partition with these sizes and of their sum.

        Summed over all partitions of N items, this is the probability of N (equation 9).
        """
        m, counts = size_counts(sizes)
        k, n = counts.sum(), (m * counts).sum()
        found = self.log_numbered_blocks(k) - gammaln(n + 1) + (counts * gammaln(m + 1)).sum()
        return float(found + self.log_prob_sizes(m, counts))

    def log_numbered_blocks(self, k: int) -> float:
        """Return the log of ``k! P(K = k)``; ``k!`` is the number of orders of the blocks."""
        if self.a is None:
            raise ConfigError(
                "a and q depend on the number of items; call prepare(n_items), or specify both."
            )
        found = gammaln(k + self.a) - gammaln(self.a) + k * np.log(self.q)
        return found + self.a * np.log1p(-self.q) - log_truncation(self.a, self.q)

    def sample_sizes(self, n_items: int, rng: np.random.Generator) -> np.ndarray:
        """Draw the block sizes of `n_items` items from the prior, exactly.

        Sizes are drawn one after the other from a fresh law (`draw_size_law`) until their sum
        reaches `n_items`; if it hits that exactly, they are accepted with a probability
        proportional to that of their number.  A ConfigError says if no proposal is accepted.
        """
        a, q = self.n_blocks_law(n_items)
        k = np.arange(1, n_items + 1)
        log_kept = gammaln(k + a) - gammaln(k + 1) + k * np.log(q)
        log_kept -= log_kept.max()
        for _ in range(MAX_PROPOSALS):
            cumulative = np.cumsum(np.exp(self.draw_size_law(n_items, rng)))
            sizes = 1 + np.searchsorted(cumulative, rng.random(n_items), side="right")
            reached = np.cumsum(sizes)
            last = np.searchsorted(reached, n_items)
            if reached[last] == n_items and -rng.standard_exponential() < log_kept[last]:
                return sizes[: last + 1]
        raise ConfigError(
            f"{n_items} items are too improbable to be drawn for a = {a:g} and q = {q:g}; omit a "
            "and q to have them solved for."
        )
