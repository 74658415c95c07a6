"""The claims TIWD-2, TIWD-5 and TIWD-6: the sampler at scale, its cost, and unlabelled objects."""

from __future__ import annotations

import numpy as np

from reseat.experiments.distances.costs import ALGORITHMS, AXES, exponent, series
from reseat.experiments.distances.evidence import CLAIMS
from reseat.experiments.distances.new_blocks import block_counts
from reseat.experiments.distances.traces import backward_share, settling_sweep
from reseat.experiments.evidence import not_converged
from reseat.experiments.intervals import (
    LEVEL,
    bonferroni,
    mean_interval,
    proportion_interval,
    student_interval,
)
from reseat.experiments.verdicts import (
    all_of,
    finish_sentence,
    unless_missing,
    verdict_above,
    verdict_below,
)
from reseat.vocabulary import CONFIRMED, REFUTED, UNTESTABLE

#: "Roughly": within this factor of the printed number of sweeps (TIWD-2a).
ROUGHLY = 2.0
#: "Almost monotonically": steps down are less than this share of the steps up (TIWD-2b).
ALMOST = 0.2
#: How far a fitted exponent may exceed that of a bound (TIWD-5).
SLACK = 0.25
#: How far below the bound plus :data:`SLACK` an exponent may be for the bound's term to be visible.
NEAR = 0.75
#: "Nearly all" (TIWD-6a), and the largest number of new classes that is "a few" (TIWD-6b).
NEARLY_ALL, FEW = 0.9, 6
#: Role and model that TIWD-6a and TIWD-6b are about.
GLOBINS = (("globins", "tiwd"),)


def tiwd2a(evidence):
    """Judge the mean sweep from which the number of clusters is stable (`settling_sweep`).

    Confirmed if it is significantly within a factor of :data:`ROUGHLY` of the printed number of
    sweeps, refuted if significantly outside. Traces that are not longer than :data:`ROUGHLY` times
    that number decide nothing.
    """
    chains = _chains(evidence)
    if not chains:
        return CLAIMS.untested("TIWD-2a", "no trace was kept.")
    printed = evidence.published.fig3["sweeps until stable"]
    settled = [settling_sweep(chain) for chain in chains]
    mean, low, high = mean_interval(settled)
    interval = mean, max(low, 0.0), high  # there is no sweep before the first
    verdict = all_of(
        [
            verdict_above(*interval[1:], printed / ROUGHLY),
            verdict_below(*interval[1:], ROUGHLY * printed),
        ]
    )
    shortest = min(len(chain) for chain in chains)
    if evidence.generated(["large"]) or shortest <= ROUGHLY * printed:
        verdict = UNTESTABLE
    text = (
        f"{evidence.where(['large'])}, {_counted(chains)} of {shortest:,} sweeps: stable from "
        f"sweep {min(settled):,} to {max(settled):,} on, {printed:g} being printed; 'roughly' is "
        f"read as within a factor of {ROUGHLY:g}; the chains are on one draw of the data, and the "
        f"interval is of other chains, not of other draws{_apart(evidence)}"
    )
    return CLAIMS.row("TIWD-2a", verdict, *interval, finish_sentence(text, ()))


def tiwd2b(evidence):
    """Judge the steps down as a share of the steps up, until the level is first reached.

    Confirmed if it is significantly below :data:`ALMOST`, refuted if significantly above.
    """
    chains = _chains(evidence)
    shares = [share for share in map(backward_share, chains) if not np.isnan(share)]
    if not shares:
        return CLAIMS.untested("TIWD-2b", "no trace that starts below its level was kept.")
    interval = mean_interval(shares)
    verdict = verdict_below(*interval[1:], ALMOST)
    if evidence.generated(["large"]):
        verdict = UNTESTABLE
    text = (
        f"{evidence.where(['large'])}, {_counted(shares)}: steps down as a share of the steps up "
        f"before the number of clusters first reaches its level; 'almost monotonically' is read "
        f"as below {ALMOST}{_apart(evidence)}"
    )
    return CLAIMS.row("TIWD-2b", verdict, *interval, finish_sentence(text, ()))


def tiwd5(evidence):
    """Judge the exponents of n and k in the time of a sweep, for the algorithm as in the paper.

    Confirmed if both simultaneous intervals lie below the exponents of theorem 1 plus :data:`SLACK`
    and at least one exponent comes near its bound (:data:`NEAR`); refuted if one interval lies
    above. If neither comes near, other costs hide those that the theorem is about. The effect is
    the exponent of k: the proof counts finding the k - 1 roots of a candidate as O(k), which is the
    cost of only one evaluation of the equation.
    """
    return _cost("TIWD-5", evidence, "secular")


def tiwd5_closed(evidence):
    """Judge the claim of `tiwd5` for the closed form of the determinant."""
    return _cost("TIWD-5", evidence, "closed", reading="closed form")


