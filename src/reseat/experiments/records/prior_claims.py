"""Claims MIC-1 to MIC-9: formulas, the growth of blocks, and the chaperones algorithm."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from reseat.datasets.identity import UNCOMPARED
from reseat.experiments.evidence import not_converged
from reseat.experiments.intervals import LEVEL, bonferroni
from reseat.experiments.records import formulas
from reseat.experiments.records.evidence import CLAIMS
from reseat.experiments.records.growth import theorem_table
from reseat.experiments.records.mixing import MOVES, chaperones_table, speed_ratio
from reseat.experiments.records.wording import LASTING, VANISHING
from reseat.experiments.slopes import log_slope
from reseat.experiments.verdicts import ROUNDING, all_of, on_data, verdict_above, verdict_below
from reseat.summaries import AGREED
from reseat.vocabulary import CONFIRMED, REFUTED, UNTESTABLE

#: Difference between the means of two moves, in standard errors, above which they do not sample the
#: same distribution.
APART = 3

#: The order of visits that does not depend on the state.
STATE_FREE = "ascending"

_SETTING = (
    f"a = {formulas.A}, q = {formulas.Q}, r = {formulas.R}, p = {formulas.P}, "
    f"all partitions of {formulas.N_ITEMS} items"
)


def mic1(_evidence):
    """Judge MIC-1: confirmed if the probabilities match the generative process up to rounding."""
    error = formulas.joint_error()
    text = (
        f"Enumerated with {_SETTING} and fewer (NBD: alpha = {formulas.ALPHA:g}, geometric "
        f"{formulas.BASE:g}): the largest relative error of the probability of a partition (the "
        "effect), against the generative process summed over all labellings."
    )
    return _exact("MIC-1", error, text)


def mic2(_evidence):
    """Judge MIC-2: confirmed if the ratio of equations 13 and 12 is the same for all partitions."""
    text = (
        f"Enumerated with {_SETTING}: the effect is the range of log (13) - log (12), which must "
        "be constant."
    )
    return _exact("MIC-2", formulas.conditional_error(), text)


def mic3(_evidence):
    """Judge MIC-3: refuted if the printed weights are not the conditionals of equation 12."""
    right = formulas.reseating_error("derived")
    text = (
        f"Enumerated with {_SETTING}: largest total variation (the effect) between the printed "
        "weights and the conditionals of equation 12; with the weight (K + a) beta r it is "
        f"{right:.1e}. The factor r is missing; the two agree only at r = 1."
    )
    return _exact("MIC-3", formulas.reseating_error("printed"), text)


def mic4(_evidence):
    """Judge MIC-4: refuted if the ratio of equation 17 to the joint density depends on r."""
    right = formulas.r_conditional_error(0.0)
    text = (
        f"Enumerated with {_SETTING}: range over r of log (17) minus the log joint, which must be "
        f"constant (the effect); with Gamma(|c| + r) it is {right:.1e}."
    )
    return _exact("MIC-4", formulas.r_conditional_error(-1.0), text)


def mic5(_evidence):
    """Judge MIC-5: confirmed if the ratio of equation 18 to the joint does not depend on p."""
    text = (
        f"Enumerated with {_SETTING}: the effect is the range over p of log (18) minus the log "
        "joint, which must be constant."
    )
    return _exact("MIC-5", formulas.p_conditional_error(), text)


def mic6(evidence):
    """Judge MIC-6 by the slope of log E[M/N] on log N.

    Confirmed if the slope is significantly below :data:`VANISHING` for NBNB, refuted if it is
    significantly above. Draws from NBD decide nothing: a and q are solved for half as many clusters
    as items at each number of items, so its clusters stay small whatever the prior does at fixed
    values of these.
    """
    return _slopes(
        "MIC-6",
        evidence,
        ("NBNB",),
        lambda low, high: verdict_below(low, high, VANISHING),
        f"the share is said to vanish if the slope is below {VANISHING}; NBD is not judged, as its "
        "a and q are solved for N / 2 clusters at each N",
        max,
    )


def mic7(evidence):
    """Judge MIC-7 by the slope of log E[M/N] on log N.

    Confirmed if the slope is surely above :data:`LASTING` for both processes, refuted if it is
    surely below for one.
    """
    return _slopes(
        "MIC-7",
        evidence,
        ("DP", "PYP"),
        lambda low, high: verdict_above(low, high, LASTING),
        f"the share is said to last if the slope is above {LASTING}",
        min,
    )


def mic8(evidence):
    """Judge MIC-8 by the exact transition matrices of the order that does not depend on the state.

    Confirmed if the moves change no posterior by more than rounding and every partition can be
    reached, refuted if either fails for one prior.
    """
    frame = evidence.invariance
    if frame is None or STATE_FREE not in set(frame["order"]):
        return CLAIMS.untested("MIC-8", "no transition matrix was computed.")
    free = frame[frame["order"] == STATE_FREE]
    other = frame[frame["order"] != STATE_FREE]
    worst = float(free["total_variation"].max())
    reached = bool(free["irreducible"].all())
    priors = ", ".join(dict.fromkeys(free["prior"]))
    text = (
        f"{len(free)} exact transition matrices ({priors}): largest total variation between the "
        "posterior and the law the moves settle in (the effect), the items of both clusters "
        "visited in an order that does not depend on how they are split; "
        + ("every partition is reached" if reached else "not every partition is reached")
    )
    if len(other):
        text += (
            "; visited one cluster after the other they settle up to "
            f"{other['total_variation'].max():.1e} away"
        )
    verdict = CONFIRMED if worst <= ROUNDING and reached else REFUTED
    return CLAIMS.row("MIC-8", verdict, worst, worst, worst, text + ".")


def mic9(evidence):
    """Judge MIC-9 by the ratio of effective samples per second of chaperones to Gibbs sweeps.

    Chaperones on similar pairs are judged, or on uniform pairs if those on similar ones did not
    run. Confirmed if the ratio surely exceeds 1 for the number of clusters and the log joint on
    every data set, refuted if it is surely below 1 for one; the Welch intervals (of logarithms,
    over chains) hold simultaneously. Untestable on generated data and the user's own, and if the
    means of the two moves differ or the chains of one of them disagree, because chains that have
    not reached the posterior seem to mix fast.
    """
    runs = evidence.runs
    if runs is None or len(runs) == 0:
        return CLAIMS.untested("MIC-9", "no moves were compared.")
    present = [m for m in ("chaperones_similarity", "chaperones_uniform") if m in set(runs["move"])]
    if not present or "gibbs" not in set(runs["move"]):
        return CLAIMS.untested("MIC-9", "chaperones and Gibbs sweeps did not both run.")
    pairs = list(runs[["dataset", "quantity"]].drop_duplicates().itertuples(index=False, name=None))
    level = bonferroni(LEVEL, len(pairs))
    found = {pair: speed_ratio(runs, pair[0], present[0], pair[1], level) for pair in pairs}
    worst = min(pairs, key=lambda pair: found[pair][0])
    verdict = all_of(verdict_above(low, high, 1.0) for _ratio, low, high in found.values())
    status = dict(runs[["dataset", "status"]].drop_duplicates().itertuples(index=False, name=None))
    if not set(UNCOMPARED).isdisjoint(status.values()):
        verdict = UNTESTABLE
    ratios = ", ".join(
        f"{quantity} on {name} {ratio:.3g}" for (name, quantity), (ratio, *_) in found.items()
    )
    moves = chaperones_table("MIC-9", runs)
    table = moves[moves["move"] == present[0]]
    text = (
        f"{on_data(status, status)}: effective samples a CPU second, {MOVES[present[0]]} over "
        f"Gibbs, in {int(table['n_chains'].min())} chains each: {ratios}; the effect is the "
        "smallest; with samples counted over all chains together, at least "
        f"{table['ratio_together'].min():.3g}"
    )
    for move in present[1:]:
        others = [speed_ratio(runs, name, move, quantity)[0] for name, quantity in pairs]
        text += f"; {MOVES[move]}: {min(others):.3g} to {max(others):.3g}"
    apart = _apart(moves[moves["move"] == "gibbs"], table)
    if apart > APART:
        verdict = UNTESTABLE
        text += (
            f"; the means are up to {apart:.1f} standard errors apart, so that the chains of one "
            "of the two are not at the posterior yet, and its effective samples too many"
        )
    disagree = _disagreeing(runs, (present[0], "gibbs"))
    if disagree:
        verdict = UNTESTABLE
        text += not_converged(disagree)
    return CLAIMS.row("MIC-9", verdict, *found[worst], text + ".")


def _disagreeing(runs, moves):
    """Return, in words, which of some moves have chains that disagree on a data set."""
    if "rhat" not in runs:  # runs of earlier versions
        return []
    apart = runs[(runs["chain"] == -1) & runs["move"].isin(moves) & (runs["rhat"] > AGREED)]
    cells = apart[["move", "dataset"]].drop_duplicates().itertuples(index=False, name=None)
    return [f"{MOVES[move]} on {dataset}" for move, dataset in cells]


def _apart(first, second):
    """Return the largest difference between the means of two moves, in standard errors."""
    both = first.merge(second, on=["dataset", "quantity"])
    errors = np.hypot(both["mcse_x"], both["mcse_y"])
    return ((both["mean_x"] - both["mean_y"]).abs() / errors).max()


def _exact(key, error, text):
    """Return the row of a claim that is judged by a number without sampling error."""
    return CLAIMS.exact(key, error <= ROUNDING, error, text)


def _slopes(key, evidence, systems, rule, reading, worst_of):
    if evidence.growth is None or not set(systems) <= set(evidence.growth["system"]):
        return CLAIMS.untested(key, f"no draws from {' and '.join(systems)}.")
    table = theorem_table(key, evidence.growth)
    table = table[table["quantity"] == "largest_share"]
    width = ndtri(0.5 + bonferroni(LEVEL, len(systems)) / 2)
    found, parts = {}, []
    for system in systems:
        part = table[table["system"] == system].sort_values("n_items")
        part = part[part["se"] > 0]
        slope, error = log_slope(part["n_items"], part["mean"], part["se"])
        found[system] = (slope, slope - width * error, slope + width * error)
        if len(part):
            first, last = part.iloc[0], part.iloc[-1]
            parts.append(
                f"{system} from {first['mean']:.3g} at N = {first['n_items']} to "
                f"{last['mean']:.3g} at {last['n_items']} (slope {slope:.2f}, "
                f"{int(part['n_draws'].min())} draws a point)"
            )
    worst = worst_of(found.values(), key=lambda slope: slope[0])
    verdict = all_of(rule(low, high) for _slope, low, high in found.values())
    text = f"Prior draws, E[M/N]: {', '.join(parts)}; {reading}, and the effect is the "
    which = "" if len(found) == 1 else "larger " if worst_of is max else "smaller "
    text += f"{which}slope."
    return CLAIMS.row(key, verdict, *worst, text)
