"""The claims of Kurihara et al. (2006), the evidence on them, and the best restarts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import wraps

import numpy as np
import pandas as pd

from reseat.papers.claims import Claim, Claims, Evidence
from reseat.papers.relational import PAPER
from reseat.papers.relational.results import BETA, MAIN, ROLES, START, Published, with_elbo
from reseat.papers.statistics import LEVEL, bootstrap_interval
from reseat.papers.tables import rows_of
from reseat.variational.restarts import best_restart
from reseat.vocabulary import OURS, UNTESTABLE

# ---- The claims of Kurihara et al. (2006), and the evidence on which they are judged ---------

#: The claims of the paper, and the statements FIRM-8 and FIRM-9, which go beyond it.
CLAIMS = Claims(
    PAPER,
    {
        "FIRM-1": Claim(
            "the FIRM is the IRM when every pair is observed once",
            "largest difference of the two log likelihoods, in nats",
        ),
        "FIRM-2a": Claim(
            "the clusters of the FIRM cover all classes of SAM",
            "share of the classes that the FIRM covers",
        ),
        "FIRM-2b": Claim(
            "the clusters of the IRM do not cover all classes of SAM",
            "share of the classes that the IRM covers",
        ),
        "FIRM-2c": Claim(
            "the FIRM covers more classes of SAM than the IRM",
            "coverage of the FIRM less that of the IRM, as a share of the classes",
        ),
        "FIRM-3": Claim(
            "the FIRM finds more clusters of rows and of columns than the IRM",
            "number of clusters by which the FIRM has more, the smaller of rows and columns",
        ),
        "FIRM-4": Claim(
            "for every beta and i the FIRM has a higher purity S_i than the IRM",
            "smallest lead of the FIRM in purity S_i, from 0 to 1",
        ),
        "FIRM-5a": Claim(
            "the purity of all cells of the FIRM together is not very high",
            "purity S_1, from 0 to 1",
        ),
        "FIRM-5b": Claim(
            "the purity of all cells together is not very high because some cells are unspecific",
            "share, in unspecific cells, of the pairs outside the main class of their cell",
        ),
        "FIRM-6": Claim(
            "a restart of variational inference takes less than five minutes",
            "time of the slowest restart, in seconds",
        ),
        "FIRM-7": Claim(
            "the variational bound is best if gamma_2 adds up the sizes of all clusters (as it "
            "is printed)",
            "smallest distance of the bound as printed from the log probability, in nats",
        ),
        "FIRM-8a": Claim(
            "the FIRM's lead over the IRM in purity survives when both have the IRM's numbers of"
            " clusters",
            "purity S_1 of the FIRM less that of the IRM, at equal numbers of clusters",
            OURS,
        ),
        "FIRM-8b": Claim(
            "the FIRM's lead over the IRM in coverage survives when both have the IRM's numbers "
            "of clusters",
            "coverage of the FIRM less that of the IRM, at equal numbers of clusters",
            OURS,
        ),
        "FIRM-8c": Claim(
            "the FIRM's lead over the IRM in purity is greater than that of random partitions",
            "lead of the FIRM in purity S_1 less that of random partitions",
            OURS,
        ),
        "FIRM-8d": Claim(
            "the FIRM's lead over the IRM in coverage is greater than that of random partitions",
            "lead of the FIRM in coverage less that of random partitions",
            OURS,
        ),
        "FIRM-9a": Claim(
            "collapsed Gibbs sampling takes longer than variational inference",
            "smallest time of a Gibbs chain, as a multiple of that of a variational restart",
            OURS,
        ),
        "FIRM-9b": Claim(
            "variational inference predicts held-out cells as well as Gibbs sampling",
            "smallest mean log predictive of a held-out cell, variational less Gibbs, in nats",
            OURS,
        ),
    },
)

#: Seed for resampling the restarts.
SEED = 2006


@dataclass(frozen=True)
class RelationalEvidence(Evidence):
    """The evidence on which the claims are judged; the frames are those of `read_results`."""

    claims = CLAIMS

    restarts: pd.DataFrame
    coverage: pd.DataFrame
    purity: pd.DataFrame
    published: Published
    cells: pd.DataFrame | None = None
    predictive: pd.DataFrame | None = None
    #: Role of the data that are judged: ``adjectives`` or ``english``.
    role: str = MAIN
    #: Which pairs are counted: ``all`` or ``observed``.
    pairs: str = "all"
    #: Which start is judged; the paper does not say which one it uses.
    initialisation: str = START
    #: Role to the data set that is judged, where it is not the first of the scale.
    chosen: Mapping[str, str] = field(default_factory=dict)

    @property
    def rng(self):
        """Generator for resampling, in the same state for every claim."""
        return np.random.default_rng(SEED)

    def runs(self, model, beta=BETA, control=""):
        """Return the restarts of a model."""
        return rows_of(
            self.rows(self.role),
            **{"model": model, "beta": beta, "control": control},
            initialisation=self.initialisation,
        )

    def outdone(self, model):
        """Return the best fit of a model if none of the restarts that are judged reaches its ELBO.

        Otherwise return None. Fits from other starts, or with fewer clusters at most, are included,
        because they are other ways to maximise the same bound.
        """
        judged = self.runs(model)["elbo"]
        fits = rows_of(self.rows(self.role), model=model, beta=BETA)
        if len(judged) == 0 or fits["elbo"].max() <= judged.max():
            return None
        return fits.iloc[best_restart(fits["elbo"])]

    def clusters(self, model, side):
        """Return ELBO and number of clusters of each restart; `side` is ``row`` or ``column``."""
        runs = self.runs(model)
        return runs["elbo"].to_numpy(), runs[f"n_{side}_clusters"].to_numpy()

    def covered(self, model, control=""):
        """Return the ELBO and coverage of each restart."""
        found = with_elbo(self._partitions(self.coverage, model, control), self.restarts)
        return found["elbo"].to_numpy(), found["coverage"].to_numpy()

    def curves(self, model, beta=BETA, control=""):
        """Return the ELBO of each restart, and its S_1, S_2, …, shape (n_restarts, n_classes)."""
        found = with_elbo(self._partitions(self.purity, model, control, beta), self.restarts)
        curves = found.pivot_table(index=["restart", "elbo"], columns="i", values="purity")
        return curves.index.get_level_values("elbo").to_numpy(), curves.to_numpy()

    def random(self, model, frame, column):
        """Return a column of `frame` for the random partitions with a model's cluster sizes."""
        return self._partitions(frame, model, "random")[column].to_numpy()

    @property
    def judged(self):
        """The only role that is judged."""
        return (self.role,)

    @property
    def ran(self):
        """Restarts on all data sets."""
        return self.restarts

    def title(self, role):
        """Return the name of a role in words."""
        return ROLES.get(role, role)

    def _partitions(self, frame, model, control="", beta=BETA):
        return rows_of(
            self.of(frame, self.role),
            **{"model": model, "beta": beta, "control": control},
            **{"pairs": self.pairs, "initialisation": self.initialisation},
        )


