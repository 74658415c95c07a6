"""The claims MIC-1 to MIC-18 of Zanella et al. (2016), judged on what was computed and measured.

Each claim has one function, which states its rule and returns one row: a verdict, an effect, an
interval with coverage :data:`~reseat.papers.statistics.LEVEL` (for all comparisons of a claim
together), and a sentence of evidence that names the data. A formula is right or wrong up to
rounding, so that its interval is the effect itself. A claim is *untestable* if the interval does
not decide it, or if the data that it is about are not available. MIC-18 is about the printed table
only.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.special import ndtri

from reseat.datasets.identity import UNCOMPARED
from reseat.papers.claims import (
    ROUNDING,
    above,
    all_of,
    claims_table,
    finish_sentence,
    judge,
    judge_in_ways,
    not_converged,
    on_data,
    verdict_above,
    verdict_below,
    with_reading,
)
from reseat.papers.records import formulas
from reseat.papers.records.evidence import (
    ALL_BUT,
    CLAIMS,
    EQUAL,
    ERROR_RATES,
    GENERAL,
    GREATLY,
    GREATLY_MEANS,
    LASTING,
    LOSSES,
    OVERESTIMATED,
    PATTERN,
    SINGLETON_SHARES,
    SIZE_STATISTICS,
    SURVEYS,
    SYRIA,
    VANISHING,
    almost_text,
    bootstrap_variants,
    excess_text,
    gap,
    growth_cells,
    growth_text,
    mean_losses,
    measured_losses,
    mic18_printed,
    missing_cells,
    no_worse,
    printed_losses,
    share_nbd_best,
    share_won,
    shares_against_text,
)
from reseat.papers.records.results import DELTAS, SAMPLED, SETS, of_model
from reseat.papers.records.study_tables import MOVES, chaperones_table, speed_ratio, theorem_table
from reseat.papers.statistics import (
    FEWEST,
    LEVEL,
    bonferroni,
    difference_interval,
    log_slope,
    mean_interval,
)
from reseat.summaries import AGREED
from reseat.vocabulary import CONFIRMED, REFUTED, UNTESTABLE

# ---- Claims MIC-10 to MIC-17: which prior does better on which data --------------------------
#
# They are judged on our posteriors, with an interval over data draws. Generated data decide
# nothing about the paper's sets, and a claim about several sets or variants is not confirmed
# while one of them is missing.

#: Priors that are said to overestimate the number of clusters, and their models.
_EXCEEDING = {"DP": "dp", "PYP": "pyp"}


def mic10(evidence):
    """Judge MIC-10 by the number of variants on which neither error rate is worse.

    On each of these variants of Italy and NLTCS5000, NBNB and NBD are both no worse than DP and PYP
    in FNR and in FDR. "Almost all" is read as all but :data:`ALL_BUT`. Confirmed if the bootstrap
    interval over data draws lies in that range, refuted if it lies below.
    """
    return _almost_all("MIC-10", evidence, ERROR_RATES, "FNR and FDR")


def mic11(evidence):
    """Judge MIC-11 like MIC-10, by the errors of the posterior means of four statistics."""
    return _almost_all("MIC-11", evidence, SIZE_STATISTICS, "the four statistics of cluster sizes")


def mic12(evidence):
    """Judge MIC-12 by the share of (variant, loss) pairs in which no prior is better than NBD.

    The variants are those of Italy and NLTCS5000. Confirmed if the bootstrap interval lies above
    :data:`GENERAL`, refuted if below.
    """
    text = (
        "share of comparisons (variant by error rate or size statistic) in which no prior is "
        f"better than NBD; {EQUAL}; 'in general' is read as above {GENERAL}"
    )
    return _share("MIC-12", evidence, SURVEYS, share_nbd_best, text, above(GENERAL))


def mic13(evidence):
    """Judge MIC-13 by how much the lead of NBNB and NBD over DP and PYP grows with delta.

    The growth is the lead at the largest delta minus that at the smallest, in every loss, on Italy
    and on NLTCS5000. Confirmed if all simultaneous Welch intervals over data draws lie above 0,
    refuted if one lies below; a set on which a model has not converged decides nothing.
    """
    losses = measured_losses(evidence.draws, SURVEYS)
    found = {}
    for role, loss in growth_cells(losses):
        ends = [gap(losses[role, delta], loss) for delta in (DELTAS[-1], DELTAS[0])]
        found[role, loss] = difference_interval(
            *ends, bonferroni(LEVEL, len(SURVEYS) * len(LOSSES))
        )
    if not found:
        return CLAIMS.untested("MIC-13", "no set was run at both ends of delta.")
    missing = [SETS[role] for role in SURVEYS if (role, LOSSES[0]) not in found]
    worst = min(found.values(), key=lambda interval: interval[0])
    ends = (DELTAS[0], DELTAS[-1])
    verdict = all_of(
        UNTESTABLE
        if evidence.unconverged([role], ends)
        else evidence.on_its_own(verdict_above(low, high, 0.0), role)
        for (role, _loss), (_effect, low, high) in found.items()
    )
    roles = list(dict.fromkeys(role for role, _loss in found))
    text = (
        f"{evidence.where(roles)}, {_spanned([len(values) for values in losses.values()])}: "
        f"{growth_text(_effects(found))}{not_converged(evidence.unconverged(roles, ends))}"
    )
    return _row("MIC-13", evidence, roles, verdict, worst, text, missing)


def mic14(evidence):
    """Judge MIC-14 by the share of comparisons on the Syria sets that microclustering priors win.

    Ties count one half. There is no consistent pattern if neither side wins more than
    :data:`PATTERN`: confirmed if the bootstrap interval lies within these bounds, refuted if it
    lies outside.
    """
    text = (
        "share of comparisons (variant by error rate or size statistic by pair of priors) won by "
        f"NBNB and NBD against DP and PYP; {EQUAL}, a tie being half a win; a pattern is read as "
        f"more than {PATTERN} for one side"
    )
    return _share("MIC-14", evidence, SYRIA, share_won, text, _no_pattern)


def mic15(evidence):
    """Judge MIC-15 by the relative excess E[K]/K - 1 of DP and PYP at the largest delta.

    The effect is the smallest excess on the three sets. Confirmed if all six simultaneous Student
    intervals over data draws lie above :data:`GREATLY`, refuted if one lies below. Means that have
    not converged decide nothing, nor do data that are used in place of the paper's.
    """
    found, counts = _excesses(evidence, OVERESTIMATED)
    if not found:
        return CLAIMS.untested("MIC-15", f"nothing was run at delta = {DELTAS[-1]:g}.")
    roles = list(dict.fromkeys(role for role, _system in found))
    missing = _not_run(found, OVERESTIMATED)
    verdict = _all_excesses(evidence, found, verdict_above)
    worst = min(found.values(), key=lambda interval: interval[0])
    text = (
        f"{evidence.where(roles)}, delta = {DELTAS[-1]:g}, {_spanned(counts)}: E[K]/K - 1: "
        f"{excess_text(_effects(found))}; the effect is the smallest; "
        f"{GREATLY_MEANS}{not_converged(evidence.unconverged(roles, DELTAS[-1:], ('dp', 'pyp')))}"
    )
    return _row("MIC-15", evidence, roles, verdict, worst, text, missing)


def mic16(evidence):
    """Judge MIC-16 by the same excess on Syria2000, which is the exception to MIC-15.

    The effect is the smaller excess of DP and PYP. Confirmed if one of them surely stays below
    :data:`GREATLY`, refuted if both surely exceed it. Means that have not converged and data used
    in place of the paper's decide nothing, as for MIC-15.
    """
    found, counts = _excesses(evidence, ("syria2000",))
    if not found:
        return CLAIMS.untested("MIC-16", f"Syria2000 was not run at delta = {DELTAS[-1]:g}.")
    exceed = _all_excesses(evidence, found, verdict_above)
    verdict = {CONFIRMED: REFUTED, REFUTED: CONFIRMED}.get(exceed, UNTESTABLE)
    missing = _not_run(found, ["syria2000"])
    if missing and verdict == REFUTED:  # the other process may be the exception
        verdict = UNTESTABLE
    least = min(found.values(), key=lambda interval: interval[0])
    apart = evidence.unconverged(["syria2000"], DELTAS[-1:], ("dp", "pyp"))
    text = (
        f"{evidence.where(['syria2000'])}, delta = {DELTAS[-1]:g}, {_spanned(counts)}: E[K]/K - 1: "
        f"{excess_text(_effects(found))}; the effect is the smaller; "
        f"{GREATLY_MEANS}{not_converged(apart)}"
    )
    return _row("MIC-16", evidence, ["syria2000"], verdict, least, text, missing)


def mic17(evidence):
    """Judge MIC-17: refuted if the true share of singletons is not the one stated in the text.

    The shares are of the true clusters and are printed in whole per cent, so that differences of up
    to half a per cent are allowed for rounding.
    """
    found = {}
    for role in SINGLETON_SHARES:
        rows = evidence.rows(role).dropna(subset=["truth"])
        truth = rows.drop_duplicates("quantity").set_index("quantity")["truth"]
        if {"n_singletons", "n_clusters"} <= set(truth.index):
            found[role] = (truth["n_singletons"], truth["n_clusters"])
    if not found:
        return CLAIMS.untested("MIC-17", "neither set was made.")
    verdict, worst, text = shares_against_text(found)
    missing = [SETS[role] for role in SINGLETON_SHARES if role not in found]
    text = f"{evidence.where(found)}: {text}"
    return _row("MIC-17", evidence, list(found), verdict, (worst, worst, worst), text, missing)


def _almost_all(key, evidence, columns, what):
    losses = measured_losses(evidence.draws, SURVEYS)
    if not losses:
        return CLAIMS.untested(key, "no variant was run under all four priors.")
    rng = np.random.default_rng(evidence.seed)
    interval = bootstrap_variants(losses, lambda means: len(no_worse(means, columns)), rng)
    # The count is an integer; subtracting a half puts the threshold between two integers.
    verdict = verdict_above(*interval[1:], len(losses) - ALL_BUT - 0.5)
    means = mean_losses(losses)
    roles = list(dict.fromkeys(role for role, _delta in losses))
    apart = evidence.unconverged(roles)
    text = f"{evidence.where(roles)}, {_draws(losses)}: "
    text += almost_text(means, no_worse(means, columns), what) + not_converged(apart)
    missing = missing_cells(losses, SURVEYS)
    if apart or not all(map(evidence.of_the_paper, roles)):
        verdict = UNTESTABLE
    return _row(key, evidence, roles, verdict, interval, text, missing)


def _share(key, evidence, roles, statistic, text, rule):
    losses = measured_losses(evidence.draws, roles)
    if not losses:
        return CLAIMS.untested(key, "no variant was run under all four priors.")
    interval = bootstrap_variants(losses, statistic, np.random.default_rng(evidence.seed))
    present = list(dict.fromkeys(role for role, _delta in losses))
    apart = evidence.unconverged(present)
    text = f"{evidence.where(present)}, {_draws(losses)}: {text}{not_converged(apart)}"
    missing = missing_cells(losses, roles)
    # A share of the variants that are there says nothing about that of all of them.
    decided = not missing and not apart and all(map(evidence.of_the_paper, present))
    verdict = rule(*interval[1:]) if decided else UNTESTABLE
    return _row(key, evidence, present, verdict, interval, text, missing)


def _row(key, evidence, roles, verdict, interval, text, missing=()):
    verdict = evidence.verdict(verdict, roles, missing)
    return evidence.row(key, verdict, interval, finish_sentence(text, missing))


def _effects(found):
    return {cell: interval[0] for cell, interval in found.items()}


def _no_pattern(low, high):
    if np.isnan(low):
        return UNTESTABLE
    if low > 1 - PATTERN and high < PATTERN:
        return CONFIRMED
    return REFUTED if low > PATTERN or high < 1 - PATTERN else UNTESTABLE


def _draws(losses):
    counts = [len(values) for values in losses.values()]
    short = f" (an interval needs {FEWEST})" if min(counts) < FEWEST else ""
    return _spanned(counts) + short


def _spanned(counts):
    least, most = min(counts), max(counts)
    span = f"{least}" if least == most else f"{least} to {most}"
    return f"{span} data draw{'' if most == 1 else 's'} a variant"


def _all_excesses(evidence, found, rule):
    """Return the verdict on whether all excesses are above :data:`GREATLY`."""

    def verdict(role, system, low, high):
        if evidence.unconverged([role], DELTAS[-1:], [_EXCEEDING[system]]):
            return UNTESTABLE
        return evidence.on_its_own(rule(low, high, GREATLY), role)

    return all_of(verdict(*cell, *interval[1:]) for cell, interval in found.items())


def _not_run(found, roles):
    """Return the sets and processes of which there is no excess, as words."""
    missing = []
    for role in roles:
        lacking = [system for system in _EXCEEDING if (role, system) not in found]
        whole = len(lacking) == len(_EXCEEDING)
        missing += [SETS[role]] if whole else [f"{name} on {SETS[role]}" for name in lacking]
    return missing


def _excesses(evidence, roles):
    """Return intervals of E[K]/K - 1 at the largest delta by (role, system), and draw counts."""
    values = {}
    for role in roles:
        rows = evidence.rows(role)
        rows = rows[rows["delta_true"] == DELTAS[-1]]
        for system, model in _EXCEEDING.items():
            found = of_model(rows, model, "n_clusters")
            if len(found):
                values[role, system] = found["mean"] / found["truth"] - 1
    level = bonferroni(LEVEL, 2 * len(roles))
    found = {cell: mean_interval(excess, level) for cell, excess in values.items()}
    return found, [len(excess) for excess in values.values()]


# ---- Do the paper's claims hold in the paper's own printed numbers? --------------------------

_SOURCE = "Table 1 (rates) and the medians of Figure 2 (sizes)"


def evaluate_printed(evidence):
    """Judge MIC-6 and MIC-10 to MIC-18 on the published numbers alone.

    There are no intervals, since each printed number is from one run on one data draw.
    """
    published = evidence.published
    rows = [
        _growth(published),
        *_surveys(published),
        _pattern(published),
        *_printed_excesses(published),
        _singletons(published),
        mic18_printed(published),
    ]
    return claims_table(rows)


def _growth(published):
    slopes = {
        name: log_slope(part["n_items"], part["max_size"] / part["n_items"])
        for name, part in published.fig1.groupby("system", sort=False)
    }
    slope = slopes["NBNB"][0]
    points = len(published.fig1) // len(slopes)
    parts = [f"{name} {slope:.2f} (se {error:.2f})" for name, (slope, error) in slopes.items()]
    text = (
        f"Figure 1, {points} points each: slope of log M/N on log N {', '.join(parts)}; the effect "
        "is that of NBNB."
    )
    return CLAIMS.printed("MIC-6", slope < VANISHING, slope, text)


def _surveys(published):
    losses = printed_losses(published, SURVEYS)
    means = mean_losses(losses)
    for key, columns, what in (
        ("MIC-10", ERROR_RATES, "FNR and FDR"),
        ("MIC-11", SIZE_STATISTICS, "the four statistics of cluster sizes"),
    ):
        good = no_worse(means, columns)
        text = f"{_SOURCE}: {almost_text(means, good, what)}."
        yield CLAIMS.printed(key, len(good) >= len(means) - ALL_BUT, len(good), text)
    share = share_nbd_best(means)
    text = f"{_SOURCE}: NBD is not beaten in {share:.0%} of the comparisons; {EQUAL}."
    yield CLAIMS.printed("MIC-12", share > GENERAL, share, text)
    growth = {}
    for role, loss in growth_cells(losses):
        last, first = (gap(losses[role, delta], loss)[0] for delta in (DELTAS[-1], DELTAS[0]))
        growth[role, loss] = float(last - first)
    least = min(growth.values())
    yield CLAIMS.printed("MIC-13", least > 0, least, f"{_SOURCE}: {growth_text(growth)}.")


def _pattern(published):
    share = share_won(mean_losses(printed_losses(published, SYRIA)))
    text = f"{_SOURCE}: NBNB and NBD win {share:.0%} of the comparisons; {EQUAL}, ties being half."
    return CLAIMS.printed("MIC-14", 1 - PATTERN < share < PATTERN, share, text)


def _printed_excesses(published):
    delta, excesses = DELTAS[-1], {}
    for key, roles in (("MIC-15", OVERESTIMATED), ("MIC-16", ("syria2000",))):
        found = {
            (role, system): published.table1[role, delta, system, "E[K]"]
            / published.true_clusters(role, delta)
            - 1
            for role in roles
            for system in ("DP", "PYP")
        }
        excesses[key] = found
    least, other = (min(excesses[key].values()) for key in ("MIC-15", "MIC-16"))
    for key, holds, effect in (
        ("MIC-15", least > GREATLY, least),
        ("MIC-16", other < GREATLY, other),
    ):
        text = (
            f"Table 1, delta = {delta:g}: E[K]/K - 1: {excess_text(excesses[key])}; "
            f"{GREATLY_MEANS}."
        )
        yield CLAIMS.printed(key, holds, effect, text)


def _singletons(published):
    found = {
        role: (published.true_singletons(role), published.true_clusters(role, DELTAS[0]))
        for role in SINGLETON_SHARES
    }
    verdict, worst, text = shares_against_text(found)
    text = f"The dashed lines of Figure 2 over the true K of Table 1: {text}."
    return CLAIMS.printed("MIC-17", verdict == CONFIRMED, worst, text)


# ---- Claims MIC-1 to MIC-9: formulas, the growth of blocks, and the chaperones algorithm -----

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


RULES = (
    *(mic1, mic2, mic3, mic4, mic5),
    *(mic6, mic7, mic8, mic9),
    *(mic10, mic11, mic12, mic13),
    *(mic14, mic15, mic16, mic17),
)

#: Claims that compare priors with DP and PYP, whose concentrations the paper fixes and the authors'
#: later software samples.
COMPARISONS = (
    *(mic10, mic11, mic12, mic13),
    *(mic14, mic15, mic16),
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
