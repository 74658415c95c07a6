"""Small frames of scores, worked by hand, for the tests of the documents paper."""

from pathlib import Path

import numpy as np
import pandas as pd

from reseat.experiments.documents.results import METRICS, read_published

ROOT = Path(__file__).resolve().parents[1]
PUBLISHED = ROOT / "config" / "published"
ROLES = {"newsgroups": ["news"], "enron": ["mail"], "delicious": ["mulan", "reuters"]}
STATUS = {"news": "faithful", "mail": "stand-in", "mulan": "stand-in", "reuters": "stand-in"}
COLUMN = {m.name: m.column for m in METRICS}


def published(number):
    return read_published(PUBLISHED / f"docs_table{number}.csv")


def score_rows(dataset, model, summary, values, status=None, **fixed):
    """Scores in which every metric is the chain's value, and VI three minus it."""
    return [
        {
            "dataset": dataset,
            "status": status or STATUS[dataset],
            "model": model,
            "chain": chain,
            "summary": summary,
            "sample": np.nan,
            "n_clusters": 5,
            "q2_ratio": value / 10,
            **{column: value for column in COLUMN.values()},
            "vi": 3 - value,
            **fixed,
        }
        for chain, value in enumerate(values)
    ]


def scores_of(spec):
    return pd.DataFrame([row for args in spec for row in score_rows(*args)])


def row_of(table, **keys):
    for column, value in keys.items():
        table = table[table[column] == value]
    assert len(table) == 1, f"{len(table)} rows for {keys}"
    return table.iloc[0]


# --- Tables 1 to 6 and the extensions --------------------------------------------------------
