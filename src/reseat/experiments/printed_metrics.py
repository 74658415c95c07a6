"""Measured numbers by the names that the papers print.

They are a module of their own because their names are declared beside the metrics: whatever imports
this one is made anew when any metric changes.
"""

from __future__ import annotations

from dataclasses import dataclass

from reseat.metrics import declared

__all__ = ["N_CLUSTERS", "Metric", "metrics_named"]


@dataclass(frozen=True)
class Metric:
    """A measured number under the name the paper prints.

    Attributes
    ----------
    name : str
        As printed.
    column : str
        Its column, or its value in a column of quantities, among the results.
    """

    name: str
    column: str

    @property
    def better(self):
        """+1 if larger is better, -1 if smaller is, 0 if neither: as the name was declared."""
        return declared(self.name).better


#: Number of blocks of the scored partition.
N_CLUSTERS = Metric("clusters", "n_clusters")


def metrics_named(*names):
    """Metrics of a partition by their printed names, each in the column of its function."""
    return tuple(Metric(name, declared(name).function.__name__) for name in names)
