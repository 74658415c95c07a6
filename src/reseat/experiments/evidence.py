"""What the claims of a paper are judged from, and the judge of claims about several cells."""

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
    UNTESTABLE,
    Claims,
    all_of,
    finish_sentence,
    listed,
    on_data,
    unless_missing,
)

__all__ = ["Cell", "Evidence", "judge_cells", "not_converged"]

#: Posterior means without convergence that the evidence names one by one.
NAMED = 4


class Evidence:
    """Which data are behind a number, and what follows from that for a verdict.

    A family says with `ran`, or `rows`, and `title` what serves for a role (a set of the paper; in
    the documents family a data set). Of several data sets of a role one is judged: numbers on
    different data are no sample of anything.

    Attributes
    ----------
    claims : Claims
        Of the paper.
    judged : iterable of str
        The roles that are meant where none are named.
    chosen : mapping of str to str
        Role to the data set that is judged, where it is not the first of the scale.
    """

    claims: ClassVar[Claims]
    judged: ClassVar[Sequence[str]] = ()
    chosen: Mapping[str, str] = MappingProxyType({})

    @property
    def ran(self) -> pd.DataFrame:
        """Rows on all data sets, in the order of the scale: `role`, `dataset` and `status`."""
        raise NotImplementedError

    def datasets_for(self, role) -> list[str]:
        """Data sets that serve for a role, in the order of the scale."""
        return list(dict.fromkeys(rows_of(self.ran, role=role)["dataset"]))

    @cached_property
    def datasets(self) -> dict[str, str]:
        """Role to the data set that is judged; roles of which none ran are left out."""
        first = self.ran.drop_duplicates("role")
        return {**dict(zip(first["role"], first["dataset"], strict=True)), **self.chosen}

    def dataset(self, role) -> str | None:
        """Name of the data set that is judged, None if none ran."""
        return self.datasets.get(role)

    def of(self, frame, role) -> pd.DataFrame:
        """Rows of the data set that is judged."""
        return rows_of(frame, role=role, dataset=self.dataset(role))

    def rows(self, role) -> pd.DataFrame:
        """Rows on what serves for a role, with a column `status`."""
        return self.of(self.ran, role)

    def title(self, role) -> str:
        """What serves for a role, in words."""
        raise NotImplementedError

    def status(self, role) -> str | None:
        """`faithful`, `stand-in`, `generated` or `own`; None if nothing was run."""
        rows = self.rows(role)
        return rows["status"].iloc[0] if len(rows) else None

    def where(self, roles: Iterable[str] | None = None) -> str:
        """'On Italy and NLTCS5000, and the stand-in SyriaSizes': the data behind a number."""
        status = {self.title(role): self.status(role)
                  for role in (self.judged if roles is None else roles)}  # fmt: skip
        status = {title: status for title, status in status.items() if status}
        return on_data(status, status)

    def generated(self, roles: Iterable[str] | None = None) -> bool:
        """Whether some data are made up, or the user's own: nothing can be said of the paper's."""
        roles = self.judged if roles is None else roles
        return any(self.status(role) in UNCOMPARED for role in roles)

    def of_the_paper(self, role: str) -> bool:
        """Whether a number is of the paper's own data, not of others in their place."""
        return self.status(role) == "faithful"

    def on_its_own(self, verdict: str, role: str) -> str:
        """A verdict on a claim about the paper's sets: other data in their place decide nothing.

        Parameters
        ----------
        verdict : str
            What the numbers on one set say.
        role : str
            That set.
        """
        return verdict if self.of_the_paper(role) else UNTESTABLE

    def verdict(self, verdict: str, roles: Iterable[str] | None = None, missing=()) -> str:
        """A verdict on some data: untestable on made-up ones, not confirmed where some are missing.

        Parameters
        ----------
        verdict : str
            What the numbers say.
        roles : iterable of str, optional
            The data that they are of.
        missing : collection
            What nothing was run for.
        """
        return UNTESTABLE if self.generated(roles) else unless_missing(verdict, missing)

    def row(self, key, verdict, interval, text):
        """A row of the claims."""
        return self.claims.row(key, verdict, *interval, text)

    def untested(self, key, reason):
        """A row of a claim about which nothing was measured."""
        return self.claims.untested(key, reason)


@dataclass(frozen=True)
class Cell:
    """One of the comparisons of a claim.

    Attributes
    ----------
    name : str
        In the evidence.
    role : str
    interval : tuple of float
        Estimate, low and high; NaN if it was not run.
    rule : callable
        From low and high to a verdict.
    absent : str
        What is missing if it was not run.
    """

    name: str
    role: str
    interval: tuple[float, float, float]
    rule: Callable[[float, float], str]
    absent: str

    @property
    def measured(self) -> bool:
        """Whether there is a number."""
        return not np.isnan(self.interval[0])

    @property
    def verdict(self) -> str:
        """What its rule says."""
        return self.rule(*self.interval[1:])


def judge_cells(key, evidence, cells, text, shown=min, about_its_sets=False):
    """The row of a claim that holds if the rule of every cell does.

    Parameters
    ----------
    key : str
    evidence : Evidence
    cells : iterable of Cell
    text : callable
        From the cells that were measured to the evidence in words, without its full stop.
    shown : callable, optional
        Which interval is the effect, of those that decide the verdict: ``min`` or ``max``.
    about_its_sets : bool
        Whether the claim is about the paper's own sets, which others in their place neither confirm
        nor refute.
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
    effect = shown((cell.interval for cell in decide), key=lambda interval: interval[0])
    verdict = evidence.verdict(whole, roles, missing)
    return evidence.row(key, verdict, effect, finish_sentence(text(found), missing))


def not_converged(names):
    """Words for the evidence of a claim whose posterior means are not all of one law.

    Parameters
    ----------
    names : iterable of str
        Models whose chains disagree, such as ``SCDP-1 on digits``.

    Returns
    -------
    str
        ``'; not converged: SCDP-1 on digits'``, empty if there are none.
    """
    names = list(dict.fromkeys(names))
    if not names:
        return ""
    if len(names) > NAMED:
        names = [*names[:NAMED], f"{len(names) - NAMED} more"]
    return f"; not converged: {listed(names)}"
