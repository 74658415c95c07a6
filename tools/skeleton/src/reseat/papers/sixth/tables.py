"""The tables of Author 2000."""

import pandas as pd

from reseat.papers.published import metrics_named
from reseat.papers.tables import COLUMNS, mean_and_error, rows_of, tidy_row

#: The metrics that the paper prints.
METRICS = metrics_named("F", "NVI")


def table1(artefact, scores, published):
    """Return the scores of all models by two metrics, averaged over chains."""
    printed = published.set_index(["role", "system", "metric"])["value"]
    rows = []
    keys = ["role", "dataset", "status", "model"]
    for (role, dataset, status, model), part in scores.groupby(keys, sort=False):
        identity = {"artefact": artefact, "role": role, "dataset": dataset, "status": status}
        for metric in METRICS:
            found = mean_and_error(rows_of(part, metric=metric.column)["value"])
            value = printed.get((role, model, metric.name), float("nan"))
            rows.append(tidy_row(identity, model, "mean", metric.name, found, value))
    return pd.DataFrame(rows, columns=list(COLUMNS))
