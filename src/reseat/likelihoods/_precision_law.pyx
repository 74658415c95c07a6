"""Laws of the precisions of a type given the means: gamma or generalised inverse Gaussian."""

import numpy as np

from libc.math cimport lgamma

from reseat.checks import check_positive
from reseat.errors import ConfigError

from reseat.likelihoods._log_bessel cimport LogBessel

KINDS = ("fixed", "between", "within", "covariance", "precision")
PAIRS = ("sum", "mean", "within_block")


cdef class PrecisionLaw:
    """Density ``t^(a-1) exp(-b t - chi / t) / Z`` of the precision of a feature.

    ``S`` is the sum of the squared distances of the means of all pairs of blocks in that feature.

    ============  =====================================================
    kind          a, b, chi
    ============  =====================================================
    fixed         `shape`, `rate`, 0
    between       matched to the squared distances of the means, 0
    within        matched to the variances within blocks, 0
    covariance    `shape`, `rate`, `strength` S
    precision     `shape`, `rate` + `strength` S, 0
    ============  =====================================================

    ``between`` and ``within`` are gamma distributions with mean ``m / 2`` and variance ``v``, where
    m and v are the mean and the variance of the squared distances (or of the sample variances of
    blocks of several items); if these are fewer than three, or m or v is 0, a and b are 1.

    Parameters
    ----------
    kind : {"fixed", "between", "within", "covariance", "precision"}
    shape, rate : float
        Shape a and rate b, as in the table.
    strength : float
        Lambda, the weight of the distances in the last two kinds.
    pairs : {"sum", "mean", "within_block"}
        Whether S is this sum, is divided by the number of pairs, or is only over pairs of a group.

    Raises
    ------
    ConfigError
        If a name is unknown, a number is not positive and finite, or `shape` is too large for
        ``covariance``.

    References
    ----------
    Daume and Marcu (2005), sections 4.1, 5.1 and 5.2 (eq. 3).

    Examples
    --------
    >>> from reseat.likelihoods import CollapsedPrecisions, GaussianReferences, PrecisionLaw
    >>> law = PrecisionLaw("precision", shape=1.0, rate=1.0, strength=0.5)
    >>> types = CollapsedPrecisions(GaussianReferences([[0.3], [0.5], [-3.0]]), law)
    """

    def __init__(self, kind="fixed", shape=1.0, rate=1.0, strength=1.0, pairs="sum"):
        for name, value, known in (("kind", kind, KINDS), ("pairs", pairs, PAIRS)):
            if value not in known:
                raise ConfigError(f"{name} is {value!r}; it must be one of {known}.")
        for name, value in (("shape", shape), ("rate", rate), ("strength", strength)):
            check_positive(name, value)
        self.kind, self.pairs, self.code = kind, pairs, KINDS.index(kind)
        self.averages = pairs == "mean"
        self.change(shape, rate, strength)
        if kind == "covariance":
            self._bessel = LogBessel(shape)
            self.bessel = &self._bessel.table

    def change(self, double shape, double rate, double strength):
        """Change the parameters; likelihoods that follow the law must be conditioned anew.

        The shape of ``covariance`` stays, because its Bessel function is tabulated.
        """
        self.shape, self.rate, self.strength = shape, rate, strength
        self.log_rate, self.log_gamma = np.log(rate), lgamma(shape)

    @property
    def depends_on_means(self):
        """Whether the law changes with the means of the blocks."""
        return self.kind not in ("fixed", "within")
