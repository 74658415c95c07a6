"""Tables of pairs before and after their rows and columns are sorted by cluster."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from reseat.errors import DataError
from reseat.experiments.relational.results import MODELS, STARTS, by_dataset, label
from reseat.experiments.tidy import COLUMNS, mean_and_error, rows_of, tidy_row
from reseat.metrics import adjusted_rand
from reseat.variational.best import best_restart
from reseat.vocabulary import GENERATED

#: Additional columns: the range over restarts, and the number of pairs that occur.
EXTRA = ("lowest", "highest", "n_observed")

_SIDES = ("row", "column")


@dataclass(frozen=True)
class SortedPairs:
    """The pairs that occur, with rows and columns sorted by cluster, the largest cluster first."""

    dataset: str
    #: Position of each pair. Shape (n_observed,).
    rows: np.ndarray
    columns: np.ndarray
    #: Boundaries between clusters; the two ends of the table may be included. Shape (n_edges,).
    row_edges: np.ndarray
    column_edges: np.ndarray
    shape: tuple


@dataclass(frozen=True)
class Toy:
    """The small table of Figure 1, before and after sorting."""

    #: The table before sorting. Shape (n_rows, n_columns).
    matrix: np.ndarray
    #: Which row or column comes first after sorting, second, and so on.
    row_order: np.ndarray
    column_order: np.ndarray
    #: As in `SortedPairs`. Shape (n_edges,).
    row_edges: np.ndarray
    column_edges: np.ndarray
    #: True clusters and those found, in the order before sorting.
    row_true: np.ndarray
    row_found: np.ndarray
    column_true: np.ndarray
    column_found: np.ndarray


def read_sorted(path):
    """Read one file ``sorted_MODEL.npz``; the data set is the name of its folder."""
    names = [name for name in SortedPairs.__dataclass_fields__ if name != "dataset"]
    arrays = _read(path, names)
    arrays["shape"] = tuple(int(size) for size in arrays["shape"])
    return SortedPairs(Path(path).parent.name, **arrays)


def read_toy(path):
    """Read the file ``toy.npz``; raise DataError if an array is missing."""
    return Toy(**_read(path, list(Toy.__dataclass_fields__)))


def toy_table(artefact, toy, published):
    """Return Figure 1: the clusters found in the toy table, beside the paper's.

    ``ARI`` is measured against the planted clusters.
    """
    identity = {"artefact": artefact, "role": "toy", "dataset": "toy_blocks", "status": GENERATED}
    rows = []
    for side, size in zip(_SIDES, toy.matrix.shape, strict=True):
        true, found = getattr(toy, f"{side}_true"), getattr(toy, f"{side}_found")
        numbers = {
            f"{side}s": size,
            f"{side} clusters": len(np.unique(found)),
            f"{side} ARI": adjusted_rand(true, found),
        }
        for name, value in numbers.items():
            given = (float(value), np.nan, 1)
            printed = published.get(name, np.nan)
            rows.append(tidy_row(identity, "FIRM", "best restart", name, given, printed))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def blocks_table(artefact, model, restarts, found, published):
    """Return Figures 2 and 3: numbers of clusters of a model under every start, and the paper's.

    They are those of the best restart, at beta = 0.1.
    """
    pairs = {of.dataset: of for of in found}
    own = rows_of(restarts, model=model, control="", beta=published.setup["beta"])
    missing = set(pairs) - set(own["dataset"])
    if missing:
        raise DataError(
            f"{artefact} has no restarts of {MODELS[model]} on {', '.join(sorted(missing))}; "
            "run it."
        )
    rows = []
    for identity, part in by_dataset(own[own["dataset"].isin(list(pairs))], artefact):
        for start in (name for name in STARTS if (part["initialisation"] == name).any()):
            group = part[part["initialisation"] == start]
            printed = published.beside(model, start) if identity["role"] == "adjectives" else {}
            for side in _SIDES:
                values = group[f"n_{side}_clusters"]
                best = group.iloc[best_restart(group["elbo"])][f"n_{side}_clusters"]
                name = f"{side} clusters"
                given = (*mean_and_error([best])[:2], len(group))
                row = tidy_row(
                    identity,
                    label(model, initialisation=start),
                    "best restart",
                    name,
                    given,
                    printed.get(name, np.nan),
                )
                extra = (values.min(), values.max(), len(pairs[identity["dataset"]].rows))
                rows.append(row | dict(zip(EXTRA, extra, strict=True)))
    return pd.DataFrame(rows, columns=[*COLUMNS, *EXTRA])


def _read(path, names):
    with np.load(path) as archive:
        missing = sorted(set(names) - set(archive.files))
        if missing:
            raise DataError(f"{path} lacks {', '.join(missing)}; sort the table again.")
        return {name: archive[name] for name in names}
