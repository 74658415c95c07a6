"""Do the paper's claims hold in the paper's own printed numbers?"""

from __future__ import annotations

import numpy as np

from reseat.experiments.documents.contingency import (
    LARGEST,
    SPLIT_CLASSES,
    minor_share,
    shape_statistics,
)
from reseat.experiments.documents.evidence import CLAIMS, EVEN, LITTLE, MOST
from reseat.experiments.documents.results import METRICS, ROLES, SUMMARIES
from reseat.experiments.verdicts import claims_table


def evaluate_printed(evidence):
    """Judge DOC-1, 2, 3, 7 and 8 on the published tables alone.

    There are no intervals, since the paper prints no spread.
    """
    found = evidence.published
    rows = [_doc1(found.methods), _doc2(found.summaries), _doc3(found.summaries)]
    return claims_table([*rows, _doc7(found.table7), _doc8(found.table7)])


def _doc1(methods):
    leads = {
        (role, m.name): m.better * (table["Gibbs", m.name] - table["EM", m.name])
        for role, table in methods.items()
        for m in METRICS
    }
    (role, name), smallest = min(leads.items(), key=lambda item: item[1])
    ahead = sum(lead > 0 for lead in leads.values())
    text = (
        f"Tables 4 to 6: Gibbs is ahead in {ahead} of {len(leads)} cells; smallest lead {name} on "
        f"{role}. Its row takes the best summary metric by metric, not one configuration."
    )
    return CLAIMS.printed("DOC-1", ahead == len(leads), smallest, text)


def _doc2(summaries):
    spread = {
        role: np.ptp([table[printed, "F-Measure"] for printed, _key in SUMMARIES])
        for role, table in summaries.items()
    }
    role, largest = max(spread.items(), key=lambda item: item[1])
    text = f"Tables 1 to 3: the largest difference in F is {largest:.4f}, on {role}."
    return CLAIMS.printed("DOC-2", largest < LITTLE, float(largest), text)


def _doc3(summaries):
    wins = {
        role: sum(
            m.better * (summaries[role]["Marginal", m.name] - summaries[role]["MAP", m.name]) > 0
            for m in METRICS
        )
        for role in ROLES
    }
    outside = [wins[role] for role in ROLES if role != "enron"]
    share = sum(outside) / (len(outside) * len(METRICS))
    counts = ", ".join(f"{wins[role]} on {role}" for role in ROLES)
    text = (
        f"Tables 1 to 3: against MAP the marginal summary wins {counts} of {len(METRICS)} metrics; "
        "the effect is the share of wins outside Enron."
    )
    holds = share > 0.5 and wins["enron"] / len(METRICS) < 0.5
    return CLAIMS.printed("DOC-3", holds, share, text)


def _counts(table7):
    clusters = sorted({cluster for cluster, _class in table7})
    classes = sorted({name for _cluster, name in table7})
    counts = np.array([[table7[k, c] for c in classes] for k in clusters])
    return counts, classes


def _doc7(table7):
    counts, _classes = _counts(table7)
    shape = shape_statistics(counts.sum(axis=1))
    share = shape[f"share of the {LARGEST} largest"]
    text = (
        f"Table 7: {share:.1%} of its {counts.sum():.0f} documents lie in the {LARGEST} largest "
        f"clusters; exp H(K) = {shape['exp H(K)']:.1f}. The smallest clusters are left out of the "
        "printed table."
    )
    return CLAIMS.printed("DOC-7", share > MOST, share, text)


def _doc8(table7):
    counts, classes = _counts(table7)
    shares, parts = [], []
    for label in SPLIT_CLASSES:
        column = counts[:, classes.index(label)]
        first, second = np.sort(column)[::-1][:2]
        shares.append(minor_share(column))
        parts.append(f"{label} {first:.0f}/{second:.0f} ({shares[-1]:.2f})")
    text = f"Table 7: {', '.join(parts)}; the number is the smaller part's share of the two."
    return CLAIMS.printed("DOC-8", min(shares) > EVEN, min(shares), text)
