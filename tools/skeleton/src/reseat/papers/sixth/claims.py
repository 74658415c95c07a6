"""The claims of Author 2000, each judged by a rule."""

from __future__ import annotations

from reseat.papers.claims import judge, verdict_above
from reseat.papers.sixth.evidence import CLAIMS
from reseat.papers.statistics import mean_interval
from reseat.papers.tables import rows_of


def sixth1(scores):
    """Judge whether the adjusted Rand index, averaged over each chain, is above zero."""
    values = rows_of(scores, metric="adjusted_rand")["value"]
    mean, low, high = mean_interval(values)
    text = f"The effect is the mean adjusted Rand index of {len(values)} chains."
    return CLAIMS.row("SIXTH-1", verdict_above(low, high, 0.0), mean, low, high, text)


def judge_all(scores):
    """Judge every claim."""
    return judge([sixth1], scores)
