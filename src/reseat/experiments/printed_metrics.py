"""Measured numbers by the names that the papers print.

They have a module of their own because their names are declared beside the metrics, so that
everything that imports this module is made again when any metric changes.
"""

from __future__ import annotations

from dataclasses import dataclass

from reseat.metrics import declared

__all__ = ["N_CLUSTERS", "Metric", "metrics_named"]


@dataclass(frozen=True)
class Metric:
    """A measured number under the name the paper prints."""

    #: As printed.
    name: str
    #: Column of the results that contains it, or its value in a column of quantities.
    column: str

    @property
    def better(self):
        """+1 if larger is better, -1 if smaller is, 0 if neither, as declared for the name."""
        return declared(self.name).better


#: Number of blocks of the scored partition.
N_CLUSTERS = Metric("clusters", "n_clusters")


def metrics_named(*names):
    """Return metrics by their printed names, each with the name of its function as the column."""
    return tuple(Metric(name, declared(name).function.__name__) for name in names)
