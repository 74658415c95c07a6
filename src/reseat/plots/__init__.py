"""Functions that draw tidy data frames as `matplotlib.figure.Figure`, in one house style.

No plotting function touches `matplotlib.pyplot`, a file or global settings: a figure is built and
returned, and :func:`save_figure` writes it in three formats whose bytes depend only on the data.
"""

import lazy_loader

# Imported on first use, because a figure needs only one of them.
__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "accuracy": ["accuracy_boxes"],
        "blocks": ["dot_matrices", "toy_blocks"],
        "boxes": ["posterior_boxes"],
        "costs": ["sweep_costs"],
        "divergences": ["kl_heatmaps"],
        "embeddings": ["embeddings_and_accuracy"],
        "entities": ["entity_growth"],
        "enumeration": ["exact_versus_sampled"],
        "growth": ["largest_share", "prior_growth"],
        "inference": ["inference_comparison"],
        "memberships": ["membership_maps"],
        "mixing": ["mixing_of_moves"],
        "overview": ["published_against_ours"],
        "purity": ["class_shares", "purity_curves"],
        "samples": ["scores_by_sample"],
        "settling": ["cluster_traces"],
        "sizes": ["size_distributions"],
        "style": [
            "COLUMN_WIDTH",
            "FORMATS",
            "PALETTE",
            "TEXT_WIDTH",
            "house_style",
            "new_figure",
            "save_figure",
        ],
        "traces": ["log_joint_traces"],
    },
)
