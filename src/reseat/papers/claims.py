"""Claims of the papers: the evidence on them, rules for judging them, and verdicts.

In the module ``claims.py`` of a paper, each claim stands above its rule. A rule says *surely* if
the whole interval, which holds with probability :data:`~reseat.papers.statistics.LEVEL` for all
comparisons of the claim together, has to lie on that side. A claim is *untestable* if the interval
does not decide it, or if the data that it is about are missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from itertools import chain
from types import MappingProxyType
from typing import ClassVar

import numpy as np
import pandas as pd

from reseat import vocabulary
from reseat.datasets.identity import UNCOMPARED
from reseat.papers.statistics import LEVEL, bonferroni
from reseat.papers.tables import rows_of

# ---- Rules for judging the claims of a paper, and the form in which verdicts are reported ----

#: Deviation up to which two numbers count as equal up to rounding.
ROUNDING = 1e-9

#: Interval of what was not run.
NOT_RUN = (np.nan,) * 3

#: The way in which every claim is judged, and that on the numbers that the paper prints.
MEASURED, PRINTED = "", "printed"


@dataclass(frozen=True)
class Claim:
    """A claim of a paper, or a statement about it that is judged beside its claims."""

    #: A clause that is complete by itself and can also follow "that".
    says: str
    #: What the effect in its rows of `claims.csv` measures, with the unit: their column `measured`.
    effect: str
    #: :data:`THE_PAPER`, or :data:`OURS` for a control that does not count among its claims.
    source: str = vocabulary.THE_PAPER
    #: Why it counts towards no score, such as the claims from which it follows; empty if it does.
    uncounted: str = ""


@dataclass(frozen=True)
class Verdict:
    """What a rule finds about a claim."""

    verdict: str
    #: The effect, and the low and high end of its interval.
    interval: tuple[float, float, float]
    #: A sentence that names the data.
    evidence: str
    #: Verdicts on single data sets, by their names, from a rule that tells them apart.
    on: Mapping[str, Verdict] = field(default_factory=dict)

    @property
    def measured(self) -> bool:
        """Whether anything was measured."""
        return not np.isnan(self.interval[0])

    def saying(self, text: str) -> Verdict:
        """Return the verdict with a remark after its evidence."""
        return replace(self, evidence=f"{self.evidence.removesuffix('.')}; {text}.")


def untested(reason):
    """Return the verdict on a claim about which nothing was measured."""
    return Verdict(vocabulary.UNTESTABLE, NOT_RUN, reason)


def exact(holds, effect, evidence):
    """Return the verdict on a claim about an exact number, whose interval is the number itself."""
    return Verdict(vocabulary.CONFIRMED if holds else vocabulary.REFUTED, (effect,) * 3, evidence)


def exact_zero(error, evidence):
    """Return the verdict on a formula, which is right if its error is no more than rounding."""
    return exact(error <= ROUNDING, error, evidence)


class Claims:
    """The claims of a paper, each declared above the rule that judges it."""

    def __init__(self, paper: str):
        self.paper = paper
        self._claims: dict[str, Claim] = {}
        self._rules: list[tuple[str, Sequence[str], str, Callable]] = []
        self._ways: Callable = lambda _evidence: ()
        self._names: tuple[str, ...] = ()

    def claim(
        self, key, says="", *, effect="", source=vocabulary.THE_PAPER, uncounted="", again=(),
        only=None, reading="",
    ):  # fmt: skip
        """Declare a claim above its rule, a function that takes evidence and returns a `Verdict`.

        `again` names further `ways` in which the rule judges, and `only` the single one in which
        it does. Another rule of the same claim gives its key without a statement, and `only` or a
        `reading`. A claim that rests on others names them in `uncounted`, so that a finding counts
        once. The decorated rule returns the row of `claims.csv`.
        """
        if says:
            uncounted = vocabulary.NOT_THE_PAPERS if source == vocabulary.OURS else uncounted
            self._claims[key] = Claim(says, effect, source, uncounted)

        def declared(rule):
            @wraps(rule)
            def judged(evidence):
                return self.row(key, rule(evidence), reading)

            ways = (MEASURED, *again) if only is None else (only,)
            self._rules.append((key, ways, reading, rule))
            return judged

        return declared

    def formula(self, key, says, effect, error, text, source=vocabulary.THE_PAPER):
        """Declare a claim that holds if the `error` of a formula, a function, is only rounding."""

        @self.claim(key, says, effect=effect, source=source, uncounted=vocabulary.FORMULA)
        def rule(_evidence):
            return exact_zero(error(), text if isinstance(text, str) else text())

        return rule

    def ways(self, *names):
        """Declare how claims are judged again: the names that `again` and `only` may give.

        The decorated function takes the evidence and yields, for all that ran, the name of a way,
        its reading in words, and the evidence with which the rules judge.
        """

        def declared(find):
            self._names, self._ways = names, find
            return find

        return declared

    @property
    def undeclared(self) -> set[str]:
        """Names of ways that rules give but :meth:`ways` does not, so that nothing is judged."""
        given = {way for _key, ways, _reading, _rule in self._rules for way in ways}
        return given - {MEASURED, *self._names}

    @property
    def claims(self) -> dict[str, Claim]:
        """Claims by identifier, in the order of their numbers."""
        return {key: self._claims[key] for key in sorted(self._claims, key=_number)}

    def row(self, key, found, reading=""):
        """Return the row of `claims.csv` with the verdict that was found."""
        stated = self._claims[key]
        claim = vocabulary.name_claim(key, reading, stated.says)
        said = (self.paper, claim, stated.source, stated.uncounted, found.verdict, stated.effect)
        return dict(
            zip(vocabulary.CLAIM_COLUMNS, (*said, *found.interval, found.evidence), strict=True)
        )

    def judge(self, evidence):
        """Judge every claim once, one row each."""
        return claims_table(self._judged(evidence, MEASURED, ""))

    def judge_again(self, evidence, *names):
        """Judge claims in all further ways that ran, or in some, given by their names."""
        ways = [way for way in self._ways(evidence) if way[0] in names or not names]
        rows = (self._judged(other, name, reading) for name, reading, other in ways)
        return claims_table(chain.from_iterable(rows))

    def judge_all(self, evidence):
        """Judge every claim in every way."""
        frames = (self.judge(evidence), self.judge_again(evidence))
        return pd.concat([frame for frame in frames if len(frame)], ignore_index=True)

    def _judged(self, evidence, way, words):
        for key, ways, reading, rule in sorted(self._rules, key=lambda rule: _number(rule[0])):
            if way in ways:
                found = rule(evidence)
                if way == PRINTED:
                    found = replace(found, interval=(found.interval[0], np.nan, np.nan))
                yield self.row(key, found, words or reading)
                # Under another reading, they would need two.
                for name, part in {} if words or reading else found.on.items():
                    yield self.row(key, part, f"on {name}")


def _number(key):
    """Return the place of a claim such as SC-10b: its number, then its letter."""
    number, letter = re.fullmatch(r".*?(\d+)(.*)", key).groups()
    return int(number), letter


def claims_table(rows):
    """Return rows of `Claims` as a frame with the columns :data:`CLAIM_COLUMNS`."""
    return pd.DataFrame(list(rows), columns=list(vocabulary.CLAIM_COLUMNS))


def above(bar):
    """Return the rule that an interval lies above `bar`: refuted if below, or else untestable."""

    def rule(interval):
        _estimate, low, high = interval
        if low > bar:
            return vocabulary.CONFIRMED
        return vocabulary.REFUTED if high < bar else vocabulary.UNTESTABLE

    return rule


def below(bar):
    """Return the rule that an interval lies below `bar`."""

    def rule(interval):
        estimate, low, high = interval
        return above(-bar)((-estimate, -high, -low))

    return rule


def within(low, high):
    """Return the rule that an interval lies between two numbers."""
    return lambda interval: all_of((above(low)(interval), below(high)(interval)))


def ahead(interval, bar=ROUNDING):
    """Judge a lead, which a tie is not: confirmed if surely above 0, refuted if nowhere above."""
    return vocabulary.REFUTED if interval[2] <= bar else above(bar)(interval)


def all_of(verdicts):
    """Return refuted if any of the verdicts is, confirmed if all are, else untestable."""
    verdicts = set(verdicts)
    if vocabulary.REFUTED in verdicts:
        return vocabulary.REFUTED
    return vocabulary.CONFIRMED if verdicts == {vocabulary.CONFIRMED} else vocabulary.UNTESTABLE


def most_of(verdicts, n):
    """Return confirmed if more than half of `n` verdicts are, refuted if that cannot be."""
    verdicts = list(verdicts)
    if 2 * verdicts.count(vocabulary.CONFIRMED) > n:
        return vocabulary.CONFIRMED
    refuted = 2 * verdicts.count(vocabulary.REFUTED) >= n
    return vocabulary.REFUTED if refuted else vocabulary.UNTESTABLE


def not_all_of(verdicts):
    """Return confirmed if any of the verdicts is refuted, refuted if all are confirmed."""
    return opposite(all_of(verdicts))


def opposite(verdict):
    """Return refuted for confirmed, and the other way round."""
    sides = {vocabulary.CONFIRMED: vocabulary.REFUTED, vocabulary.REFUTED: vocabulary.CONFIRMED}
    return sides.get(verdict, verdict)


def unless_missing(verdict, missing):
    """Return the verdict, but untestable in place of confirmed if some of the data are missing."""
    return vocabulary.UNTESTABLE if verdict == vocabulary.CONFIRMED and missing else verdict


def finish_sentence(text, missing):
    """Return the evidence, followed by what nothing was run for, if anything, and a full stop."""
    return text + (f"; nothing was run for {', '.join(missing)}." if missing else ".")


def on_data(names, status):
    """Return the data behind a number: 'On news, and the stand-ins mulan and reuters'."""
    names = list(dict.fromkeys(names))
    parts = []
    for kind, one, many in (
        (vocabulary.FAITHFUL, "", ""),
        (vocabulary.STAND_IN, "the stand-in ", "the stand-ins "),
        (vocabulary.GENERATED, "generated data: ", "generated data: "),
        (vocabulary.OWN, "your own ", "your own "),
    ):
        mine = [name for name in names if status[name] == kind]
        if mine:
            parts.append((one if len(mine) == 1 else many) + listed(mine))
    return "On " + (", and ".join(parts) if parts else "no data")


def listed(words):
    """Return the words joined as in 'a, b and c'."""
    words = list(words)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


# ---- Base class of the evidence on claims, and a rule for claims about several cells ---------

#: Number of posterior means without convergence that the evidence lists by name.
MAX_LISTED = 4


class Evidence:
    """The data behind the numbers on a claim, and the consequences for its verdict.

    A family defines `scores`, `ran` or `rows`, and `title`, to say which data sets serve for a role
    (a set of the paper; in the documents family a data set). If several serve for a role, one of
    them is judged, because numbers on different data are not a sample of one quantity.
    """

    #: Roles that are used if none are given.
    judged: ClassVar[Sequence[str]] = ()
    #: Whether these are our own numbers.
    measured: ClassVar[bool] = True
    #: Role to the data set that is judged, if that is not the first of the scale.
    chosen: Mapping[str, str] = MappingProxyType({})
    #: Role to its name in words, if that is another.
    NAMES: ClassVar[Mapping[str, str]] = MappingProxyType({})

    @property
    def ran(self) -> pd.DataFrame:
        """Rows of all data sets, in the order of the scale: `role`, `dataset` and `status`."""
        return self.scores

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
        return self.NAMES.get(role, role)

    def status(self, role) -> str | None:
        """Return `faithful`, `stand-in`, `generated` or `own`, or None if nothing was run."""
        rows = self.rows(role)
        return rows["status"].iloc[0] if len(rows) else None

    def where(self, roles: Iterable[str] | None = None) -> str:
        """Return the data of a number: 'On Italy and NLTCS5000, and the stand-in SyriaSizes'."""
        roles = self.judged if roles is None else roles
        status = {self.title(role): self.status(role) for role in roles if self.status(role)}
        return on_data(status, status)

    def generated(self, roles: Iterable[str] | None = None) -> bool:
        """Return whether any data are generated or the user's own: not those of the paper."""
        roles = self.judged if roles is None else roles
        return any(self.status(role) in UNCOMPARED for role in roles)

    def is_faithful(self, role: str) -> bool:
        """Return whether a role has the paper's own data, not others in their place."""
        return self.status(role) == vocabulary.FAITHFUL

    def unless_substitute(self, verdict: str, role: str) -> str:
        """Return a verdict on a claim about the paper's own sets, which only these can decide."""
        return verdict if self.is_faithful(role) else vocabulary.UNTESTABLE

    def found(self, verdict, interval, text, roles=None, missing=()) -> Verdict:
        """Return a verdict, untestable on substitutes; `text` is evidence without a full stop."""
        verdict = unless_missing(verdict, missing)
        verdict = vocabulary.UNTESTABLE if self.generated(roles) else verdict
        return Verdict(verdict, interval, finish_sentence(text, missing))


