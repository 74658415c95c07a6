"""The numbers that Zanella et al. (2016) print, or draw in vector graphics."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from reseat.experiments.published import PublishedNumbers, keyed
from reseat.experiments.records.results import BOX, SETS


@dataclass(frozen=True)
class Published(PublishedNumbers):
    """The published numbers of this paper."""

    FILES = {
        "micro_table1": ("role", "delta", "system", "metric", "value"),
        "micro_fig1": ("system", "n_items", "max_size"),
        "micro_fig2": ("role", "delta", "system", "statistic", "truth", *BOX),
        "micro_fig3": ("role", "size", "count"),
    }

    #: (role, delta, system, metric) to value. System ``truth`` with metric ``K`` is the true number
    #: of clusters, and ``sd[K]`` is what the paper calls the posterior standard error.
    table1: dict
    #: `system`, `n_items`, `max_size`: one draw from a prior for each number of items, read off the
    #: vector graphics. The number of items is accurate to within one.
    fig1: pd.DataFrame
    #: `role`, `delta`, `system`, `statistic`, `truth` and the five numbers :data:`BOX` of each box,
    #: read off the vector graphics.
    fig2: pd.DataFrame
    #: `role`, `size`, `count`: true numbers of clusters of each size in the two Syria sets
    #: (supplement, Figure 1).
    fig3: pd.DataFrame

    @classmethod
    def of(cls, table1, *figures):
        """Return the numbers, with Table 1 keyed by its cells and the figures left as frames."""
        return cls(keyed(table1), *figures)

    def true_clusters(self, role, delta):
        """Return the true number of clusters of a set, as Table 1 prints it."""
        return self.table1[role, delta, "truth", "K"]

    def true_singletons(self, role):
        """Return the true number of singletons of a set, the dashed line of Figure 2."""
        boxes = self.fig2[(self.fig2["role"] == role) & (self.fig2["statistic"] == "n_singletons")]
        return float(boxes["truth"].iloc[0])

    def cells(self):
        """Return the (role, delta) pairs of the twelve variants, in the order of Table 1."""
        found = {(role, delta) for role, delta, _system, _metric in self.table1}
        return sorted(found, key=lambda cell: (list(SETS).index(cell[0]), cell[1]))
