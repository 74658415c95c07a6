"""Rules for judging the claims of a paper, and the form in which verdicts are reported."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from reseat.vocabulary import (
    AS_PRINTED,
    CLAIM_COLUMNS,
    CONFIRMED,
    FAITHFUL,
    GENERATED,
    OWN,
    REFUTED,
    STAND_IN,
    THE_PAPER,
    UNTESTABLE,
    name_claim,
    split_claim,
)

#: Deviation up to which two numbers count as equal up to rounding.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Claim:
    """A claim of a paper, or a statement about it that is judged beside its claims."""

    #: A clause that is complete by itself and can also follow "that".
    says: str
    #: What the effect in its rows of `claims.csv` measures, with the unit: their column `measured`.
    effect: str
    #: :data:`THE_PAPER`, or :data:`OURS` for a control that is not in the paper and does not count
    #: among its claims.
    source: str = THE_PAPER


@dataclass(frozen=True)
class Claims:
    """The claims of a paper."""

    #: Short name of the paper.
    paper: str
    #: Claims by identifier.
    claims: dict[str, Claim]

    def row(self, key, verdict, effect, low, high, evidence, reading=""):
        """Return one row of `claims.csv`."""
        stated = self.claims[key]
        claim = name_claim(key, reading, stated.says)
        said = (self.paper, claim, stated.source, verdict, stated.effect)
        return dict(zip(CLAIM_COLUMNS, (*said, effect, low, high, evidence), strict=True))

    def untested(self, key, reason, reading=""):
        """Return the row of a claim about which nothing was measured."""
        return self.row(key, UNTESTABLE, np.nan, np.nan, np.nan, reason, reading)

    def exact(self, key, holds, effect, evidence):
        """Return the row of a claim about an exact number, whose interval is the number itself."""
        verdict = CONFIRMED if holds else REFUTED
        return self.row(key, verdict, effect, effect, effect, evidence)

    def printed(self, key, holds, effect, evidence):
        """Return the row of a claim judged on the printed numbers, which have no interval."""
        verdict = CONFIRMED if holds else REFUTED
        return self.row(key, verdict, effect, np.nan, np.nan, evidence, AS_PRINTED)


def claims_table(rows=()):
    """Return rows of `Claims` as a frame with the columns :data:`CLAIM_COLUMNS`."""
    return pd.DataFrame(list(rows), columns=list(CLAIM_COLUMNS))


def concat_claims(frames):
    """Concatenate frames of claims, leaving out those without rows."""
    frames = [frame for frame in frames if len(frame)]
    return pd.concat(frames, ignore_index=True) if frames else claims_table()


def judge(rules, evidence):
    """Judge claims by their rules, one row each."""
    return claims_table(rule(evidence) for rule in rules)


def judge_in_ways(evidence, rules, *ways):
    """Judge every claim by its rule, and then in other ways; the columns are those of `judge`.

    Each way takes the evidence and returns a frame of further rows, such as those on the printed
    numbers.
    """
    return concat_claims([judge(rules, evidence), *(way(evidence) for way in ways)])


def with_reading(claims, reading):
    """Return the rows with the reading under which they were judged after each identifier."""
    return claims.assign(claim=[_read_as(claim, reading) for claim in claims["claim"]])


def _read_as(claim, reading):
    key, _text, says = split_claim(claim)
    return name_claim(key, reading, says)


def verdict_above(low, high, bar):
    """Return confirmed if the interval lies above `bar`, refuted if below, else untestable."""
    if np.isnan(low) or np.isnan(high):
        return UNTESTABLE
    if low > bar:
        return CONFIRMED
    return REFUTED if high < bar else UNTESTABLE


def verdict_below(low, high, bar):
    """Return confirmed if the interval lies below `bar`, refuted if above, else untestable."""
    return verdict_above(-high, -low, -bar)


def above(bar):
    """Return `verdict_above` with a fixed bar, as a function of low and high."""
    return partial(verdict_above, bar=bar)


def below(bar):
    """Return `verdict_below` with a fixed bar, as a function of low and high."""
    return partial(verdict_below, bar=bar)


def all_of(verdicts):
    """Return refuted if any of the verdicts is, confirmed if all are, else untestable."""
    verdicts = set(verdicts)
    if REFUTED in verdicts:
        return REFUTED
    return CONFIRMED if verdicts == {CONFIRMED} else UNTESTABLE


def unless_missing(verdict, missing):
    """Return the verdict, but untestable in place of confirmed if some of the data are missing."""
    return UNTESTABLE if verdict == CONFIRMED and missing else verdict


def finish_sentence(text, missing):
    """Return the evidence, followed by what nothing was run for, if anything, and a full stop."""
    return text + (f"; nothing was run for {', '.join(missing)}." if missing else ".")


def on_data(names, status):
    """Return the data behind a number: 'On news, and the stand-ins mulan and reuters'."""
    names = list(dict.fromkeys(names))
    parts = []
    for kind, one, many in (
        (FAITHFUL, "", ""),
        (STAND_IN, "the stand-in ", "the stand-ins "),
        (GENERATED, "generated data: ", "generated data: "),
        (OWN, "your own ", "your own "),
    ):
        mine = [name for name in names if status[name] == kind]
        if mine:
            parts.append((one if len(mine) == 1 else many) + listed(mine))
    return "On " + (", and ".join(parts) if parts else "no data")


def listed(words):
    """Return the words joined as in 'a, b and c'."""
    words = list(words)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
