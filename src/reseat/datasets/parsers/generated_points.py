"""Points that are drawn rather than read: the settings of their generator."""

from collections.abc import Mapping
from pathlib import Path

from reseat.datasets.points import PointRecipe


def parse_generated_points(
    paths: Mapping[str, Path],
    n_items: int,
    n_blocks: int,
    dim: int,
    theta: float,
    alpha: float = 2.0,
    mean: float = 0.0,
    mean_variance: float = 0.1,
    weights: str = "dirichlet",
) -> PointRecipe:
    """Return the options as settings of `reseat.datasets.draw_points`, which explains them."""
    settings = {"n_items": n_items, "n_blocks": n_blocks, "dim": dim, "theta": theta}
    settings |= {"alpha": alpha, "mean": mean, "mean_variance": mean_variance, "weights": weights}
    return PointRecipe(settings)
