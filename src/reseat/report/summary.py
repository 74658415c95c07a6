"""Facts for the sentences that summarise which claims and numbers of a paper held."""

from __future__ import annotations

from reseat.vocabulary import (
    AGREE,
    CLAIM_VERDICTS,
    CONFIRMED,
    DIFFER,
    NOT_COMPARABLE,
    NOT_CONVERGED,
    REFUTED,
    UNTESTABLE,
)

#: Number of claims that a sentence names.
NAMED = 2


def summary(score, claims, cells):
    """Return the facts in the summary of a paper.

    The result has `claims`, their number; for `confirmed` and `refuted` the `number` of claims and,
    as `named`, the first of them; `untestable`, their number; `agree`, `compared`, `unsettled` and
    `open`, counts of published numbers; and `why`, the most frequent reason for not comparing one.
    """
    by_verdict = {
        verdict: [claim for claim in claims if claim["verdict"] == verdict]
        for verdict in CLAIM_VERDICTS
    }
    counts = score["cells"]
    reasons = cells.loc[
        cells["counted"].eq(True) & cells["verdict"].eq(NOT_COMPARABLE), "why"
    ].value_counts()
    return {
        "claims": len(claims),
        **{
            verdict: {"number": len(by_verdict[verdict]), "named": by_verdict[verdict][:NAMED]}
            for verdict in (CONFIRMED, REFUTED)
        },
        "untestable": len(by_verdict[UNTESTABLE]),
        "agree": counts[AGREE],
        "compared": counts[AGREE] + counts[DIFFER],
        "unsettled": counts[NOT_CONVERGED],
        "open": counts[NOT_COMPARABLE],
        "why": str(reasons.index[0]) if len(reasons) else "",
    }
