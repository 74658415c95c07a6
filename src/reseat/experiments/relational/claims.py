"""The claims FIRM-1 to FIRM-9 of Kurihara et al. (2006), judged on what was computed and measured.

Each claim has one function, which states its rule and returns one row: a verdict, an effect, an
interval with coverage :data:`~reseat.experiments.intervals.LEVEL` (for all comparisons of a claim
together), and a sentence of evidence that names the data. A formula is right or wrong up to
rounding, so that its interval is the effect itself. A claim is *untestable* if the interval does
not decide it, or if the data that it is about are not available. Rows "(as printed)" say whether
the numbers that the paper prints support its claims.
"""

from __future__ import annotations

from dataclasses import replace

from reseat.experiments.relational import coverage_claims as coverage
from reseat.experiments.relational import formula_claims as formula
from reseat.experiments.relational import purity_claims as purity
from reseat.experiments.relational import run_claims as runs
from reseat.experiments.relational.evidence import CLAIMS
from reseat.experiments.relational.results import MAIN, PAIRS, STARTS
from reseat.experiments.verdicts import (
    claims_table,
    concat_claims,
    judge,
    judge_in_ways,
    with_reading,
)

RULES = (
    *(formula.firm1, coverage.firm2a, coverage.firm2b, coverage.firm2c, runs.firm3),
    *(purity.firm4, purity.firm5a, purity.firm5b, runs.firm6, formula.firm7),
    *(coverage.firm8a, coverage.firm8b, coverage.firm8c, coverage.firm8d),
    *(runs.firm9a, runs.firm9b),
)

#: Claims that depend on which pairs are counted, on the start, and on the data, respectively.
COUNTED = (
    *(coverage.firm2a, coverage.firm2b, coverage.firm2c, purity.firm4, purity.firm5a),
    *(coverage.firm8a, coverage.firm8b, coverage.firm8c, coverage.firm8d),
)
STARTED = (coverage.firm2a, coverage.firm2b, coverage.firm2c, runs.firm3)
ON_DATA = (*STARTED, *COUNTED[3:])


def evaluate_readings(evidence):
    """Judge some claims again: with observed pairs only, with other starts, and on other data.

    There are no rows for what did not run.
    """
    frames = []
    for pairs in list(PAIRS)[1:]:
        if (evidence.coverage["pairs"] == pairs).any():
            frames.append(
                with_reading(judge(COUNTED, replace(evidence, pairs=pairs)), PAIRS[pairs])
            )
    for start in list(STARTS)[1:]:
        if (evidence.restarts["initialisation"] == start).any():
            other = replace(evidence, initialisation=start)
            frames.append(with_reading(judge(STARTED, other), STARTS[start]))
    for name in evidence.datasets_for(MAIN)[1:]:
        other = replace(evidence, chosen={MAIN: name})
        frames.append(with_reading(judge(ON_DATA, other), name))
    if (evidence.restarts["role"] == "english").any():
        frames.append(with_reading(judge(ON_DATA, replace(evidence, role="english")), "English"))
    return concat_claims(frames)


def evaluate_printed(evidence):
    """Judge claims on the numbers that the paper prints."""
    published = evidence.published
    value = published.models
    covered = {model: value[model, "covered"] for model in ("firm", "irm")}
    lead = {
        side: value["firm", f"{side} clusters"] - value["irm", f"{side} clusters"]
        for side in ("row", "column")
    }
    cells = {
        model: value[model, "row clusters"] * value[model, "column clusters"]
        for model in ("firm", "irm")
    }
    more = covered["firm"] - covered["irm"]
    rows = [
        CLAIMS.printed(
            "FIRM-2c",
            more > 0,
            more / published.setup["classes"],
            f"{covered['firm']:g} against {covered['irm']:g} classes, with {cells['firm']:,g} "
            f"against {cells['irm']:,g} cells; the paper has no control for the number of cells.",
        ),
        CLAIMS.printed(
            "FIRM-3",
            min(lead.values()) > 0,
            min(lead.values()),
            f"{lead['row']:g} row clusters and {lead['column']:g} column clusters more.",
        ),
        CLAIMS.printed(
            "FIRM-4",
            False,
            0.0,
            f"At i = {published.setup['classes']:g} both purities are 1 by definition (equations 9 "
            "and 10), so that neither is higher there.",
        ),
    ]
    return claims_table(rows)


def judge_all(evidence):
    """Judge every claim in every way; see `judge_in_ways`."""
    return judge_in_ways(evidence, RULES, evaluate_printed, evaluate_readings)
