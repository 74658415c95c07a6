"""The claims TIWD-1 to TIWD-11 of Vogt et al. (2010), judged by what was computed and measured.

Each claim has one function, whose docstring states the rule. It returns one row: the verdict, the
effect, an interval that holds with probability :data:`~reseat.experiments.intervals.LEVEL` (for all
comparisons of a claim together), and a sentence of evidence that names the data. A rule says
*significantly* if the whole interval has to lie on that side. A formula is right or wrong up to
rounding, so that its interval is the effect itself. A claim is *untestable* if the interval does
not decide it, or if the data that it is about are missing. The paper prints no numbers that could
be judged by themselves.
"""

from __future__ import annotations

from dataclasses import replace

from reseat.experiments.distances import accuracy_claims as accuracy
from reseat.experiments.distances import formula_claims as formula
from reseat.experiments.distances import sampler_claims as sampler
from reseat.experiments.distances.results import SPLIT, THETAS
from reseat.experiments.verdicts import concat_claims, judge, judge_in_ways, with_reading

RULES = (
    *(accuracy.tiwd1a, accuracy.tiwd1b, sampler.tiwd2a, sampler.tiwd2b),
    *(accuracy.tiwd3a, accuracy.tiwd3b),
    *(accuracy.tiwd4a, accuracy.tiwd4b, accuracy.tiwd4c, accuracy.tiwd4d),
    *(sampler.tiwd5, sampler.tiwd5_closed, sampler.tiwd6a, sampler.tiwd6b),
    *(formula.tiwd7, formula.tiwd8, formula.tiwd9, accuracy.tiwd10, formula.tiwd11),
)

#: Claims about WD_R, which has two readings, and claims about Figure 4, whose theta has two
#: readings.
CENTRED = (accuracy.tiwd3b, accuracy.tiwd4b, accuracy.tiwd4c, accuracy.tiwd4d)
FIGURE4 = (accuracy.tiwd3a, accuracy.tiwd3b, accuracy.tiwd4a, *CENTRED[1:])
#: Claims about means other than zero, where chains that move one object at a time get stuck.
SHIFTED = FIGURE4[2:]


def evaluate_readings(evidence):
    """Judge the claims about Figure 4 once more under the other readings.

    The rows are those of `judge`, with each identifier followed by "(kernel PCA)",
    "(theta = 15/d)" or, for chains that also split and merge blocks, "(splits and merges)", the
    last of these also at the other theta. Readings that did not run have no rows.
    """
    scores = evidence.scores
    frames = []
    if (scores["model"] == "wdr_kpca").any():
        other = replace(evidence, centred="wdr_kpca")
        frames.append(with_reading(judge(CENTRED, other), "kernel PCA"))
    if scores["role"].str.startswith("means_c15_").any():
        frames.append(with_reading(judge(FIGURE4, replace(evidence, theta=15)), "theta = 15/d"))
    split = scores[scores["model"].isin(SPLIT.values())]
    for theta in THETAS:
        if split["role"].str.startswith(f"means_c{theta}_").any():
            other = replace(evidence, theta=theta, instead=SPLIT)
            words = "" if theta == evidence.theta else f"theta = {theta}/d, "
            frames.append(with_reading(judge(SHIFTED, other), f"{words}splits and merges"))
    return concat_claims(frames)


def judge_all(evidence):
    """Judge every claim in every way; see `judge_in_ways`."""
    return judge_in_ways(evidence, RULES, evaluate_readings)
