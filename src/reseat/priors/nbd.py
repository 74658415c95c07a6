"""Priors with a negative binomial number of blocks, whose sizes follow an unknown law."""

import numpy as np
from scipy.special import gammaln

from reseat.checks import check_between, check_strength
from reseat.priors._nbd import DirichletSizes
from reseat.priors._prior import PartitionPrior
from reseat.priors.kolchin import KolchinPrior
from reseat.priors.named import prior

#: Smallest log of the probability of a size: nothing is as improbable in any chain, but moves that
#: pass through such sizes can still add up differences of it without losing the rest.
LOG_NOTHING = -1e5


class UnknownSizes(KolchinPrior):
    """Base of priors whose law of the sizes is from a Dirichlet around a geometric law."""

    def __init__(
        self, a: float | None = None, q: float | None = None, alpha: float = 1.0, base: float = 0.5
    ):
        super().__init__(a, q)
        self.alpha = check_strength("alpha", alpha, 0)
        self.base = check_between("base", base, 0, 1, "()")

    def log_base(self, m) -> np.ndarray:
        """Return the log probabilities of the sizes `m` under the geometric law."""
        return np.log(self.base) + (np.asarray(m) - 1) * np.log1p(-self.base)

    def log_base_beyond(self, n: int) -> float:
        """Return the log probability of all sizes above `n` under the same law."""
        return n * np.log1p(-self.base)

    def log_shapes(self, n: int) -> np.ndarray:
        """Return the logarithms of the Dirichlet parameters of the sizes 1 … `n`."""
        return np.log(self.alpha) + self.log_base(np.arange(1, n + 1))

    def draw_log_sizes(self, sizes, n_items: int, rng: np.random.Generator) -> np.ndarray:
        """Draw the law of the sizes 1 … `n_items` given the blocks, in logs (equation 21)."""
        # All sizes beyond are drawn as one.  As gamma variates of most shapes s would underflow,
        # they are logs of those of shape s + 1 times u^(1/s), where u is uniform.
        beyond = np.log(self.alpha) + self.log_base_beyond(n_items)
        shape = np.exp(np.append(self.log_shapes(n_items), beyond))
        shape += np.bincount(sizes, minlength=n_items + 2)[1:] if len(sizes) else 0
        with np.errstate(divide="ignore", over="ignore"):
            log_gamma = np.log(rng.standard_gamma(shape + 1))
            log_gamma -= rng.standard_exponential(shape.size) / shape
        log_gamma = np.maximum(log_gamma - log_gamma.max(), LOG_NOTHING)
        return (log_gamma - np.log(np.exp(log_gamma).sum()))[:-1]

    def draw_size_law(self, n_items: int, rng: np.random.Generator) -> np.ndarray:
        """Draw the law of the sizes from its prior, in logs."""
        return self.draw_log_sizes([], n_items, rng)


@prior("nbd", title="NBD")
class NBD(UnknownSizes, DirichletSizes):
    """Microclustering prior whose block sizes follow an unknown law, which is integrated out.

    Without the item in question, let there be ``K`` blocks, ``L_m`` of them of size ``m``, and let
    ``s_m = alpha base (1 - base)^(m-1)``.  The item joins a block of ``m`` others with weight
    ``(m + 1) (s_{m+1} + L_{m+1}) / (s_m + L_m - 1)`` or opens a new one with weight
    ``(K + a) q (s_1 + L_1) / (alpha + K)``.

    Parameters
    ----------
    a, q : float, optional
        Of the number of blocks; by default, its mean and standard deviation are half the items.
    alpha : float
        Concentration of the Dirichlet around the geometric law of the sizes.
    base : float
        Success probability of the geometric law, one over the mean size.  No parameter is sampled.

    References
    ----------
    Zanella et al. (2016), section 3.2; supplement, equation 19 with ``mu`` integrated out.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.priors import NBD
    >>> bool(NBD().sample_sizes(500, np.random.default_rng(1)).max() < 50)
    True
    """

    def log_beside_blocks(self, k) -> np.ndarray:
        """Return the part of the log weight of a new block that depends on their number `k`."""
        return np.log((k + self.a) * self.q / (self.alpha + k))

    def log_prob_sizes(self, distinct, counts) -> float:
        """Return the log probability of sizes with these counts, their law integrated out."""
        return self.log_urn(self.log_base(distinct), counts)

    def log_urn(self, log_base, counts) -> float:
        """Return the same for any log probabilities of the sizes under the base law."""
        log_shape = np.log(self.alpha) + log_base
        shape = np.exp(log_shape)
        # Gamma(s + n) / Gamma(s), written so that s may underflow.
        ratio = log_shape + gammaln(shape + counts) - gammaln(shape + 1)
        return float(gammaln(self.alpha) - gammaln(self.alpha + counts.sum()) + ratio.sum())


@prior("sampled_nbd", title="NBD, law of sizes sampled")
class SampledNBD(UnknownSizes, PartitionPrior):
    """The same prior as `NBD`, but with the law of the sizes sampled, as in the paper.

    Given ``mu``, an item joins a block of ``m`` others with weight ``(m + 1) mu_{m+1} / mu_m`` or
    opens a new one beside ``K`` others with weight ``(K + a) q mu_1``.  ``mu`` starts as the
    geometric law and is redrawn after every sweep; as it is tiny where no block is, chains move
    slowly, and are meant for checks.  `log_hyperprior` omits the unbounded density of ``mu``.

    Parameters
    ----------
    a, q, alpha, base : float
        As for `NBD`.

    References
    ----------
    Zanella et al. (2016), section 3.2; supplement, equations 19 to 21.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.priors import SampledNBD
    >>> prior = SampledNBD(1.0, 0.5)
    >>> prior.prepare(4)
    >>> before = prior.log_prob([2, 2])
    >>> prior.update([2, 2], np.random.default_rng(1))  # draws the law of the sizes anew
    >>> prior.log_prob([2, 2]) == before
    False
    """

    def prepare(self, n_items: int) -> None:
        self.log_mu = self.log_base(np.arange(1, n_items + 1))
        super().prepare(n_items)

    def tabulate(self) -> None:
        n = np.arange(self.n_items + 1)
        log_join = np.full(self.n_items + 1, -np.inf)
        log_join[1:-1] = np.log(n[2:]) + np.diff(self.log_mu)
        self.set_tables(log_join, np.log((n + self.a) * self.q) + self.log_mu[0])

    def log_prob_sizes(self, distinct, counts) -> float:
        """Return the log probability of a sequence of sizes with these counts, given ``mu``."""
        return float((counts * self.log_mu[distinct - 1]).sum())

    @property
    def hyperparameters(self) -> dict[str, float]:
        """Probabilities of blocks of one and of two items."""
        return {f"mu_{m}": float(np.exp(self.log_mu[m - 1])) for m in (1, 2) if m <= self.n_items}

    def state(self) -> dict[str, list[float]]:
        return {"log_mu": self.log_mu.tolist()}

    def restore(self, state) -> None:
        self.log_mu = np.array(state["log_mu"])
        self.tabulate()

    def update(self, sizes, rng: np.random.Generator) -> None:
        """Draw ``mu`` given the block sizes."""
        self.log_mu = self.draw_log_sizes(sizes, self.n_items, rng)
        self.tabulate()
