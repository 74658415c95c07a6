"""The evidence by which the claims of Vogt et al. (2010) are judged."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pandas as pd

from reseat.papers.claims import Evidence
from reseat.papers.distances.results import (
    ROLES,
    Published,
    by_draw,
    final_scores,
    label,
    means_role,
)
from reseat.papers.distances.samplers import block_counts
from reseat.summaries import AGREED


@dataclass(frozen=True)
class DistancesEvidence(Evidence):
    """The evidence by which the claims are judged."""

    #: From `read_scores`, of all data sets.
    scores: pd.DataFrame
    published: Published
    #: Traces of TIWD on the data set of the role `large`.
    traces: tuple = ()
    #: From `read_timings`.
    timings: pd.DataFrame | None = None
    #: One row per (transformation, likelihood): `transformation`, `likelihood`, `worst` (largest
    #: absolute change of a difference of log posteriors over all partitions), `n_partitions`,
    #: `holds_expected`.
    invariance: pd.DataFrame | None = None
    #: From `read_blocks`.
    blocks: pd.DataFrame | None = None
    #: Which setting of experiment 3 is judged, theta = 100/d or 15/d. The paper does not say which
    #: one it shows; the first was chosen by looking at its Figure 4.
    theta: int = 100
    #: Which WD_R is judged: from the data (``wdr_direct``) or from kernel PCA (``wdr_kpca``).
    centred: str = "wdr_direct"
    #: One of `STARTS` or `TRUTH`, to judge only the chains that start there; all by default.
    start: str | None = None
    #: Maps models of the paper to the models that are judged in their place, such as `SPLIT`.
    instead: Mapping[str, str] = field(default_factory=dict)

    def title(self, role):
        """Return the name of a set in words."""
        return ROLES[role]

    def values(self, role, model, column="ari"):
        """Return a score of each repetition, indexed by draw and averaged over chains."""
        scores = final_scores(self.rows(role))
        if self.start is not None:
            scores = scores[scores["start"] == self.start]
        return by_draw(scores, self.instead.get(model, model), column)

    def unconverged(self, pairs):
        """Return, in words, the pairs of a role and a model whose chains disagree on some draws.

        All chains of a model count here, including those with another start than the judged ones.
        """
        found = []
        for role, model in dict.fromkeys(pairs):
            rows = self.rows(role)
            rows = rows[rows["model"] == self.instead.get(model, model)]
            if (rows["rhat"] > AGREED).any():
                found.append(f"{label(model)} on {ROLES[role]}")
        return found

    @property
    def large_chains(self):
        """Numbers of clusters along the chains on the judged data of the role `large`."""
        name = self.dataset("large")
        return [
            chain for trace in self.traces if trace.dataset == name for chain in trace.n_clusters
        ]

    @property
    def globins(self):
        """Counts of the blocks of the globins, or None if none of these is without a class."""
        name = self.dataset("globins")
        if self.blocks is None or name is None:
            return None
        blocks = self.blocks[self.blocks["dataset"] == name]
        return block_counts(blocks) if blocks["n_unlabelled"].sum() > 0 else None

    @property
    def unconverged_globins(self):
        """The model of the globins in words if its chains disagree or if there is only one."""
        rows = self.rows("globins").query("model == 'tiwd'")
        alone = f"{label('tiwd')} on globins, of which there is a single chain"
        single = len(rows) and rows["rhat"].isna().all()
        return self.unconverged([("globins", "tiwd")]) or ([alone] if single else [])

    def gain(self, role, model, other, column="ari"):
        """Return how far `model` is ahead of `other`, repetition by repetition."""
        return (self.values(role, model, column) - self.values(role, other, column)).dropna()

    def means(self, dim, mean):
        """Return the role of a panel of Figure 4 at the setting that is judged."""
        return means_role(self.theta, dim, mean)
