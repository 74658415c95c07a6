"""The claims SC-5, SC-15, SC-16 and SC-17: numbers of clusters, time, growth, and the algorithm."""

from __future__ import annotations

import numpy as np

from reseat.experiments.evidence import Cell, judge_cells, not_converged
from reseat.experiments.intervals import LEVEL, bonferroni
from reseat.experiments.supervised.evidence import CLAIMS
from reseat.experiments.supervised.results import ROLES
from reseat.experiments.tidy import rows_of
from reseat.experiments.verdicts import (
    all_of,
    finish_sentence,
    listed,
    verdict_above,
    verdict_below,
)
from reseat.vocabulary import CONFIRMED, REFUTED

#: "Far too many": more than this multiple of the true number (SC-5).
FAR = 2.0
#: "About ten times": between these multiples (SC-15).
ABOUT_TEN = (5.0, 20.0)
#: "Well": the expectation differs from the data's by at most this share of the latter (SC-16).
WELL = 0.10
#: How many documents must have n items for their average to be compared; all, if there are fewer.
N_DOCUMENTS = 5
#: Number of standard deviations in SC-16c.
WITHIN = 2.0

#: Squared distances of items from the means of their clusters, in one dimension: training items are
#: close to them, test items further away (SC-17).
TRAIN_SQUARES, TEST_SQUARES = (0.04, 0.09, 0.01), (1.0, 2.25)


def sc5(evidence):
    """Judge the number of clusters of test items under CDP, divided by the true number.

    Confirmed if the ratio is significantly above FAR, refuted if significantly below.
    """
    interval, truth = evidence.clusters("digits", "CDP", LEVEL)
    if np.isnan(interval[0] / truth):
        return evidence.untested("SC-5", "no clusters of CDP on digits were counted.")
    ratio = tuple(end / truth for end in interval)
    verdict = evidence.on_its_own(verdict_above(*ratio[1:], FAR), "digits")
    text = (
        f"{evidence.where(['digits'])}: {evidence.counted(interval[0], ('digits', 'CDP'), truth)}; "
        "the "
        f"effect is the ratio, and 'far too many' is read as more than {FAR:g}"
        f"{not_converged(evidence.unconverged([('digits', 'CDP')]))}."
    )
    return evidence.row("SC-5", verdict, ratio, text)


def sc15(evidence):
    """Judge the time of an iteration of SCDP-3 divided by that of SCDP-1, on every set.

    Confirmed if the ratio is significantly within ABOUT_TEN on all sets, refuted if significantly
    outside on one of the paper's. The effect is the smallest ratio of the sets that decide. Sets on
    which the two did not run with the same moves are left out.
    """
    level = bonferroni(LEVEL, len(ROLES))
    found = {role: evidence.slowdown(role, "SCDP-3", "SCDP-1", level) for role in ROLES}
    missing = [ROLES[role] for role in ROLES if np.isnan(found[role][0])]
    found = {role: interval for role, interval in found.items() if not np.isnan(interval[0])}
    if not found:
        return evidence.untested("SC-15", "no iterations of both with the same moves were timed.")
    said = {
        role: evidence.on_its_own(
            all_of(
                (
                    verdict_above(*interval[1:], ABOUT_TEN[0]),
                    verdict_below(*interval[1:], ABOUT_TEN[1]),
                )
            ),
            role,
        )
        for role, interval in found.items()
    }
    decided = all_of(said.values())
    verdict = evidence.verdict(decided, found, missing)
    numbers = ", ".join(f"{ROLES[role]} {interval[0]:.1f}" for role, interval in found.items())
    text = (
        f"{evidence.timed(found)}, {evidence.name('SCDP-3')}: {numbers}; 'about ten times' is read "
        f"as {ABOUT_TEN[0]:g} to {ABOUT_TEN[1]:g}; the effect is the smallest of those that decide"
    )
    if other := evidence.with_other_sweeps(found, "SCDP-3", "SCDP-1"):
        text += f"; sweeps with the moves of the models as reported on {listed(other)}"
    deciding = [interval for role, interval in found.items() if said[role] == decided]
    shown = min(deciding, key=lambda interval: interval[0])
    return evidence.row("SC-15", verdict, shown, finish_sentence(text, missing))