def tiwd6a(evidence):
    """Judge the share of the unlabelled globins in one of the classes.

    Confirmed if it is significantly above NEARLY_ALL. The interval is that of a proportion, over
    objects. If chains disagree, there is no interval and nothing is decided, because the one
    annealed partition that is counted then depends on its start. Other sequences in place of the
    paper's unlabelled ones decide nothing either, because any share of them may belong to no class.
    """
    blocks = _globins(evidence)
    if blocks is None:
        return CLAIMS.untested("TIWD-6a", "the globins were not run.")
    counts = block_counts(blocks)
    joined = round(counts["share in classes"] * counts["unlabelled"])
    interval = proportion_interval(joined, round(counts["unlabelled"]))
    apart = evidence.unconverged(GLOBINS)
    if apart:
        interval = (interval[0], np.nan, np.nan)
    verdict = evidence.on_its_own(verdict_above(*interval[1:], NEARLY_ALL), "globins")
    text = (
        f"{evidence.where(['globins'])}: {joined:,} of {counts['unlabelled']:,.0f} unlabelled "
        f"sequences in one of {counts['classes']:g} classes; 'nearly all' is read as above "
        f"{NEARLY_ALL}{_caveat(evidence)}{not_converged(apart)}"
    )
    return CLAIMS.row("TIWD-6a", verdict, *interval, finish_sentence(text, ()))


def tiwd6b(evidence):
    """Judge the number of new blocks with at least 1 % of the unlabelled sequences.

    Confirmed if there are 1 to FEW. If chains disagree, nothing is decided, as in `tiwd6a`.
    """
    blocks = _globins(evidence)
    if blocks is None:
        return CLAIMS.untested("TIWD-6b", "the globins were not run.")
    counts = block_counts(blocks)
    found = counts["new blocks of 1 %"]
    apart = evidence.unconverged(GLOBINS)
    verdict = evidence.on_its_own(CONFIRMED if 1 <= found <= FEW else REFUTED, "globins")
    interval = (found,) * 3
    if apart:
        verdict, interval = UNTESTABLE, (found, np.nan, np.nan)
    text = (
        f"{evidence.where(['globins'])}: {found:g} new blocks of at least 1 % of the unlabelled "
        f"sequences, {counts['new blocks']:g} with the smaller ones; the paper has "
        f"{evidence.published.fig5['new blocks']:g}; 'a few' is read as 1 to {FEW}"
        f"{_caveat(evidence)}{not_converged(apart)}"
    )
    return CLAIMS.row("TIWD-6b", verdict, *interval, finish_sentence(text, ()))


def _chains(evidence):
    name = evidence.dataset("large")
    return [
        chain for trace in evidence.traces if trace.dataset == name for chain in trace.n_clusters
    ]


def _counted(chains):
    return f"{len(chains)} chain{'' if len(chains) == 1 else 's'}"


def _cost(key, evidence, algorithm, reading=""):
    level = bonferroni(LEVEL, len(AXES))
    found, missing = {}, []
    for axis in AXES:
        power, n_fitted = np.nan, 0
        if evidence.timings is not None:
            points = series(evidence.timings, algorithm, axis)
            if len(points):
                power, error, n_fitted = exponent(points, axis)
        if np.isnan(power):
            missing.append(f"sweeps at several {axis}")
            continue
        # A line has two parameters, so there is one degree of freedom less than for a mean of as
        # many values.
        found[axis] = student_interval(power, error, n_fitted - 1, level)
    if not found:
        why = f"the {ALGORITHMS[algorithm]} algorithm was not timed."
        return CLAIMS.untested(key, why, reading)
    bars = {axis: evidence.published.scaling["secular", axis] + SLACK for axis in found}
    verdict = all_of(verdict_below(*found[axis][1:], bars[axis]) for axis in found)
    shown = found.get("k", found.get("n"))
    parts = [f"{axis}^{interval[0]:.2f}" for axis, interval in found.items()]
    text = (
        f"Timed sweeps, {ALGORITHMS[algorithm]}: seconds grow as {' and '.join(parts)} (the last "
        f"exponent is the effect); the bound is read as exponents of 2, {SLACK} left to the fit"
    )
    if verdict == CONFIRMED and all(found[axis][0] < bars[axis] - NEAR for axis in found):
        verdict = UNTESTABLE
        text += "; both are so far below that other costs hide those of the theorem"
    verdict = unless_missing(verdict, missing)
    return CLAIMS.row(key, verdict, *shown, finish_sentence(text, missing), reading)


def _apart(evidence):
    return not_converged(evidence.unconverged([("large", "tiwd")]))


def _globins(evidence):
    name = evidence.dataset("globins")
    if evidence.blocks is None or name is None:
        return None
    blocks = evidence.blocks[evidence.blocks["dataset"] == name]
    return blocks if blocks["n_unlabelled"].sum() > 0 else None


def _caveat(evidence):
    if evidence.of_the_paper("globins"):
        return ""
    return "; these are not the paper's sequences, so that they decide nothing"
