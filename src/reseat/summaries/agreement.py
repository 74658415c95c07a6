"""Whether chains agree with one another, in words."""

from __future__ import annotations

import math

__all__ = ["rhat_in_words"]


def rhat_in_words(rhat):
    """Format an R-hat, rounded up so that one above a limit never looks equal to it.

    Parameters
    ----------
    rhat : float
        May be infinite, but not NaN.

    Returns
    -------
    str
        With two decimals, or the sign for infinity.

    Examples
    --------
    >>> rhat_in_words(1.0501)
    '1.06'
    """
    return "\N{INFINITY}" if math.isinf(rhat) else f"{math.ceil(round(100 * rhat, 6)) / 100:.2f}"
