"""Do the paper's claims hold in the paper's own printed numbers?"""

from __future__ import annotations

from reseat.experiments.records.consistency import mic18_printed
from reseat.experiments.records.evidence import CLAIMS, SINGLETON_SHARES, SURVEYS, SYRIA
from reseat.experiments.records.losses import (
    ERROR_RATES,
    SIZE_STATISTICS,
    gap,
    mean_losses,
    no_worse,
    printed_losses,
    share_nbd_best,
    share_won,
)
from reseat.experiments.records.results import DELTAS
from reseat.experiments.records.wording import (
    ALL_BUT,
    EQUAL,
    GENERAL,
    GREATLY,
    GREATLY_MEANS,
    OVERESTIMATED,
    PATTERN,
    VANISHING,
    almost_text,
    excess_text,
    growth_cells,
    growth_text,
    shares_against_text,
)
from reseat.experiments.slopes import log_slope
from reseat.experiments.verdicts import claims_table
from reseat.vocabulary import CONFIRMED

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
        *_excesses(published),
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


def _excesses(published):
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
