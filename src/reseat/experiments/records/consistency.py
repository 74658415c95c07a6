"""Can the error rates of a row and its number of clusters belong to the same partitions?

N items in K clusters have at least N - K linked pairs. Of these at most (1 - FNR) P are true, P
being the number of true pairs, so that FDR is at least 1 - (1 - FNR) P / (N - K). For posterior
means this holds as nearly as K varies little beside N - K.
"""

from __future__ import annotations

from reseat.datasets.identity import UNCOMPARED
from reseat.experiments.records.evidence import CLAIMS
from reseat.experiments.records.results import MODELS, SETS, of_model
from reseat.experiments.verdicts import CONFIRMED, REFUTED

#: Records, and pairs of records of one entity, of each set of the paper (sizes of section 4.1).
ITEMS = {"italy": 789, "nltcs5000": 5000, "syria2000": 2000, "syriasizes": 6700}
TRUE_PAIRS = {"italy": 202, "nltcs5000": 2475, "syria2000": 288, "syriasizes": 4010}

#: Half a unit of the last digit printed; and what is left to the spread of K in our own means.
ROUNDING, SLACK = 0.005, 0.01


def least_false_discovery_rate(n_items, n_pairs, n_clusters, fnr):
    """Smallest FDR that `n_clusters` clusters of `n_items` items can have at that FNR."""
    linked = n_items - n_clusters
    return max(0.0, 1.0 - (1.0 - fnr) * n_pairs / linked) if linked > 0 else 0.0


def mic18_printed(published):
    """Number of rows of Table 1 that no partitions can have, rounding allowed for."""
    excess = {}
    for role, delta in published.cells():
        for system in MODELS.values():
            e_k, fnr, fdr = (
                published.table1[role, delta, system, metric] for metric in ("E[K]", "FNR", "FDR")
            )
            bound = least_false_discovery_rate(
                ITEMS[role], TRUE_PAIRS[role], e_k, max(0.0, fnr - ROUNDING)
            )
            if bound > fdr + ROUNDING:
                excess[role, delta, system] = (bound - fdr, bound, fdr)
    n_rows = len(published.cells()) * len(MODELS)
    text = f"Table 1: {len(excess)} of {n_rows} rows (the effect) print an FDR that is too small"
    for role, name in SETS.items():
        of_role = {cell: found for cell, found in excess.items() if cell[0] == role}
        if of_role:
            cell, (_excess, bound, fdr) = max(of_role.items(), key=lambda item: item[1])
            text += (
                f"; {name} {len(of_role)}, worst {cell[2]} at {cell[1]:g} (at least {bound:.2f}, "
                f"printed {fdr:.2f})"
            )
    return CLAIMS.printed("MIC-18", not excess, len(excess), f"{text}.")


def mic18(evidence):
    """The same of our own posteriors, on every data draw of the paper's recipes."""
    checked, impossible = 0, 0
    roles = [role for role in SETS if evidence.status(role) not in (None, *UNCOMPARED)]
    for role in roles:
        rows = evidence.rows(role)
        for model in MODELS:
            found = {
                name: of_model(rows, model, name).set_index("dataset")["mean"]
                for name in ("n_clusters", "fnr", "fdr")
            }
            for dataset, n_clusters in found["n_clusters"].items():
                if dataset in found["fnr"] and dataset in found["fdr"]:
                    bound = least_false_discovery_rate(
                        ITEMS[role], TRUE_PAIRS[role], n_clusters, found["fnr"][dataset]
                    )
                    checked += 1
                    impossible += bound > found["fdr"][dataset] + SLACK
    if not checked:
        return CLAIMS.untested("MIC-18", "no draw of the paper's recipes was run.")
    text = (
        f"{evidence.where(roles)}: {impossible} of our {checked} posteriors (the effect) break "
        "the bound."
    )
    verdict = REFUTED if impossible else CONFIRMED
    return CLAIMS.row("MIC-18", verdict, *(float(impossible),) * 3, text)
