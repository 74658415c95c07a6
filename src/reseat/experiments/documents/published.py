"""The numbers that Walker & Ringger (2008) print."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from reseat.experiments.documents.results import ROLES, read_published

__all__ = ["Published"]


@dataclass(frozen=True)
class Published:
    """Tables 1 to 7, from `read_published`."""

    #: Role to Tables 1 to 3, and role to Tables 4 to 6, each (system, metric) to value.
    summaries: dict
    methods: dict
    #: (cluster, class) to count.
    table7: dict

    @classmethod
    def load(cls, folder):
        """Read the files of the paper from a folder."""
        tables = [read_published(Path(folder) / f"docs_table{n}.csv") for n in range(1, 8)]
        summaries = dict(zip(ROLES, tables[:3], strict=True))
        return cls(summaries, dict(zip(ROLES, tables[3:6], strict=True)), tables[6])
