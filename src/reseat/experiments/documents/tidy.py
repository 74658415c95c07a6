"""The columns that every table of this family has, and the five metrics it reports."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from reseat.errors import DataError
from reseat.io import atomic_path

#: Chains (and EM restarts) behind each published mean, Walker & Ringger 2008, section 5.
PUBLISHED_CHAINS = 100

#: Columns of every tidy table, in order.
COLUMNS = (
    "artefact",
    "role",
    "dataset",
    "status",
    "comparable",
    "system",
    "summary",
    "metric",
    "mean",
    "se",
    "n_chains",
    "published",
    "difference",
    "z",
)


@dataclass(frozen=True)
class Metric:
    """A column of the scores under the name the paper prints.

    Attributes
    ----------
    name : str
        As printed.
    column : str
        Key of `reseat.metrics.evaluate`.
    sign : int
        +1 if larger is better, -1 if smaller is better, 0 if neither.
    """

    name: str
    column: str
    sign: int


#: The paper's five metrics. Its Q2 is the form rescaled between its extremes.
METRICS = (
    Metric("F-Measure", "steinbach_f", 1),
    Metric("VI", "vi", -1),
    Metric("ARI", "adjusted_rand", 1),
    Metric("V-Measure", "v_measure", 1),
    Metric("Q2", "q2", 1),
)

#: Reported beside the five and never compared with the paper: the ratio form of Q2.
Q2_RATIO = Metric("Q2 (ratio form)", "q2_ratio", 1)

#: Number of blocks of the scored partition, for models that learn it.
N_CLUSTERS = Metric("clusters", "n_clusters", 0)

#: The paper's summaries: printed name and name in the scores.
SUMMARIES = (("Marginal", "marginal"), ("MAP", "map"), ("Rand", "random"))


def read_scores(paths):
    """The score files of several data sets and models as one frame.

    Parameters
    ----------
    paths : iterable of path-like

    Returns
    -------
    pandas.DataFrame

    Raises
    ------
    DataError
        If a file lacks one of the columns that identify a row.
    """
    frames = []
    for path in paths:
        frame = pd.read_csv(path)
        missing = {"dataset", "status", "model", "chain", "summary"} - set(frame.columns)
        if missing:
            raise DataError(
                f"{path} lacks the column(s) {', '.join(sorted(missing))}; make the scores again."
            )
        frames.append(frame)
    if not frames:
        raise DataError("no file of scores was given; run the models first.")
    return pd.concat(frames, ignore_index=True)


def read_published(path):
    """Published numbers as a mapping (system, metric) to value; systems keep leading zeros."""
    frame = pd.read_csv(path, dtype={"system": str, "metric": str})
    return {(row.system, row.metric): float(row.value) for row in frame.itertuples(index=False)}


def write_table(frame, path):
    """Write a frame as CSV, atomically, with twelve significant digits."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(path) as temporary:
        frame.to_csv(temporary, index=False, float_format="%.12g", lineterminator="\n")


def mean_and_error(values):
    """Mean, Monte Carlo standard error (NaN for a single chain) and count of finite values."""
    values = np.asarray(values, dtype=float)
    values = values[np.isfinite(values)]
    n = len(values)
    if n == 0:
        return np.nan, np.nan, 0
    mean = float(values.mean())
    error = float(values.std(ddof=1) / np.sqrt(n)) if n > 1 else np.nan
    if error <= 1e-12 * max(1.0, abs(mean)):
        error = 0.0  # equal but for rounding
    return mean, error, n


def cell(identity, system, summary, metric, values, published=np.nan, published_chains=None):
    """One row of a tidy table.

    The paper gives means and no spread. A difference is therefore expressed in standard errors
    as if the paper's chains had the spread of ours: with s the standard deviation over our n
    chains and m published chains, z = difference / (s sqrt(1/n + 1/m)).

    Parameters
    ----------
    identity : dict
        `artefact`, `role`, `dataset`, `status`.
    system, summary, metric : str
    values : array-like
        The metric of each chain.
    published : float
        NaN if the paper has no such number.
    published_chains : int, optional
        m above; :data:`PUBLISHED_CHAINS` unless given.

    Returns
    -------
    dict
        With the keys :data:`COLUMNS`. `comparable` is true only for the paper's own data; on a
        stand-in the difference is given, and z is not.
    """
    mean, error, n = mean_and_error(values)
    comparable = identity["status"] == "faithful"
    difference = mean - published
    z = np.nan
    if comparable and error > 0:
        spread = error * np.sqrt(n)
        z = difference / (spread * np.sqrt(1 / n + 1 / (published_chains or PUBLISHED_CHAINS)))
    row = {
        **identity,
        "comparable": comparable,
        "system": system,
        "summary": summary,
        "metric": metric,
        "mean": mean,
        "se": error,
        "n_chains": n,
        "published": published,
        "difference": difference,
        "z": z,
    }
    return {column: row[column] for column in COLUMNS}


def datasets_of(scores, role, artefact):
    """Split scores by data set: pairs (identity of the rows, scores of that data set)."""
    if len(scores) == 0:
        raise DataError(f"{artefact} has no scores of the data set '{role}'; run its models first.")
    for name, part in scores.groupby("dataset", sort=False):
        status = part["status"].iloc[0]
        yield {"artefact": artefact, "role": role, "dataset": name, "status": status}, part


def select(scores, model, summary):
    """Rows of one model and one summary."""
    return scores[(scores["model"] == model) & (scores["summary"] == summary)]
