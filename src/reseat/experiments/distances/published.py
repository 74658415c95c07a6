"""The few numbers that Vogt et al. (2010) print."""

from __future__ import annotations

from dataclasses import dataclass

from reseat.experiments.published import PublishedNumbers


@dataclass(frozen=True)
class Published(PublishedNumbers):
    """The published numbers of this paper, which gives none for its box plots.

    Attributes
    ----------
    setup : dict
        Maps (experiment, quantity) to value: sizes of the data sets and lengths of the runs.
    fig3 : dict of str to float
        Maps metric to value for n = 8,000: ``clusters``, ``sweeps until stable`` ("roughly"),
        ``hours for 5,000 sweeps`` ("roughly").
    fig5 : dict of str to float
        Maps metric to value for the globins: ``labelled``, ``classes``, ``unlabelled``,
        ``new blocks``.
    scaling : dict
        Maps (algorithm, axis) to the exponent in theorem 1; the axis is ``n`` or ``k``.
    """

    FILES = {
        "tiwd_setup": ("experiment", "quantity", "value"),
        "tiwd_fig3": ("metric", "value"),
        "tiwd_fig5": ("metric", "value"),
        "tiwd_scaling": ("algorithm", "axis", "exponent"),
    }

    setup: dict
    fig3: dict
    fig5: dict
    scaling: dict
