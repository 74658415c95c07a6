"""Scores of co-clusters, clusters of any number of types, and the sorted small table."""

from collections.abc import Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from reseat.chains import chain_seed
from reseat.datasets import Relations
from reseat.metrics.coclusters import cell_counts, covered_share, dominant_labels, purity_curve
from reseat.papers.relational.fits import FittedRelations, fit_model
from reseat.papers.relational.plan import MODELS, PAPER_KEY, Fit

# ---- Scores of co-clusters, and of random ones of equal sizes, by classes of the aspect model ----

RANDOM = "random"
SIDES = ("row", "column")
#: Number of words that represent a cluster in a table.
N_WORDS = 8


def score_fits(
    fits: Sequence[tuple[Fit, FittedRelations]],
    relations: Relations,
    pair_labels: np.ndarray,
    n_classes: int,
    n_random: int,
) -> tuple[dict[str, pd.DataFrame], dict[str, dict[str, np.ndarray]]]:
    """Return tables of all fits, by `pair_labels`, (n_aspects, n_rows, n_columns), and matrices."""
    scores = score_pairs(fits, relations, pair_labels, n_classes, n_random)
    tables = {name: pd.DataFrame(rows) for name, rows in vars(scores).items()}
    sides = zip(SIDES, relations.relations[0].types, strict=True)
    names = {f"n_clusters_{kind}": f"n_{side}_clusters" for side, kind in sides}
    restarts = pd.concat([fitted.restarts for _, fitted in fits])
    tables["restarts"] = restarts.rename(columns=names)
    main = {model: next(pair for pair in fits if pair[0].model == model) for model in MODELS}
    tables["cells"] = pd.concat(
        [describe_cells(*pair, relations, pair_labels[0], n_classes) for pair in main.values()]
    )
    return tables, {model: sort_pairs(fitted, relations) for model, (_, fitted) in main.items()}


def score_pairs(
    fits: Sequence[tuple[Fit, FittedRelations]],
    relations: Relations,
    pair_labels: np.ndarray,
    n_classes: int,
    n_random: int,
) -> SimpleNamespace:
    """Return tidy rows of the `coverage`, `purity` and, of the best restarts, `classes` of fits.

    The first fit has the paper's settings. Only fits from its start are scored by other classes
    than the first, by which all pairs count.
    """
    table = relations.relations[0]
    observed = relations.matrix(table.name)
    scores, first = SimpleNamespace(coverage=[], purity=[], classes=[]), fits[0][0]
    for fit, fitted in fits:
        every = list(zip(*(fitted.every[kind] for kind in table.types), strict=True))
        cases = [(fit.control, 0, number, labels) for number, labels in enumerate(every)]
        first_start = fit.initialisation == first.initialisation
        if fit.beta == first.beta and not fit.control:
            key = (fit.seed, PAPER_KEY, fit.dataset, fit.name, RANDOM)
            rng = np.random.default_rng(chain_seed(*key))
            for draw in range(n_random):
                shuffled = tuple(rng.permutation(labels) for labels in every[fitted.best])
                cases.append((RANDOM, draw, fitted.best, shuffled))
        for control, draw, restart, partition in cases:
            best = restart == fitted.best
            about = {"status": relations.identity.status, "control": control, "draw": draw}
            identity = fit.key | about | {"restart": restart, "best": best}
            drawn = first_start and fit.beta == first.beta and best and control != RANDOM
            for pairs, mask in (("all", None), ("observed", observed)):
                counts = cell_counts(*partition, pair_labels[0], mask, n_classes)
                _add(scores, identity | {"pairs": pairs, "aspect": 0}, counts, with_classes=drawn)
            others = pair_labels[1:] if first_start else ()
            for aspect, labels in enumerate(others, start=1):
                counts = cell_counts(*partition, labels, None, n_classes)
                _add(scores, identity | {"pairs": "all", "aspect": aspect}, counts)
    return scores


def _add(
    scores: SimpleNamespace, identity: Mapping, counts: np.ndarray, with_classes=False
) -> None:
    share = covered_share(counts)
    best = counts.max(axis=-1)
    filled = best > 0
    tied = ((counts == best[..., None]).sum(axis=-1) > 1) & filled
    row = {"n_row_clusters": counts.shape[0], "n_column_clusters": counts.shape[1]}
    row |= {"n_cells": int(filled.sum()), "covered": int((share > 0).sum())}
    row |= {"n_classes": counts.shape[-1], "coverage": float((share > 0).mean())}
    scores.coverage.append(identity | row | {"n_ties": int(tied.sum())})
    scores.purity += [
        identity | {"i": i + 1, "purity": value} for i, value in enumerate(purity_curve(counts))
    ]
    if with_classes:
        kept = ("dataset", "status", "role", "model", "control", "pairs")
        scores.classes += [
            {name: identity[name] for name in kept} | {"sam_class": number, "share": value}
            for number, value in enumerate(share)
        ]


