"""The printed numbers in place of our own, so that the same rules can judge them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from reseat.experiments.evidence import Evidence
from reseat.experiments.supervised.contradictions import contradicted, fewest_clusters
from reseat.experiments.supervised.evidence import CLAIMS
from reseat.experiments.supervised.published import Published
from reseat.experiments.supervised.results import TABLES
from reseat.experiments.verdicts import listed
from reseat.metrics import declared
from reseat.vocabulary import AS_PRINTED

#: Largest number of doubtful rows that are named one by one.
NAMED = 6


@dataclass(frozen=True)
class PrintedEvidence(Evidence):
    """Tables 1 to 4 and the times of the text; methods are those of `SupervisedEvidence`."""

    claims = CLAIMS

    published: Published
    measured: bool = False

    @cached_property
    def doubtful(self):
        """(role, system) of rows that contradict themselves, or Coarse and Fine."""
        return contradicted(self.published)

    def name(self, system):
        """Return the name of a system in words; the paper has only one SCDP-3."""
        return system

    def interval(self, lead, _level):
        """Return the lead itself, because a printed number has no error."""
        numbers = [
            self.published.beside(lead.role, lead.first, lead.metric),
            self.published.beside(lead.role, lead.second, lead.other or lead.metric),
        ]
        sign = 1 if lead.other else declared(lead.metric).better
        return (round(sign * (numbers[0] - numbers[1]), 6),) * 3

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

    def with_other_sweeps(self, _roles, _first, _second):
        """Return no sets, because the times in the text are of the paper's own sweeps."""
        return []

    def timed(self, _roles):
        """Return in words where the times are from."""
        return "The times in the text"

    def where(self, roles):
        """Return where the numbers are from, such as 'Tables 1 and 3'."""
        numbers = [str(TABLES[role]) for role in dict.fromkeys(roles)]
        return f"Table{'s' if len(numbers) > 1 else ''} {listed(numbers)}"

    def generated(self, _roles):
        """Return False, because no printed numbers are of generated data."""
        return False

    def of_the_paper(self, _role):
        """Return True, because all printed numbers are of the paper's own data."""
        return True

    def runs(self, leads):
        """Return in words which of the rows contradict other printed numbers."""
        rows = {(lead.role, system) for lead in leads for system in (lead.first, lead.second)}
        rows = sorted(rows & self.doubtful, key=lambda row: (TABLES[row[0]], row[1]))
        if not rows:
            return "as printed"
        names = [f"{system} (Table {TABLES[role]})" for role, system in rows]
        named = listed(names) if len(names) <= NAMED else f"{len(names)} rows"
        verb = "contradicts" if len(rows) == 1 else "contradict"
        return f"as printed, though {named} {verb} other printed numbers"

    def unconverged(self, _pairs):
        """Return no pairs, because nothing printed says whether chains agreed."""
        return []

    def row(self, key, verdict, interval, text):
        """Return a row of the claims, marked as printed and without an interval."""
        return CLAIMS.row(key, verdict, interval[0], np.nan, np.nan, text, AS_PRINTED)

    def untested(self, key, reason):
        """Return the row of a claim about which nothing is printed."""
        return CLAIMS.untested(key, reason, AS_PRINTED)
