"""The few numbers that Vogt et al. (2010) print."""

from __future__ import annotations

from dataclasses import dataclass

from reseat.experiments.published import keyed, read_published

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
        return cls(*map(keyed, read_published(folder, _COLUMNS).values()))
