"""The claims MIC-1 to MIC-17 of Zanella et al. (2016), judged on what was computed and measured.

Each claim has one function, which states its rule, and gives one row: verdict, effect, an interval
that holds with :data:`~reseat.experiments.intervals.LEVEL` (all comparisons of a claim together),
and a sentence of evidence that names the data. A formula is right or wrong to rounding: its
interval is the effect itself. A claim is *untestable* where the interval does not decide it, or
where the data that it is about are not there.
"""

from __future__ import annotations

import pandas as pd

from reseat.experiments.records import data_claims as data
from reseat.experiments.records import prior_claims as prior
from reseat.experiments.verdicts import CLAIM_COLUMNS

RULES = (
    *(prior.mic1, prior.mic2, prior.mic3, prior.mic4, prior.mic5),
    *(prior.mic6, prior.mic7, prior.mic8, prior.mic9),
    *(data.mic10, data.mic11, data.mic12, data.mic13),
    *(data.mic14, data.mic15, data.mic16, data.mic17),
)


def evaluate_claims(evidence):
    """Judge every claim.

    Parameters
    ----------
    evidence : RecordsEvidence

    Returns
    -------
    pandas.DataFrame
        Columns :data:`CLAIM_COLUMNS`, one row a claim.
    """
    return pd.DataFrame([rule(evidence) for rule in RULES], columns=list(CLAIM_COLUMNS))