class PrintedEvidence(Evidence):
    """Printed numbers in place of our own, each its own interval, judged by the same rules."""

    measured = False

    def status(self, role) -> str:
        """Return `faithful`, because all printed numbers are of the paper's own data."""
        return vocabulary.FAITHFUL

    def unconverged(self, *_given) -> list[str]:
        """Return no names, because nothing printed says whether chains agreed."""
        return []


@dataclass(frozen=True)
class Cell:
    """One of the comparisons of a claim."""

    #: Name in the text of the evidence.
    name: str
    role: str
    #: Takes the level, and returns estimate, low and high of an interval; NaN if it was not run.
    measure: Callable[[float], tuple[float, float, float]]
    #: Takes an interval, and returns a verdict.
    rule: Callable[[tuple[float, float, float]], str]
    #: What is missing if it was not run.
    absent: str
    #: Systems that are compared, and the number of independent values of the estimate, if known.
    systems: tuple[str, ...] = ()
    n_values: int = 0
    #: Whether it can decide anything, which it cannot if its chains disagree.
    decides: bool = True
    #: Estimate, low and high once it is measured.
    interval: tuple[float, float, float] = NOT_RUN

    @property
    def verdict(self) -> str:
        """Verdict by its rule."""
        return self.rule(self.interval) if self.decides else vocabulary.UNTESTABLE


