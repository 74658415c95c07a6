"""The summaries of this family, and the names and metrics under which the paper prints them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseat.errors import DataError
from reseat.experiments.printed_metrics import Metric
from reseat.experiments.records import PAPER_MODELS
from reseat.experiments.tidy import read_frames
from reseat.summaries import AGREED

#: The paper's data sets, in the order of its tables, and their printed names.
SETS = {
    "italy": "Italy",
    "nltcs5000": "NLTCS5000",
    "syria2000": "Syria2000",
    "syriasizes": "SyriaSizes",
}

#: Dirichlet concentrations at which the paper drew each set.
DELTAS = (0.02, 0.05, 0.1)

#: The paper's models, in the order of its tables, and their printed names.
MODELS = dict(zip(PAPER_MODELS, ("DP", "PYP", "NBNB", "NBD"), strict=True))

#: DP and PYP as the authors' later software runs them, and the models of which they are readings.
SAMPLED = {"dp_sampled": "dp", "pyp_sampled": "pyp"}

#: Printed names of the priors, in the order of the tables; other priors follow.
SYSTEMS = (*MODELS.values(), "finite Dirichlet", "ESC-NB", "ESC-D")

#: The statistics of a partition that Figure 2 shows.
STATISTICS = ("n_singletons", "max_size", "mean_size", "size_p90")

#: Metrics: the columns of Table 1, and those that only other tables report.
E_K = Metric("E[K]", "n_clusters")
SD_K = Metric("sd[K]", "n_clusters")
FNR = Metric("FNR", "fnr")
FDR = Metric("FDR", "fdr")
E_DELTA = Metric("E[delta]", "delta")
MEAN_SIZE = Metric("mean size", "mean_size")
ARI = Metric("ARI", "adjusted_rand")
METRICS = (E_K, SD_K, FNR, FDR, E_DELTA)

#: Fewest effective draws of a single chain, which has no other chain to agree with. Its Monte Carlo
#: error is part of the spread between data draws; with fewer effective draws it may not have left
#: its starting point yet.
FEWEST_EFFECTIVE = 10

#: The five numbers of a box plot.
BOX = ("whisker_low", "q25", "median", "q75", "whisker_high")

#: Columns that identify the rows of every result. A data set is a draw of a variant, which is a
#: recipe at one concentration (``italy_d02``); a set of real records is a variant of its own. The
#: printed name of a model is its system and, if it differs from the paper's, its reading.
KEYS = (
    *("dataset", "variant", "status", "role", "delta_true", "draw"),
    *("model", "system", "reading", "likelihood"),
)

_SUMMARY = (*KEYS, "quantity", "truth", "mean", "sd", "mcse", "ess", "rhat", "n_chains")
_SIZES = (*KEYS, "size", "truth", "mean", "q025", "q975")


def read_summaries(paths):
    """Return the posterior summaries (`summary.csv`) of several data sets and models as one frame.

    One row per (data set, model, quantity).
    """
    return read_frames(paths, (*_SUMMARY, *BOX), "summaries", words=["reading"])


def read_sizes(paths):
    """Return the posterior counts of clusters of each size (`sizes.csv`) as one frame."""
    return read_frames(paths, _SIZES, "cluster sizes", words=["reading"])


def label(row):
    """Return the printed name of the model of a row, including its reading if it is one."""
    return ", ".join(filter(None, (row["system"], row["reading"])))


def by_model(frame):
    """Yield the model, label and rows of each: the paper's first, each followed by its readings."""
    places = {name: place for place, name in enumerate(SYSTEMS)}

    def place(group):
        first = group[1].iloc[0]
        return places.get(first["system"], len(places)), first["reading"] != ""

    for model, rows in sorted(frame.groupby("model", sort=False), key=place):
        yield model, label(rows.iloc[0]), rows


def variants(frame, artefact):
    """Yield identity, delta and rows of each variant of the paper's recipes, as in Table 1.

    The data set of an identity is the variant.
    """
    frame = frame[(frame["draw"] >= 0) & frame["role"].isin(list(SETS))]
    if len(frame) == 0:
        raise DataError(f"{artefact} has no draw of the paper's data sets; run its models first.")
    frame = frame.assign(place=frame["role"].map(list(SETS).index))
    order = ["place", "delta_true", "variant"]
    for (_place, delta, name), rows in frame.groupby(order, sort=True):
        first = rows.iloc[0]
        identity = {"artefact": artefact, "role": first["role"], "dataset": name}
        yield identity | {"status": first["status"]}, float(delta), rows


def of_model(rows, model, quantity):
    """Return the rows of one model and one quantity, ordered by draw."""
    return rows[(rows["model"] == model) & (rows["quantity"] == quantity)].sort_values("draw")


def posterior_of(rows, metric):
    """Return the rows of one model as values of one metric.

    The summaries have no Monte Carlo error for the standard deviation of K; that of a normal sample
    of the same effective size, sd / sqrt(2 ess), is used instead. Where each field has its own
    delta, the mean of these is reported.
    """
    columns = ["dataset", "truth", "mean", "mcse", "ess", "rhat", "n_chains"]
    if metric is SD_K:
        found = rows[rows["quantity"] == metric.column]
        error = found["sd"] / np.sqrt(2 * found["ess"])
        return found.assign(truth=np.nan, mean=found["sd"], mcse=error)[columns]
    if metric is not E_DELTA:
        return rows[rows["quantity"] == metric.column][columns]
    fields = rows[rows["quantity"].str.fullmatch(r"delta(_\d+)?")]
    grouped = fields.groupby("dataset", sort=False)
    rules = {"truth": "mean", "mean": "mean", "ess": "min", "rhat": "max", "n_chains": "max"}
    means = grouped.agg(rules)
    # The errors of the fields are treated as independent.
    means["mcse"] = grouped["mcse"].agg(lambda e: float(np.linalg.norm(e) / len(e)))
    return means.reset_index()[columns]


def unsettled(rows):
    """Return which summaries are from chains that have not converged.

    These are those whose chains disagree, or a single chain with fewer than
    :data:`FEWEST_EFFECTIVE` effective draws, or an unknown number of them.
    """
    alone = rows["n_chains"] == 1
    return (rows["rhat"] > AGREED) | (alone & ~(rows["ess"] >= FEWEST_EFFECTIVE))


def finite_max(values):
    """Return the largest of the numbers that are not missing, or NaN if all are."""
    values = pd.Series(values).dropna()
    return float(values.max()) if len(values) else np.nan
