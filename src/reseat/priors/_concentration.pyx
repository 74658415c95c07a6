"""Posterior draws of the concentration that several Dirichlet-process partitions share."""

import numpy as np
from scipy.special import betaln

from reseat.checks import check_start

from libc.float cimport DBL_MIN
from libc.math cimport INFINITY, fmax, lgamma, log
from numpy.random cimport bitgen_t
from numpy.random.c_distributions cimport random_beta, random_standard_gamma

from reseat.generators cimport draw_place, source_of

# Number of steps that move the tilt towards the bulk of the weights.  They only have to keep the
# numbers in range, so they need not converge.
cdef enum:
    TILT_STEPS = 20


def sample_concentration(double concentration, n_items, n_blocks, hyperprior, rng):
    """Draw the concentration shared by several Dirichlet-process partitions.

    Beta auxiliary variables make the posterior a mixture of gammas with elementary symmetric
    polynomials of the ``n_items`` as weights, summed exactly in O(M^2), or West's method if M = 1.
    Under a truncated hyperprior, the concentration is slice sampled.

    Parameters
    ----------
    concentration : float
        Current value.
    n_items, n_blocks : sequence of int, length M
        Numbers of items and of blocks of each partition.
    hyperprior : GammaHyperprior
    rng : numpy.random.Generator

    Raises
    ------
    ValueError
        If the current value is outside the support of its hyperprior, or a partition is empty.

    References
    ----------
    Escobar and West (1995), section 6; Daumé and Marcu (2005), appendix B, equation 6 corrected.
    """
    # Checked here, because the C distributions accept any arguments and return some number.
    if not 0 < concentration < INFINITY:
        raise ValueError(f"The concentration is {concentration}; it must be positive and finite.")
    items, blocks = np.array(n_items, dtype=float), np.asarray(n_blocks)
    if not (items.ndim == 1 and items.shape == blocks.shape and items.size):
        raise ValueError("Give the numbers of items and of blocks of one partition or more.")
    if not (1 <= items.min() <= items.max() < INFINITY and blocks.min() >= 1):
        raise ValueError("Every partition needs at least one item and one block.")
    total = blocks.sum()
    if hyperprior.upper is not None:
        check_start("concentration", concentration, hyperprior)
        # Beta functions, because for a large alpha the two gamma functions nearly cancel.
        return hyperprior.resample(
            concentration,
            lambda alpha: total * np.log(alpha) + betaln(alpha, items).sum(),
            rng,
        )
    cdef double[::1] n = items
    cdef Py_ssize_t size = n.shape[0], m
    cdef double base = hyperprior.shape - size + total
    cdef double rate = hyperprior.rate
    cdef double[::1] law = np.empty(size + 1)
    cdef bitgen_t* source = source_of(rng)
    with rng.bit_generator.lock, nogil:
        for m in range(size):
            rate -= log(random_beta(source, concentration + 1, n[m]))
        base += draw_successes(&n[0], size, base, rate, concentration, &law[0], source)
        # A draw can underflow when the shape is tiny, but a concentration must be positive.
        concentration = fmax(random_standard_gamma(source, base) / rate, DBL_MIN)
    return concentration


def law_of_successes(n, double tilt):
    """Return the law of the number of successes in independent trials of odds ``tilt : n[m]``.

    Entry s is proportional to ``tilt^s e_{M-s}(n)``, an elementary symmetric polynomial.
    """
    cdef double[::1] trials = np.array(n, dtype=float)
    cdef double[::1] law = np.empty(trials.shape[0] + 1)
    fill_law(&trials[0], trials.shape[0], tilt, &law[0])
    return np.asarray(law)


cdef Py_ssize_t draw_successes(
    const double* n, Py_ssize_t size, double base, double rate, double tilt, double* weight,
    bitgen_t* rng,
) noexcept nogil:
    """Draw a component of the mixture, which is the number to be added to the shape."""
    cdef Py_ssize_t s, m, _step
    cdef double expected, scale, best
    # prod_m (alpha + n_m) = sum_s alpha^s e_{M-s}(n).  The bulk of the tilted law is that of the
    # weights if the tilt is close to the concentration that will be drawn.
    for _step in range(min(size, TILT_STEPS)):
        expected = base
        for m in range(size):
            expected += tilt / (tilt + n[m])
        tilt = expected / rate
    fill_law(n, size, tilt, weight)
    scale = log(rate * tilt)
    for s in range(size + 1):
        weight[s] = log(weight[s]) + lgamma(base + s) - s * scale
    best = weight[0]
    for s in range(1, size + 1):
        best = fmax(best, weight[s])
    return draw_place(weight, size + 1, best, rng)


cdef void fill_law(const double* n, Py_ssize_t size, double tilt, double* law) noexcept nogil:
    """Write `law_of_successes` to the size + 1 entries of `law`, one trial after the other."""
    cdef Py_ssize_t m, s
    cdef double hit, miss
    law[0] = 1.0
    for m in range(size):
        hit, miss = tilt / (tilt + n[m]), n[m] / (tilt + n[m])
        law[m + 1] = law[m] * hit
        for s in range(m, 0, -1):
            law[s] = law[s] * miss + law[s - 1] * hit
        law[0] *= miss
