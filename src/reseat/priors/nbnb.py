"""The prior with a negative binomial number of blocks of negative binomial sizes."""

import math

import numpy as np
from scipy.special import expit, gammaln, logsumexp

from reseat.checks import check_between, check_positive, check_start
from reseat.errors import ConfigError
from reseat.priors._prior import PartitionPrior
from reseat.priors.hyperpriors import (
    BetaHyperprior,
    GammaHyperprior,
    below_bound,
    draw_hyperparameter,
    slice_sample,
)
from reseat.priors.kolchin import KolchinPrior, log_truncation, size_counts
from reseat.priors.named import prior

R_HYPERPRIOR = GammaHyperprior(1.0, 1.0)
P_HYPERPRIOR = BetaHyperprior(2.0, 2.0)

#: Weights this far (in logs) below the greatest are left out of a table.
NEGLIGIBLE = 40.0
#: Share of occupied blocks below which the sampler that also draws empty blocks is not used,
#: because there would be too many of them.
MIN_OCCUPIED = 0.01


class NegativeBinomialSizes:
    """Mixin, before `PartitionPrior`, with the shape r and success probability p of the sizes."""

    def hold_sizes(
        self,
        r: float,
        p: float,
        r_hyperprior: GammaHyperprior | None,
        p_hyperprior: BetaHyperprior | None,
    ) -> None:
        """Check and store the parameters; the constructor of the prior must call this."""
        self.r, self.p = check_positive("r", r), check_between("p", p, 0, 1, "()")
        check_start("r", self.r, r_hyperprior)
        check_start("p", self.p, p_hyperprior)
        self.r_hyperprior, self.p_hyperprior = r_hyperprior, p_hyperprior

    def draw_parameters(self, rng: np.random.Generator) -> tuple[float, float]:
        """Draw r and p from their hyperpriors; one without a hyperprior keeps its value."""
        r = draw_hyperparameter(self.r_hyperprior, self.r, rng)
        return r, draw_hyperparameter(self.p_hyperprior, self.p, rng)

    def log_hyperprior(self) -> float:
        """Return the log density of r and p, as far as they are sampled."""
        return self.log_hyperprior_at(self.r, self.p)

    def log_hyperprior_at(self, r: float, p: float) -> float:
        """Return the same at any r and p."""
        return _log_density(self.r_hyperprior, r) + _log_density(self.p_hyperprior, p)

    @property
    def hyperparameters(self) -> dict[str, float]:
        """Current values of r and p."""
        return {"r": self.r, "p": self.p}

    def update(self, sizes, rng: np.random.Generator) -> None:
        """Slice sample r on the log scale and p on the logit scale, unless they are fixed."""
        if self.r_hyperprior is None and self.p_hyperprior is None:
            return
        distinct, counts = size_counts(sizes)
        # The terms that are added below are the logarithms of the Jacobians.
        if self.r_hyperprior is not None:

            def log_density(x: float) -> float:
                r = below_bound(math.exp(x), self.r_hyperprior)
                return self.log_joint_at(r, self.p, distinct, counts) + x

            x = slice_sample(log_density, math.log(self.r), rng)
            self.r = below_bound(math.exp(x), self.r_hyperprior)
        if self.p_hyperprior is not None:

            def log_density(x: float) -> float:
                p = below_bound(float(expit(x)), self.p_hyperprior)
                if not 0 < p < 1:
                    return -math.inf
                log_joint = self.log_joint_at(self.r, p, distinct, counts)
                return log_joint + math.log(p) + math.log1p(-p)

            start = math.log(self.p) - math.log1p(-self.p)
            x = slice_sample(log_density, start, rng)
            self.p = below_bound(float(expit(x)), self.p_hyperprior)
        self.tabulate()

    def update_groups(self, groups, rng: np.random.Generator) -> None:
        """Update as `PartitionPrior` does, or do nothing for any groups if r and p are fixed."""
        if self.r_hyperprior is not None or self.p_hyperprior is not None:
            super().update_groups(groups, rng)

    def slide(self, sizes, rng: np.random.Generator) -> None:
        """Slice sample r with (r + 1) p held constant, if both r and p are sampled.

        Many small blocks determine that product well, but not r and p, so that updates of one at a
        time take hundreds of sweeps.
        """
        if self.r_hyperprior is None or self.p_hyperprior is None:
            return
        distinct, counts = size_counts(sizes)
        product = (self.r + 1) * self.p

        def log_density(x: float) -> float:
            r = below_bound(math.exp(x), self.r_hyperprior)
            p = below_bound(product / (r + 1), self.p_hyperprior)
            if not 0 < p < 1:
                return -math.inf
            # r p is the Jacobian of (r, p) with respect to the logarithms of r and the product.
            return self.log_joint_at(r, p, distinct, counts) + x + math.log(p)

        x = slice_sample(log_density, math.log(self.r), rng)
        self.r = below_bound(math.exp(x), self.r_hyperprior)
        self.p = below_bound(product / (self.r + 1), self.p_hyperprior)
        self.tabulate()


