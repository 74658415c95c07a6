"""What the columns of published tables mean: which identify rows, and which hold estimates."""

from __future__ import annotations

import re

import pandas as pd

from reseat.published.scoreboard import COLUMNS as SCORES
from reseat.vocabulary import NOTE, OBSTACLE

__all__ = [
    "ERRORS",
    "INDICES",
    "INDICES_OF",
    "NO_RESULT",
    "TEXTS",
    "VALUES",
    "as_numbers",
    "row_keys",
]

#: Columns of estimates, mapped to the columns that may contain their errors.
ERRORS = {
    "mean": ("se", "mcse"),
    "ours": ("error",),
    "change": ("change_se",),
    "exponent": ("exponent_se",),
}
#: Columns of numbers that identify rows of a table.
INDICES = {
    *("axis", "beta", "chain", "cluster", "column_cluster", "delta", "delta_true", "draw", "few"),
    *("h", "i", "j", "n", "n_groups", "n_items", "n_labelled", "n_unlabelled", "partition", "rank"),
    *("row_cluster", "run", "sam_class", "sample", "size", "sweep"),
    *("directions", "log_concentration", "nugget", "power", "sigma"),
}
#: Columns of numbers that identify rows in one table, but are results in others.
INDICES_OF = {"tiwd_scaling": {"n_clusters"}}
#: Columns that are no results: they state the length of a run, repeat a published number or follow
#: from other columns.
NO_RESULT = re.compile(
    r"n_(chains|draws|parts|sweeps|fitted|observed)|burn_in|published.*|difference|z|combined|.*_?se|mcse"
)
#: Columns of text that do not identify rows: results, and what is constant within a data set.
TEXTS = {
    *("agrees", "all_nearest", "evidence", "groups", "row_words", "column_words", "words"),
    *("artefact", "comparable", NOTE, OBSTACLE, "question", "role", "setting", "status", "summary"),
}
#: Columns in which the keys of a reference to a number are not searched for.
VALUES = {
    *("mean", "se", "mcse", "combined", "sd_between", "published", "difference", "z", "truth"),
    *("ours", "error", "combined_error", "errors_apart", "n_chains", "n_draws", "n_parts"),
    *("measured", "effect", "low", "high", "evidence", *SCORES),
}


def row_keys(table: pd.DataFrame) -> list[str]:
    """Return the columns that identify the rows of a table."""
    named = table["artefact"].iloc[:1] if "artefact" in table else ()
    indices = INDICES.union(*(INDICES_OF.get(name, ()) for name in named))
    return [
        name for name in table if name in indices or (name not in TEXTS and _has_texts(table[name]))
    ]


def _has_texts(column):
    return bool((as_numbers(column).isna() & column.ne("")).any())


def as_numbers(column: pd.Series) -> pd.Series:
    """Return a column of texts as numbers, NaN where a text is none."""
    return pd.to_numeric(column, errors="coerce")
