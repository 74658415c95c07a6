"""The numbers that Daumé and Marcu (2005) print."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reseat.experiments.published import PublishedNumbers, keyed
from reseat.experiments.supervised.results import PRINTED_AS, TABLES

_NAMES = ("scdp_setup", *(f"scdp_table{number}" for number in (*TABLES.values(), 5)))

#: Number of seconds in each unit in which times are printed.
_UNITS = {"minutes": 60.0, "days": 86_400.0}


@dataclass(frozen=True)
class Published(PublishedNumbers):
    """The published numbers of this paper, which gives none for Figure 3."""

    FILES = dict.fromkeys(_NAMES, ("system", "metric", "value"))

    #: Maps (role, system, metric) to value, for Tables 1 to 4.
    tables: dict
    #: Maps (role, system) to F, for Table 5.
    table5: dict
    #: Maps (role, quantity) to text: sizes of the data, hyperparameters, chains and times. What
    #: holds for all data has the role ``all``, and what holds for one system has its name.
    setup: dict

    @classmethod
    def of(cls, *frames):
        """Return the numbers in frames of the set-up, of Tables 1 to 4 and of Table 5."""
        setup, *tables, last = map(keyed, frames)
        by_role = {
            (role, *key): value
            for role, table in zip(TABLES, tables, strict=True)
            for key, value in table.items()
        }
        table5 = {
            (metric.removeprefix("F:"), system): value for (system, metric), value in last.items()
        }
        return cls(by_role, table5, setup)

    def beside(self, role, system, metric):
        """Return what the paper prints for a system of ours, or NaN if it prints nothing.

        The paper has a single SCDP-3, which is compared with both of our readings.
        """
        return self.tables.get((role, PRINTED_AS.get(system, system), metric), np.nan)

    def systems(self, role):
        """Return the systems of a table, in its order."""
        return list(dict.fromkeys(system for of, system, _metric in self.tables if of == role))

    def number(self, role, quantity):
        """Return a number of the set-up, or NaN if the paper does not give it."""
        return float(self.setup.get((role, quantity), np.nan))

    def n_entities(self, role):
        """Return the number of true clusters of the test items, or NaN if the text gives none."""
        if role == "digits":
            return float(len(self.setup[role, "test_digits"].split()))
        return self.number(role, "test_entities")

    def seconds(self, role, system):
        """Return the seconds of one chain of 10,000 iterations, or NaN if the paper gives none."""
        name = f"per_chain_{PRINTED_AS.get(system, system)}"
        for unit, length in _UNITS.items():
            if (role, f"{unit}_{name}") in self.setup:
                return length * self.number(role, f"{unit}_{name}")
        return np.nan
