"""The claims MIC-1 to MIC-18 of Zanella et al. (2016), judged on what was computed and measured.

Each claim has one function, which states its rule and returns one row: a verdict, an effect, an
interval with coverage :data:`~reseat.experiments.intervals.LEVEL` (for all comparisons of a claim
together), and a sentence of evidence that names the data. A formula is right or wrong up to
rounding, so that its interval is the effect itself. A claim is *untestable* if the interval does
not decide it, or if the data that it is about are not available. MIC-18 is about the printed table
only.
"""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from reseat.experiments.records import data_claims as data
from reseat.experiments.records import prior_claims as prior
from reseat.experiments.records.printed_claims import evaluate_printed
from reseat.experiments.records.results import SAMPLED
from reseat.experiments.verdicts import claims_table, judge, judge_in_ways, with_reading

RULES = (
    *(prior.mic1, prior.mic2, prior.mic3, prior.mic4, prior.mic5),
    *(prior.mic6, prior.mic7, prior.mic8, prior.mic9),
    *(data.mic10, data.mic11, data.mic12, data.mic13),
    *(data.mic14, data.mic15, data.mic16, data.mic17),
)

#: Claims that compare priors with DP and PYP, whose concentrations the paper fixes and the authors'
#: later software samples.
COMPARISONS = (
    *(data.mic10, data.mic11, data.mic12, data.mic13),
    *(data.mic14, data.mic15, data.mic16),
)


def evaluate_sampled(evidence):
    """Judge the comparisons again, against DP and PYP with sampled concentrations.

    There are no rows if these models did not run.
    """
    given = evidence.summaries
    others = given[given["model"].isin(list(SAMPLED))]
    if len(others) == 0:
        return claims_table()
    others = others.assign(model=others["model"].map(SAMPLED))
    kept = given[~given["model"].isin([*SAMPLED, *SAMPLED.values()])]
    other = replace(evidence, summaries=pd.concat([kept, others], ignore_index=True))
    return with_reading(judge(COMPARISONS, other), "concentrations sampled")


def judge_all(evidence):
    """Judge every claim in every way; see `judge_in_ways`."""
    return judge_in_ways(evidence, RULES, evaluate_sampled, evaluate_printed)
