"""Points in the plane, with their true blocks and those that a chain found."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from reseat.chains import read_groups
from reseat.datasets import Points
from reseat.dissimilarities import kernel_pca, squared_distances
from reseat.experiments.distances.plan import Run

__all__ = ["embed"]


def embed(run: Run, points: Points, folder: Path) -> pd.DataFrame:
    """Return the first two kernel principal components of the points of a run."""
    groups, _ = read_groups(Path(folder) / run.file(0))
    plane = kernel_pca(squared_distances(points.values), 2)
    return pd.DataFrame(
        {
            "dataset": run.dataset,
            "role": run.role,
            "item": np.arange(points.n_items),
            "x": plane[:, 0],
            "y": plane[:, 1],
            "label": points.labels,
            "cluster": groups["finish"]["annealed"],
        }
    )
