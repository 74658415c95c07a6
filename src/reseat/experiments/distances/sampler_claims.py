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
    CONFIRMED,
    REFUTED,
    UNTESTABLE,
    all_of,
    finish_sentence,
    unless_missing,
    verdict_above,
    verdict_below,
)

#: "Roughly": within this factor of the sweeps printed (TIWD-2a).
ROUGHLY = 2.0
#: "Almost monotonically": steps down are less than this share of the steps up (TIWD-2b).
ALMOST = 0.2
#: How far a fitted exponent may exceed that of a bound (TIWD-5).
SLACK = 0.25
#: How far below the exponent of the bound, with that, the term of the bound is still to be seen.
NEAR = 0.75
#: "Nearly all" (TIWD-6a), and the most new classes that are "a few" (TIWD-6b).
NEARLY_ALL, FEW = 0.9, 6
#: Whose chains they are about.
GLOBINS = (("globins", "tiwd"),)


def tiwd2a(evidence):
    """Mean sweep from which the number of clusters is stable (`settling_sweep`).

    Confirmed if surely within a factor of :data:`ROUGHLY` of the sweeps printed, refuted if surely
    outside. Traces that are not longer than that decide nothing.
    """
    chains = _chains(evidence)
    if not chains:
        return CLAIMS.untested("TIWD-2a", "no trace was kept.")
    printed = evidence.published.fig3["sweeps until stable"]
    settled = [settling_sweep(chain) for chain in chains]
    interval = mean_interval(settled)
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
        f"read as within a factor of {ROUGHLY:g}"
    )
    return CLAIMS.row("TIWD-2a", verdict, *interval, finish_sentence(text, ()))


def tiwd2b(evidence):
    """Steps down as a share of the steps up, until the level is first reached.

    Confirmed if surely below :data:`ALMOST`, refuted if surely above.
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
        f"as below {ALMOST}"
    )
    return CLAIMS.row("TIWD-2b", verdict, *interval, finish_sentence(text, ()))


def tiwd5(evidence):
    """Exponents of the seconds a sweep in n and in k, for the algorithm as the paper describes it.

    Confirmed if both simultaneous intervals lie below the exponents of theorem 1 and
    :data:`SLACK` and one of them comes near its own, refuted if one lies above. Where neither
    comes near, other costs hide those that the theorem is about. The effect is the exponent in k:
    the proof counts the k - 1 roots of a candidate as O(k), which is the cost of one evaluation of
    the equation.
    """
    return _cost("TIWD-5", evidence, "secular")


def tiwd5_closed(evidence):
    """The same for the closed form of the determinant."""
    row = _cost("TIWD-5", evidence, "closed")
    return row | {"claim": row["claim"].replace(": ", " (closed form): ", 1)}


def tiwd6a(evidence):
    """Share of the unlabelled globins in one of the classes: confirmed if above NEARLY_ALL.

    The interval is that of a proportion, over objects; there is none where chains disagree, as the
    one annealed partition that is counted then depends on its start, and nothing is decided. Other
    sequences in the place of the paper's unlabelled ones decide nothing either: as many of them may
    belong to no class as do.
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
    """Number of new blocks with at least 1 % of the unlabelled: confirmed if 1 to FEW.

    Where chains disagree, nothing is decided, as in `tiwd6a`.
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


def _cost(key, evidence, algorithm):
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
        # A line has two parameters: one degree of freedom less than a mean of as many values.
        found[axis] = student_interval(power, error, n_fitted - 1, level)
    if not found:
        return CLAIMS.untested(key, f"the {ALGORITHMS[algorithm]} algorithm was not timed.")
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
    return CLAIMS.row(key, verdict, *shown, finish_sentence(text, missing))


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
