"""Check whether the error rates and the number of clusters of a row are compatible.

N items in K clusters have at least N - K linked pairs. At most (1 - FNR) P of these are true, where
P is the number of true pairs, so that FDR is at least 1 - (1 - FNR) P / (N - K). For posterior
means the bound holds approximately, and the better, the less K varies relative to N - K.
"""

from __future__ import annotations

from reseat.experiments.records.evidence import CLAIMS
from reseat.experiments.records.results import MODELS, SETS

#: Number of records, and of pairs of records of the same entity, in each set of the paper
#: (section 4.1).
ITEMS = {"italy": 789, "nltcs5000": 5000, "syria2000": 2000, "syriasizes": 6700}
TRUE_PAIRS = {"italy": 202, "nltcs5000": 2475, "syria2000": 288, "syriasizes": 4010}

#: Metrics of a row that the bound relates to each other.
BOUND = ("E[K]", "FNR", "FDR")

#: Half a unit of the last digit printed.
ROUNDING = 0.005


def least_false_discovery_rate(n_items, n_pairs, n_clusters, fnr):
    """Return the smallest FDR that `n_clusters` clusters of `n_items` items can have at an FNR."""
    linked = n_items - n_clusters
    return max(0.0, 1.0 - (1.0 - fnr) * n_pairs / linked) if linked > 0 else 0.0


def impossible_rows(table1):
    """Return the rows of Table 1 that no partitions can have, even allowing for rounding.

    Each (role, delta, system) is mapped to the smallest FDR that the row's E[K] and FNR allow, and
    to the printed FDR.
    """
    found = {}
    for role, delta, system in dict.fromkeys(cell[:3] for cell in table1):
        row = [table1.get((role, delta, system, metric)) for metric in BOUND]
        if role not in ITEMS or None in row:
            continue
        e_k, fnr, fdr = row
        bound = least_false_discovery_rate(
            ITEMS[role], TRUE_PAIRS[role], e_k, max(0.0, fnr - ROUNDING)
        )
        if bound > fdr + ROUNDING:
            found[role, delta, system] = (bound, fdr)
    return found


def mic18_printed(published):
    """Judge MIC-18 by the number of rows of Table 1 that no partitions can have."""
    impossible = impossible_rows(published.table1)
    n_rows = len(published.cells()) * len(MODELS)
    text = (
        f"Table 1: {len(impossible)} of {n_rows} rows (the effect) print an FDR that is too small"
    )
    for role, name in SETS.items():
        of_role = {cell: found for cell, found in impossible.items() if cell[0] == role}
        if of_role:
            cell, (bound, fdr) = max(of_role.items(), key=lambda item: item[1][0] - item[1][1])
            text += (
                f"; {name} {len(of_role)}, worst {cell[2]} at {cell[1]:g} (at least {bound:.2f}, "
                f"printed {fdr:.2f})"
            )
    return CLAIMS.printed("MIC-18", not impossible, len(impossible), f"{text}.")
