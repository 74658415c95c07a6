"""The claims TIWD-1, TIWD-3, TIWD-4 and TIWD-10: which method finds the true clusters.

Methods are compared repetition by repetition, that is, on the same data draw. The intervals are
Student intervals over draws that hold for all comparisons of a claim together. Small data sets made
for a quick look decide nothing, and a claim about several settings is not confirmed while one of
them is missing.

The verdict is about the partitions in which chains end. Chains that start in one block, as in the
paper, in many blocks or in the true blocks are judged separately. If their verdicts differ, the
claim is untestable, because a verdict would then be about the start. The evidence names the models
whose chains disagree; a claim that holds, or fails, from every start is decided all the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import wraps

import numpy as np
import pandas as pd

from reseat.experiments.distances.plan import STARTS, TRUTH
from reseat.experiments.distances.results import BASELINES, DIMS, EXPERIMENT1, ROLES, label
from reseat.experiments.evidence import Cell, judge_cells, not_converged
from reseat.experiments.intervals import LEVEL, bonferroni, mean_interval
from reseat.experiments.verdicts import above, below
from reseat.vocabulary import UNTESTABLE

#: "Very well" is read as a mean ARI above the first number (TIWD-1a), "well" as above the second
#: (TIWD-3a).
VERY_WELL, WELL = 0.9, 0.75
#: "Clearly": ahead in ARI by more than this on average (TIWD-1b, TIWD-4d).
CLEARLY = 0.05
#: "Fails completely": a mean ARI below this (TIWD-4a).
FAILS = 0.1
#: "Only partially": TIWD stays ahead by more than this (TIWD-4b, TIWD-4c).
PARTLY = 0.05
#: What the evidence calls a start, if not by its own name.
FROM = {"one": "one block", "many": "many blocks", TRUTH: "the true blocks"}
#: How many additional clusters, on average, count as more (TIWD-10).
MORE = 1.0


@dataclass(frozen=True)
class Comparison:
    """One of the comparisons of a claim."""

    #: Name in the evidence, and role of the data set.
    name: str
    role: str
    #: Indexed by draw.
    values: object
    #: Maps the two ends of an interval to a verdict.
    rule: object
    #: Models whose chains gave the values.
    models: tuple[str, ...]


def _from_every_start(rule):
    """Return a rule that judges the chains from each start, and is untestable if they differ."""

    @wraps(rule)
    def judged(evidence):
        rows = [(start, rule(replace(evidence, start=start))) for start in (*STARTS, TRUTH)]
        rows = [(start, row) for start, row in rows if not pd.isna(row["effect"])]
        if len(rows) < 2:
            return rows[0][1] if rows else rule(evidence)
        (start, first), *others = rows
        agree = all(row["verdict"] == first["verdict"] for _start, row in others)
        told = "; ".join(
            f"those from {FROM[other]} say {row['verdict']}, the effect being "
            f"{row['effect']:.2f} ({row['low']:.2f} to {row['high']:.2f})"
            for other, row in others
        )
        text = (
            f"{first['evidence']} These numbers are of chains from {FROM[start]}, which say "
            f"{first['verdict']}; {told}."
        )
        return first | {"verdict": first["verdict"] if agree else UNTESTABLE, "evidence": text}

    return judged


@_from_every_start
def tiwd1a(evidence):
    """Judge the smallest mean ARI of the five methods.

    Confirmed if all are significantly above VERY_WELL, refuted if one is significantly below.
    """
    role = "separated"
    cells = [
        Comparison(label(model), role, evidence.values(role, model), above(VERY_WELL), (model,))
        for model in EXPERIMENT1
    ]
    text = f"mean ARI; 'very well' is read as above {VERY_WELL}"
    return _judged("TIWD-1a", evidence, cells, text)


@_from_every_start
def tiwd1b(evidence):
    """Judge the smallest lead of TIWD over the four other methods.

    Confirmed if all leads are significantly above CLEARLY.
    """
    cells = [
        Comparison(label(model), "overlapping", evidence.gain("overlapping", "tiwd", model),
             above(CLEARLY), ("tiwd", model))
        for model in BASELINES
    ]  # fmt: skip
    text = f"lead of TIWD in ARI; 'clearly' is read as above {CLEARLY}"
    return _judged("TIWD-1b", evidence, cells, text)


@_from_every_start
def tiwd3a(evidence):
    """Judge the smallest mean ARI of WD and TIWD with zero means.

    Confirmed if all are significantly above WELL.
    """
    cells = [
        Comparison(f"{label(model)} at d = {dim}", role, evidence.values(role, model), above(WELL),
             (model,))
        for dim in DIMS
        for role in [evidence.means(dim, 0)]
        for model in ("wd", "tiwd")
    ]  # fmt: skip
    text = f"mean ARI; 'well' is read as above {WELL}"
    return _judged("TIWD-3a", evidence, cells, text)


@_from_every_start
def tiwd3b(evidence):
    """Judge the loss of ARI from WD to WD_R at d = 3 with zero means.

    Confirmed if it is significantly positive, refuted if significantly negative. The evidence also
    gives the standard deviations over repetitions.
    """
    role = evidence.means(3, 0)
    gain = evidence.gain(role, "wd", evidence.centred)
    cells = [Comparison("WD over WD_R", role, gain, above(0.0), ("wd", evidence.centred))]
    spreads = [evidence.values(role, model).std() for model in ("wd", evidence.centred)]
    text = (
        f"lead in ARI; the standard deviation between repetitions is {spreads[0]:.2f} under WD "
        f"and {spreads[1]:.2f} under WD_R"
    )
    return _judged("TIWD-3b", evidence, cells, text)


@_from_every_start
def tiwd4a(evidence):
    """Judge the largest mean ARI of WD with means other than zero.

    Confirmed if it is significantly below FAILS at both values of d.
    """
    cells = [
        Comparison(f"d = {dim}", role, evidence.values(role, "wd"), below(FAILS), ("wd",))
        for dim in DIMS
        for role in [evidence.means(dim, 40)]
    ]
    text = f"mean ARI of WD; 'completely' is read as below {FAILS}"
    return _judged("TIWD-4a", evidence, cells, text, worst=max)


@_from_every_start
def tiwd4b(evidence):
    """Judge whether WD_R helps only partially at d = 3.

    Confirmed if WD_R is significantly better than WD, and the lead of TIWD over WD_R significantly
    larger than PARTLY. Refuted if WD_R is significantly worse than WD, or the lead of TIWD
    significantly smaller than PARTLY.
    """
    return _partial("TIWD-4b", evidence, 3)


@_from_every_start
def tiwd4c(evidence):
    """Judge the claim of `tiwd4b` at d = 100."""
    return _partial("TIWD-4c", evidence, 100)


@_from_every_start
def tiwd4d(evidence):
    """Judge the smallest lead of TIWD over WD and WD_R with means other than zero.

    Confirmed if all leads are significantly above CLEARLY.
    """
    cells = [
        Comparison(f"{label(model)} at d = {dim}", role, evidence.gain(role, "tiwd", model),
             above(CLEARLY), ("tiwd", model))
        for dim in DIMS
        for role in [evidence.means(dim, 40)]
        for model in ("wd", evidence.centred)
    ]  # fmt: skip
    text = f"lead of TIWD in ARI; 'clearly' is read as above {CLEARLY}"
    return _judged("TIWD-4d", evidence, cells, text)


@_from_every_start
def tiwd10(evidence):
    """Judge how many more clusters annealing by d leaves than annealing the whole posterior.

    The data are overlapping clusters, compared draw by draw. Confirmed if significantly fewer than
    MORE, refuted if significantly more: the prior then loses its influence, and small blocks
    survive.
    """
    other, role = "tiwd_anneal_likelihood", "overlapping"
    more = evidence.gain(role, other, "tiwd", "n_clusters")
    cells = [Comparison("clusters", role, more, below(MORE), (other, "tiwd"))]
    text = f"further clusters; more than {MORE:g} counts as more"
    gain = evidence.gain(role, other, "tiwd")
    if len(gain):
        text += f"; ARI changes by {gain.mean():+.2f}"
    return _judged("TIWD-10", evidence, cells, text, worst=max)


def _partial(key, evidence, dim):
    role = evidence.means(dim, 40)
    cells = [
        Comparison("WD_R over WD", role, evidence.gain(role, evidence.centred, "wd"), above(0.0),
             (evidence.centred, "wd")),
        Comparison("TIWD over WD_R", role, evidence.gain(role, "tiwd", evidence.centred),
             above(PARTLY), ("tiwd", evidence.centred)),
    ]  # fmt: skip
    text = (
        f"lead in ARI; 'only partially' is read as TIWD being ahead of WD_R by more than {PARTLY}"
    )
    return _judged(key, evidence, cells, text)


def _judged(key, evidence, comparisons, text, worst=min):
    """Return the row of a claim that holds if the rule of every comparison does.

    The effect is the smallest or the largest, as `worst` says, of the comparisons that decide the
    verdict.
    """
    level = bonferroni(LEVEL, len(comparisons))
    cells = []
    for one in comparisons:
        interval = mean_interval(one.values, level) if len(one.values) else (np.nan,) * 3
        absent = f"{ROLES[one.role]} ({one.name})"
        cells.append(Cell(one.name, one.role, interval, one.rule, absent))

    def words(found):
        roles = dict.fromkeys(cell.role for cell in found)
        counts = sorted({len(one.values) for one in comparisons if len(one.values)})
        span = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
        numbers = ", ".join(f"{cell.name} ({cell.interval[0]:.2f})" for cell in found)
        repetitions = f"{span} repetition{'' if span == '1' else 's'}"
        which = {min: "smallest", max: "largest"}[worst]
        effect = f"; the effect is the {which} behind the verdict" if len(found) > 1 else ""
        pairs = [(one.role, model) for one in comparisons for model in one.models]
        apart = not_converged(evidence.unconverged(pairs))
        return f"{evidence.where(roles)}, {repetitions}: {numbers}: {text}{effect}{apart}"

    return judge_cells(key, evidence, cells, words, worst)
