"""Claims MIC-10 to MIC-17: which prior does better on which data.

They are judged on our posteriors, with an interval over data draws. Generated data decide nothing
about the paper's sets, and a claim about several sets or variants is not confirmed while one of
them is missing.
"""

from __future__ import annotations

import numpy as np

from reseat.experiments.evidence import not_converged
from reseat.experiments.intervals import (
    FEWEST,
    LEVEL,
    bonferroni,
    difference_interval,
    mean_interval,
)
from reseat.experiments.records.evidence import (
    CLAIMS,
    SINGLETON_SHARES,
    SURVEYS,
    SYRIA,
    missing_cells,
)
from reseat.experiments.records.losses import (
    ERROR_RATES,
    LOSSES,
    SIZE_STATISTICS,
    bootstrap_variants,
    gap,
    mean_losses,
    measured_losses,
    no_worse,
    share_nbd_best,
    share_won,
)
from reseat.experiments.records.results import DELTAS, SETS, of_model
from reseat.experiments.records.wording import (
    ALL_BUT,
    EQUAL,
    GENERAL,
    GREATLY,
    GREATLY_MEANS,
    OVERESTIMATED,
    PATTERN,
    almost_text,
    excess_text,
    growth_cells,
    growth_text,
    shares_against_text,
)
from reseat.experiments.verdicts import above, all_of, finish_sentence, verdict_above
from reseat.vocabulary import CONFIRMED, REFUTED, UNTESTABLE

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
        UNTESTABLE if evidence.unconverged([role], ends) else verdict_above(low, high, 0.0)
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
    verdict = UNTESTABLE if apart else verdict
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
