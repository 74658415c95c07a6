"""The claims of Zanella et al. (2016), and the evidence on which they are judged."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from reseat.datasets.draw_names import recipe_of
from reseat.experiments.evidence import Evidence
from reseat.experiments.records import PAPER
from reseat.experiments.records.losses import LOSSES
from reseat.experiments.records.published import Published
from reseat.experiments.records.results import DELTAS, E_K, MODELS, SETS, unsettled
from reseat.experiments.verdicts import Claim, Claims

#: The claims of the paper.
CLAIMS = Claims(
    PAPER,
    {
        "MIC-1": Claim(
            "equations 9, 12 and 19 are the joint probability of a partition and its size under "
            "NBNB and NBD",
            "largest relative error of the probability of a partition",
        ),
        "MIC-2": Claim(
            "given the number of items, the probability of a partition under NBNB is "
            "proportional to equation 13",
            "range over all partitions of log (13) less log (12), in nats; 0 if the claim holds",
        ),
        "MIC-3": Claim(
            "in the reallocation of an item under NBNB, after equation 13, a new cluster has "
            "weight (K + a) beta",
            "largest total variation from the conditionals of equation 12, from 0 to 1",
        ),
        "MIC-4": Claim(
            "by equation 17, the conditional of r under NBNB has the factor Gamma(|c| - 1 + r)",
            "range over r of log (17) less the log joint, in nats; 0 if the claim holds",
        ),
        "MIC-5": Claim(
            "equation 18 is the conditional of p under NBNB",
            "range over p of log (18) less the log joint, in nats; 0 if the claim holds",
        ),
        "MIC-6": Claim(
            "under NBNB the largest cluster's share vanishes as the items grow in number",
            "slope of the log of E[M]/N against log N",
        ),
        "MIC-7": Claim(
            "under the Dirichlet and Pitman-Yor processes the largest cluster's share does not "
            "vanish as the items grow in number",
            "slope of the log of E[M]/N against log N, the smaller of the two priors",
        ),
        "MIC-8": Claim(
            "the chaperones algorithm leaves the posterior as it is and reaches every partition",
            "largest total variation between the posterior and where the moves settle, 0 to 1",
        ),
        "MIC-9": Claim(
            "where clusters are many and small, the chaperones algorithm mixes better than Gibbs"
            " sampling",
            "smallest ratio of effective samples a CPU second, chaperones to Gibbs sampling",
        ),
        "MIC-10": Claim(
            "NBNB and NBD have no worse error rates than DP and PYP on almost all variants of "
            "Italy and NLTCS5000",
            "number of variants on which neither NBNB nor NBD has worse error rates",
        ),
        "MIC-11": Claim(
            "NBNB and NBD have no worse cluster sizes than DP and PYP on almost all variants of "
            "Italy and NLTCS5000",
            "number of variants on which neither NBNB nor NBD has worse cluster sizes",
        ),
        "MIC-12": Claim(
            "NBD is in general the best of the four priors on Italy and NLTCS5000",
            "share of comparisons in which no prior is better than NBD",
        ),
        "MIC-13": Claim(
            "the lead of NBNB and NBD over DP and PYP in error rates and in statistics of cluster "
            "sizes grows with the distortion delta",
            "smallest growth of the lead from the smallest to the largest delta, as a share",
        ),
        "MIC-14": Claim(
            "on Syria2000 and SyriaSizes there is no consistent pattern of which priors do better",
            "share of comparisons that NBNB and NBD win against DP and PYP; a half is no pattern",
        ),
        "MIC-15": Claim(
            "DP and PYP greatly overestimate the number of clusters at the largest delta on "
            "Italy, NLTCS5000 and SyriaSizes",
            "smallest E[K] as a share of the true number, less 1",
        ),
        "MIC-16": Claim(
            "DP and PYP do not both greatly overestimate the number of clusters at the largest "
            "delta on Syria2000",
            "smaller E[K] as a share of the true number, less 1",
        ),
        "MIC-17": Claim(
            "74 % of the clusters of Italy and 68 % of those of NLTCS5000 are singletons",
            "share of singletons less the printed one, the largest difference",
        ),
        "MIC-18": Claim(
            "the numbers of clusters and the error rates of Table 1 are of the same partitions",
            "number of rows of Table 1 that break the bound between the two",
        ),
    },
)

#: Sets on which the paper says that the microclustering priors do better, and sets on which it
#: finds no pattern.
SURVEYS = ("italy", "nltcs5000")
SYRIA = ("syria2000", "syriasizes")

#: Shares of singletons that the text of the paper states.
SINGLETON_SHARES = {"italy": 0.74, "nltcs5000": 0.68}


@dataclass(frozen=True)
class RecordsEvidence(Evidence):
    """The evidence on which the claims are judged."""

    claims = CLAIMS

    #: From `read_summaries`: posterior summaries of all draws of the paper's recipes (other rows
    #: are ignored).
    summaries: pd.DataFrame
    #: Effective sample sizes of the moves, with the columns `mixing.RUN_COLUMNS`.
    runs: pd.DataFrame | None
    #: Draws from the priors at fixed hyperparameters, with the columns `growth.DRAW_COLUMNS`;
    #: systems ``NBNB``, ``NBD``, ``DP`` and ``PYP``.
    growth: pd.DataFrame | None
    #: Columns `prior`, `order`, `total_variation` and `irreducible`: the distance between the exact
    #: posterior of a few items and the stationary distribution of the chaperones, from the exact
    #: transition matrix, and whether every partition can be reached. `order` is that in which the
    #: items of the two clusters are visited; only ``ascending`` does not depend on how the clusters
    #: are split.
    invariance: pd.DataFrame | None
    published: Published
    #: Seed of the bootstrap.
    seed: int = 20161205

    @cached_property
    def draws(self):
        """Summaries of the draws that are judged: for each set, those of its first recipe."""
        drawn = self.summaries[self.summaries["draw"] >= 0]
        recipe = drawn["variant"].map(recipe_of)
        first = recipe.groupby(drawn["role"], sort=False).transform("first")
        return drawn[recipe == first]

    def rows(self, role):
        """Return the summaries of the draws of one set."""
        return self.draws[self.draws["role"] == role]

    def unconverged(self, roles, deltas=DELTAS, models=tuple(MODELS)):
        """Return, in words, the models that are `unsettled` on a draw of a variant.

        The number of clusters, the error rates and the statistics of the partition are checked.
        """
        rows = self.draws[
            self.draws["model"].isin(models)
            & self.draws["delta_true"].isin(deltas)
            & self.draws["quantity"].isin([E_K.column, *LOSSES])
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
        """Return the printed name of a set."""
        return SETS[role]


def variant_title(role, delta):
    """Return a variant in words, such as 'Italy at .05'."""
    return f"{SETS[role]} at {delta:g}".replace("0.", ".")


def missing_cells(found, roles):
    """Return the names of the variants of some sets that are not among those found."""
    return [variant_title(r, d) for r in roles for d in DELTAS if (r, d) not in found]
