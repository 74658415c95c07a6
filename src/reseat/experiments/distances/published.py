"""The few numbers that Vogt et al. (2010) print."""

from __future__ import annotations

from dataclasses import dataclass

from reseat.experiments.published import PublishedNumbers


@dataclass(frozen=True)
class Published(PublishedNumbers):
    """The published numbers of this paper, which gives none for its box plots."""

    FILES = {
        "tiwd_setup": ("experiment", "quantity", "value"),
        "tiwd_fig3": ("metric", "value"),
        "tiwd_fig5": ("metric", "value"),
        "tiwd_scaling": ("algorithm", "axis", "exponent"),
    }

    #: Maps (experiment, quantity) to value: sizes of the data sets and lengths of the runs.
    setup: dict
    #: Maps metric to value for n = 8,000: ``clusters``, ``sweeps until stable`` ("roughly"),
    #: ``hours for 5,000 sweeps`` ("roughly").
    fig3: dict
    #: Maps metric to value for the globins: ``labelled``, ``classes``, ``unlabelled``, ``new
    #: blocks``.
    fig5: dict
    #: Maps (algorithm, axis) to the exponent in theorem 1; the axis is ``n`` or ``k``.
    scaling: dict
