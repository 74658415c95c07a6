"""Results of a fit for each side that was clustered, as the files and the table need them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import count, islice

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

from reseat.command.inputs.loaded import LoadedInput
from reseat.estimators.base import PosteriorClustering, by_size
from reseat.estimators.sampling import flat, phase
from reseat.metrics import factorise
from reseat.summaries import golden_records, probable_pairs
from reseat.threads import Stopped

__all__ = ["Result", "duplicates_of", "golden_of", "membership", "names_beside", "results_of"]


@dataclass(frozen=True)
class Result:
    """One partition with its uncertainty."""

    #: Prefix of its file names: empty, or ``column_``.
    prefix: str
    items: Sequence[str]
    #: Names of the clusters, in the order of their numbers.
    names: Sequence[str]
    #: Cluster numbers from 0; cluster 0 is the largest. Shape (n_items,).
    labels: np.ndarray
    #: See `membership`. Shape (n_items,).
    probability: np.ndarray
    #: Shape (n_draws, n_items).
    draws: np.ndarray
    #: Number of clusters in each draw, or after each sweep. Shape (n_draws,) or (n_sweeps,).
    n_clusters: np.ndarray
    #: 95 % interval of the number of clusters.
    interval: tuple[int, int]
    #: What characterises each cluster.
    portraits: Sequence[str]
    #: Adjusted Rand index with the truth, over the items whose true cluster is known.
    agreement: float | None = None
    #: Columns of the input, one row per item.
    table: pd.DataFrame | None = None
    #: Items in a new cluster that share a cluster with a known entity in most draws.
    beside_known: Sequence[str] = ()

    @property
    def sizes(self) -> np.ndarray:
        """Number of items in each cluster."""
        return np.bincount(self.labels)


def results_of(estimator: PosteriorClustering, material: LoadedInput, model: str) -> list[Result]:
    """Return the result for the rows and, if they were clustered too, for the columns."""
    chosen = np.arange(len(material.items))
    labels, draws = estimator.labels_, flat(estimator.draws_)
    # Before known items are left out, because others may share a cluster with them.
    probability = membership(labels, draws)
    names, trace, beside_known = None, "n_clusters", ()
    if model == "supervised":
        # The clusters of known items are given, so only the others are shown.
        known = np.array([entity is not None for entity in material.fit["y"]])
        chosen = np.flatnonzero(~known)
        entities = [*map(str, estimator.classes_)]
        beside = chosen[(labels[chosen] >= len(entities)) & _mostly_with(known, draws)[chosen]]
        beside_known = [material.items[place] for place in beside]
        present, found = np.unique(labels[chosen], return_inverse=True)
        labels = by_size(found)
        # Entities may already have such names, for instance from an earlier result.
        unused = (name for n in count(1) if (name := f"new {n}") not in set(entities))
        n_new = max(0, int(present.max(initial=-1)) + 1 - len(entities))
        entities += islice(unused, n_new)
        first = np.unique(labels, return_index=True)[1]
        names = [entities[number] for number in present[found[first]]]
        trace = "n_test_clusters"
    rows = _result(
        "",
        [material.items[place] for place in chosen],
        names,
        labels,
        probability[chosen],
        draws[:, chosen],
        estimator.traces_.get("n_clusters_row" if model == "relational" else trace),
        estimator.n_clusters_interval_,
        material.portray(labels),
        material.truth,
        None if material.frame is None else material.frame.iloc[chosen],
        beside_known,
    )
    if material.columns is None:
        return [rows]
    column_draws = flat(estimator.column_draws_)
    return [
        rows,
        _result(
            "column_",
            material.columns,
            None,
            estimator.column_labels_,
            membership(estimator.column_labels_, column_draws),
            column_draws,
            estimator.traces_.get("n_clusters_column"),
            estimator.n_column_clusters_interval_,
            material.portray_columns(estimator.column_labels_),
            None,
        ),
    ]


def _mostly_with(known: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """Return whether each item shares a cluster with a known one in more than half of the draws."""
    times = sum(np.isin(draw, draw[known]) for draw in draws)
    return times > len(draws) / 2


def _result(
    prefix,
    items,
    names,
    labels,
    probability,
    draws,
    trace,
    interval,
    portraits,
    truth,
    table=None,
    beside_known=(),
) -> Result:
    n_clusters = (
        np.array([np.unique(draw).size for draw in draws])
        if trace is None
        else np.asarray(trace).ravel().astype(np.int64)
    )
    return Result(
        prefix=prefix,
        items=items,
        names=names or [str(number) for number in range(1, int(labels.max()) + 2)],
        labels=labels,
        probability=probability,
        draws=draws,
        n_clusters=n_clusters,
        interval=interval,
        portraits=portraits,
        agreement=None if truth is None else _agreement(truth, labels),
        table=table,
        beside_known=beside_known,
    )


def _agreement(truth, labels):
    known = truth >= 0
    if known.sum() < 2:
        return None  # there is no pair of items that could be together or apart
    return float(adjusted_rand_score(truth[known], labels[known]))


def names_beside(ours: Collection[str], names: Sequence[str]) -> list[str]:
    """Return the names of input columns, with ``input_`` before those that ours have, too."""
    found = []
    for name in names:
        if name in ours:
            name = f"input_{name}"
            while name in ours or name in names:
                name = f"input_{name}"
        found.append(name)
    return found


def membership(labels: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """Return how surely each item belongs to its cluster.

    That is the mean posterior probability of sharing a cluster with each other member of the
    cluster; for an item on its own, the probability of being alone.
    """
    sizes = np.bincount(labels)
    found = np.zeros(labels.size)
    single, others = sizes[labels] == 1, np.maximum(sizes[labels] - 1, 1)
    with phase(len(draws), "probabilities", "draws") as (progress, stop):
        for draw in draws:
            if stop.is_set():
                raise Stopped("the computation of the probabilities was stopped")
            codes, _ = factorise(draw)
            alone = np.bincount(codes)[codes] == 1
            # Only pairs of a label and a code that occur are counted: at most one per item.
            pairs, _ = factorise(labels * (np.int64(codes.max()) + 1) + codes)
            together = np.bincount(pairs)[pairs] - 1
            found += np.where(single, alone, together / others)
            progress.step()
    return found / len(draws)


# ---- Tables for removing duplicates: pairs of records to review, -----------------------------
# and one record for each cluster


def duplicates_of(result: Result, fields: Sequence[str], cells: np.ndarray) -> pd.DataFrame:
    """Return pairs of records that are the same thing with a probability of at least 0.05.

    The least certain come first; the two values of a field are in adjacent columns.
    """
    first, second, probability = probable_pairs(result.draws)
    order = np.lexsort((second, first, np.abs(probability - 0.5)))
    first, second, probability = first[order], second[order], probability[order]
    items = np.asarray(result.items)
    together = result.labels[first] == result.labels[second]
    columns = {
        "first": items[first],
        "second": items[second],
        "probability": probability.round(4),
        "cluster": np.where(together, np.asarray(result.names)[result.labels[first]], ""),
    }
    for place, field in enumerate(fields):
        columns[f"{field} (first)"] = cells[first, place]
        columns[f"{field} (second)"] = cells[second, place]
    return pd.DataFrame(columns)


def golden_of(result: Result, fields: Sequence[str], cells: np.ndarray) -> pd.DataFrame:
    """Return one record for each cluster (`reseat.summaries.golden_records`), with its size."""
    found = golden_records(list(cells.T), result.labels)
    ours = {"cluster": list(result.names), "size": result.sizes}
    own = pd.DataFrame(found, columns=names_beside(ours, fields), dtype=object)
    return pd.concat([pd.DataFrame(ours), own], axis=1)