def describe_cells(
    fit: Fit, fitted: FittedRelations, relations: Relations, pair_labels: np.ndarray, n_classes: int
) -> pd.DataFrame:
    """Return one row per cell of the best restart: its sizes, purity and most common words."""
    table = relations.relations[0]
    matrix = relations.matrix(table.name).tocoo()
    rows, columns = (by_size(fitted.labels[kind]) for kind in table.types)
    counts = cell_counts(rows, columns, pair_labels, None, n_classes)
    # cell_counts numbers clusters as they appear; here they are numbered by size.
    first = [np.unique(labels, return_index=True)[1] for labels in (rows, columns)]
    counts = counts[np.ix_(*(np.argsort(np.argsort(places)) for places in first))]
    shape = counts.shape[:2]
    a, b = np.indices(shape).reshape(2, -1)
    cell = np.ravel_multi_index((rows[matrix.row], columns[matrix.col]), shape)
    row_words, column_words = (
        _top_words(labels, relations.entities[kind], np.asarray(matrix.sum(axis=axis)).ravel())
        for labels, kind, axis in zip((rows, columns), table.types, (1, 0), strict=True)
    )
    found = {name: fit.key[name] for name in ("dataset", "role", "model")}
    found |= {"status": relations.identity.status, "row_cluster": a, "column_cluster": b}
    found |= {"n_rows": np.bincount(rows)[a], "n_columns": np.bincount(columns)[b]}
    found["n_observed"] = np.bincount(cell, minlength=a.size)
    found["tokens"] = np.bincount(cell, matrix.data, a.size).astype(int)
    found["purity"] = (counts.max(axis=-1) / np.maximum(counts.sum(axis=-1), 1)).ravel()
    found["n_classes"] = (counts > 0).sum(axis=-1).ravel()
    found["sam_class"] = dominant_labels(counts).ravel()
    found["row_words"] = [row_words[k] for k in a]
    found["column_words"] = [column_words[k] for k in b]
    return pd.DataFrame(found)


def sort_pairs(fitted: FittedRelations, relations: Relations) -> dict[str, np.ndarray]:
    """Return links, edges of clusters and shape with rows and columns sorted by cluster."""
    table = relations.relations[0]
    matrix = relations.matrix(table.name).tocoo()
    places, edges = [], []
    for kind, at in zip(table.types, (matrix.row, matrix.col), strict=True):
        order, limits = _in_order(by_size(fitted.labels[kind]))
        places.append(np.argsort(order).astype(np.int32)[at])
        edges.append(limits)
    names = ("rows", "columns", "row_edges", "column_edges", "shape")
    return dict(zip(names, (*places, *edges, np.array(matrix.shape)), strict=True))


def _in_order(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the items ordered by their clusters, and the edges of these."""
    return np.argsort(labels, kind="stable"), np.append(0, np.cumsum(np.bincount(labels)))


def by_size(labels: np.ndarray) -> np.ndarray:
    """Return clusters numbered from the largest to the smallest, ties in their former order."""
    _, found, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    return np.argsort(np.argsort(-sizes, kind="stable"))[found]


def _top_words(labels: np.ndarray, names: Iterable[str], totals: np.ndarray) -> list[str]:
    order = np.argsort(-totals, kind="stable")
    names, labels = np.asarray(names)[order], labels[order]
    return [", ".join(names[labels == k][:N_WORDS]) for k in range(labels.max() + 1)]


# ---- Clusters of the entities of relations with any number of types --------------------------

#: Number of clusters that a table shows, and of words of each.
N_CLUSTERS, N_TYPE_WORDS = 3, 5


def describe_types(fits: Sequence[tuple[Fit, FittedRelations]], relations: Relations) -> list[dict]:
    """Return one row per model, restart and type, with the words of the best restart."""
    names = ", ".join(table.name for table in relations.relations)
    rows = []
    for fit, fitted in fits:
        # Not tuples with names: a type may be called by what is no name in Python.
        for restart in fitted.restarts.to_dict("records"):
            for kind, entities in relations.entities.items():
                row = {"dataset": fit.dataset, "status": relations.identity.status}
                row |= {"role": fit.role, "model": fit.model, "relation": names, "type": kind}
                row |= {name: restart[name] for name in ("restart", "best", "elbo")}
                row |= {"n_entities": len(entities), "n_clusters": restart[f"n_clusters_{kind}"]}
                row["seconds"] = restart["seconds"]
                row |= {"largest": np.nan, "words": "", "nmi": np.nan}
                if restart["best"]:
                    row |= _of_best(fitted.labels[kind], entities, relations.classes.get(kind))
                rows.append(row)
    return rows


def _of_best(labels: np.ndarray, entities: Sequence[str], classes) -> dict:
    names, ranks = np.asarray(entities), by_size(labels)
    largest = [names[ranks == k][:N_TYPE_WORDS] for k in range(min(N_CLUSTERS, ranks.max() + 1))]
    words = "; ".join(map(", ".join, largest))
    found = {"largest": int(np.count_nonzero(ranks == 0)), "words": words}
    if classes is not None:
        from sklearn.metrics import normalized_mutual_info_score

        classes = np.asarray(classes)
        known = classes != ""
        found["nmi"] = normalized_mutual_info_score(classes[known], labels[known])
    return found


# ---- A small table before and after its rows and columns are sorted by cluster (Figure 1) ----


def sort_toy(fit: Mapping[str, Any], relations: Relations) -> dict[str, np.ndarray]:
    """Fit a small table of links and return its order, edges and clusters, true and found."""
    _, fitted = fit_model(Fit(**fit), relations)
    table = relations.relations[0]
    found = {"matrix": relations.matrix(table.name).toarray()}
    for side, kind in zip(SIDES, table.types, strict=True):
        labels = by_size(fitted.labels[kind])
        found[f"{side}_order"], found[f"{side}_edges"] = _in_order(labels)
        _, found[f"{side}_true"] = np.unique(relations.classes[kind], return_inverse=True)
        found[f"{side}_found"] = labels
    return found