# ---- Numbers of the best of several restarts, and their uncertainty --------------------------


def of_best_fits(*models):
    """Mark a claim about the best restarts of some models, which have to be the best fits.

    If another fit of one of the models has a higher ELBO, all of its judged restarts have ended in
    worse optima. Their best then says nothing about the model, and the claim is untestable.
    """

    def marked(rule):
        @wraps(rule)
        def judged(evidence):
            row = rule(evidence)
            for model in models:
                fit = evidence.outdone(model)
                if fit is None or np.isnan(row["effect"]):
                    continue
                gap = fit["elbo"] - evidence.runs(model)["elbo"].max()
                sizes = f"{fit['n_row_clusters']:g} x {fit['n_column_clusters']:g}"
                told = (
                    f"{row['evidence'].removesuffix('.')}; not the best fit of the "
                    f"{model.upper()}: one with {sizes} clusters has an ELBO that is {gap:,.0f} "
                    "nats higher."
                )
                row |= {"verdict": UNTESTABLE, "evidence": told}
            return row

        return judged

    return marked


def best_interval(restarts, rng):
    """Return a number of the restart with the best ELBO, and its interval.

    `restarts` has the ELBO and the number of each, both of shape (n_restarts,); see `gap_interval`.
    """
    return gap_interval(restarts, None, rng)


def gap_interval(first, second, rng, level=LEVEL, reduce=None):
    """Return how far the best restart of one model is ahead of that of another, with an interval.

    The paper keeps the restart with the best ELBO. The interval is that of half samples: half of
    the restarts of each model are drawn independently, and the best of those drawn is kept. It
    shows how much the number depends on which restarts happen to have run. The usual bootstrap
    would not, because the same restart is the best in two thirds of its samples, however many
    restarts there are. Both models have the ELBO, (n_restarts,), and the numbers, (n_restarts,) or
    (n_restarts, n_numbers) if `reduce` maps differences (..., n_numbers) to (...). If `second` is
    None, the numbers of `first` are used as they are. The ends are NaN if a model has too few
    restarts.
    """
    groups = [
        np.column_stack([np.asarray(part, dtype=float) for part in restarts])
        for restarts in (first, second)
        if restarts is not None
    ]
    if any(len(rows) == 0 for rows in groups):
        return np.nan, np.nan, np.nan

    def gap(first, second=None):
        gaps = _of_best(first) if second is None else _of_best(first) - _of_best(second)
        return reduce(gaps) if reduce else gaps.item()

    return bootstrap_interval(groups, gap, rng, level, by_group=True, halves=True)


def _of_best(rows):
    """Return the numbers of the restart with the best ELBO, which is in the first column."""
    return rows[best_restart(rows[:, 0]), 1:]
