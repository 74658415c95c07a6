"""The evidence by which the claims of Daumé and Marcu (2005) are judged."""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd

from reseat.metrics import declared
from reseat.papers.claims import Evidence, PrintedEvidence, listed, not_converged
from reseat.papers.statistics import difference_interval, mean_interval, widened_to
from reseat.papers.supervised import results
from reseat.papers.supervised.contradictions import contradicted, fewest_clusters
from reseat.papers.tables import rows_of
from reseat.vocabulary import GENERATED, IN_MODES

#: The systems whose runs have the same random numbers in each repetition.
SAME_STARTS = {"K-Means", "Xing-K"}


@dataclass(frozen=True)
class Lead:
    """The lead of one system over another or, within one system, of one metric over another."""

    role: str
    first: str
    second: str
    metric: str
    #: Metric of the second, if it is not that of the first.
    other: str = ""

    @property
    def better(self):
        """1 if a larger first metric is better, -1 if a smaller one is."""
        return 1 if self.other else declared(self.metric).better


@dataclass(frozen=True)
class SupervisedEvidence(Evidence):
    """The evidence by which the claims are judged; frames are those of `read_results`."""

    scores: pd.DataFrame
    diagnostics: pd.DataFrame
    data: pd.DataFrame
    growth: pd.DataFrame
    published: results.Published
    #: Scores on data whose clusters are known, from `read_worlds`.
    worlds: pd.DataFrame = field(default_factory=pd.DataFrame)
    #: Scores on several draws of the items, one run of each system on each.
    draws: pd.DataFrame = field(default_factory=pd.DataFrame)
    #: Whether all systems are compared run by run, each on the same items.
    by_draw: bool = False
    titles: dict = field(default_factory=dict)
    chosen: dict = field(default_factory=dict)
    #: The reading of SCDP-3 to judge: ``SCDP-3`` (covariance) or ``SCDP-3p`` (precision).
    scdp3: str = "SCDP-3"
    #: The chains to judge by: those of the paper's sweeps, or with moves that mix (`MIXING`).
    variant: str = results.PLAIN

    @property
    def is_usual(self):
        """Whether claims are judged in no other way, reading or on no chosen data set."""
        return (self.variant, self.scdp3, self.chosen) == (results.PLAIN, "SCDP-3", {})

    def on_each(self, role):
        """Return the evidence on each data set that is the paper's own for a role."""
        each = [replace(self, chosen={role: name}) for name in self.datasets_for(role)]
        return [evidence for evidence in each if evidence.is_faithful(role)]

    def on_draws(self):
        """Yield a reading and its evidence for each data set of which several draws were scored."""
        drawn = self.draws[self.draws["chosen"]] if len(self.draws) else self.draws
        for dataset, own in drawn.groupby("dataset", sort=False) if len(drawn) else ():
            scores = own.assign(start="", chain=own["draw"], sampled=True)
            found = replace(self, scores=scores, chosen={"digits": dataset}, by_draw=True)
            yield f"{found.title('digits')}, {own['draw'].nunique()} draws", found

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
        return results.label(self.read(system))

    def values(self, role, system, metric):
        """Return a metric of each run, and whether the runs sample what the system does."""
        key = (self.dataset(role), self.read(system), metric)
        return self._numbers.get(key, (np.array([]), False))

    @cached_property
    def _numbers(self):
        fixed = self.scores["start"] == ""
        ordered = self.scores[fixed | (self.scores["variant"] == self.variant)]
        ordered = ordered.dropna(subset="value").sort_values(["start", "chain"])
        return {
            key: (group["value"].to_numpy(), bool(group["sampled"].any()))
            for key, group in ordered.groupby(["dataset", "system", "metric"])
        }

    def interval(self, lead, level):
        """Return by how much the first is better: estimate, low and high; NaN if one did not run.

        If chains that should mix disagree, it covers every chain of one against all of the other.
        """
        first, loose = self.values(lead.role, lead.first, lead.metric)
        second, other_loose = self.values(lead.role, lead.second, lead.other or lead.metric)
        if min(len(first), len(second)) == 0:
            return (np.nan,) * 3
        same, sign = lead.first == lead.second, lead.better
        alike = self.by_draw or {lead.first, lead.second} == SAME_STARTS
        paired = same or (alike and len(first) == len(second))
        if not paired and loose and other_loose:
            found = difference_interval(sign * first, sign * second, level)
        elif loose or other_loose:
            # Either the runs are compared one by one, or one of the two is a single number.
            found = mean_interval(sign * (first - second), level)
        else:
            found = (float(sign * (first.mean() - second.mean())),) * 3
        if self._unsettled(lead.role, lead.first) or self._unsettled(lead.role, lead.second):
            leads = first - second if same else np.subtract.outer(first, second)
            found = widened_to(found, sign * leads)
        return found

    def clusters(self, role, system, level):
        """Return the number of test clusters, covering chains that disagree, and the truth."""
        rows = self.of(self.diagnostics, role, system)
        values = results.scored(rows, variant=self.variant, quantity="n_test_clusters")["value"]
        found = mean_interval(values, level)
        if self._unsettled(role, system):
            found = widened_to(found, values)
        return found, rows_of(self.of(self.data, role), quantity="n_test_entities")["value"].mean()

    def apart(self, pairs):
        """Return a remark on those pairs of a role and a system whose chains disagree, if any."""
        names = [
            f"{self.name(system)} on {results.ROLES[role]}"
            for role, system in pairs
            if self._apart(role, system) and not self.by_draw
        ]
        if names and self.variant == results.MIXING:
            return f"{not_converged(names)}, whose leads count only if every chain has them"
        return not_converged(names, IN_MODES)

    def _apart(self, role, system):
        return (self.dataset(role), self.read(system)) in self._disagreeing

    def _unsettled(self, role, system):
        """Return whether chains of a system disagree that should mix."""
        return self.variant == results.MIXING and self._apart(role, system)

    @cached_property
    def _disagreeing(self):
        own = rows_of(self.diagnostics, variant=self.variant)
        groups = own.groupby(["dataset", "system"])
        return {key for key, rows in groups if results.starts_disagree(rows)}

    def slowdown(self, role, first, second, level):
        """Return the time of an iteration over the second's, in one variant of both, or NaN."""
        seconds = [np.log(rows["value"]) for rows in self._alike(role, first, second)]
        return tuple(float(np.exp(end)) for end in difference_interval(*seconds, level))

    def with_other_sweeps(self, roles, first, second):
        """Return the sets whose times are not those of the paper's sweeps, in words."""
        return [
            results.ROLES[role]
            for role in roles
            if not self._alike(role, first, second)[0]["variant"].eq(results.PLAIN).all()
        ]

    def _alike(self, role, *systems):
        """Return the iterations of each system, all of one variant that ran for every system."""
        found = [self.of(self.diagnostics, role, system) for system in systems]
        common = set.intersection(*(set(rows["variant"]) for rows in found))
        return [results.iterations(rows[rows["variant"].isin(common)]) for rows in found]

    def counted(self, clusters, _row, truth):
        """Return the numbers from `clusters` in words."""
        return f"{clusters:.1f} clusters for {truth:.0f} digits"

    def runs(self, leads):
        """Return the number of runs in words, such as '4 runs a system': chains or repetitions."""
        known = [
            self.values(lead.role, system, lead.metric)
            for lead in leads
            for system in (lead.first, lead.second)
        ]
        counts = sorted({len(values) for values, loose in known if loose})
        if not counts:
            return "each system once"
        return f"{' to '.join(map(str, dict.fromkeys((counts[0], counts[-1]))))} runs a system"


