"""Draws from the generalised inverse Gaussian distribution, which numpy does not have."""

import numpy as np

from libc.math cimport cosh, exp, expm1, fmin, log, sinh, sqrt
from numpy.random cimport bitgen_t
from numpy.random.c_distributions cimport random_standard_gamma

from reseat.generators cimport source_of


cdef double draw_precision(double nu, double beta, double chi, bitgen_t* rng) noexcept nogil:
    """Draw from the density proportional to ``t^(nu-1) exp(-beta t - chi / t)``, nu > 0."""
    # For chi > 0, by the rejection of Devroye (2014) on the log scale, under exponential tails.
    cdef double omega2, root, alpha, t, s, height, eta, zeta, theta, xi, left, right, total
    cdef double u, x, cap
    if chi <= 0.0:
        return random_standard_gamma(rng, nu) / beta
    omega2 = 4 * beta * chi
    root = sqrt(omega2 + nu * nu)
    alpha = omega2 / (root + nu)    # root - nu, without cancellation
    height = alpha * (cosh(1.0) - 1) + nu * (exp(1.0) - 2)
    if height > 2:
        t = sqrt(2 / (alpha + nu))
    else:
        t = 1.0 if height >= 0.5 else log(4 / (alpha + 2 * nu))
    height = alpha * (cosh(1.0) - 1) + nu * exp(-1.0)
    if height > 2:
        s = sqrt(4 / (alpha * cosh(1.0) + nu))
    elif height >= 0.5:
        s = 1.0
    else:
        s = fmin(1 / nu, log(1 + 1 / alpha + sqrt(1 / (alpha * alpha) + 2 / alpha)))
    eta, zeta = -_log_bell(t, alpha, nu), alpha * sinh(t) + nu * expm1(t)
    theta, xi = -_log_bell(-s, alpha, nu), alpha * sinh(s) - nu * expm1(-s)
    right, left = t - eta / zeta, s - theta / xi    # where the flat part of the roof ends
    total = left + right + 1 / zeta + 1 / xi
    while True:
        u = total * rng.next_double(rng.state)
        if u < left + right:
            x = u - left
            cap = 1.0
        elif u < left + right + 1 / zeta:
            x = right - log(1 - rng.next_double(rng.state)) / zeta
            cap = exp(-eta - zeta * (x - t))
        else:
            x = -left + log(1 - rng.next_double(rng.state)) / xi
            cap = exp(-theta + xi * (x + s))
        if rng.next_double(rng.state) * cap <= exp(_log_bell(x, alpha, nu)):
            return (nu + root) / (2 * beta) * exp(x)


cdef inline double _log_bell(double x, double alpha, double nu) noexcept nogil:
    return -alpha * (cosh(x) - 1) - nu * (expm1(x) - x)


def draw_precisions(nu, beta, chi, rng):
    """Draw as `draw_precision` does, with the three parameters broadcast against each other."""
    cdef bitgen_t* source = source_of(rng)
    parameters = np.broadcast(nu, beta, chi)
    with rng.bit_generator.lock:
        drawn = [draw_precision(a, b, c, source) for a, b, c in parameters]
    return np.reshape(drawn, parameters.shape)
