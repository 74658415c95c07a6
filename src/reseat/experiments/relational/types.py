"""Clusters of the entities of relations with any number of types."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reseat.datasets import Relations
from reseat.experiments.relational.fitting import FittedRelations
from reseat.experiments.relational.plan import Fit

__all__ = ["describe_types"]

#: Number of clusters that a table shows, and of words of each.
N_CLUSTERS, N_WORDS = 3, 5


def describe_types(fits: Sequence[tuple[Fit, FittedRelations]], relations: Relations) -> list[dict]:
    """Return one row per model, restart and type.

    Only rows of the best restart have the size of the largest cluster, words, and the agreement
    with known classes.
    """
    names = ", ".join(table.name for table in relations.relations)
    rows = []
    for fit, fitted in fits:
        # Not tuples with names: a type may be called by what is no name in Python.
        for restart in fitted.restarts.to_dict("records"):
            for kind, entities in relations.entities.items():
                row = {
                    "dataset": fit.dataset,
                    "status": relations.identity.status,
                    "role": fit.role,
                    "model": fit.model,
                    "relation": names,
                    "type": kind,
                    "restart": restart["restart"],
                    "best": restart["best"],
                    "elbo": restart["elbo"],
                    "n_entities": len(entities),
                    "n_clusters": restart[f"n_clusters_{kind}"],
                    "seconds": restart["seconds"],
                    "largest": np.nan,
                    "words": "",
                    "nmi": np.nan,
                }
                if restart["best"]:
                    row |= _of_best(fitted.labels[kind], entities, relations.classes.get(kind))
                rows.append(row)
    return rows


def _of_best(labels: np.ndarray, entities: Sequence[str], classes) -> dict:
    numbers, sizes = np.unique(labels, return_counts=True)
    largest = numbers[np.argsort(-sizes, kind="stable")]
    names = np.asarray(entities)
    words = "; ".join(
        ", ".join(names[labels == number][:N_WORDS]) for number in largest[:N_CLUSTERS]
    )
    found = {"largest": int(sizes.max()), "words": words}
    if classes is not None:
        from sklearn.metrics import normalized_mutual_info_score

        classes = np.asarray(classes)
        known = classes != ""
        found["nmi"] = normalized_mutual_info_score(classes[known], labels[known])
    return found
