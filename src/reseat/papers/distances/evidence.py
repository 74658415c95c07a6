"""The claims of Vogt et al. (2010), and the evidence by which they are judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pandas as pd

from reseat.papers.claims import Claim, Claims, Evidence
from reseat.papers.distances import PAPER
from reseat.papers.distances.results import (
    ROLES,
    Published,
    by_draw,
    final_scores,
    label,
    means_role,
)
from reseat.summaries import AGREED

#: What the paper claims.
CLAIMS = Claims(
    PAPER,
    {
        "TIWD-1a": Claim(
            "on separated clusters TIWD and the hierarchical methods all do very well",
            "mean adjusted Rand index of the least accurate method",
        ),
        "TIWD-1b": Claim(
            "on overlapping clusters TIWD is clearly better than the hierarchical methods",
            "smallest lead of TIWD in mean adjusted Rand index",
        ),
        "TIWD-2a": Claim(
            "with 8,000 objects it takes roughly 500 sweeps until the number of clusters is stable",
            "sweep from which the number of clusters is stable",
        ),
        "TIWD-2b": Claim(
            "started from one block, the number of clusters of 8,000 objects increases almost "
            "monotonically until it is stable",
            "steps down as a share of the steps up",
        ),
        "TIWD-3a": Claim(
            "on clusters with zero means, WD and TIWD both perform well",
            "smallest mean adjusted Rand index of WD and TIWD",
        ),
        "TIWD-3b": Claim(
            "on clusters with zero means and d = 3, subtracting row means (WD_R) loses accuracy",
            "lead of WD over WD_R in adjusted Rand index",
        ),
        "TIWD-4a": Claim(
            "on clusters with means other than zero, WD fails completely",
            "largest mean adjusted Rand index of WD",
        ),
        "TIWD-4b": Claim(
            "on clusters with means other than zero and d = 3, subtracting row means (WD_R) "
            "helps only partially",
            "smaller lead of WD_R over WD and of TIWD over WD_R in adjusted Rand index",
        ),
        "TIWD-4c": Claim(
            "on clusters with means other than zero and d = 100, subtracting row means (WD_R) "
            "helps only partially",
            "smaller lead of WD_R over WD and of TIWD over WD_R in adjusted Rand index",
        ),
        "TIWD-4d": Claim(
            "on clusters with means other than zero, TIWD is clearly better than WD and WD_R",
            "smallest lead of TIWD over WD and WD_R in adjusted Rand index",
        ),
        "TIWD-5": Claim(
            "a sweep of the sampler for TIWD costs O(n^2 + n k^2) (theorem 1)",
            "exponent of k in the time of a sweep",
        ),
        "TIWD-6a": Claim(
            "nearly all unlabelled globins join one of the labelled classes",
            "share of the unlabelled sequences that join a labelled class",
        ),
        "TIWD-6b": Claim(
            "a few new classes appear among the unlabelled globins",
            "number of new blocks of at least 1 % of the unlabelled sequences",
        ),
        "TIWD-7": Claim(
            "the posterior of TIWD is invariant to permutation, scale, translation and rotation",
            "largest change of a difference of log posteriors, in nats",
        ),
        "TIWD-8": Claim(
            "the generalised determinant in the likelihood of TIWD takes the roots of a secular "
            "equation",
            "largest error of a closed form without roots, in nats",
        ),
        "TIWD-9": Claim(
            "with the scale integrated out, the exponent of the likelihood of TIWD is nd/2 + r0 "
            "(equation 15 as it reads)",
            "total variation from the posterior found by quadrature, from 0 to 1",
        ),
        "TIWD-10": Claim(
            "letting the parameter d grow freezes the chain in a partition and splits no clusters",
            "number of clusters that are added when d grows",
        ),
        "TIWD-11": Claim(
            "under the Ewens prior two objects share a cluster with probability 1/(1 + lambda)",
            "largest error of that probability",
        ),
    },
)


@dataclass(frozen=True)
class DistancesEvidence(Evidence):
    """The evidence by which the claims are judged."""

    claims = CLAIMS

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

    @property
    def ran(self):
        """Scores on all data sets."""
        return self.scores

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

    def gain(self, role, model, other, column="ari"):
        """Return how far `model` is ahead of `other`, repetition by repetition."""
        return (self.values(role, model, column) - self.values(role, other, column)).dropna()

    def means(self, dim, mean):
        """Return the role of a panel of Figure 4 at the setting that is judged."""
        return means_role(self.theta, dim, mean)
