"""The claims of Author 2000, each above the rule that judges it."""

from reseat.papers.claims import Claims, Verdict, above
from reseat.papers.sixth import PAPER
from reseat.papers.statistics import mean_interval
from reseat.papers.tables import rows_of

#: The claims of the paper.
CLAIMS = Claims(PAPER)


@CLAIMS.claim(
    "SIXTH-1",
    "the clusters have to do with the classes",
    effect="adjusted Rand index, the mean over chains",
)
def sixth1(scores):
    """Judge whether the adjusted Rand index, averaged over each chain, is above zero."""
    values = rows_of(scores, metric="adjusted_rand")["value"]
    interval = mean_interval(values)
    text = f"The effect is the mean adjusted Rand index of {len(values)} chains."
    return Verdict(above(0.0)(interval), interval, text)
