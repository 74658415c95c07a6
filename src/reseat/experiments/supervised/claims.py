"""The claims SC-1 to SC-20 of Daumé & Marcu (2005), judged by what was computed and measured.

Each claim has one function, whose docstring states the rule. It returns one row: the verdict, the
effect, an interval that holds with probability :data:`~reseat.experiments.intervals.LEVEL` (for all
comparisons of a claim together), and a sentence of evidence that names the data. A rule says
*significantly* if the whole interval has to lie on that side. A claim is *untestable* if the
interval does not decide it, or if the data that it is about are missing. Rows marked "(as printed)"
apply the same rules to the numbers that the paper prints.
"""

from __future__ import annotations

from dataclasses import replace

from reseat.experiments.supervised import formula_claims as formula
from reseat.experiments.supervised import model_claims as model
from reseat.experiments.supervised import score_claims as score
from reseat.experiments.supervised.printed import PrintedEvidence
from reseat.experiments.supervised.results import ROLES
from reseat.experiments.verdicts import concat_claims, judge, judge_in_ways, with_reading

#: Rules that can be applied to the printed numbers as well.
PRINTED_RULES = (
    *(score.sc1a, score.sc1b, score.sc2, score.sc3a, score.sc3b, score.sc4a, score.sc4b),
    *(model.sc5, score.sc6, score.sc7, score.sc8a, score.sc8b),
    *(score.sc9a, score.sc9b, score.sc9c, score.sc10a, score.sc10b, score.sc11, score.sc12),
    *(score.sc13, score.sc14a, score.sc14b, model.sc15),
)
RULES = (
    *(*PRINTED_RULES, model.sc16a, model.sc16b, model.sc16c, model.sc17),
    *(formula.sc18, formula.sc19, formula.sc20, formula.sc20_covariance),
)

#: Claims that involve SCDP-3.
WITH_SCDP3 = (
    *(score.sc1b, score.sc4a, score.sc8b, score.sc9a, score.sc9b, score.sc9c),
    *(score.sc10a, score.sc10b, score.sc11, score.sc13, score.sc14a, score.sc14b, model.sc15),
)

#: Claims about a single set of the paper.
OF_ROLE = {
    "digits": (score.sc4a, score.sc4b, model.sc5, model.sc16b),
    "identity": (score.sc6, score.sc7, score.sc8a, score.sc8b),
    "coref": (score.sc9a, score.sc9b, score.sc9c),
    "refmatch": (score.sc10a, score.sc10b, score.sc11, score.sc12),
}


def evaluate_readings(evidence):
    """Judge some claims again, with the other reading of SCDP-3 and on other data of a role.

    There are no rows for what did not run.
    """
    frames = []
    if (evidence.scores["system"] == "SCDP-3p").any():
        other = replace(evidence, scdp3="SCDP-3p")
        frames.append(with_reading(judge(WITH_SCDP3, other), "SCDP-3 precision"))
    for role in ROLES:
        for name in evidence.datasets_for(role)[1:]:
            other = replace(evidence, chosen={role: name})
            frames.append(with_reading(judge(OF_ROLE[role], other), other.title(role)))
    return concat_claims(frames)


def evaluate_printed(evidence):
    """Judge claims on the numbers that the paper prints."""
    return judge(PRINTED_RULES, PrintedEvidence(evidence.published))


def judge_all(evidence):
    """Judge every claim in every way; see `judge_in_ways`."""
    return judge_in_ways(evidence, RULES, evaluate_printed, evaluate_readings)
