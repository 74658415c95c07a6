"""The claims TIWD-1 to TIWD-4 and TIWD-10: which method finds the true clusters.

Judged repetition by repetition: methods are compared on the same data draw, and the intervals are
Student's over draws, all comparisons of a claim together. Small data sets made for a quick look
decide nothing, and a claim about several settings is not confirmed while one of them is missing.
"""

from __future__ import annotations

from dataclasses import dataclass

from reseat.experiments.distances.evidence import CLAIMS
from reseat.experiments.distances.tidy import BASELINES, DIMS, EXPERIMENT1, ROLES, label
from reseat.experiments.intervals import LEVEL, each, mean_interval
from reseat.experiments.verdicts import (
    UNTESTABLE,
    all_of,
    closing,
    unless_missing,
    verdict_above,
    verdict_below,
)

#: "Very well": a mean ARI above this (TIWD-1a); "well": above that (TIWD-3a).
VERY_WELL, WELL = 0.9, 0.75
#: "Clearly": ahead in ARI by more than this on average (TIWD-1b, TIWD-4d).
CLEARLY = 0.05
#: "Fails completely": a mean ARI below this (TIWD-4a).
FAILS = 0.1
#: "Only partially": TIWD stays ahead by more than this (TIWD-4b, TIWD-4c).
PARTLY = 0.05
#: Further clusters on average that count as more (TIWD-10).
MORE = 1.0


@dataclass(frozen=True)
class Cell:
    """One comparison: its name in the evidence, the role, its values by draw, and its rule.

    Attributes
    ----------
    name, role : str
    values : pandas.Series
    rule : callable
        From the two ends of an interval to a verdict.
    """

    name: str
    role: str
    values: object
    rule: object


def tiwd1a(evidence):
    """Smallest mean ARI of the five methods: confirmed if all are surely above VERY_WELL.

    Refuted if one is surely below.
    """
    cells = [
        Cell(label(model), "separated", evidence.values("separated", model), _above(VERY_WELL))
        for model in EXPERIMENT1
    ]
    text = f"mean ARI; 'very well' is read as above {VERY_WELL}; the effect is the smallest"
    return _judged("TIWD-1a", evidence, cells, text)


def tiwd1b(evidence):
    """Smallest lead of TIWD over the four methods: confirmed if all are surely above CLEARLY."""
    cells = [
        Cell(label(model), "overlapping", evidence.gain("overlapping", "tiwd", model),
             _above(CLEARLY))
        for model in BASELINES
    ]  # fmt: skip
    text = f"lead of TIWD in ARI; 'clearly' is read as above {CLEARLY}; the effect is the smallest"
    return _judged("TIWD-1b", evidence, cells, text)


def tiwd3a(evidence):
    """Smallest mean ARI of WD and TIWD with zero means: confirmed if all are surely above WELL."""
    cells = [
        Cell(f"{label(model)} at d = {dim}", role, evidence.values(role, model), _above(WELL))
        for dim in DIMS
        for role in [evidence.means(dim, 0)]
        for model in ("wd", "tiwd")
    ]
    text = f"mean ARI; 'well' is read as above {WELL}; the effect is the smallest"
    return _judged("TIWD-3a", evidence, cells, text)


def tiwd3b(evidence):
    """Loss of ARI from WD to WD_R at d = 3 with zero means: confirmed if surely positive.

    Refuted if surely negative. The standard deviations over repetitions are told as well.
    """
    role = evidence.means(3, 0)
    gain = evidence.gain(role, "wd", evidence.centred)
    cells = [Cell("WD over WD_R", role, gain, _above(0.0))]
    spreads = [evidence.values(role, model).std() for model in ("wd", evidence.centred)]
    text = (
        f"lead in ARI; the standard deviation between repetitions is {spreads[0]:.2f} under WD "
        f"and {spreads[1]:.2f} under WD_R"
    )
    return _judged("TIWD-3b", evidence, cells, text)


def tiwd4a(evidence):
    """Largest mean ARI of WD with other means: confirmed if surely below FAILS at both d."""
    cells = [
        Cell(f"d = {dim}", role, evidence.values(role, "wd"), _below(FAILS))
        for dim in DIMS
        for role in [evidence.means(dim, 40)]
    ]
    text = f"mean ARI of WD; 'completely' is read as below {FAILS}; the effect is the largest"
    return _judged("TIWD-4a", evidence, cells, text, worst=max)


