"""Partition priors, each with an independent formula of its log probability."""

import exact
import numpy as np

from reseat.priors import ESCD, ESCNB, NBD, NBNB, SampledNBD

A, Q, R, P = 1.3, 0.8, 0.7, 0.4


def nbnb(a=A, q=Q, r=R, p=P, **options):
    """Return an NBNB prior with all parameters fixed."""
    return NBNB(a, q, r, p, r_hyperprior=None, p_hyperprior=None, **options)


def esc_nb(r=R, p=P):
    """Return an ESC-NB prior with all parameters fixed."""
    return ESCNB(r, p, r_hyperprior=None, p_hyperprior=None)


def esc_d(alpha=1.0, r=R, p=P):
    """Return an ESC-D prior with all parameters fixed."""
    return ESCD(alpha, r, p, r_hyperprior=None, p_hyperprior=None)


def process(concentration, discount):
    """Return the log probability, by seating the items, as a function of the block sizes."""
    return lambda sizes: exact.log_pitman_yor(
        np.repeat(np.arange(len(sizes)), sizes), concentration, discount
    )


# Each prior with its log probability as a function of the block sizes.
LAWS = {
    "nbnb": (nbnb, lambda sizes: exact.log_nbnb(sizes, A, Q, R, P)),
    "nbnb, few empty blocks": (
        lambda: nbnb(0.6, 0.5, 4.0, 0.6),
        lambda sizes: exact.log_nbnb(sizes, 0.6, 0.5, 4.0, 0.6),
    ),
    "nbd": (lambda: NBD(A, Q), lambda sizes: exact.log_nbd(sizes, A, Q, 1.0, 0.5)),
    "nbd, informed": (
        lambda: NBD(A, Q, 6.0, 0.3),
        lambda sizes: exact.log_nbd(sizes, A, Q, 6.0, 0.3),
    ),
    "esc-nb": (esc_nb, lambda sizes: exact.log_esc_nb(sizes, R, P)),
    "esc-d": (esc_d, lambda sizes: exact.log_esc_d(sizes, 1.0, R, P)),
    "esc-d, informed": (
        lambda: esc_d(6.0, 3.0, 0.6),
        lambda sizes: exact.log_esc_d(sizes, 6.0, 3.0, 0.6),
    ),
}

# The law of the sizes is sampled between the sweeps, which integrates it out in the long run.
SAMPLED_SIZES = (
    lambda: SampledNBD(A, Q, 6.0, 0.3),
    lambda sizes: exact.log_nbd(sizes, A, Q, 6.0, 0.3),
)
