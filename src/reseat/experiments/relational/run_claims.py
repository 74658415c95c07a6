"""Claims FIRM-3, FIRM-6 and FIRM-9: numbers of clusters, time, and Gibbs sampling."""

from __future__ import annotations

import numpy as np

from reseat.experiments.evidence import Cell, judge_cells, not_converged
from reseat.experiments.intervals import LEVEL, bonferroni, difference_interval
from reseat.experiments.relational.coverage_claims import judged_lead, restarts_text
from reseat.experiments.relational.evidence import CLAIMS
from reseat.experiments.relational.inference import METHODS
from reseat.experiments.relational.results import MODELS
from reseat.experiments.relational.selection import gap_interval, of_best_fits
from reseat.experiments.tidy import rows_of
from reseat.experiments.verdicts import above, all_of
from reseat.summaries import AGREED
from reseat.variational.best import best_restart
from reseat.vocabulary import CONFIRMED, REFUTED, UNTESTABLE

_SIDES = ("row", "column")

#: "As well" means that the mean log predictive probability of a held-out cell is lower by at most
#: this.
AS_WELL = 0.001


@of_best_fits("firm", "irm")
def firm3(evidence):
    """Judge FIRM-3 by how many more clusters the best FIRM has than the best IRM.

    Confirmed if it surely has more of both rows and columns, refuted if it surely does not for one
    of them. The effect is the smaller difference.
    """
    found, counts = {}, []
    for side in _SIDES:
        models = [evidence.clusters(model, side) for model in ("firm", "irm")]
        if min(len(elbo) for elbo, _n in models) == 0:
            return CLAIMS.untested("FIRM-3", "one of the models was not run.")
        counts = models
        found[side] = gap_interval(*models, evidence.rng, bonferroni(LEVEL, len(_SIDES)))
    verdict = all_of(judged_lead(interval, evidence) for interval in found.values())
    sizes = {
        model: " x ".join(
            f"{numbers[best_restart(elbo)]:g}"
            for elbo, numbers in (evidence.clusters(model, side) for side in _SIDES)
        )
        for model in ("firm", "irm")
    }
    printed = evidence.published.models
    paper = {
        model: " x ".join(f"{printed[model, f'{side} clusters']:g}" for side in _SIDES)
        for model in sizes
    }
    text = (
        f"{evidence.where()}, {restarts_text(*counts)}: {sizes['firm']} clusters of the "
        f"FIRM and {sizes['irm']} of the IRM, where the paper has {paper['firm']} and "
        f"{paper['irm']}; the effect is the smaller difference."
    )
    shown = min(found.values(), key=lambda interval: interval[0])
    return CLAIMS.row("FIRM-3", verdict, *shown, text)


def firm6(evidence):
    """Judge FIRM-6: confirmed if the longest restart of any setting took less than five minutes.

    The effect is its time in seconds. Each restart is timed once, so that the interval is the
    effect itself.
    """
    runs = evidence.rows(evidence.role)
    if len(runs) == 0:
        return CLAIMS.untested("FIRM-6", "no restart was timed.")
    bar = 60 * evidence.published.setup["minutes a restart"]
    longest = float(runs["seconds"].max())
    verdict = CONFIRMED if longest < bar else REFUTED
    if evidence.generated():
        verdict = UNTESTABLE
    text = (
        f"{evidence.where()}, {len(runs):,} restarts on one core: {runs['seconds'].median():.2g} "
        f"seconds in the middle, and {longest:.2g} at most (the effect); the machine is not the "
        "paper's."
    )
    return CLAIMS.row("FIRM-6", verdict, longest, longest, longest, text)


def firm9a(evidence):
    """Judge FIRM-9a by how many times as long a chain takes as a restart.

    The factor comes from the mean logarithms of their seconds. Confirmed if it is surely above 1
    for every model, refuted if it is surely below for one. A model whose chains disagree does not
    refute the claim, because longer chains might agree. The effect is the smaller factor.
    """

    def factor(runs, level):
        seconds = [np.log(runs[method]["seconds"]) for method in ("gibbs", "vb")]
        return tuple(float(np.exp(value)) for value in difference_interval(*seconds, level))

    text = "seconds of a chain as a multiple of those of a restart"
    return _methods("FIRM-9a", evidence, factor, 1.0, text, not_refuted)


def firm9b(evidence):
    """Judge FIRM-9b by the mean log predictive probability of a held-out cell.

    The difference is variational minus Gibbs, in nats, over all runs. Confirmed if it is surely
    above -AS_WELL for every model, refuted if it is surely below for one. A model whose chains
    disagree decides nothing. The effect is the smaller difference.
    """

    def gap(runs, level):
        values = [runs[method]["log_predictive"] for method in ("vb", "gibbs")]
        return difference_interval(*values, level)

    text = (
        "mean log predictive probability of a held-out cell, variational less Gibbs; 'as well' is "
        f"read as lower by at most {AS_WELL}"
    )
    return _methods("FIRM-9b", evidence, gap, -AS_WELL, text, lambda *_: UNTESTABLE)


def not_refuted(low, high):
    """Return CONFIRMED if a factor of seconds is surely above 1, otherwise UNTESTABLE."""
    return CONFIRMED if above(1.0)(low, high) == CONFIRMED else UNTESTABLE


def _methods(key, evidence, compare, bar, text, disagreeing):
    """Return the row of a claim about both methods that holds if it does for every model.

    `disagreeing` is the rule for a model whose chains disagree.
    """
    frame = evidence.predictive
    cells, n_runs, apart = [], [], []
    for model, name in MODELS.items():
        runs = {
            method: rows_of(evidence.of(frame, evidence.role), model=model, method=method)
            for method in METHODS
            if frame is not None
        }
        interval, both = (np.nan,) * 3, bool(runs) and min(map(len, runs.values())) > 0
        if both:
            interval = compare(runs, bonferroni(LEVEL, len(MODELS)))
            n_runs = [len(runs[method]) for method in METHODS]
        rule = above(bar)
        if both and (runs["gibbs"]["rhat"] > AGREED).any():
            rule = disagreeing
            apart.append(f"{name}, {_most_clusters(runs)}")
        cells.append(Cell(name, evidence.role, interval, rule, name))
    if not n_runs:
        return CLAIMS.untested(key, "no held-out cells were predicted by both methods.")

    def words(found):
        numbers = ", ".join(f"{cell.name} {cell.interval[0]:.3g}" for cell in found)
        runs = f"{n_runs[0]} restarts and {n_runs[1]} chains"
        return f"{evidence.where()}, {runs}: {text}: {numbers}{not_converged(apart)}"

    return judge_cells(key, evidence, cells, words)


def _most_clusters(runs):
    """Return, for example, 'chains with 157 x 273 clusters at most, restarts with 80 x 120'."""
    most = {
        method: " x ".join(f"{runs[method][f'n_{side}_clusters'].max():g}" for side in _SIDES)
        for method in METHODS
    }
    return f"chains with {most['gibbs']} clusters at most, restarts with {most['vb']}"
