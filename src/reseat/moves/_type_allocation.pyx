"""Sequential allocation of items to two types."""

import numpy as np

from libc.math cimport exp, log, log1p
from numpy.random cimport bitgen_t

from reseat.generators cimport source_of


cdef inline double log_one_plus(double x) noexcept nogil:
    """Return the log of 1 + exp(x), without overflow."""
    return x + log1p(exp(-x)) if x > 0 else log1p(exp(x))


cdef struct Side:
    double n
    double* rest        # [feature] sum of the squared residuals of its items
    double* estimate    # [feature] estimate of the precision
    double log_scale    # log density of an item with residual 0, up to a constant


def allocate(
    const double[:, ::1] squares, const double[::1] half, const double[::1] shape,
    const double[::1] rate, const Py_ssize_t[::1] order, int[::1] sides, bint back, rng,
):
    """Allocate items to one of two sides, each with the weights given the items before it.

    The first two items of `order`, which has rows of `squares` (squared residuals by feature), go
    to the sides 0 and 1. The weight of a side is its number of items times the normal density of
    the residuals given the posterior mean of its precisions, which have gamma priors. `half` is
    half the number of coordinates of each feature. Return the log probability of `sides`, which are
    filled in unless they are given (`back`).
    """
    cdef Py_ssize_t n_features = half.shape[0], place, item, f
    cdef double[:, ::1] room = np.zeros((4, n_features))
    cdef bitgen_t* source = source_of(rng)
    cdef Side[2] side
    cdef double gap, product, alike, total = 0.0
    cdef int s
    for s in range(2):
        side[s].n = side[s].log_scale = 0.0
        side[s].rest, side[s].estimate = &room[s, 0], &room[2 + s, 0]
    with rng.bit_generator.lock, nogil:
        for place in range(order.shape[0]):
            item = order[place]
            if place < 2:
                sides[item] = <int> place
            else:
                gap = log(side[1].n / side[0].n) + side[1].log_scale - side[0].log_scale
                for f in range(n_features):
                    gap -= (side[1].estimate[f] - side[0].estimate[f]) * squares[item, f] / 2
                if not back:
                    sides[item] = source.next_double(source.state) * (1 + exp(-gap)) < 1
                total -= log_one_plus(-gap if sides[item] else gap)
            s = sides[item]
            side[s].n += 1
            side[s].log_scale = 0.0
            product, alike = 1.0, half[0]
            for f in range(n_features):
                side[s].rest[f] += squares[item, f]
                side[s].estimate[f] = (
                    (shape[f] + side[s].n * half[f]) / (rate[f] + side[s].rest[f] / 2)
                )
                # Take one logarithm for consecutive features of one width, as long as their product
                # neither overflows nor underflows.
                if half[f] != alike or not 1e-140 < product < 1e140:
                    side[s].log_scale += alike * log(product)
                    product, alike = 1.0, half[f]
                product *= side[s].estimate[f]
            side[s].log_scale += alike * log(product)
    return total
