"""What Zanella et al. (2016) claim, and what the claims are judged from."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from reseat.experiments.evidence import Evidence
from reseat.experiments.records import PAPER
from reseat.experiments.records.losses import LOSSES
from reseat.experiments.records.published import Published
from reseat.experiments.records.results import DELTAS, E_K, MODELS, SETS, unsettled
from reseat.experiments.verdicts import Claims

#: What each claim says.
STATEMENTS = {
    "MIC-1": "equations 9, 12 and 19 are the joint probability of a partition and its size under "
    "NBNB and NBD",
    "MIC-2": "given the number of items, the probability of a partition under NBNB is "
    "proportional to equation 13",
    "MIC-3": "in the reallocation of an item under NBNB, after equation 13, a new cluster has "
    "weight (K + a) beta",
    "MIC-4": "by equation 17, the conditional of r under NBNB has the factor Gamma(|c| - 1 + r)",
    "MIC-5": "equation 18 is the conditional of p under NBNB",
    "MIC-6": "under NBNB and NBD the largest cluster's share vanishes as the items grow in number",
    "MIC-7": "under the Dirichlet and Pitman-Yor processes the largest cluster's share does not "
    "vanish as the items grow in number",
    "MIC-8": "the chaperones algorithm leaves the posterior as it is and reaches every partition",
    "MIC-9": "where clusters are many and small, the chaperones algorithm mixes better than Gibbs "
    "sampling",
    "MIC-10": "NBNB and NBD have no worse error rates than DP and PYP on almost all variants of "
    "Italy and NLTCS5000",
    "MIC-11": "NBNB and NBD have no worse cluster sizes than DP and PYP on almost all variants of "
    "Italy and NLTCS5000",
    "MIC-12": "NBD is in general the best of the four priors on Italy and NLTCS5000",
    "MIC-13": "the lead of NBNB and NBD over DP and PYP grows with the distortion delta",
    "MIC-14": "on Syria2000 and SyriaSizes there is no consistent pattern of which priors do "
    "better",
    "MIC-15": "DP and PYP greatly overestimate the number of clusters at the largest delta on "
    "Italy, NLTCS5000 and SyriaSizes",
    "MIC-16": "DP and PYP do not greatly overestimate the number of clusters at the largest delta "
    "on Syria2000",
    "MIC-17": "74 % of the clusters of Italy and 68 % of those of NLTCS5000 are singletons",
    "MIC-18": "the numbers of clusters and the error rates of Table 1 are of the same partitions",
}

CLAIMS = Claims(PAPER, STATEMENTS)

#: Sets on which the microclustering priors are said to do better, and those without a pattern.
SURVEYS = ("italy", "nltcs5000")
SYRIA = ("syria2000", "syriasizes")

#: Shares of singletons that the paper's text gives.
SINGLETON_SHARES = {"italy": 0.74, "nltcs5000": 0.68}


@dataclass(frozen=True)
class RecordsEvidence(Evidence):
    """What the claims are judged from.

    Attributes
    ----------
    summaries : pandas.DataFrame
        From `read_summaries`: posterior summaries of all draws of the paper's recipes (further
        rows do no harm).
    runs : pandas.DataFrame or None
        Effective sample sizes of the moves, with the columns `mixing.RUN_COLUMNS`.
    growth : pandas.DataFrame or None
        Draws from the priors at fixed hyperparameters, with the columns `growth.DRAW_COLUMNS`;
        systems ``NBNB``, ``NBD``, ``DP`` and ``PYP``.
    invariance : pandas.DataFrame or None
        `prior`, `order`, `total_variation`, `irreducible`: distance between the exact posterior
        on few items and the law that the chaperones settle in, from the exact transition matrix,
        and whether every partition can be reached. Only the order ``ascending``, in which the
        items of the two clusters are visited, does not depend on how these are split.
    published : Published
    seed : int
        Of the bootstrap.
    """

    claims = CLAIMS

    summaries: pd.DataFrame
    runs: pd.DataFrame | None
    growth: pd.DataFrame | None
    invariance: pd.DataFrame | None
    published: Published
    seed: int = 20161205

    def rows(self, role):
        """Summaries on the draws of one set."""
        return self.summaries[(self.summaries["role"] == role) & (self.summaries["draw"] >= 0)]

    def unconverged(self, roles, deltas=DELTAS, models=tuple(MODELS)):
        """Models that are `unsettled` on a draw of a variant, in words.

        By the number of clusters, the error rates or a statistic of the partition.
        """
        rows = self.summaries[
            self.summaries["model"].isin(models)
            & self.summaries["delta_true"].isin(deltas)
            & self.summaries["quantity"].isin([E_K.column, *LOSSES])
            & (self.summaries["draw"] >= 0)
        ]
        found = rows.loc[unsettled(rows), ["role", "delta_true", "model"]]
        found = set(found.itertuples(index=False, name=None))
        cells = [(role, delta, model) for role in roles for delta in deltas for model in models]
        return [
            f"{MODELS[model]} on {variant_title(role, delta)}"
            for role, delta, model in cells
            if (role, delta, model) in found
        ]

    def title(self, role):
        """The printed name of a set."""
        return SETS[role]


def variant_title(role, delta):
    """A variant in words: 'Italy at .05'."""
    return f"{SETS[role]} at {delta:g}".replace("0.", ".")


def missing_cells(found, roles):
    """Names of the variants of some sets that are not among those found."""
    return [variant_title(r, d) for r in roles for d in DELTAS if (r, d) not in found]
