"""Results of a fit for each side that was clustered, as the files and the table need them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import count, islice

import numpy as np
import pandas as pd

from reseat.command.inputs.loaded import LoadedInput
from reseat.estimators.base import PosteriorClustering, by_size
from reseat.estimators.sampling import flat, phase
from reseat.metrics import adjusted_rand, factorise
from reseat.summaries import golden_records, probable_pairs, questions
from reseat.threads import Stopped


@dataclass
class Result:
    """One partition with its uncertainty."""

    #: Prefix of its file names: empty, or ``column_``.
    prefix: str
    items: Sequence[str]
    #: Cluster numbers from 0; cluster 0 is the largest. Shape (n_items,).
    labels: np.ndarray
    #: See `membership`. Shape (n_items,).
    probability: np.ndarray
    #: Shape (n_draws, n_items).
    draws: np.ndarray
    #: Number of clusters after each sweep; by default in each draw.
    n_clusters: np.ndarray | None
    #: 95 % interval of the number of clusters.
    interval: tuple[int, int]
    #: What characterises each cluster.
    portraits: Sequence[str]
    #: Names of the clusters, by default numbers from 1, in the order of their labels.
    names: Sequence[str] = ()
    #: Number of the true cluster of each item; -1 where it is unknown. Shape (n_items,).
    truth: np.ndarray | None = None
    #: Columns of the input, one row per item.
    table: pd.DataFrame | None = None
    #: Items in a new cluster that share a cluster with a known entity in most draws.
    near_known: Sequence[str] = ()
    #: Component of each item, from 0, where clusters consist of several. Shape (n_items,).
    components: np.ndarray | None = None
    #: How clusters differ from those of an earlier result (`reseat.command.earlier`).
    changes: pd.DataFrame | None = None

    def __post_init__(self):
        if self.n_clusters is None:
            self.n_clusters = np.array([np.unique(draw).size for draw in self.draws])
        self.n_clusters = np.ravel(self.n_clusters).astype(np.int64)
        self.names = self.names or [str(number) for number in range(1, int(self.labels.max()) + 2)]

    @property
    def sizes(self) -> np.ndarray:
        """Number of items in each cluster."""
        return np.bincount(self.labels)

    @property
    def agreement(self) -> float | None:
        """Adjusted Rand index with the truth, over the items whose true cluster is known."""
        known = np.flatnonzero(self.truth >= 0) if self.truth is not None else ()
        if len(known) < 2:
            return None  # there is no pair of items that could be together or apart
        return float(adjusted_rand(self.truth[known], self.labels[known]))


def results_of(estimator: PosteriorClustering, material: LoadedInput, model: str) -> list[Result]:
    """Return the result for the rows and, if they were clustered too, for the columns."""
    chosen = np.arange(len(material.items))
    labels, draws = estimator.labels_, flat(estimator.draws_)
    # Before known items are left out, because others may share a cluster with them.
    probability = membership(labels, draws)
    names, trace, near_known = (), "n_clusters", ()
    if model == "supervised":
        # The clusters of known items are given, so only the others are shown.
        known = np.array([entity is not None for entity in material.fit["y"]])
        chosen = np.flatnonzero(~known)
        entities = [*map(str, estimator.classes_)]
        times = sum(np.isin(draw, draw[known]) for draw in draws)
        is_new, mostly = labels >= len(entities), times > len(draws) / 2
        beside = chosen[(is_new & mostly)[chosen]]
        near_known = [material.items[place] for place in beside]
        present, found = np.unique(labels[chosen], return_inverse=True)
        labels = by_size(found)
        # Entities may already have such names, for instance from an earlier result.
        unused = (name for n in count(1) if (name := f"new {n}") not in set(entities))
        n_new = max(0, int(present.max(initial=-1)) + 1 - len(entities))
        entities += islice(unused, n_new)
        first = np.unique(labels, return_index=True)[1]
        names = [entities[number] for number in present[found[first]]]
        trace = "n_test_clusters"
    rows = Result(
        prefix="",
        items=[material.items[place] for place in chosen],
        labels=labels,
        probability=probability[chosen],
        draws=draws[:, chosen],
        n_clusters=estimator.traces_.get("n_clusters_row" if model == "relational" else trace),
        interval=estimator.n_clusters_interval_,
        portraits=material.portray(labels),
        names=names,
        truth=material.truth,
        table=None if material.frame is None else material.frame.iloc[chosen],
        near_known=near_known,
        components=estimator.components_ if getattr(estimator, "merged_", False) else None,
    )
    if material.columns is None:
        return [rows]
    labels, draws = estimator.column_labels_, flat(estimator.column_draws_)
    columns = Result(
        prefix="column_",
        items=material.columns,
        labels=labels,
        probability=membership(labels, draws),
        draws=draws,
        n_clusters=estimator.traces_.get("n_clusters_column"),
        interval=estimator.n_column_clusters_interval_,
        portraits=material.portray_columns(labels),
    )
    return [rows, columns]


def without_clashes(ours: Collection[str], names: Sequence[str]) -> list[str]:
    """Return the names of input columns, with ``input_`` before those that ours have, too."""
    found = []
    for given in names:
        name = given
        while name in ours or (name != given and name in names):
            name = f"input_{name}"
        found.append(name)
    return found


def membership(labels: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """Return how surely each item belongs to its cluster.

    That is the mean posterior probability of sharing it with another member, or of being alone.
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


#: Largest number of pairs that people are asked about.
ASKED = 300


def duplicates_of(
    result: Result, fields: Sequence[str], cells: np.ndarray
) -> tuple[pd.DataFrame, np.ndarray]:
    """Return pairs of records that are the same thing with a probability of at least 0.05.

    Those come first whose answer is expected to correct most (`reseat.summaries.questions`), then
    the least certain. With the numbers of the records of the former, shape (n_asked, 2).
    """
    first, second, probability = probable_pairs(result.draws)
    chosen, gains = questions(result.draws, first, second, ASKED)
    rank = np.full(first.size, ASKED)
    rank[chosen] = np.arange(chosen.size)
    gain = np.full(first.size, np.nan)
    gain[chosen] = gains
    order = np.lexsort((second, first, np.abs(probability - 0.5), rank))
    first, second, probability = first[order], second[order], probability[order]
    items = np.asarray(result.items)
    together = result.labels[first] == result.labels[second]
    columns = {
        "first": items[first],
        "second": items[second],
        "probability": probability.round(4),
        "cluster": np.where(together, np.asarray(result.names)[result.labels[first]], ""),
        "gain": gain[order].round(2),
    }
    for place, field in enumerate(fields):
        columns[f"{field} (first)"] = cells[first, place]
        columns[f"{field} (second)"] = cells[second, place]
    asked = np.stack([first, second], axis=1)[: chosen.size]
    return pd.DataFrame(columns), asked


def golden_of(result: Result, fields: Sequence[str], cells: np.ndarray) -> pd.DataFrame:
    """Return one record for each cluster (`reseat.summaries.golden_records`), with its size."""
    found = golden_records(list(cells.T), result.labels)
    ours = {"cluster": list(result.names), "size": result.sizes}
    own = pd.DataFrame(found, columns=without_clashes(ours, fields), dtype=object)
    return pd.concat([pd.DataFrame(ours), own], axis=1)
