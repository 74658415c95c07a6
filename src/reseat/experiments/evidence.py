"""Base class of the evidence on a paper's claims, and a rule for claims about several cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import ClassVar

import numpy as np
import pandas as pd

from reseat.datasets.identity import UNCOMPARED
from reseat.experiments.tidy import rows_of
from reseat.experiments.verdicts import (
    Claims,
    all_of,
    finish_sentence,
    listed,
    on_data,
    unless_missing,
)
from reseat.vocabulary import FAITHFUL, UNTESTABLE

__all__ = ["Cell", "Evidence", "judge_cells", "not_converged"]

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
