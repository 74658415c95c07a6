"""A small table before and after its rows and columns are sorted by cluster (Figure 1)."""

from __future__ import annotations

import numpy as np

from reseat.datasets import Relations
from reseat.experiments.relational.fitting import fit_model
from reseat.experiments.relational.plan import Fit
from reseat.experiments.relational.scoring import by_size

__all__ = ["sort_toy"]


def sort_toy(fit: Fit, relations: Relations) -> dict[str, np.ndarray]:
    """Fit a small table of links and sort it.

    The result has ``matrix`` as it is given and, for rows and columns (prefixes ``row`` and
    ``column``), the ``_order`` that sorts them, the ``_edges`` of the clusters, and the ``_true``
    and ``_found`` clusters.
    """
    _, fitted = fit_model(fit, relations)
    table = relations.relations[0]
    found = {"matrix": relations.matrix(table.name).toarray()}
    for side, kind in zip(("row", "column"), table.types, strict=True):
        labels = by_size(fitted.labels[kind])
        found[f"{side}_order"] = np.argsort(labels, kind="stable")
        found[f"{side}_edges"] = np.append(0, np.cumsum(np.bincount(labels)))
        _, found[f"{side}_true"] = np.unique(relations.classes[kind], return_inverse=True)
        found[f"{side}_found"] = labels
    return found
