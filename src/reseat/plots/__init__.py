"""Figures: functions from tidy data frames to `matplotlib.figure.Figure`, in one house style.

No function here touches `matplotlib.pyplot`, a file or global settings: a figure is built,
returned, and written by :func:`save_figure` in three formats whose bytes depend on the data only.
"""

from reseat.plots.accuracy import accuracy_boxes
from reseat.plots.blocks import dot_matrices, toy_blocks
from reseat.plots.boxes import posterior_boxes
from reseat.plots.comparison import published_versus_measured
from reseat.plots.costs import sweep_costs
from reseat.plots.embeddings import embeddings_and_accuracy
from reseat.plots.entity_growth import entity_growth
from reseat.plots.enumeration import exact_versus_sampled
from reseat.plots.growth import largest_share, prior_growth
from reseat.plots.inference import inference_comparison
from reseat.plots.memberships import membership_maps
from reseat.plots.mixing import mixing_of_moves
from reseat.plots.purity import class_shares, purity_curves
from reseat.plots.quilts import kl_quilts
from reseat.plots.samples import scores_by_sample
from reseat.plots.settling import cluster_traces
from reseat.plots.sizes import size_distributions
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
    "accuracy_boxes",
    "class_shares",
    "cluster_traces",
    "dot_matrices",
    "embeddings_and_accuracy",
    "entity_growth",
    "exact_versus_sampled",
    "house_style",
    "inference_comparison",
    "kl_quilts",
    "largest_share",
    "log_joint_traces",
    "membership_maps",
    "mixing_of_moves",
    "new_figure",
    "posterior_boxes",
    "prior_growth",
    "published_versus_measured",
    "purity_curves",
    "save_figure",
    "scores_by_sample",
    "size_distributions",
    "sweep_costs",
    "toy_blocks",
]
