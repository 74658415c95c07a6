"""Tables for removing duplicates: pairs of records to review, and one record for each cluster."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from reseat.command.results import Result, names_beside
from reseat.summaries import golden_records, probable_pairs

__all__ = ["duplicates_of", "golden_of"]


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
