"""The claims of Daumé and Marcu (2005), and the evidence by which they are judged."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from reseat.metrics import declared
from reseat.papers.claims import Claim, Claims, Evidence
from reseat.papers.statistics import difference_interval, holding, mean_interval
from reseat.papers.supervised import PAPER
from reseat.papers.supervised.results import (
    LABELS,
    PLAIN,
    ROLES,
    Published,
    iterations,
    scored,
    starts_disagree,
)
from reseat.papers.tables import rows_of
from reseat.vocabulary import GENERATED

#: Descriptions of effects that several claims share.
_LEAD_F = "smallest lead in F, which runs from 0 to 1"
_LEAD = "smallest lead, in units of the metric"

#: The systems whose runs have the same random numbers in each repetition.
SAME_STARTS = {"K-Means", "Xing-K"}

#: What the paper claims.
CLAIMS = Claims(
    PAPER,
    {
        "SC-1a": Claim(
            "by F, SCDP-2 is better than SCDP-1 on all four sets",
            _LEAD_F,
        ),
        "SC-1b": Claim(
            "by F, SCDP-3 is better than SCDP-2 on all four sets",
            _LEAD_F,
        ),
        "SC-2": Claim(
            "by F, K-Means is better than CDP on all four sets",
            _LEAD_F,
        ),
        "SC-3a": Claim(
            "by F, Xing-K is better than K-Means on digits and proper nouns",
            _LEAD_F,
        ),
        "SC-3b": Claim(
            "by F, Xing-K is worse than K-Means on researchers and references",
            _LEAD_F,
        ),
        "SC-4a": Claim(
            "on digits SCDP-2 and SCDP-3 beat every other system by F, NES and VI",
            _LEAD,
        ),
        "SC-4b": Claim(
            "on digits Xing-K beats SCDP-1 by VI",
            _LEAD,
        ),
        "SC-5": Claim(
            "on digits CDP makes far too many clusters",
            "number of clusters as a multiple of the number of digits",
        ),
        "SC-6": Claim(
            "on researchers, by RI, Fine beats K-Means, CDP, Binary and Xing-K",
            "smallest lead of Fine in the Rand index, which runs from 0 to 1",
        ),
        "SC-7": Claim(
            "on researchers no unsupervised system nor Xing-K beats NameMatch by F",
            _LEAD_F,
        ),
        "SC-8a": Claim(
            "on researchers, by F, Binary is between SCDP-1 and SCDP-2",
            _LEAD_F,
        ),
        "SC-8b": Claim(
            "on researchers all SCDP beat Binary by CED, NES, VI and NVI",
            _LEAD,
        ),
        "SC-9a": Claim(
            "on proper nouns Binary is the best learned system by F",
            _LEAD_F,
        ),
        "SC-9b": Claim(
            "on proper nouns SameHead beats every learned system by F",
            _LEAD_F,
        ),
        "SC-9c": Claim(
            "on proper nouns SameHead beats every learned system along all metrics",
            _LEAD,
        ),
        "SC-10a": Claim(
            "on references SCDP-2 and SCDP-3 beat Binary by F",
            _LEAD_F,
        ),
        "SC-10b": Claim(
            "on references Binary beats SCDP-1 and SCDP-2 by NES, and all SCDP by NVI",
            _LEAD,
        ),
        "SC-11": Claim(
            "on references Binary is better than SCDP-3 by NES (section 7.4)",
            _LEAD,
        ),
        "SC-12": Claim(
            "on references, by NES and NVI, learning a distance seems to help",
            _LEAD,
        ),
        "SC-13": Claim(
            "the SCDP models have a higher precision than recall",
            "smallest lead of precision over recall, both from 0 to 1",
        ),
        "SC-14a": Claim(
            "by F, supervised systems consistently outperform K-Means and CDP",
            _LEAD_F,
        ),
        "SC-14b": Claim(
            "by F, supervised systems consistently outperform the hand-made rules",
            _LEAD_F,
        ),
        "SC-15": Claim(
            "an iteration of SCDP-3 takes about ten times as long as one of SCDP-1",
            "smallest time of an iteration of SCDP-3, as a multiple of that of SCDP-1",
        ),
        "SC-16a": Claim(
            "the Dirichlet process fits the growth of the number of clusters well on all sets "
            "but digits",
            "largest gap between the curves, as a share of the data's expectation",
        ),
        "SC-16b": Claim(
            "the Dirichlet process does not fit the growth of the number of clusters well on "
            "digits",
            "largest gap between the curves, as a share of the data's expectation",
        ),
        "SC-16c": Claim(
            "the expected number of clusters of the Dirichlet process is within two standard "
            "deviations everywhere",
            "largest gap between the curves, in standard deviations under the DP",
        ),
        "SC-17": Claim(
            "the test data have no influence on the reference types (section 8)",
            "relative change of the mean of a type through test items beside it",
        ),
        "SC-18": Claim(
            "Algorithm 8 with one candidate more for an item that is alone samples the posterior",
            "total variation between the posterior and what the algorithm samples",
        ),
        "SC-19": Claim(
            "equations 6 and 8 give the posterior of the concentration",
            "total variation between the posterior and the distribution by the equations",
        ),
        "SC-20": Claim(
            "SCDP-3 favours clusters that are apart (section 5.2)",
            "expected number of clusters of three items, less that under SCDP-1",
        ),
    },
)


@dataclass(frozen=True)
class Lead:
    """The lead of one system over another or, within one system, of one metric over another."""

    role: str
    first: str
    second: str
    metric: str
    #: Metric of the second, if it is not that of the first.
    other: str = ""


@dataclass(frozen=True)
class SupervisedEvidence(Evidence):
    """The evidence by which the claims are judged; frames are those of `read_results`."""

    claims = CLAIMS

    #: From `default_scores`.
    scores: pd.DataFrame
    diagnostics: pd.DataFrame
    data: pd.DataFrame
    growth: pd.DataFrame
    published: Published
    #: Titles of the data sets in the registry.
    titles: dict = field(default_factory=dict)
    #: Maps a role to the data set that is judged, if it is not the first of the scale.
    chosen: dict = field(default_factory=dict)
    #: The reading of SCDP-3 to judge: ``SCDP-3`` (covariance) or ``SCDP-3p`` (precision).
    scdp3: str = "SCDP-3"
    #: Whether these are our own numbers.
    measured: bool = True

    @property
    def ran(self):
        """Scores on all data sets."""
        return self.scores

    def title(self, role):
        """Return the title of the judged data set of a role, or its name if it is generated."""
        name = self.dataset(role)
        return name if self.status(role) == GENERATED else self.titles.get(name, name)

    def of(self, frame, role, system=None):
        """Return the rows of the judged data set, and of a system in the reading that is judged."""
        rows = super().of(frame, role)
        return rows if system is None else rows_of(rows, system=self.read(system))

    def read(self, system):
        """Return a system, replacing SCDP-3 by the reading that is judged."""
        return self.scdp3 if system == "SCDP-3" else system

    def name(self, system):
        """Return the name of a system in words."""
        return LABELS.get(self.read(system), system)

    def values(self, role, system, metric):
        """Return a metric of each run, and whether the runs sample what the system does."""
        key = (self.dataset(role), self.read(system), metric)
        return self._numbers.get(key, (np.array([]), False))

    @cached_property
    def _numbers(self):
        ordered = self.scores.dropna(subset="value").sort_values(["start", "chain"])
        return {
            key: (group["value"].to_numpy(), bool(group["sampled"].any()))
            for key, group in ordered.groupby(["dataset", "system", "metric"])
        }

    def interval(self, lead, level):
        """Return by how much the first is better: estimate, low and high; NaN if one did not run.

        A system without randomness has no error of its own. Systems of :data:`SAME_STARTS` are
        compared run by run. If chains disagree, the interval also covers the lead of every chain of
        one over every chain of the other.
        """
        sign = 1 if lead.other else declared(lead.metric).better
        (first, loose), (second, other_loose) = (
            self.values(lead.role, system, metric)
            for system, metric in ((lead.first, lead.metric), (lead.second, lead.other or
                                                               lead.metric))
        )  # fmt: skip
        if min(len(first), len(second)) == 0:
            return (np.nan,) * 3
        alike = {lead.first, lead.second} == SAME_STARTS and len(first) == len(second)
        paired = lead.first == lead.second or alike
        if not paired and loose and other_loose:
            found = difference_interval(sign * first, sign * second, level)
        elif loose or other_loose:
            # Either the runs are compared one by one, or one of the two is a single number.
            found = mean_interval(sign * (first - second), level)
        else:
            found = (float(sign * (first.mean() - second.mean())),) * 3
        if self._apart(lead.role, lead.first) or self._apart(lead.role, lead.second):
            leads = (
                first - second if lead.first == lead.second else np.subtract.outer(first, second)
            )
            found = holding(found, sign * leads)
        return found

    def clusters(self, role, system, level):
        """Return the number of clusters of the test items, as an interval, and the true number.

        If chains disagree, the interval also covers each of them.
        """
        rows = self.of(self.diagnostics, role, system)
        values = scored(rows, variant="", quantity="n_test_clusters")["value"]
        found = mean_interval(values, level)
        if self._apart(role, system):
            found = holding(found, values)
        return found, rows_of(self.of(self.data, role), quantity="n_test_entities")["value"].mean()

    def unconverged(self, pairs):
        """Return, in words, the pairs of a role and a system whose chains disagree."""
        return [
            f"{self.name(system)} on {ROLES[role]}"
            for role, system in pairs
            if self._apart(role, system)
        ]

    def _apart(self, role, system):
        """Return whether the chains of a system disagree."""
        return (self.dataset(role), self.read(system)) in self._disagreeing

    @cached_property
    def _disagreeing(self):
        groups = rows_of(self.diagnostics, variant="").groupby(["dataset", "system"])
        return {key for key, rows in groups if starts_disagree(rows)}

    def slowdown(self, role, first, second, level):
        """Return how many times as long an iteration of the first takes as one of the second.

        Both are sweeps of the same variant; NaN if no variant of both was timed.
        """
        seconds = [np.log(rows["value"]) for rows in self._alike(role, first, second)]
        return tuple(float(np.exp(end)) for end in difference_interval(*seconds, level))

    def with_other_sweeps(self, roles, first, second):
        """Return the sets whose times are not those of the paper's sweeps, in words."""
        return [
            ROLES[role]
            for role in roles
            if not self._alike(role, first, second)[0]["variant"].eq(PLAIN).all()
        ]

    def _alike(self, role, *systems):
        """Return the iterations of each system, all of one variant that ran for every system."""
        found = [self.of(self.diagnostics, role, system) for system in systems]
        common = set.intersection(*(set(rows["variant"]) for rows in found))
        return [iterations(rows[rows["variant"].isin(common)]) for rows in found]

    def timed(self, roles):
        """Return the data behind a time in words."""
        return self.where(roles)

    def counted(self, clusters, _row, truth):
        """Return the numbers from `clusters` in words."""
        return f"{clusters:.1f} clusters for {truth:.0f} digits"

    def runs(self, leads):
        """Return the number of runs in words, such as '4 runs a system': chains or repetitions."""
        counts = set()
        for lead in leads:
            for system in (lead.first, lead.second):
                values, loose = self.values(lead.role, system, lead.metric)
                counts |= {len(values)} if loose else set()
        if not counts:
            return "each system once"
        low, high = min(counts), max(counts)
        return f"{low} runs a system" if low == high else f"{low} to {high} runs a system"
