"""The evidence by which the claims of Vogt et al. (2010) are judged."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import pandas as pd

from reseat.papers.claims import Evidence
from reseat.papers.distances import results
from reseat.papers.distances.plan import STARTS
from reseat.papers.distances.samplers import block_counts
from reseat.summaries import AGREED


@dataclass(frozen=True)
class DistancesEvidence(Evidence):
    """The evidence by which the claims are judged."""

    scores: pd.DataFrame
    published: results.Published
    traces: tuple = ()
    timings: pd.DataFrame | None = None
    #: From `measure_invariance`.
    invariance: pd.DataFrame | None = None
    blocks: pd.DataFrame | None = None
    #: Which theta of experiment 3 is judged, 100/d or 15/d. The defaults from here on are the joint
    #: reading: what the text says or, failing that, what makes Figure 4 come out as described.
    theta: int = 15
    #: Which WD_R is judged: from kernel PCA (section 3.2), or ``wdr_direct`` from the data.
    centred: str = "wdr_kpca"
    #: Where the judged chains start, one of `STARTS` or `TRUTH`; the paper's start in one block.
    start: str = STARTS[0]
    #: Maps models of the paper to those that are judged in their place where they ran.
    instead: Mapping[str, str] = field(default_factory=lambda: results.LOST)
    NAMES = results.ROLES

    def judged_model(self, role, model):
        """Return the model that is judged in place of one of the paper's on the data of a role."""
        other = self.instead.get(model, model)
        return other if (self.dataset(role), other) in self._final else model

    @cached_property
    def _final(self):
        """The scores of final partitions by data set and model."""
        return dict(iter(results.final_scores(self.ran).groupby(["dataset", "model"])))

    def chains(self, role, model):
        """Return the scores of the final partitions of all chains of a model."""
        key = self.dataset(role), self.judged_model(role, model)
        return self._final.get(key, self.ran.iloc[:0])

    def values(self, role, model, column="ari", start=""):
        """Return a score of each repetition, indexed by draw and averaged over chains."""
        chains = self.chains(role, model)
        chains = chains[chains["start"] == (start or self.start)]
        return results.by_draw(chains, self.judged_model(role, model), column)

    def unconverged(self, pairs):
        """Return, in words, pairs of a role and a model whose chains, from any start, disagree."""
        found = []
        for role, model in dict.fromkeys(pairs):
            rows = self.rows(role)
            rows = rows[rows["model"] == self.judged_model(role, model)]
            if (rows["rhat"] > AGREED).any():
                found.append(f"{results.label(model)} on {results.ROLES[role]}")
        return found

    @property
    def large_draws(self):
        """Numbers of clusters along the chains on each draw of the data of the role `large`."""
        name = self.dataset("large")
        return [trace.n_clusters for trace in self.traces if trace.dataset == name]

    @property
    def globins(self):
        """Counts of the blocks of the globins, or None if none of these is without a class."""
        if self.blocks is None:
            return None
        blocks = self.blocks[self.blocks["dataset"] == self.dataset("globins")]
        return block_counts(blocks) if blocks["n_unlabelled"].sum() > 0 else None

    @property
    def unconverged_globins(self):
        """The model of the globins in words if its chains disagree or if there is only one."""
        rows = self.rows("globins").query("model == 'tiwd'")
        if len(rows) and rows["rhat"].isna().all():
            return [f"{results.label('tiwd')} on globins, of which there is a single chain"]
        return self.unconverged([("globins", "tiwd")])

    def gain(self, role, model, other, column="ari"):
        """Return how far `model` is ahead of `other`, repetition by repetition."""
        return (self.values(role, model, column) - self.values(role, other, column)).dropna()

    def has_theta(self, theta):
        """Return whether a setting of experiment 3 was run."""
        return self.scores["role"].str.startswith(f"means_c{theta}_").any()

    def means(self, dim, mean):
        """Return the role of a panel of Figure 4 at the setting that is judged."""
        return results.means_role(self.theta, dim, mean)
