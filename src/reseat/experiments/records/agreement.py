"""When a number of Table 1 counts as reproduced.

The paper prints the number of clusters to one decimal and the error rates to two, each from one
data draw that is not public. A number agrees with ours

- if it is the number of clusters: within three standard errors of the difference (data and
  sampler), or within 1 %;
- if it is FNR or FDR: within 0.03, which leaves .005 to rounding and the rest to the one draw,
  whatever the standard error.

The posterior standard deviation of K and E[delta], printed with one or two digits, take no part.
"""

from __future__ import annotations

#: Columns of Table 1 that take part.
TABLE1_METRICS = ("E[K]", "FNR", "FDR")

#: Bounds of the rule: standard errors, share of the number of clusters, error rates.
STANDARD_ERRORS, SHARE, RATE = 3.0, 0.01, 0.03


def agrees(metric, difference, published, combined):
    """Whether a number agrees with the published one, by the rule of this module.

    Parameters
    ----------
    metric : {"E[K]", "FNR", "FDR"}
    difference : float
        Ours minus the published number.
    published : float
    combined : float
        Standard error of the difference; NaN if there is only one data draw.
    """
    gap = abs(difference)
    if metric == "E[K]":
        return bool(gap <= STANDARD_ERRORS * combined or gap <= SHARE * published)
    # A hair more, as .07 - .04 is not .03 in floating point.
    return bool(gap <= RATE + 1e-9)
