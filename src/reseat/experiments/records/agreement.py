"""When a row of Table 1 counts as reproduced, and how many do.

The paper prints the number of clusters to one decimal and the error rates to two, each from one
data draw that is not public. A number agrees with ours

- if it is the number of clusters: within three standard errors of the difference (data and
  sampler), or within 1 %;
- if it is FNR or FDR: within 0.03, which leaves .005 to rounding and the rest to the one draw.

A row (set, delta, prior) agrees if E[K], FNR and FDR all do. The posterior standard deviation of K
and E[delta], printed with one or two digits, take no part.
"""

from __future__ import annotations

import pandas as pd

#: Columns of Table 1 that must agree for a row to agree.
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


def row_agreement(table):
    """Which rows of Table 1 agree.

    Parameters
    ----------
    table : pandas.DataFrame
        From `table1`.

    Returns
    -------
    pandas.DataFrame
        One row a (variant, system) with published numbers: `role`, `dataset`, `status`, `system`,
        a boolean for each of :data:`TABLE1_METRICS`, and `agrees`. On a stand-in the same rule is
        applied, but says how near the stand-in comes, not whether the paper is reproduced.
    """
    table = table[table["metric"].isin(TABLE1_METRICS) & table["published"].notna()]
    rows = []
    keys = ["role", "dataset", "status", "system"]
    for values, part in table.groupby(keys, sort=False):
        found = {
            row.metric: agrees(row.metric, row.difference, row.published, row.combined)
            for row in part.itertuples(index=False)
        }
        found = {metric: found.get(metric, False) for metric in TABLE1_METRICS}
        rows.append(dict(zip(keys, values, strict=True)) | found | {"agrees": all(found.values())})
    return pd.DataFrame(rows, columns=[*keys, *TABLE1_METRICS, "agrees"])


def count_agreement(table):
    """How many rows of Table 1 agree, for each set.

    Parameters
    ----------
    table : pandas.DataFrame
        From `table1`.

    Returns
    -------
    pandas.DataFrame
        One row a set: `artefact`, `role`, `status`, `counts_as` (``agreement`` on the paper's own
        recipes, ``gap`` on stand-ins and generated data), `rows`, a count for each of
        :data:`TABLE1_METRICS`, and `agree`, the rows in which all three agree.
    """
    found = row_agreement(table)
    rows = []
    for (role, status), part in found.groupby(["role", "status"], sort=False):
        rows.append(
            {
                "artefact": table["artefact"].iloc[0],
                "role": role,
                "status": status,
                "counts_as": "agreement" if status == "faithful" else "gap",
                "rows": len(part),
                **{metric: int(part[metric].sum()) for metric in TABLE1_METRICS},
                "agree": int(part["agrees"].sum()),
            }
        )
    return pd.DataFrame(rows)
