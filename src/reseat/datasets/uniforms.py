"""Random variates that are the same under every version of numpy."""

import numpy as np
import scipy

SMALL = 2.0**-54  # replaces the double 0, whose quantile is infinite (normal) or 0 (exponential)


class Uniforms:
    """Random variates from uniform doubles, whose stream is the same in every NumPy version."""

    def __init__(self, rng: np.random.Generator):
        self._rng = rng

    def below(self, bound: int, size: int | tuple[int, ...]) -> np.ndarray:
        """Draw whole numbers from 0 to `bound` - 1."""
        return (self._rng.random(size) * bound).astype(np.int64)

    def chance(self, probability: float, size: int | tuple[int, ...]) -> np.ndarray:
        """Draw booleans that are true with probability `probability`."""
        return self._rng.random(size) < probability

    def choose(self, cumulative: np.ndarray, size: int) -> np.ndarray:
        """Draw indices with probabilities proportional to the increments of `cumulative`."""
        drawn = np.searchsorted(cumulative, self._rng.random(size) * cumulative[-1], side="right")
        return np.minimum(drawn, len(cumulative) - 1)

    def order(self, size: int) -> np.ndarray:
        """Draw a random permutation of 0 to `size` - 1."""
        return np.argsort(self._rng.random(size), kind="stable")

    def exponential(self, size: int) -> np.ndarray:
        """Draw standard exponential variates, all above 0."""
        return -np.log1p(-np.maximum(self._rng.random(size), SMALL))

    def normal(self, size: int | tuple[int, ...]) -> np.ndarray:
        """Draw standard normal variates."""
        return scipy.special.ndtri(np.maximum(self._rng.random(size), SMALL))
