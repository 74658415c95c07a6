"""The evidence on the claims of Kurihara et al. (2006), and the best restarts."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import wraps

import numpy as np
import pandas as pd

from reseat.papers.claims import Evidence
from reseat.papers.relational.results import BETA, MAIN, ROLES, START, Published, with_elbo
from reseat.papers.statistics import LEVEL, bootstrap_interval
from reseat.papers.tables import rows_of
from reseat.variational.restarts import best_restart
from reseat.vocabulary import UNTESTABLE


@dataclass(frozen=True)
class RelationalEvidence(Evidence):
    """The evidence on which the claims are judged; the frames are those of `read_results`."""

    restarts: pd.DataFrame
    coverage: pd.DataFrame
    purity: pd.DataFrame
    published: Published
    cells: pd.DataFrame | None = None
    predictive: pd.DataFrame | None = None
    joint: pd.DataFrame | None = None
    #: Role of the data that are judged: ``adjectives`` or ``english``.
    role: str = MAIN
    #: Which pairs are counted: ``all`` or ``observed``.
    pairs: str = "all"
    #: Which start is judged; the paper does not say from what its random restarts are drawn.
    initialisation: str = START
    chosen: Mapping[str, str] = field(default_factory=dict)
    NAMES = ROLES

    @property
    def rng(self):
        """Generator for resampling, in the same state for every claim."""
        return np.random.default_rng(2006)

    def runs(self, model):
        """Return the restarts of a model."""
        wanted = {"model": model, "beta": BETA, "control": ""}
        return rows_of(self.rows(self.role), **wanted, initialisation=self.initialisation)

    def of_each_aspect(self):
        """Yield the evidence by the classes of each fit of the aspect model, the best first."""
        scored = rows_of(self.coverage, pairs=self.pairs, initialisation=self.initialisation)
        for aspect in sorted({0, *self.of(scored, self.role)["aspect"]}):
            coverage, purity = (rows_of(of, aspect=aspect) for of in (self.coverage, self.purity))
            yield replace(self, coverage=coverage, purity=purity)

    def clusters(self, model, side):
        """Return ELBO and number of clusters of each restart; `side` is ``row`` or ``column``."""
        runs = self.runs(model)
        return runs["elbo"].to_numpy(), runs[f"n_{side}_clusters"].to_numpy()

    def scored(self, column, model, control=""):
        """Return the ELBO of each restart, and its ``coverage``, or ``purity`` S_1."""
        found = with_elbo(self._scores(column, model, control), self.restarts)
        return found["elbo"].to_numpy(), found[column].to_numpy()

    def covered(self, model, control=""):
        """Return the ELBO and coverage of each restart."""
        return self.scored("coverage", model, control)

    def curves(self, model, beta):
        """Return the ELBO of each restart, and its S_1, S_2, …, shape (n_restarts, n_classes)."""
        found = with_elbo(self._partitions(self.purity, model, "", beta), self.restarts)
        curves = found.pivot_table(index=["restart", "elbo"], columns="i", values="purity")
        return curves.index.get_level_values("elbo").to_numpy(), curves.to_numpy()

    def random(self, column, model):
        """Return the same number of random partitions with a model's sizes."""
        return self._scores(column, model, "random")[column].to_numpy()

    @property
    def judged(self):
        return (self.role,)

    @property
    def ran(self):
        return self.restarts

    def _scores(self, column, model, control):
        frame = self.coverage if column == "coverage" else rows_of(self.purity, i=1)
        return self._partitions(frame, model, control, BETA)

    def _partitions(self, frame, model, control, beta):
        wanted = {"model": model, "beta": beta, "control": control, "pairs": self.pairs}
        return rows_of(self.of(frame, self.role), **wanted, initialisation=self.initialisation)


# ---- Numbers of the best of several restarts, and their uncertainty --------------------------


def by_all_classes(rule):
    """Mark a claim on which nine in ten fits of the aspect model, by classes, have to agree."""

    @wraps(rule)
    def judged(evidence):
        found, *others = (rule(other) for other in evidence.of_each_aspect())
        if not others or not found.measured:
            return found
        verdicts = [found.verdict, *(other.verdict for other in others)]
        verdict = max(verdicts, key=verdicts.count)
        n_same, n_fits = verdicts.count(verdict), len(verdicts)
        said = found.saying(f"{verdict} by {n_same} of {n_fits} fits of the aspect model")
        return replace(said, verdict=verdict if 10 * n_same >= 9 * n_fits else UNTESTABLE)

    return judged


def best_interval(restarts, rng):
    """Return a number of the restart with the best ELBO, and its `gap_interval`."""
    return gap_interval(restarts, None, rng)


def gap_interval(first, second, rng, level=LEVEL, reduce=None):
    """Return how far the best restart of one model is ahead of that of another, with an interval.

    Both have the ELBO, (n_restarts,), and numbers, (n_restarts,) or, with `reduce`, (n_restarts,
    n_numbers); without `second`, those of `first` count. Half samples serve since the usual
    bootstrap keeps the same restart in two thirds of its samples.
    """
    groups = [
        np.column_stack([np.asarray(part, dtype=float) for part in restarts])
        for restarts in (first, second)
        if restarts is not None
    ]
    if any(len(rows) == 0 for rows in groups):
        return np.nan, np.nan, np.nan

    def gap(first, *others):
        gaps = _of_best(first) - sum(map(_of_best, others))
        return reduce(gaps) if reduce else gaps.item()

    return bootstrap_interval(groups, gap, rng, level, by_group=True, halves=True)


def _of_best(rows):
    """Return the numbers of the restart with the best ELBO, which is in the first column."""
    return rows[best_restart(rows[:, 0]), 1:]