def measure_together(cells):
    """Return all cells as measured, with intervals that hold for all of them together."""
    cells = list(cells)
    level = bonferroni(LEVEL, len(cells))
    return [replace(cell, interval=cell.measure(level)) for cell in cells]


def measured_and_missing(cells):
    """Return the cells that were measured, and what is missing for the others."""
    found = [cell for cell in cells if not np.isnan(cell.interval[0])]
    missing = [cell.absent for cell in cells if np.isnan(cell.interval[0])]
    return found, list(dict.fromkeys(missing))


def smallest(cells, shown=min):
    """Return the interval with the smallest estimate, or the largest if `shown` is ``max``."""
    return shown((cell.interval for cell in cells), key=lambda interval: interval[0])


def judge_cells(evidence, cells, text, shown=min, about_its_sets=False, combine=all_of):
    """Return the verdict on a claim that holds if the rule of every cell holds.

    The intervals hold for all cells together, and that of the ``min`` or ``max`` behind the verdict
    is the effect. `text` words the evidence of the measured cells, and `combine` their verdicts. A
    claim about the paper's own sets is decided by these alone.
    """
    found, missing = measured_and_missing(measure_together(cells))
    if not found:
        return untested(f"nothing was run for {', '.join(missing)}.")
    roles = list(dict.fromkeys(cell.role for cell in found))
    own = [cell for cell in found if evidence.is_faithful(cell.role)] if about_its_sets else found
    verdicts = [
        cell.verdict
        if cell in own or (own and cell.verdict == vocabulary.CONFIRMED)
        else vocabulary.UNTESTABLE
        for cell in found
    ]
    whole = combine(verdicts)
    decide = [cell for cell, verdict in zip(found, verdicts, strict=True) if verdict == whole]
    decide = decide or found  # `combine` may return a verdict that no cell has
    decide = [cell for cell in decide if cell in own] or decide
    return evidence.found(whole, smallest(decide, shown), text(found), roles, missing)


def not_converged(names, said=vocabulary.NOT_CONVERGED):
    """Return a remark such as ``'; not converged: SCDP-1 on digits'``, or nothing."""
    names = list(dict.fromkeys(names))
    if not names:
        return ""
    if len(names) > MAX_LISTED:
        names = [*names[:MAX_LISTED], f"{len(names) - MAX_LISTED} more"]
    return f"; {said}: {listed(names)}"
