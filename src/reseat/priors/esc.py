"""Exchangeable sequences of clusters: sizes are drawn until they add up to the number of items.

Given that they do, at ``N`` (the event ``E_N``), a partition with block sizes ``m_1 … m_K`` has the
joint probability ``K! / N!  prod_k m_k! mu_{m_k}``, integrated over the law ``mu`` of the sizes.  A
Kolchin partition (`reseat.priors.kolchin`) has ``K! P(K)`` in place of ``K!``, of which this is the
limit ``a = 1, q -> 1``.
"""

import math

import numpy as np
from scipy.special import betainc, gammaln

from reseat.priors.hyperpriors import BetaHyperprior, GammaHyperprior
from reseat.priors.kolchin import log_truncation
from reseat.priors.named import prior
from reseat.priors.nbd import NBD
from reseat.priors.nbnb import NBNB, P_HYPERPRIOR, R_HYPERPRIOR, NegativeBinomialSizes, log_size_law


class ExchangeableClusters:
    """Mixin, before the `KolchinPrior` that it turns into an exchangeable sequence of clusters."""

    def n_blocks_law(self, n_items: int) -> tuple[float, float]:
        """Return ``(1, 1)``, because no number of blocks is preferred."""
        return 1.0, 1.0

    def log_numbered_blocks(self, k: int) -> float:
        """Return the log of ``k!``, so that `log_prob` is joint with the event ``E_N``."""
        return gammaln(k + 1)


@prior("esc_nb", title="ESC-NB")
class ESCNB(ExchangeableClusters, NBNB):
    """ESC-NB: an exchangeable sequence of clusters of negative binomial sizes.

    The sizes are ``NegBin(r, p)``, conditioned to be at least 1.  An item joins a block of ``n``
    others with weight ``n + r`` or opens a new one beside ``K`` others with weight ``(K + 1) r
    (1-p)^r / (1 - (1-p)^r)``.  Given ``p``, this is `NBNB` with ``a = 1`` and another ``p``.

    Parameters
    ----------
    r, p, r_hyperprior, p_hyperprior
        As for `NBNB`.

    Raises
    ------
    ConfigError
        If r or p is out of range, or its hyperprior rules out the initial value.

    References
    ----------
    Betancourt, Zanella and Steorts (2022).

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.priors import ESCNB
    >>> bool(ESCNB().sample_sizes(500, np.random.default_rng(1)).max() < 50)
    True
    """

    def __init__(
        self,
        r: float = 1.0,
        p: float = 0.5,
        *,
        r_hyperprior: GammaHyperprior | None = R_HYPERPRIOR,
        p_hyperprior: BetaHyperprior | None = P_HYPERPRIOR,
    ):
        super().__init__(r=r, p=p, r_hyperprior=r_hyperprior, p_hyperprior=p_hyperprior)


@prior("esc_d", title="ESC-D", parameters={"alpha": "positive"})
class ESCD(ExchangeableClusters, NegativeBinomialSizes, NBD):
    """ESC-D: an exchangeable sequence of clusters whose sizes have a Dirichlet law.

    The law ``mu ~ Dirichlet(alpha mu0)`` is integrated out, where ``mu0`` is ``NegBin(r, p)``
    conditioned to be at least 1, with r and p sampled.  An item joins a block as under `NBD`, with
    ``s_m = alpha mu0_m``, or opens a new one beside ``K`` others with weight ``(K + 1) (s_1 + L_1)
    / (alpha + K)``.

    Parameters
    ----------
    alpha : float
        Concentration of the Dirichlet; not sampled.
    r, p, r_hyperprior, p_hyperprior
        As for `NBNB`.

    Raises
    ------
    ConfigError
        If a parameter is out of range, or its hyperprior rules out the initial value.

    References
    ----------
    Betancourt, Zanella and Steorts (2022).

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.priors import ESCD
    >>> bool(ESCD().sample_sizes(500, np.random.default_rng(1)).max() < 50)
    True
    """

    def __init__(
        self,
        alpha: float = 1.0,
        r: float = 1.0,
        p: float = 0.5,
        *,
        r_hyperprior: GammaHyperprior | None = R_HYPERPRIOR,
        p_hyperprior: BetaHyperprior | None = P_HYPERPRIOR,
    ):
        super().__init__(alpha=alpha)
        self.hold_sizes(r, p, r_hyperprior, p_hyperprior)

    def log_base(self, m) -> np.ndarray:
        """Return the log probabilities of the sizes `m` under the negative binomial law."""
        return log_size_law(np.asarray(m), self.r, self.p)

    def log_base_beyond(self, n: int) -> float:
        """Return the log probability of all sizes above `n` under the same law."""
        with np.errstate(divide="ignore"):
            return np.log(betainc(n + 1.0, self.r, self.p)) - log_truncation(self.r, self.p)

    def log_joint_at(self, r: float, p: float, distinct, counts) -> float:
        """Return the log density of r, p and sizes counted by `size_counts`, up to a constant."""
        if r * math.log1p(-p) == 0:
            return -math.inf
        return self.log_hyperprior_at(r, p) + self.log_urn(log_size_law(distinct, r, p), counts)

    def draw_size_law(self, n_items: int, rng: np.random.Generator) -> np.ndarray:
        """Draw r and p if they are sampled, then the law of the sizes given them."""
        r, p = self.draw_parameters(rng)
        return ESCD(self.alpha, r, p).draw_log_sizes([], n_items, rng)