def tiwd4b(evidence):
    """At d = 3 WD_R is surely better than WD, and TIWD surely ahead of it by more than PARTLY.

    Refuted if WD_R is surely no better, or if the lead of TIWD is surely smaller than that.
    """
    return _partial("TIWD-4b", evidence, 3)


def tiwd4c(evidence):
    """The same at d = 100."""
    return _partial("TIWD-4c", evidence, 100)


def tiwd4d(evidence):
    """Smallest lead of TIWD over WD and WD_R with other means: confirmed if above CLEARLY."""
    cells = [
        Cell(f"{label(model)} at d = {dim}", role, evidence.gain(role, "tiwd", model),
             _above(CLEARLY))
        for dim in DIMS
        for role in [evidence.means(dim, 40)]
        for model in ("wd", evidence.centred)
    ]  # fmt: skip
    text = f"lead of TIWD in ARI; 'clearly' is read as above {CLEARLY}; the effect is the smallest"
    return _judged("TIWD-4d", evidence, cells, text)


def tiwd10(evidence):
    """Clusters that annealing by d leaves beyond those of annealing the whole posterior.

    On overlapping clusters, from the same chains. Confirmed if surely fewer than MORE, refuted if
    surely more: the prior loses its hold, and small blocks survive.
    """
    other, role = "tiwd_anneal_likelihood", "overlapping"
    cells = [Cell("clusters", role, evidence.gain(role, other, "tiwd", "n_clusters"), _below(MORE))]
    text = f"further clusters; more than {MORE:g} counts as more"
    gain = evidence.gain(role, other, "tiwd")
    if len(gain):
        text += f"; ARI changes by {gain.mean():+.2f}"
    return _judged("TIWD-10", evidence, cells, text, worst=max)


def _partial(key, evidence, dim):
    role = evidence.means(dim, 40)
    cells = [
        Cell("WD_R over WD", role, evidence.gain(role, evidence.centred, "wd"), _above(0.0)),
        Cell("TIWD over WD_R", role, evidence.gain(role, "tiwd", evidence.centred),
             _above(PARTLY)),
    ]  # fmt: skip
    text = (
        "lead in ARI; 'only partially' is read as TIWD being ahead of WD_R by more than "
        f"{PARTLY}; the effect is this lead"
    )
    return _judged(key, evidence, cells, text, effect=1)


def _judged(key, evidence, cells, text, worst=min, effect=None):
    """The row of a claim that holds if the rule of every cell does.

    The effect is that of the cell numbered `effect`, or the smallest or largest (`worst`).
    """
    level = each(LEVEL, len(cells))
    found = [(cell, mean_interval(cell.values, level)) for cell in cells if len(cell.values)]
    missing = [f"{ROLES[cell.role]} ({cell.name})" for cell in cells if len(cell.values) == 0]
    if not found or (effect is not None and len(cells[effect].values) == 0):
        return CLAIMS.untested(key, f"nothing was run for {', '.join(missing)}.")
    verdict = all_of(cell.rule(*interval[1:]) for cell, interval in found)
    roles = list(dict.fromkeys(cell.role for cell, _interval in found))
    if evidence.generated(roles):
        verdict = UNTESTABLE
    verdict = unless_missing(verdict, missing)
    shown = worst((interval for _cell, interval in found), key=lambda interval: interval[0])
    if effect is not None:
        shown = mean_interval(cells[effect].values, level)
    counts = sorted({len(cell.values) for cell, _interval in found})
    span = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    numbers = ", ".join(f"{cell.name} ({interval[0]:.2f})" for cell, interval in found)
    text = (
        f"{evidence.where(roles)}, {span} repetition{'' if span == '1' else 's'}: {numbers}: {text}"
    )
    return CLAIMS.row(key, verdict, *shown, closing(text, missing))


def _above(bar):
    return lambda low, high: verdict_above(low, high, bar)


def _below(bar):
    return lambda low, high: verdict_below(low, high, bar)
