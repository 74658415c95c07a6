"""How a claim of a paper is judged, and the form in which the verdict is told."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

CONFIRMED, REFUTED, UNTESTABLE = "confirmed", "refuted", "untestable"

#: Columns of `claims.csv`.
CLAIM_COLUMNS = (
    *("paper", "claim", "source", "verdict"),
    *("measured", "effect", "low", "high", "evidence"),
)

#: Who says it, column `source`: the paper, or this project, which asks more than the paper does.
THE_PAPER, OURS = "paper", "reseat"

#: The reading of a claim that is judged on the paper's own printed numbers.
AS_PRINTED = "as printed"

#: Deviation up to which two numbers are equal but for rounding.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Claim:
    """A claim of a paper, or a statement about it that is judged beside its claims.

    Attributes
    ----------
    says : str
        A clause that stands alone and can follow "that".
    effect : str
        What the effect of its rows of `claims.csv` is, and the unit: their column `measured`.
    source : str
        :data:`THE_PAPER`, or :data:`OURS` for a control that the paper has not: it counts among
        no paper's claims.
    """

    says: str
    effect: str
    source: str = THE_PAPER


@dataclass(frozen=True)
class Claims:
    """What a paper claims.

    Attributes
    ----------
    paper : str
        Its short name.
    claims : dict of str to Claim
        By their identifiers.
    """

    paper: str
    claims: dict[str, Claim]

    def row(self, key, verdict, effect, low, high, evidence, reading=""):
        """One row of `claims.csv`."""
        name = f"{key} ({reading})" if reading else key
        stated = self.claims[key]
        claim = f"{name}: {stated.says}"
        said = (self.paper, claim, stated.source, verdict, stated.effect)
        return dict(zip(CLAIM_COLUMNS, (*said, effect, low, high, evidence), strict=True))

    def untested(self, key, reason, reading=""):
        """The row of a claim about which nothing was measured."""
        return self.row(key, UNTESTABLE, np.nan, np.nan, np.nan, reason, reading)

    def exact(self, key, holds, effect, evidence):
        """The row of a claim on a number without sampling error: its interval is itself."""
        verdict = CONFIRMED if holds else REFUTED
        return self.row(key, verdict, effect, effect, effect, evidence)

    def printed(self, key, holds, effect, evidence):
        """The row of a claim on the printed numbers, which have no interval."""
        verdict = CONFIRMED if holds else REFUTED
        return self.row(key, verdict, effect, np.nan, np.nan, evidence, AS_PRINTED)


def claims_table(rows=()):
    """Rows of `Claims` as a frame with the columns :data:`CLAIM_COLUMNS`."""
    return pd.DataFrame(list(rows), columns=list(CLAIM_COLUMNS))


def concat_claims(frames):
    """Frames of claims below each other; those without rows are left out."""
    frames = [frame for frame in frames if len(frame)]
    return pd.concat(frames, ignore_index=True) if frames else claims_table()


def judge(rules, evidence):
    """What some rules find, one row each.

    Parameters
    ----------
    rules : iterable of callable
        From the evidence to a row of `Claims`.
    evidence : object
        Of the family.

    Returns
    -------
    pandas.DataFrame
        Columns :data:`CLAIM_COLUMNS`.
    """
    return claims_table(rule(evidence) for rule in rules)


def judge_in_ways(evidence, rules, *ways):
    """Every claim by its rule, and then in other ways: columns as `judge`.

    Parameters
    ----------
    evidence : object
        Of the family.
    rules : iterable of callable
        As for `judge`.
    *ways : callable
        From the evidence to further rows, such as those on the printed numbers.

    Returns
    -------
    pandas.DataFrame
    """
    return concat_claims([judge(rules, evidence), *(way(evidence) for way in ways)])


def with_reading(claims, reading):
    """The same rows, each identifier followed by the reading under which they were judged."""
    named = claims["claim"].str.replace(": ", f" ({reading}): ", n=1, regex=False)
    return claims.assign(claim=named)


def verdict_above(low, high, bar):
    """Confirmed if the interval lies above `bar`, refuted if below, else untestable."""
    if np.isnan(low) or np.isnan(high):
        return UNTESTABLE
    if low > bar:
        return CONFIRMED
    return REFUTED if high < bar else UNTESTABLE


def verdict_below(low, high, bar):
    """Confirmed if the interval lies below `bar`, refuted if above, else untestable."""
    return verdict_above(-high, -low, -bar)


def above(bar):
    """`verdict_above` at a bar, of low and high alone."""
    return partial(verdict_above, bar=bar)


def below(bar):
    """`verdict_below` at a bar, of low and high alone."""
    return partial(verdict_below, bar=bar)


def all_of(verdicts):
    """Refuted if one part is, confirmed if all are."""
    verdicts = set(verdicts)
    if REFUTED in verdicts:
        return REFUTED
    return CONFIRMED if verdicts == {CONFIRMED} else UNTESTABLE


def unless_missing(verdict, missing):
    """A claim about several data sets is not confirmed while one of them is missing."""
    return UNTESTABLE if verdict == CONFIRMED and missing else verdict


def finish_sentence(text, missing):
    """The evidence with its full stop, and what nothing was run for."""
    return text + (f"; nothing was run for {', '.join(missing)}." if missing else ".")


def on_data(names, status):
    """'On news, and the stand-ins mulan and reuters': the data behind a number, marked.

    Parameters
    ----------
    names : iterable of str
    status : dict of str to str
        Data set to ``faithful``, ``stand-in``, ``generated`` or ``own``.
    """
    names = list(dict.fromkeys(names))
    parts = []
    for kind, one, many in (
        ("faithful", "", ""),
        ("stand-in", "the stand-in ", "the stand-ins "),
        ("generated", "generated data: ", "generated data: "),
        ("own", "your own ", "your own "),
    ):
        mine = [name for name in names if status[name] == kind]
        if mine:
            parts.append((one if len(mine) == 1 else many) + listed(mine))
    return "On " + (", and ".join(parts) if parts else "no data")


def listed(words):
    """'a, b and c'."""
    words = list(words)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
