"""What Vogt et al. (2010) claim, and what the claims are judged from."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from reseat.experiments.distances import PAPER
from reseat.experiments.distances.published import Published
from reseat.experiments.distances.results import ROLES, by_draw, final_scores, means_role, of_role
from reseat.experiments.evidence import Evidence
from reseat.experiments.verdicts import Claims

#: What each claim says.
STATEMENTS = {
    "TIWD-1a": "on separated clusters TIWD and the hierarchical methods all do very well",
    "TIWD-1b": "on overlapping clusters TIWD is clearly better than the hierarchical methods",
    "TIWD-2a": "with 8,000 objects it takes roughly 500 sweeps until the number of clusters is "
    "stable",
    "TIWD-2b": "started from one block, the number of clusters of 8,000 objects increases almost "
    "monotonically until it is stable",
    "TIWD-3a": "on clusters with zero means, WD and TIWD both perform well",
    "TIWD-3b": "on clusters with zero means and d = 3, subtracting row means (WD_R) loses accuracy",
    "TIWD-4a": "on clusters with means other than zero, WD fails completely",
    "TIWD-4b": "on clusters with means other than zero and d = 3, subtracting row means (WD_R) "
    "helps only partially",
    "TIWD-4c": "on clusters with means other than zero and d = 100, subtracting row means (WD_R) "
    "helps only partially",
    "TIWD-4d": "on clusters with means other than zero, TIWD is clearly better than WD and WD_R",
    "TIWD-5": "a sweep of the sampler for TIWD costs O(n^2 + n k^2) (theorem 1)",
    "TIWD-6a": "nearly all unlabelled globins join one of the labelled classes",
    "TIWD-6b": "a few new classes appear among the unlabelled globins",
    "TIWD-7": "the posterior of TIWD is invariant to permutation, scale, translation and rotation",
    "TIWD-8": "the generalised determinant in the likelihood of TIWD takes the roots of a secular "
    "equation",
    "TIWD-9": "with the scale integrated out, the exponent of the likelihood of TIWD is nd/2 + r0 "
    "(equation 15 as it reads)",
    "TIWD-10": "letting the parameter d grow freezes the chain in a partition and splits no "
    "clusters",
    "TIWD-11": "under the Ewens prior two objects share a cluster with probability 1/(1 + lambda)",
}

CLAIMS = Claims(PAPER, STATEMENTS)


@dataclass(frozen=True)
class DistancesEvidence(Evidence):
    """What the claims are judged from.

    Attributes
    ----------
    scores : pandas.DataFrame
        From `read_scores`, of all data sets.
    published : Published
    traces : tuple of Trace
        Of TIWD on the data set of the role `large`.
    timings : pandas.DataFrame or None
        From `read_timings`.
    invariance : pandas.DataFrame or None
        One row a (transformation, likelihood): `transformation`, `likelihood`, `worst` (largest
        absolute change of a difference of log posteriors over all partitions), `n_partitions`,
        `holds_expected`.
    blocks : pandas.DataFrame or None
        From `read_blocks`.
    theta : int
        Which setting of experiment 3 is judged, theta = 100/d or 15/d. The paper does not say
        which it shows; the first was chosen by looking at its Figure 4.
    centred : str
        Which WD_R: from the data (``wdr_direct``) or from kernel PCA (``wdr_kpca``).
    """

    claims = CLAIMS

    scores: pd.DataFrame
    published: Published
    traces: tuple = ()
    timings: pd.DataFrame | None = None
    invariance: pd.DataFrame | None = None
    blocks: pd.DataFrame | None = None
    theta: int = 100
    centred: str = "wdr_direct"

    def rows(self, role):
        """Scores on what serves for a set of the paper."""
        return of_role(self.scores, role)

    def title(self, role):
        """A set in words."""
        return ROLES[role]

    def values(self, role, model, column="ari"):
        """A score of each repetition, indexed by draw, averaged over chains."""
        return by_draw(final_scores(of_role(self.scores, role)), model, column)

    def gain(self, role, model, other, column="ari"):
        """How far `model` is ahead of `other`, repetition by repetition."""
        return (self.values(role, model, column) - self.values(role, other, column)).dropna()

    def means(self, dim, mean):
        """Role of a panel of Figure 4 at the setting that is judged."""
        return means_role(self.theta, dim, mean)