@prior("nbnb", title="NBNB", parameters={"reading": ("derived", "printed")})
class NBNB(NegativeBinomialSizes, KolchinPrior, PartitionPrior):
    """Microclustering prior with negative binomial block sizes.

    There are ``K ~ NegBin(a, q)`` blocks of sizes ``NegBin(r, p)``, all conditioned to be at least
    1.  An item joins a block of ``n`` others with weight ``n + r`` or opens a new one beside ``K``
    others with weight ``(K + a) beta r``, where ``beta = q (1-p)^r / (1 - (1-p)^r)``.

    Parameters
    ----------
    a, q : float, optional
        As for `NBD`.
    r, p : float
        Shape and success probability of the sizes; initial values if there is a hyperprior.
    r_hyperprior : GammaHyperprior, optional
    p_hyperprior : BetaHyperprior, optional
        Unless it is None, r or p is slice sampled after every sweep.
    reading : {"derived", "printed"}
        ``"printed"`` takes literally two formulas of the supplement that do not follow from its
        equation 13: the weight ``(K + a) beta`` of a new block, and ``Gamma(n - 1 + r)`` in
        equation 17.  A chain then does not sample the posterior; `log_prob` stays the same.

    Raises
    ------
    ConfigError
        If a parameter is out of range, or its hyperprior rules out the initial value.

    References
    ----------
    Zanella et al. (2016), section 3.1; supplement, equations 12 to 18.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.priors import NBNB
    >>> bool(NBNB().sample_sizes(500, np.random.default_rng(1)).max() < 50)
    True
    """

    def __init__(
        self,
        a: float | None = None,
        q: float | None = None,
        r: float = 1.0,
        p: float = 0.5,
        *,
        r_hyperprior: GammaHyperprior | None = R_HYPERPRIOR,
        p_hyperprior: BetaHyperprior | None = P_HYPERPRIOR,
        reading: str = "derived",
    ):
        super().__init__(a, q)
        self.hold_sizes(r, p, r_hyperprior, p_hyperprior)
        if reading not in ("derived", "printed"):
            raise ConfigError(f"reading is '{reading}'; choose 'derived' or 'printed'.")
        self.reading = reading

    def tabulate(self) -> None:
        log_open = self._log_beta(self.q)
        if self.reading == "derived":
            log_open += math.log(self.r)
        n = np.arange(self.n_items + 1.0)
        self.set_tables(np.log(n + self.r), np.log(n + self.a) + log_open)

    def _log_beta(self, q: float) -> float:
        return math.log(q) + self.r * math.log1p(-self.p) - log_truncation(self.r, self.p)

    def log_prob_sizes(self, distinct, counts) -> float:
        """Return the log probability of a sequence of sizes with these counts, given r and p."""
        return float((counts * log_size_law(distinct, self.r, self.p)).sum())

    def log_joint_at(self, r: float, p: float, distinct, counts) -> float:
        """Return the log density of r, p and sizes, up to a constant (equations 15, 17 and 18)."""
        blocks = list(zip(distinct.tolist(), counts.tolist(), strict=True))
        log_zero = r * math.log1p(-p)
        if log_zero == 0:
            return -math.inf
        less = 1 if self.reading == "printed" else 0
        k = sum(count for _, count in blocks)
        n = sum(size * count for size, count in blocks)
        found = self.log_hyperprior_at(r, p) + n * math.log(p)
        found += k * (log_zero - math.log(-math.expm1(log_zero)) - math.lgamma(r))
        return found + sum(count * math.lgamma(size - less + r) for size, count in blocks)

    def log_prob_n_blocks(self, n_items: int) -> np.ndarray:
        """Return the log probabilities of 1, 2, … blocks, given the number of items.

        Equation 13 is summed over the partitions into K blocks by the recursion ``S(n+1, K) = (n +
        K r) S(n, K) + r S(n, K-1)``, at the current r and p, in O(n_items^2).
        """
        a, q = self.n_blocks_law(n_items)
        k = np.arange(n_items + 1)
        log_sum = np.full(n_items + 1, -np.inf)
        log_sum[0] = 0.0
        for n in range(n_items):
            opened = log_sum[: n + 1] + math.log(self.r)
            joined = log_sum[1 : n + 2] + np.log(n + self.r * k[1 : n + 2])
            log_sum[1 : n + 2] = np.logaddexp(joined, opened)
            log_sum[0] = -np.inf
        value = (gammaln(k + a) + k * self._log_beta(q) + log_sum)[1:]
        return value - logsumexp(value)

    def draw_size_law(self, n_items: int, rng: np.random.Generator) -> np.ndarray:
        """Draw r and p if they are sampled, and return the law of the sizes given them."""
        return log_size_law(np.arange(1, n_items + 1), *self.draw_parameters(rng))

    def sample_sizes(self, n_items: int, rng: np.random.Generator) -> np.ndarray:
        """Draw the block sizes of `n_items` items as `KolchinPrior` does, or in a faster way."""
        fixed = self.r_hyperprior is None and self.p_hyperprior is None
        if fixed and math.exp(log_truncation(self.r, self.p)) > MIN_OCCUPIED:
            return self._sample_with_empty_blocks(*self.n_blocks_law(n_items), n_items, rng)
        return super().sample_sizes(n_items, rng)

    def _sample_with_empty_blocks(self, a, q, n_items, rng):
        """Draw from the same law, with another q, that is not conditioned on occupied blocks."""
        # A thinned negative binomial is negative binomial again.
        r, log_zero = self.r, self.r * math.log1p(-self.p)
        occupied = math.exp(log_truncation(r, self.p))
        log_ratio = math.log(q) + log_zero - math.log(occupied + q * math.exp(log_zero))
        top = 2 * n_items
        while True:
            k = np.arange(1, top + 1)
            log_weight = gammaln(k + a) - gammaln(k + 1) + k * log_ratio
            log_weight += gammaln(n_items + k * r)
            log_weight -= gammaln(k * r)
            log_weight -= log_weight.max()
            if log_weight[-1] < -NEGLIGIBLE:
                break
            top *= 2
        weight = np.exp(log_weight)
        n_blocks = rng.choice(k, p=weight / weight.sum())
        sizes = rng.multinomial(n_items, rng.dirichlet(np.full(n_blocks, r)))
        return sizes[sizes > 0]


def log_size_law(m: np.ndarray, r: float, p: float) -> np.ndarray:
    """Return the log probabilities of the sizes `m` under NegBin(r, p) on 1, 2, …"""
    untruncated = gammaln(m + r) - gammaln(r) - gammaln(m + 1) + m * math.log(p)
    return untruncated + r * math.log1p(-p) - log_truncation(r, p)


def _log_density(hyperprior, value: float) -> float:
    return 0.0 if hyperprior is None else hyperprior.log_density(value)