def sc16a(evidence):
    """Judge the largest relative gap between the expectations of DP and data on three sets.

    Confirmed if it is at most WELL.
    """
    roles = [role for role in ROLES if role != "digits"]
    return _growth("SC-16a", evidence, roles, _relative, lambda gap: gap <= WELL, _WELL)


def sc16b(evidence):
    """Judge the gap of `sc16a` on digits: confirmed if it is more than WELL."""
    return _growth("SC-16b", evidence, ["digits"], _relative, lambda gap: gap > WELL, _WELL)


def sc16c(evidence):
    """Judge the largest gap in standard deviations under the DP, on all sets.

    Confirmed if it is at most WITHIN.
    """
    text = "gap in standard deviations under the DP"
    return _growth("SC-16c", evidence, ROLES, _standardised, lambda gap: gap <= WITHIN, text)


_WELL = f"gap as a share of the data's expectation; 'well' is read as at most {WELL:.0%}"


def sc17(evidence):
    """Judge the precision of a type given its items: refuted if test items change it in step 2.

    The claim is about the algorithm of Figure 2, which draws d for all items, so that it is decided
    by the algorithm as printed. The effect is the change of the mean of t when test items join
    three training items of their type, relative to the mean before.
    """
    alone = type_precision(TRAIN_SQUARES)
    change = type_precision(TRAIN_SQUARES + TEST_SQUARES) / alone - 1
    counts = [
        f"{100 * share['n_test'] / share['n_items']:.0f} % on {words}"
        for role, words in ROLES.items()
        for share in [evidence.of(evidence.data, role).groupby("quantity")["value"].mean()]
        if {"n_test", "n_items"} <= set(share.index)
    ]
    behind = f" Of the items behind the types the test items are {', '.join(counts)}." * bool(
        counts
    )
    text = (
        "Step 2 of Figure 2 draws t given all items of its type, and step 3 draws the types of "
        f"test items as well: two of them beside three training items change its mean from "
        f"{alone:.2f} to {alone * (1 + change):.2f}.{behind}"
    )
    return CLAIMS.exact("SC-17", change == 0, change, text)


def type_precision(squares):
    """Return the mean of t given the squared distances of its items from their means.

    See section 3, step 2.
    """
    return (1 + len(squares) / 2) / (1 + sum(squares) / 2)


def _growth(key, evidence, roles, gap_of, holds, text):
    """Return the row of a claim about curves in closed form; its interval is the effect itself."""

    def rule(low, _high):
        return CONFIRMED if holds(low) else REFUTED

    cells = []
    for role in roles:
        part = evidence.of(evidence.growth, role)
        gap = float(gap_of(_averaged(part))) if len(part) else np.nan
        cells.append(Cell(ROLES[role], role, (gap,) * 3, rule, ROLES[role]))

    def words(found):
        numbers = ", ".join(f"{cell.name} {cell.interval[0]:.2f}" for cell in found)
        return (
            f"{evidence.where([cell.role for cell in found])}, largest over n (of items within "
            f"documents, over those n that {N_DOCUMENTS} documents have): {numbers}: {text}; the "
            "effect is the largest behind the verdict; other data in the place of the paper's "
            "decide nothing"
        )

    return judge_cells(key, evidence, cells, words, max, about_its_sets=True)


def _averaged(part):
    """Return the points to which enough documents contribute."""
    if "n_groups" not in part.columns:
        return part
    return part[part["n_groups"] >= min(N_DOCUMENTS, part["n_groups"].max())]


def _relative(part):
    return (abs(part["dp_mean"] - part["empirical_mean"]) / part["empirical_mean"]).max()


def _standardised(part):
    spread = rows_of(part, n=1)["n"].index  # one item is always one cluster, without spread
    part = part.drop(spread)
    return (abs(part["dp_mean"] - part["empirical_mean"]) / part["dp_sd"]).max()
