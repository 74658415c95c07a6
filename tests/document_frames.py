"""Small data frames of scores, made by hand, for the tests of the documents paper."""

import numpy as np
import pandas as pd
from places import ROOT

from reseat.papers.documents.results import METRICS, SUPPLEMENT, read_published
from reseat.papers.documents.tables import Traces

PUBLISHED = ROOT / "config" / "published"
ROLES = {"newsgroups": ["news"], "enron": ["mail"], "delicious": ["mulan", "reuters"]}
STATUS = {"news": "faithful", "mail": "stand-in", "mulan": "stand-in", "reuters": "stand-in"}
COLUMN = {m.name: m.column for m in METRICS}


def published(number):
    return read_published(PUBLISHED / f"docs_table{number}.csv")


def score_rows(dataset, model, summary, values, status=None, **fixed):
    """Return scores: each metric is the chain's value, VI is 3 minus it, `SUPPLEMENT` a tenth."""
    return [
        {"dataset": dataset, "status": status or STATUS[dataset], "model": model, "chain": chain}
        | {"summary": summary, "sample": np.nan, "n_clusters": 5}
        | {metric.column: value / 10 for metric in SUPPLEMENT}
        | {column: value for column in COLUMN.values()}
        | {"vi": 3 - value, **fixed}
        for chain, value in enumerate(values)
    ]


def scores_of(spec):
    return pd.DataFrame([row for args in spec for row in score_rows(*args)])


def traces_of(scores, apart=()):
    """Return the traces of every sampler of some scores; chains of those in `apart` disagree."""
    rng = np.random.default_rng(12)
    ran = scores.loc[scores["summary"] != "argmax", ["dataset", "model"]].drop_duplicates()
    found = []
    for key in ran.itertuples(index=False, name=None):
        log_joint = rng.normal(size=(2, 60)) + (np.array([[0.0], [50.0]]) if key in apart else 0)
        found.append(Traces(log_joint, np.full((2, 60), 5.0), 20, np.ones(2)))
    return found


def row_of(table, **keys):
    for column, value in keys.items():
        table = table[table[column] == value]
    assert len(table) == 1, f"{len(table)} rows for {keys}"
    return table.iloc[0]
