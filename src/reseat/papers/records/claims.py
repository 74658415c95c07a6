"""The claims MIC-1 to MIC-18 of Zanella et al. (2016), judged on what was computed and measured.

Each claim stands above the function that judges it, which states its rule and returns a verdict, an
effect, an interval with coverage :data:`~reseat.papers.statistics.LEVEL` (for all comparisons of a
claim together), and a sentence of evidence that names the data. A formula is right or wrong up to
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
    PRINTED,
    ROUNDING,
    Claims,
    Verdict,
    above,
    all_of,
    exact,
    finish_sentence,
    not_converged,
    on_data,
    untested,
    verdict_above,
    verdict_below,
)
from reseat.papers.records import PAPER, formulas
from reseat.papers.records.evidence import (
    ALL_BUT,
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
    impossible_rows,
    mean_losses,
    measured_losses,
    missing_cells,
    no_worse,
    printed_losses,
    share_nbd_best,
    share_won,
    shares_against_text,
)
from reseat.papers.records.results import DELTAS, MODELS, SAMPLED, SETS, of_model
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
from reseat.vocabulary import AS_PRINTED, CONFIRMED, REFUTED, UNTESTABLE

#: The claims of the paper.
CLAIMS = Claims(PAPER)
claim = CLAIMS.claim

# ---- Claims MIC-10 to MIC-17: which prior does better on which data --------------------------
#
# They are judged on our posteriors, with an interval over data draws. Generated data decide
# nothing about the paper's sets, and a claim about several sets or variants is not confirmed
# while one of them is missing.

#: Priors that are said to overestimate the number of clusters, and their models.
_EXCEEDING = {"DP": "dp", "PYP": "pyp"}


@claim(
    "MIC-10",
    "NBNB and NBD have no worse error rates than DP and PYP on almost all variants of "
    "Italy and NLTCS5000",
    effect="number of variants on which neither NBNB nor NBD has worse error rates",
    again=("sampled",),
)
def mic10(evidence):
    """Judge MIC-10 by the number of variants on which neither error rate is worse.

    On each of these variants of Italy and NLTCS5000, NBNB and NBD are both no worse than DP and PYP
    in FNR and in FDR. "Almost all" is read as all but :data:`ALL_BUT`. Confirmed if the bootstrap
    interval over data draws lies in that range, refuted if it lies below.
    """
    return _almost_all(evidence, ERROR_RATES, "FNR and FDR")


@claim(
    "MIC-11",
    "NBNB and NBD have no worse cluster sizes than DP and PYP on almost all variants of "
    "Italy and NLTCS5000",
    effect="number of variants on which neither NBNB nor NBD has worse cluster sizes",
    again=("sampled",),
)
def mic11(evidence):
    """Judge MIC-11 like MIC-10, by the errors of the posterior means of four statistics."""
    return _almost_all(evidence, SIZE_STATISTICS, "the four statistics of cluster sizes")


@claim(
    "MIC-12",
    "NBD is in general the best of the four priors on Italy and NLTCS5000",
    effect="share of comparisons in which no prior is better than NBD",
    again=("sampled",),
)
def mic12(evidence):
    """Judge MIC-12 by the share of (variant, loss) pairs in which no prior is better than NBD.

    The variants are those of Italy and NLTCS5000. Confirmed if the bootstrap interval lies above
    :data:`GENERAL`, refuted if below.
    """
    text = (
        "share of comparisons (variant by error rate or size statistic) in which no prior is "
        f"better than NBD; {EQUAL}; 'in general' is read as above {GENERAL}"
    )
    return _share(evidence, SURVEYS, share_nbd_best, text, above(GENERAL))


@claim(
    "MIC-13",
    "the lead of NBNB and NBD over DP and PYP in error rates and in statistics of cluster "
    "sizes grows with the distortion delta",
    effect="smallest growth of the lead from the smallest to the largest delta, as a share",
    again=("sampled",),
)
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
        return untested("no set was run at both ends of delta.")
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
    return _row(evidence, roles, verdict, worst, text, missing)


@claim(
    "MIC-14",
    "on Syria2000 and SyriaSizes there is no consistent pattern of which priors do better",
    effect="share of comparisons that NBNB and NBD win against DP and PYP; a half is no pattern",
    again=("sampled",),
)
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
    return _share(evidence, SYRIA, share_won, text, _no_pattern)


@claim(
    "MIC-15",
    "DP and PYP greatly overestimate the number of clusters at the largest delta on "
    "Italy, NLTCS5000 and SyriaSizes",
    effect="smallest E[K] as a share of the true number, less 1",
    again=("sampled",),
)
def mic15(evidence):
    """Judge MIC-15 by the relative excess E[K]/K - 1 of DP and PYP at the largest delta.

    The effect is the smallest excess on the three sets. Confirmed if all six simultaneous Student
    intervals over data draws lie above :data:`GREATLY`, refuted if one lies below. Means that have
    not converged decide nothing, nor do data that are used in place of the paper's.
    """
    found, counts = _excesses(evidence, OVERESTIMATED)
    if not found:
        return untested(f"nothing was run at delta = {DELTAS[-1]:g}.")
    roles = list(dict.fromkeys(role for role, _system in found))
    missing = _not_run(found, OVERESTIMATED)
    verdict = _all_excesses(evidence, found, verdict_above)
    worst = min(found.values(), key=lambda interval: interval[0])
    text = (
        f"{evidence.where(roles)}, delta = {DELTAS[-1]:g}, {_spanned(counts)}: E[K]/K - 1: "
        f"{excess_text(_effects(found))}; the effect is the smallest; "
        f"{GREATLY_MEANS}{not_converged(evidence.unconverged(roles, DELTAS[-1:], ('dp', 'pyp')))}"
    )
    return _row(evidence, roles, verdict, worst, text, missing)


@claim(
    "MIC-16",
    "DP and PYP do not both greatly overestimate the number of clusters at the largest "
    "delta on Syria2000",
    effect="smaller E[K] as a share of the true number, less 1",
    again=("sampled",),
)
def mic16(evidence):
    """Judge MIC-16 by the same excess on Syria2000, which is the exception to MIC-15.

    The effect is the smaller excess of DP and PYP. Confirmed if one of them surely stays below
    :data:`GREATLY`, refuted if both surely exceed it. Means that have not converged and data used
    in place of the paper's decide nothing, as for MIC-15.
    """
    found, counts = _excesses(evidence, ("syria2000",))
    if not found:
        return untested(f"Syria2000 was not run at delta = {DELTAS[-1]:g}.")
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
    return _row(evidence, ["syria2000"], verdict, least, text, missing)


@claim(
    "MIC-17",
    "74 % of the clusters of Italy and 68 % of those of NLTCS5000 are singletons",
    effect="share of singletons less the printed one, the largest difference",
)
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
        return untested("neither set was made.")
    verdict, worst, text = shares_against_text(found)
    missing = [SETS[role] for role in SINGLETON_SHARES if role not in found]
    text = f"{evidence.where(found)}: {text}"
    return _row(evidence, list(found), verdict, (worst, worst, worst), text, missing)


def _almost_all(evidence, columns, what):
    losses = measured_losses(evidence.draws, SURVEYS)
    if not losses:
        return untested("no variant was run under all four priors.")
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
    return _row(evidence, roles, verdict, interval, text, missing)


def _share(evidence, roles, statistic, text, rule):
    losses = measured_losses(evidence.draws, roles)
    if not losses:
        return untested("no variant was run under all four priors.")
    interval = bootstrap_variants(losses, statistic, np.random.default_rng(evidence.seed))
    present = list(dict.fromkeys(role for role, _delta in losses))
    apart = evidence.unconverged(present)
    text = f"{evidence.where(present)}, {_draws(losses)}: {text}{not_converged(apart)}"
    missing = missing_cells(losses, roles)
    # A share of the variants that are there says nothing about that of all of them.
    decided = not missing and not apart and all(map(evidence.of_the_paper, present))
    verdict = rule(*interval[1:]) if decided else UNTESTABLE
    return _row(evidence, present, verdict, interval, text, missing)


def _row(evidence, roles, verdict, interval, text, missing=()):
    verdict = evidence.verdict(verdict, roles, missing)
    return Verdict(verdict, interval, finish_sentence(text, missing))


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


@claim("MIC-6", only=PRINTED)
def mic6_printed(published):
    """Judge MIC-6 by the slope of log M/N on log N for NBNB in Figure 1."""
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
    return exact(slope < VANISHING, slope, text)


@claim("MIC-10", only=PRINTED)
def mic10_printed(published):
    """Judge MIC-10 by the printed error rates."""
    return _almost_all_printed(published, ERROR_RATES, "FNR and FDR")


@claim("MIC-11", only=PRINTED)
def mic11_printed(published):
    """Judge MIC-11 by the printed medians."""
    return _almost_all_printed(published, SIZE_STATISTICS, "the four statistics of cluster sizes")


@claim("MIC-12", only=PRINTED)
def mic12_printed(published):
    """Judge MIC-12 by the rule for our posteriors."""
    share = share_nbd_best(mean_losses(printed_losses(published, SURVEYS)))
    text = f"{_SOURCE}: NBD is not beaten in {share:.0%} of the comparisons; {EQUAL}."
    return exact(share > GENERAL, share, text)


@claim("MIC-13", only=PRINTED)
def mic13_printed(published):
    """Judge MIC-13: confirmed if every lead grows."""
    losses, growth = printed_losses(published, SURVEYS), {}
    for role, loss in growth_cells(losses):
        last, first = (gap(losses[role, delta], loss)[0] for delta in (DELTAS[-1], DELTAS[0]))
        growth[role, loss] = float(last - first)
    least = min(growth.values())
    return exact(least > 0, least, f"{_SOURCE}: {growth_text(growth)}.")


@claim("MIC-14", only=PRINTED)
def mic14_printed(published):
    """Judge MIC-14 by the rule for our posteriors."""
    share = share_won(mean_losses(printed_losses(published, SYRIA)))
    text = f"{_SOURCE}: NBNB and NBD win {share:.0%} of the comparisons; {EQUAL}, ties being half."
    return exact(1 - PATTERN < share < PATTERN, share, text)


@claim("MIC-15", only=PRINTED)
def mic15_printed(published):
    """Judge MIC-15 by the smallest printed excess."""
    least, text = _printed_excess(published, OVERESTIMATED)
    return exact(least > GREATLY, least, text)


@claim("MIC-16", only=PRINTED)
def mic16_printed(published):
    """Judge MIC-16 by the smaller printed excess."""
    least, text = _printed_excess(published, ("syria2000",))
    return exact(least < GREATLY, least, text)


@claim("MIC-17", only=PRINTED)
def mic17_printed(published):
    """Judge MIC-17 by the dashed lines of Figure 2."""
    found = {
        role: (published.true_singletons(role), published.true_clusters(role, DELTAS[0]))
        for role in SINGLETON_SHARES
    }
    verdict, worst, text = shares_against_text(found)
    text = f"The dashed lines of Figure 2 over the true K of Table 1: {text}."
    return exact(verdict == CONFIRMED, worst, text)


@claim(
    "MIC-18",
    "the numbers of clusters and the error rates of Table 1 are of the same partitions",
    effect="number of rows of Table 1 that break the bound between the two",
    only=PRINTED,
)
def mic18(published):
    """Judge MIC-18 by the number of rows of Table 1 that no partitions can have."""
    impossible = impossible_rows(published.table1)
    n_rows = len(published.cells()) * len(MODELS)
    text = (
        f"Table 1: {len(impossible)} of {n_rows} rows (the effect) print an FDR that is too small"
    )
    for role, name in SETS.items():
        of_role = {cell: found for cell, found in impossible.items() if cell[0] == role}
        if of_role:
            cell, (bound, fdr) = max(of_role.items(), key=lambda item: item[1][0] - item[1][1])
            text += (
                f"; {name} {len(of_role)}, worst {cell[2]} at {cell[1]:g} (at least {bound:.2f}, "
                f"printed {fdr:.2f})"
            )
    return exact(not impossible, len(impossible), f"{text}.")


def _almost_all_printed(published, columns, what):
    means = mean_losses(printed_losses(published, SURVEYS))
    good = no_worse(means, columns)
    text = f"{_SOURCE}: {almost_text(means, good, what)}."
    return exact(len(good) >= len(means) - ALL_BUT, len(good), text)


def _printed_excess(published, roles):
    delta = DELTAS[-1]
    found = {
        (role, system): published.table1[role, delta, system, "E[K]"]
        / published.true_clusters(role, delta)
        - 1
        for role in roles
        for system in _EXCEEDING
    }
    text = f"Table 1, delta = {delta:g}: E[K]/K - 1: {excess_text(found)}; {GREATLY_MEANS}."
    return min(found.values()), text


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


@claim(
    "MIC-1",
    "equations 9, 12 and 19 are the joint probability of a partition and its size under "
    "NBNB and NBD",
    effect="largest relative error of the probability of a partition",
)
def mic1(_evidence):
    """Judge MIC-1: confirmed if the probabilities match the generative process up to rounding."""
    error = formulas.joint_error()
    text = (
        f"Enumerated with {_SETTING} and fewer (NBD: alpha = {formulas.ALPHA:g}, geometric "
        f"{formulas.BASE:g}): the largest relative error of the probability of a partition (the "
        "effect), against the generative process summed over all labellings."
    )
    return _exact(error, text)


@claim(
    "MIC-2",
    "given the number of items, the probability of a partition under NBNB is "
    "proportional to equation 13",
    effect="range over all partitions of log (13) less log (12), in nats; 0 if the claim holds",
)
def mic2(_evidence):
    """Judge MIC-2: confirmed if the ratio of equations 13 and 12 is the same for all partitions."""
    text = (
        f"Enumerated with {_SETTING}: the effect is the range of log (13) - log (12), which must "
        "be constant."
    )
    return _exact(formulas.conditional_error(), text)


@claim(
    "MIC-3",
    "in the reallocation of an item under NBNB, after equation 13, a new cluster has "
    "weight (K + a) beta",
    effect="largest total variation from the conditionals of equation 12, from 0 to 1",
)
def mic3(_evidence):
    """Judge MIC-3: refuted if the printed weights are not the conditionals of equation 12."""
    right = formulas.reseating_error("derived")
    text = (
        f"Enumerated with {_SETTING}: largest total variation (the effect) between the printed "
        "weights and the conditionals of equation 12; with the weight (K + a) beta r it is "
        f"{right:.1e}. The factor r is missing; the two agree only at r = 1."
    )
    return _exact(formulas.reseating_error("printed"), text)


@claim(
    "MIC-4",
    "by equation 17, the conditional of r under NBNB has the factor Gamma(|c| - 1 + r)",
    effect="range over r of log (17) less the log joint, in nats; 0 if the claim holds",
)
def mic4(_evidence):
    """Judge MIC-4: refuted if the ratio of equation 17 to the joint density depends on r."""
    right = formulas.r_conditional_error(0.0)
    text = (
        f"Enumerated with {_SETTING}: range over r of log (17) minus the log joint, which must be "
        f"constant (the effect); with Gamma(|c| + r) it is {right:.1e}."
    )
    return _exact(formulas.r_conditional_error(-1.0), text)


@claim(
    "MIC-5",
    "equation 18 is the conditional of p under NBNB",
    effect="range over p of log (18) less the log joint, in nats; 0 if the claim holds",
)
def mic5(_evidence):
    """Judge MIC-5: confirmed if the ratio of equation 18 to the joint does not depend on p."""
    text = (
        f"Enumerated with {_SETTING}: the effect is the range over p of log (18) minus the log "
        "joint, which must be constant."
    )
    return _exact(formulas.p_conditional_error(), text)


@claim(
    "MIC-6",
    "under NBNB the largest cluster's share vanishes as the items grow in number",
    effect="slope of the log of E[M]/N against log N",
)
def mic6(evidence):
    """Judge MIC-6 by the slope of log E[M/N] on log N.

    Confirmed if the slope is significantly below :data:`VANISHING` for NBNB, refuted if it is
    significantly above. Draws from NBD decide nothing: a and q are solved for half as many clusters
    as items at each number of items, so its clusters stay small whatever the prior does at fixed
    values of these.
    """
    return _slopes(
        evidence,
        ("NBNB",),
        lambda low, high: verdict_below(low, high, VANISHING),
        f"the share is said to vanish if the slope is below {VANISHING}; NBD is not judged, as its "
        "a and q are solved for N / 2 clusters at each N",
        max,
    )


@claim(
    "MIC-7",
    "under the Dirichlet and Pitman-Yor processes the largest cluster's share does not "
    "vanish as the items grow in number",
    effect="slope of the log of E[M]/N against log N, the smaller of the two priors",
)
def mic7(evidence):
    """Judge MIC-7 by the slope of log E[M/N] on log N.

    Confirmed if the slope is surely above :data:`LASTING` for both processes, refuted if it is
    surely below for one.
    """
    return _slopes(
        evidence,
        ("DP", "PYP"),
        lambda low, high: verdict_above(low, high, LASTING),
        f"the share is said to last if the slope is above {LASTING}",
        min,
    )


@claim(
    "MIC-8",
    "the chaperones algorithm leaves the posterior as it is and reaches every partition",
    effect="largest total variation between the posterior and where the moves settle, 0 to 1",
)
def mic8(evidence):
    """Judge MIC-8 by the exact transition matrices of the order that does not depend on the state.

    Confirmed if the moves change no posterior by more than rounding and every partition can be
    reached, refuted if either fails for one prior.
    """
    frame = evidence.invariance
    if frame is None or STATE_FREE not in set(frame["order"]):
        return untested("no transition matrix was computed.")
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
    return Verdict(verdict, (worst,) * 3, text + ".")


@claim(
    "MIC-9",
    "where clusters are many and small, the chaperones algorithm mixes better than Gibbs sampling",
    effect="smallest ratio of effective samples a CPU second, chaperones to Gibbs sampling",
)
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
        return untested("no moves were compared.")
    present = [m for m in ("chaperones_similarity", "chaperones_uniform") if m in set(runs["move"])]
    if not present or "gibbs" not in set(runs["move"]):
        return untested("chaperones and Gibbs sweeps did not both run.")
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
    return Verdict(verdict, found[worst], text + ".")


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


def _exact(error, text):
    """Return the row of a claim that is judged by a number without sampling error."""
    return exact(error <= ROUNDING, error, text)


def _slopes(evidence, systems, rule, reading, worst_of):
    if evidence.growth is None or not set(systems) <= set(evidence.growth["system"]):
        return untested(f"no draws from {' and '.join(systems)}.")
    table = theorem_table("", evidence.growth)
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
    return Verdict(verdict, worst, text)


@CLAIMS.ways
def ways(evidence):
    """Judge the comparisons again with sampled concentrations, and the printed numbers.

    The paper fixes the concentrations of DP and PYP; the authors' later software samples them.
    """
    given = evidence.summaries
    others = given[given["model"].isin(list(SAMPLED))]
    if len(others):
        others = others.assign(model=others["model"].map(SAMPLED))
        kept = given[~given["model"].isin([*SAMPLED, *SAMPLED.values()])]
        other = replace(evidence, summaries=pd.concat([kept, others], ignore_index=True))
        yield "sampled", "concentrations sampled", other
    # There are no intervals, since each printed number is from one run on one data draw.
    yield PRINTED, AS_PRINTED, evidence.published
