"""The scores of this family, the five metrics of the paper, and how the two are compared."""

from __future__ import annotations

import numpy as np

from reseat.experiments.printed_metrics import metrics_named
from reseat.experiments.published import keyed, read_numbers
from reseat.experiments.tidy import (
    by_dataset,
    mean_and_error,
    read_frames,
    tidy_row,
)

#: Number of chains (or EM restarts) behind each published mean (Walker & Ringger 2008, section 5).
PUBLISHED_CHAINS = 100

#: The paper's five metrics, which its claims are about. Its Q2 is the form that is rescaled between
#: its extremes.
METRICS = metrics_named("F-Measure", "VI", "ARI", "V-Measure", "Q2")

#: Metrics that are reported in addition to the five and never compared with the paper.
SUPPLEMENT = metrics_named("Q2 (ratio form)")

#: The paper's data sets in the order of its tables.
ROLES = ("delicious", "newsgroups", "enron")

#: Data sets whose reading was found by looking at the published numbers.
FITTED = {"newsgroups20": "its stop list and words found by looking at Table 2"}

#: The paper's summaries: the printed name, and the name in the scores.
SUMMARIES = (("Marginal", "marginal"), ("MAP", "map"), ("Rand", "random"))


def read_scores(paths):
    """Return the score files of several data sets and models as one frame."""
    columns = ("dataset", "status", "model", "chain", "summary")
    return read_frames(paths, columns, "scores")


def read_published(path):
    """Return published numbers by (system, metric); the names of systems keep leading zeros."""
    columns = ("system", "metric", "value")
    return keyed(read_numbers(path, columns, dtype={"system": str, "metric": str}))


def cell(identity, system, summary, metric, values, published=np.nan, published_chains=None):
    """Return one row of a tidy table.

    The paper gives means without a spread. A difference is therefore expressed in standard errors
    as if the paper's chains had the spread of ours: with s the standard deviation over our n
    chains and m published chains, z = difference / (s sqrt(1/n + 1/m)).
    """
    mean, error, n = mean_and_error(values)
    theirs = published_chains or PUBLISHED_CHAINS
    combined = error * np.sqrt(n) * np.sqrt(1 / max(n, 1) + 1 / theirs)
    return tidy_row(identity, system, summary, metric, (mean, error, n), published, combined)


def each_dataset(scores, role, artefact):
    """Split scores as `by_dataset` does; they do not say which role their data sets have."""
    return by_dataset(scores.assign(role=role), artefact, [role])


def select(scores, model, summary):
    """Return the rows of one model and one summary."""
    return scores[(scores["model"] == model) & (scores["summary"] == summary)]
