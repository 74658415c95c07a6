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
from reseat.experiments.distances.results import LESS_1, LOST, SPLIT, SPLITS, THETAS
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
#: Claims about WD_R with d = 3, where the dimension that it loses is a third of all.
FEW = (accuracy.tiwd3b, accuracy.tiwd4b)


def evaluate_readings(evidence):
    """Judge the claims about Figure 4 once more under the other readings.

    The rows are those of `judge`, with each identifier followed by its reading, such as
    "(theta = 15/d, kernel PCA)": the other theta, row means that are subtracted after kernel PCA,
    chains that also split and merge blocks, and degrees of freedom without the dimension that
    is lost when row means are subtracted. Readings that did not run have no rows.
    """
    frames = []
    for theta in THETAS:
        at = () if theta == evidence.theta else (f"theta = {theta}/d",)
        here = replace(evidence, theta=theta)
        of_theta = evidence.scores["role"].str.startswith(f"means_c{theta}_")
        ran = {*evidence.scores.loc[of_theta, "model"]}
        readings = [(FIGURE4, here, ())] if at and ran else []
        if "wdr_kpca" in ran:
            readings.append((CENTRED, replace(here, centred="wdr_kpca"), ("kernel PCA",)))
        if ran & {*SPLIT.values()}:
            readings.append((SHIFTED, replace(here, instead=SPLIT), (SPLITS,)))
        for centred, words in (("wdr_direct", ()), ("wdr_kpca", ("kernel PCA",))):
            if LOST[centred] in ran:
                other = replace(here, centred=centred, instead=LOST)
                readings.append((FEW, other, (*words, LESS_1)))
        frames += [
            with_reading(judge(rules, other), ", ".join((*at, *words)))
            for rules, other, words in readings
        ]
    return concat_claims(frames)


def judge_all(evidence):
    """Judge every claim in every way; see `judge_in_ways`."""
    return judge_in_ways(evidence, RULES, evaluate_readings)
