"""The few numbers that Vogt et al. (2010) print."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from reseat.errors import DataError

_COLUMNS = {
    "tiwd_setup": ("experiment", "quantity", "value"),
    "tiwd_fig3": ("metric", "value"),
    "tiwd_fig5": ("metric", "value"),
    "tiwd_scaling": ("algorithm", "axis", "exponent"),
}


@dataclass(frozen=True)
class Published:
    """The published numbers of this paper; of its box plots the text gives none.

    Attributes
    ----------
    setup : dict
        (experiment, quantity) to value: sizes of the data sets and lengths of the runs.
    fig3 : dict of str to float
        Metric to value for n = 8,000: ``clusters``, ``sweeps until stable`` ("roughly"), ``hours
        for 5,000 sweeps`` ("roughly").
    fig5 : dict of str to float
        Metric to value for the globins: ``labelled``, ``classes``, ``unlabelled``, ``new blocks``.
    scaling : dict
        (algorithm, axis) to the exponent in theorem 1; axis ``n`` or ``k``.
    """

    setup: dict
    fig3: dict
    fig5: dict
    scaling: dict

    @classmethod
    def load(cls, folder):
        """Read the files ``tiwd_*.csv`` of a folder.

        Raises
        ------
        DataError
            If a file lacks a column.
        """
        found = []
        for name, columns in _COLUMNS.items():
            path = Path(folder) / f"{name}.csv"
            frame = pd.read_csv(path)
            missing = set(columns) - set(frame.columns)
            if missing:
                raise DataError(
                    f"{path} lacks the column(s) {', '.join(sorted(missing))}; restore the file."
                )
            rows = frame[list(columns)].itertuples(index=False, name=None)
            found.append({_key(row[:-1]): float(row[-1]) for row in rows})
        return cls(*found)


def _key(values):
    return values[0] if len(values) == 1 else values
