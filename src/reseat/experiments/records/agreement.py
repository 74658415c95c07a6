"""Rule that decides when a number of Table 1 counts as reproduced.

The paper prints the number of clusters to one decimal and the error rates to two, each from a
single data draw that is not public. A printed number agrees with ours

- if it is the number of clusters: within three standard errors of the difference (data and
  sampler), or within 1 %;
- if it is FNR or FDR: within 0.03, whatever the standard error; .005 of this allows for rounding
  and the rest for the variation between data draws.

The posterior standard deviation of K, of which few effective draws say little, and E[delta], which
is printed with one or two digits, are not compared.
"""

from __future__ import annotations

#: Columns of Table 1 that are compared.
TABLE1_METRICS = ("E[K]", "FNR", "FDR")

#: Limits of the rule: the number of standard errors, the share of the number of clusters, and the
#: difference of an error rate.
STANDARD_ERRORS, SHARE, RATE = 3.0, 0.01, 0.03


def agrees(metric, difference, published, combined):
    """Return whether a number agrees with the published one, by the rule of this module.

    `difference` is ours minus the published number, and `combined` its standard error, NaN if there
    is only one data draw.
    """
    gap = abs(difference)
    if metric == "E[K]":
        return bool(gap <= STANDARD_ERRORS * combined or gap <= SHARE * published)
    # A small margin is added because .07 - .04 exceeds .03 in floating point.
    return bool(gap <= RATE + 1e-9)
