"""Claims FIRM-2 and FIRM-8: which classes are covered, and whether the lead survives controls.

Coverage and purity rise with the number of cells, whatever the clusters are. A lead is therefore
examined in two further ways: at the IRM's numbers of clusters, and relative to the lead of random
partitions with the same cluster sizes. Numbers are those of the restart with the best ELBO.
Intervals come from half samples of the restarts, and are Welch's over random draws. Generated data
and the user's own decide nothing.
"""

from __future__ import annotations

import numpy as np

from reseat.experiments.intervals import FEWEST, difference_interval, interval_of_difference
from reseat.experiments.relational.evidence import CLAIMS
from reseat.experiments.relational.selection import best_interval, gap_interval, of_best_fits
from reseat.experiments.verdicts import ROUNDING
from reseat.vocabulary import CONFIRMED, REFUTED, UNTESTABLE

#: What the classes are by which cells are scored, in words.
CLASSES = "classes are those of one fit of the aspect model, in the place of the paper's SAM"


@of_best_fits("firm")
def firm2a(evidence):
    """Judge FIRM-2a: confirmed if the interval of the FIRM's coverage is 1, refuted if below."""
    interval = best_interval(evidence.covered("firm"), evidence.rng)
    verdict = _reaches(interval)
    return _coverage_row("FIRM-2a", evidence, "firm", interval, verdict)


@of_best_fits("irm")
def firm2b(evidence):
    """Judge FIRM-2b: confirmed if the interval of the IRM's coverage is below 1, refuted if 1."""
    interval = best_interval(evidence.covered("irm"), evidence.rng)
    other = {CONFIRMED: REFUTED, REFUTED: CONFIRMED}
    verdict = _reaches(interval)
    return _coverage_row("FIRM-2b", evidence, "irm", interval, other.get(verdict, verdict))


@of_best_fits("firm", "irm")
def firm2c(evidence):
    """Judge FIRM-2c by the coverage of the FIRM minus that of the IRM.

    Confirmed if it is surely positive, refuted if it surely is not.
    """
    models = (evidence.covered("firm"), evidence.covered("irm"))
    return _lead("FIRM-2c", evidence, *models, "coverage of the FIRM less that of the IRM")


@of_best_fits("irm")
def firm8a(evidence):
    """Judge FIRM-8a like FIRM-2c, by S_1 of a FIRM with the IRM's numbers of clusters."""
    models = [
        (elbo, curves[:, 0] if len(elbo) else elbo)
        for elbo, curves in (
            evidence.curves("firm", control="same_numbers"),
            evidence.curves("irm"),
        )
    ]
    return _lead("FIRM-8a", evidence, *models, "S_1 at the IRM's numbers of clusters, less its")


@of_best_fits("irm")
def firm8b(evidence):
    """Judge FIRM-8b like FIRM-8a, by coverage."""
    models = (evidence.covered("firm", "same_numbers"), evidence.covered("irm"))
    return _lead("FIRM-8b", evidence, *models, "coverage at the IRM's numbers, less its")


@of_best_fits("firm", "irm")
def firm8c(evidence):
    """Judge FIRM-8c by the lead of the FIRM in S_1 minus the lead of random partitions.

    The latter is that of random partitions with the FIRM's cluster sizes over random partitions
    with the IRM's. Confirmed if the difference is surely positive, refuted if it surely is not; the
    interval is over restarts and random draws.
    """
    first = evidence.purity[evidence.purity["i"] == 1]
    models = [
        (elbo, curves[:, 0] if len(elbo) else elbo)
        for elbo, curves in map(evidence.curves, ("firm", "irm"))
    ]
    return _beyond("FIRM-8c", evidence, "S_1", models, first, "purity")


@of_best_fits("firm", "irm")
def firm8d(evidence):
    """Judge FIRM-8d like FIRM-8c, by coverage."""
    models = [evidence.covered(model) for model in ("firm", "irm")]
    return _beyond("FIRM-8d", evidence, "coverage", models, evidence.coverage, "coverage")


def judged_lead(interval, evidence):
    """Return the verdict on a lead: confirmed if its interval is above 0, refuted if nowhere above.

    A tie is not a lead.
    """
    _effect, low, high = interval
    if np.isnan(low) or evidence.generated():
        return UNTESTABLE
    if low > ROUNDING:
        return CONFIRMED
    return REFUTED if high <= ROUNDING else UNTESTABLE


def restarts_text(*groups):
    """Return 'best of 30 restarts', and how intervals are made of them, or why there are none."""
    counts = list(dict.fromkeys(len(elbo) for elbo, _values in groups))
    if max(counts) < 2:
        return "the best restart alone, which gives no interval"
    few = f" (an interval needs {FEWEST})" if min(counts) < FEWEST else ""
    over = few or " (intervals are over half samples of them)"
    return f"best of {' and '.join(map(str, counts))} restarts{over}"


def _reaches(interval):
    _effect, low, high = interval
    if np.isnan(low):
        return UNTESTABLE
    if low >= 1 - ROUNDING:
        return CONFIRMED
    return REFUTED if high < 1 - ROUNDING else UNTESTABLE


def _coverage_row(key, evidence, model, interval, verdict):
    restarts = evidence.covered(model)
    if len(restarts[0]) == 0:
        return CLAIMS.untested(key, f"no coverage of the {model.upper()} was counted.")
    n_classes = int(evidence.of(evidence.coverage, evidence.role)["n_classes"].iloc[0])
    printed = evidence.published.models[model, "covered"]
    total = evidence.published.setup["classes"]
    text = (
        f"{evidence.where()}, {restarts_text(restarts)}: {interval[0] * n_classes:.0f} of "
        f"{n_classes} classes; the paper has {printed:g} of {total:g}; {CLASSES}."
    )
    verdict = evidence.verdict(verdict)
    return CLAIMS.row(key, verdict, *interval, text)


def _lead(key, evidence, first, second, what):
    if len(first[0]) == 0 or len(second[0]) == 0:
        return CLAIMS.untested(key, f"nothing was run for {what}.")
    interval = gap_interval(first, second, evidence.rng)
    text = f"{evidence.where()}, {restarts_text(first, second)}: {what}; {CLASSES}."
    return CLAIMS.row(key, judged_lead(interval, evidence), *interval, text)


def _beyond(key, evidence, what, models, frame, column):
    drawn = [evidence.random(model, frame, column) for model in ("firm", "irm")]
    if min(len(values) for values in (*drawn, *(elbo for elbo, _values in models))) == 0:
        return CLAIMS.untested(key, "no random partitions were scored.")
    lead = gap_interval(*models, evidence.rng)
    by_chance = difference_interval(*drawn)
    interval = interval_of_difference(lead, by_chance)
    text = (
        f"{evidence.where()}, {restarts_text(*models)}, {len(drawn[0])} random partitions a model: "
        f"the FIRM leads by {lead[0]:+.3f} in {what}, random partitions with the sizes of its "
        f"clusters by {by_chance[0]:+.3f}; the effect is the difference; {CLASSES}."
    )
    return CLAIMS.row(key, judged_lead(interval, evidence), *interval, text)
