"""What every move does: check its parts, draw a place by weight."""

from libc.math cimport exp
from numpy.random cimport bitgen_t

from reseat.likelihoods._likelihood cimport NEGLIGIBLE, Likelihood
from reseat.partition cimport Partition
from reseat.priors._prior cimport PartitionPrior

cdef enum:
    NOWHERE = -1


cdef inline int check_parts(
    Partition partition, PartitionPrior prior, Likelihood likelihood
) except -1:
    """Raise ValueError if the three are not of the same items."""
    if prior.n_items != partition.n_items or likelihood.n_items != partition.n_items:
        raise ValueError(
            f"The partition has {partition.n_items} items, the prior was prepared for "
            f"{prior.n_items} and the likelihood holds {likelihood.n_items}."
        )
    return 0


cdef inline Py_ssize_t draw_place(
    double* weight, Py_ssize_t n, double best, bitgen_t* rng
) noexcept nogil:
    """A place below `n` by log weights of which `best` is the greatest; NOWHERE if all vanish.

    The weights are overwritten.
    """
    cdef double total = 0.0
    cdef double u
    cdef Py_ssize_t k
    for k in range(n):
        weight[k] -= best
        weight[k] = exp(weight[k]) if weight[k] > NEGLIGIBLE else 0.0
        total += weight[k]
    u = rng.next_double(rng.state) * total
    for k in range(n):
        u -= weight[k]
        if u < 0.0:
            return k
    # Rounding can leave u at zero after the last place: take the last with any weight.
    for k in range(n - 1, -1, -1):
        if weight[k] > 0.0:
            return k
    return NOWHERE
