"""What held and what did not, in three sentences that are made from the verdicts."""

from __future__ import annotations

from reseat.report.comparison import AGREE, DIFFER, NOT_COMPARABLE, NOT_CONVERGED

#: Claims that a sentence names.
NAMED = 2


def summary(score, claims, cells):
    """What the sentences about a paper say.

    Parameters
    ----------
    score : dict
        From `ReportData.score`.
    claims : list of dict
        Of the paper, from `claim_views`.
    cells : pandas.DataFrame
        Its rows of ``comparison.csv``.

    Returns
    -------
    dict
        `claims`, how many; for `confirmed` and `refuted` how many and, as `named`, the first of
        them; `untestable`; `agree`, `compared`, `unsettled` and `open`, numbers of published
        numbers; and `why`, the most frequent reason not to compare one.
    """
    by_verdict = {
        verdict: [claim for claim in claims if claim["verdict"] == verdict]
        for verdict in ("confirmed", "refuted", "untestable")
    }
    counts = score["cells"]
    reasons = cells.loc[
        cells["counted"].eq(True) & cells["verdict"].eq(NOT_COMPARABLE), "why"
    ].value_counts()
    return {
        "claims": len(claims),
        **{
            verdict: {"number": len(by_verdict[verdict]), "named": by_verdict[verdict][:NAMED]}
            for verdict in ("confirmed", "refuted")
        },
        "untestable": len(by_verdict["untestable"]),
        "agree": counts[AGREE],
        "compared": counts[AGREE] + counts[DIFFER],
        "unsettled": counts[NOT_CONVERGED],
        "open": counts[NOT_COMPARABLE],
        "why": str(reasons.index[0]) if len(reasons) else "",
    }
