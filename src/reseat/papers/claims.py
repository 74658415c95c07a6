"""Claims of the papers: the evidence on them, rules for judging them, and verdicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from types import MappingProxyType
from typing import ClassVar

import numpy as np
import pandas as pd

from reseat.datasets.identity import UNCOMPARED
from reseat.papers.tables import rows_of
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

# ---- Rules for judging the claims of a paper, and the form in which verdicts are reported ----

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


# ---- Base class of the evidence on a paper's claims, -----------------------------------------
# and a rule for claims about several cells

#: Number of posterior means without convergence that the evidence lists by name.
NAMED = 4


class Evidence:
    """The data behind the numbers on a claim, and the consequences for its verdict.

    A family defines `ran` or `rows`, and `title`, to say which data sets serve for a role (a set of
    the paper; in the documents family a data set). If several serve for a role, one of them is
    judged, because numbers on different data are not a sample of one quantity.
    """

    #: Claims of the paper.
    claims: ClassVar[Claims]
    #: Roles that are used if none are given.
    judged: ClassVar[Sequence[str]] = ()
    #: Role to the data set that is judged, if that is not the first of the scale.
    chosen: Mapping[str, str] = MappingProxyType({})

    @property
    def ran(self) -> pd.DataFrame:
        """Rows of all data sets, in the order of the scale: `role`, `dataset` and `status`."""
        raise NotImplementedError

    def datasets_for(self, role) -> list[str]:
        """Return the data sets that serve for a role, in the order of the scale."""
        return list(dict.fromkeys(rows_of(self.ran, role=role)["dataset"]))

    @cached_property
    def datasets(self) -> dict[str, str]:
        """Role to the data set that is judged; roles for which nothing ran are left out."""
        first = self.ran.drop_duplicates("role")
        return {**dict(zip(first["role"], first["dataset"], strict=True)), **self.chosen}

    def dataset(self, role) -> str | None:
        """Return the name of the data set that is judged, or None if none ran."""
        return self.datasets.get(role)

    def of(self, frame, role) -> pd.DataFrame:
        """Return the rows of the data set that is judged."""
        return rows_of(frame, role=role, dataset=self.dataset(role))

    def rows(self, role) -> pd.DataFrame:
        """Return the rows of the data set that is judged for a role, with a column `status`."""
        return self.of(self.ran, role)

    def title(self, role) -> str:
        """Return the name, in words, of the data that serve for a role."""
        raise NotImplementedError

    def status(self, role) -> str | None:
        """Return `faithful`, `stand-in`, `generated` or `own`, or None if nothing was run."""
        rows = self.rows(role)
        return rows["status"].iloc[0] if len(rows) else None

    def where(self, roles: Iterable[str] | None = None) -> str:
        """Return the data of a number: 'On Italy and NLTCS5000, and the stand-in SyriaSizes'."""
        status = {self.title(role): self.status(role)
                  for role in (self.judged if roles is None else roles)}  # fmt: skip
        status = {title: status for title, status in status.items() if status}
        return on_data(status, status)

    def generated(self, roles: Iterable[str] | None = None) -> bool:
        """Return whether any data are generated or the user's own: not those of the paper."""
        roles = self.judged if roles is None else roles
        return any(self.status(role) in UNCOMPARED for role in roles)

    def of_the_paper(self, role: str) -> bool:
        """Return whether a role has the paper's own data, not others in their place."""
        return self.status(role) == FAITHFUL

    def on_its_own(self, verdict: str, role: str) -> str:
        """Return a verdict on a claim about the paper's own sets, which only these can decide."""
        return verdict if self.of_the_paper(role) else UNTESTABLE

    def verdict(self, verdict: str, roles: Iterable[str] | None = None, missing=()) -> str:
        """Return a verdict: untestable on substitutes, and not confirmed if data are missing.

        `roles` are those of the data behind the numbers, by default `judged`; `missing` is whatever
        nothing was run for.
        """
        return UNTESTABLE if self.generated(roles) else unless_missing(verdict, missing)

    def row(self, key, verdict, interval, text):
        """Return a row of the table of claims."""
        return self.claims.row(key, verdict, *interval, text)

    def untested(self, key, reason):
        """Return the row of a claim about which nothing was measured."""
        return self.claims.untested(key, reason)


@dataclass(frozen=True)
class Cell:
    """One of the comparisons of a claim."""

    #: Name in the text of the evidence.
    name: str
    role: str
    #: Estimate, low and high; NaN if it was not run.
    interval: tuple[float, float, float]
    #: Takes low and high, and returns a verdict.
    rule: Callable[[float, float], str]
    #: What is missing if it was not run.
    absent: str

    @property
    def measured(self) -> bool:
        """Whether it was measured."""
        return not np.isnan(self.interval[0])

    @property
    def verdict(self) -> str:
        """Verdict by its rule."""
        return self.rule(*self.interval[1:])


def judge_cells(key, evidence, cells, text, shown=min, about_its_sets=False):
    """Return the row of a claim that holds if the rule of every cell holds.

    `text` takes the cells that were measured and returns the evidence in words, without the full
    stop at the end. `shown`, ``min`` or ``max``, says which of the intervals behind the verdict is
    reported as the effect; if the claim is about the paper's own sets, it is one of theirs if there
    is any, and other data in their place neither confirm nor refute it.
    """
    cells = list(cells)
    found = [cell for cell in cells if cell.measured]
    missing = list(dict.fromkeys(cell.absent for cell in cells if not cell.measured))
    if not found:
        return evidence.untested(key, f"nothing was run for {', '.join(missing)}.")
    roles = list(dict.fromkeys(cell.role for cell in found))
    verdicts = [cell.verdict for cell in found]
    if about_its_sets:
        verdicts = [evidence.on_its_own(cell.verdict, cell.role) for cell in found]
    whole = all_of(verdicts)
    decide = [cell for cell, verdict in zip(found, verdicts, strict=True) if verdict == whole]
    if about_its_sets:
        decide = [cell for cell in decide if evidence.of_the_paper(cell.role)] or decide
    effect = shown((cell.interval for cell in decide), key=lambda interval: interval[0])
    verdict = evidence.verdict(whole, roles, missing)
    return evidence.row(key, verdict, effect, finish_sentence(text(found), missing))


def not_converged(names):
    """Return a remark on models whose posterior means have not converged, if any.

    It reads ``'; not converged: SCDP-1 on digits'``.
    """
    names = list(dict.fromkeys(names))
    if not names:
        return ""
    if len(names) > NAMED:
        names = [*names[:NAMED], f"{len(names) - NAMED} more"]
    return f"; not converged: {listed(names)}"