# ---- The printed numbers in place of our own, so that the same rules can judge them ----------

#: Largest number of doubtful rows that are named one by one.
MAX_ROWS_LISTED = 6


@dataclass(frozen=True)
class PrintedTables(PrintedEvidence):
    """Tables 1 to 4 and the times of the text; methods are those of `SupervisedEvidence`."""

    published: results.Published
    is_usual = False

    @cached_property
    def doubtful(self):
        """(role, system) of rows that contradict themselves, or Coarse and Fine."""
        return contradicted(self.published)

    def name(self, system):
        """Return the name of a system in words; the paper has only one SCDP-3."""
        return system

    def interval(self, lead, _level):
        """Return the lead itself, because a printed number has no error."""
        first = self.published.beside(lead.role, lead.first, lead.metric)
        second = self.published.beside(lead.role, lead.second, lead.other or lead.metric)
        return (round(lead.better * (first - second), 6),) * 3

    def clusters(self, role, system, _level):
        """Return the fewest clusters that the printed P and R allow, and the true number."""
        found = (fewest_clusters(self.published, role, system),) * 3
        return found, self.published.n_entities(role)

    def counted(self, fewest, row, truth):
        """Return the numbers from `clusters` in words."""
        doubt = ", though the row contradicts other printed numbers" if row in self.doubtful else ""
        return f"at least {fewest:.1f} clusters, by P and R, for {truth:.0f} digits{doubt}"

    def slowdown(self, role, first, second, _level):
        """Return the ratio of the times that the text gives."""
        seconds = [self.published.seconds(role, system) for system in (first, second)]
        return (seconds[0] / seconds[1],) * 3

    def where(self, roles):
        """Return where the numbers are from, such as 'Tables 1 and 3'."""
        numbers = [str(results.TABLES[role]) for role in dict.fromkeys(roles)]
        return f"Table{'s' if len(numbers) > 1 else ''} {listed(numbers)}"

    def runs(self, leads):
        """Return in words which of the rows contradict other printed numbers."""
        rows = {(lead.role, system) for lead in leads for system in (lead.first, lead.second)}
        rows = sorted(rows & self.doubtful, key=lambda row: (results.TABLES[row[0]], row[1]))
        if not rows:
            return "as printed"
        names = [f"{system} (Table {results.TABLES[role]})" for role, system in rows]
        named = listed(names) if len(names) <= MAX_ROWS_LISTED else f"{len(names)} rows"
        verb = "contradicts" if len(rows) == 1 else "contradict"
        return f"as printed, though {named} {verb} other printed numbers"
