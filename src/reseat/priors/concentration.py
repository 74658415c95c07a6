"""The expected number of blocks for a given concentration, and the inverse."""

from __future__ import annotations

import numpy as np
import scipy

from reseat.checks import check_between, check_whole
from reseat.errors import ConfigError

__all__ = ["expected_blocks", "solve_concentration"]

#: Bounds of the search for a solution, as logarithms of concentration + discount.
BRACKET = (-700.0, 700.0)


def expected_blocks(n_items: int, concentration: float, discount: float = 0.0) -> float:
    """Return the prior mean of the number of blocks of a Dirichlet or Pitman–Yor process.

    Parameters
    ----------
    n_items : int
    concentration : float
        At least ``-discount``.
    discount : float
        In ``[0, 1)``; 0 is the Dirichlet process.

    Returns
    -------
    float

    Raises
    ------
    ConfigError
        If a parameter is out of range.

    References
    ----------
    Pitman (2006), section 3.3.
    """
    n_items = check_whole("n_items", n_items, 1)
    discount = check_between("discount", discount, 0, 1, "[)")
    concentration = check_between(
        "concentration", concentration, 0.0 - discount, ends="[)", hint=", minus the discount"
    )
    i = np.arange(1, n_items)
    if discount == 0:
        return float(1 + np.sum(concentration / (concentration + i)))
    # On average, each item multiplies theta + d K by 1 + d / (theta + i).
    growth = np.log1p(discount / (concentration + i)).sum()
    return float(np.exp(growth) + concentration / discount * np.expm1(growth))


def solve_concentration(n_items: int, n_blocks: float, discount: float = 0.0) -> float:
    """Return the concentration for which the expected number of blocks is `n_blocks`.

    Parameters
    ----------
    n_items : int
    n_blocks : float
        Strictly between 1 and `n_items`.
    discount : float
        In ``[0, 1)``; 0 is the Dirichlet process.

    Returns
    -------
    float
        Above ``-discount``.

    Raises
    ------
    ConfigError
        If no concentration has that mean, or a parameter is out of range.
    """
    discount = check_between("discount", discount, 0, 1, "[)")
    n_items = check_whole("n_items", n_items, 1)
    if not 1 < n_blocks < n_items:
        raise ConfigError(
            f"No concentration gives {n_items} items {n_blocks:g} blocks on average; request more "
            f"than 1 and fewer than {n_items}."
        )
    found = scipy.optimize.brentq(
        lambda x: expected_blocks(n_items, np.exp(x) - discount, discount) - n_blocks, *BRACKET
    )
    return float(np.exp(found) - discount)
