"""Earlier results, to which new records are added and whose names clusters keep."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reseat.command.folder import CHAINS, SETTINGS
from reseat.datasets.parsers.record_table import records_of
from reseat.datasets.raw import RawRecords
from reseat.errors import DataError
from reseat.estimators import Microclustering
from reseat.estimators.base import NOT_IN_IDENTITY, by_size
from reseat.estimators.extending import restored
from reseat.estimators.sampling import data_hash, read_chains
from reseat.files.atomic import stored_json
from reseat.reading.tables import read_frame
from reseat.reading.values import MISSING_CELLS

LABELS = "labels.csv"
#: Key of the settings with what was learned from the records; there, the names of the columns, and
#: the largest number that a cluster ever had, which no other one gets.
LEARNED, COLUMNS, LAST_NUMBER = "learned", "columns", "last"
#: Columns of the labels before those of the records.
OWN = 3


@dataclass(frozen=True)
class Earlier:
    """A finished result of `reseat cluster records`."""

    folder: Path

    @cached_property
    def settings(self) -> dict[str, Any]:
        """Its settings, and what was learned."""
        found = stored_json(self.folder / SETTINGS)
        if found.get("model") != "records" or not (self.folder / LABELS).is_file():
            raise DataError(f"{self.folder} has no result of reseat cluster records; name one.")
        if LEARNED not in found:
            raise DataError(
                f"{self.folder} has a result of an earlier version, or with sources; make it again "
                "without, or cluster the old and the new records together."
            )
        return found

    @cached_property
    def labels(self) -> pd.DataFrame:
        """The clusters of its records, beside the columns of the input."""
        table = read_frame(self.folder / LABELS)
        names = self.settings[LEARNED][COLUMNS]
        if table.shape[1] != OWN + len(names):
            raise DataError(f"{self.folder / LABELS} is not as this command wrote it.")
        return table.set_axis([*table.columns[:OWN], *names], axis=1)

    @property
    def options(self) -> dict[str, Any]:
        """The options of the command that are those of the earlier result."""
        names = self.settings[LEARNED][COLUMNS]
        return {"columns": names, **{name: self.settings[name] for name in ("likelihood", "seed")}}

    @property
    def clusters(self) -> dict[str, str]:
        """The name of the cluster of each record, by the name of the record."""
        found = dict(zip(self.labels["item"], self.labels["cluster"], strict=True))
        if len(found) < len(self.labels):
            raise DataError(
                f"{self.folder / LABELS}: several records have the same name; name a column in "
                "which each has its own with --id-column, in both commands."
            )
        return found

    def and_more(self, new: RawRecords, numbered: bool) -> RawRecords:
        """Return its records, followed by new ones, which are numbered on if they have no names."""
        names = self.settings[LEARNED][COLUMNS]
        path = self.folder / LABELS
        table = self.labels.iloc[:, OWN:].assign(**{"": self.labels["item"]})
        old = records_of(table, path, names, None, "", MISSING_CELLS)
        n_old, n_new = len(old.cells), len(new.cells)
        ids = [str(n_old + k) for k in range(1, n_new + 1)] if numbered else list(new.record_ids)
        if twice := set(ids) & self.clusters.keys():
            raise DataError(
                f"the new record {min(twice)} has the name of one in {self.folder}; give each a "
                "name of its own."
            )
        cells = pd.concat([old.cells, new.cells[names]], ignore_index=True)
        return RawRecords(cells, None, [*old.record_ids, *ids])

    def extended(self, cells: np.ndarray) -> Microclustering:
        """Return its fit with new records; `cells` has those of all, the new ones last."""
        cells = np.asarray(cells, dtype=object)
        n_old = len(self.labels)
        if data_hash(cells[:n_old]) != self.settings["data"]:
            raise DataError(
                f"{self.folder / LABELS} is not as this command wrote it; undo the change."
            )
        known = Microclustering().get_params()
        given = {k: v for k, v in self.settings.items() if k in known and k not in NOT_IN_IDENTITY}
        unfitted = Microclustering(**given, random_state=self.settings["seed"])
        sample = read_chains(self.folder / CHAINS, unfitted.n_chains)
        labels = by_size(pd.factorize(self.labels["cluster"])[0])
        fitted = restored(unfitted, cells[:n_old], sample, labels, self.settings[LEARNED])
        return fitted.extend(cells[n_old:])
