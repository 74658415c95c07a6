"""Figures: functions from tidy data frames to `matplotlib.figure.Figure`, in one house style.

No function here touches `matplotlib.pyplot`, a file or global settings: a figure is built,
returned, and written by :func:`save_figure` in three formats whose bytes depend on the data only.
"""

from reseat.plots.comparison import published_versus_measured
from reseat.plots.quilts import kl_quilts
from reseat.plots.samples import scores_by_sample
from reseat.plots.style import (
    COLUMN_WIDTH,
    FORMATS,
    PALETTE,
    TEXT_WIDTH,
    house_style,
    new_figure,
    save_figure,
)
from reseat.plots.traces import log_joint_traces

__all__ = [
    "COLUMN_WIDTH",
    "FORMATS",
    "PALETTE",
    "TEXT_WIDTH",
    "house_style",
    "kl_quilts",
    "log_joint_traces",
    "new_figure",
    "published_versus_measured",
    "save_figure",
    "scores_by_sample",
]
