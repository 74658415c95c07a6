"""The scores of this family, the metrics of the paper, and the numbers that it prints."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from reseat.papers.published import keyed, metrics_named, read_numbers
from reseat.papers.tables import by_dataset, mean_and_error, read_frames, tidy_row

#: The paper's five metrics; its Q2 is the form that is rescaled between its extremes.
METRICS = metrics_named("F-Measure", "VI", "ARI", "V-Measure", "Q2")

#: Metrics that are reported in addition to the five and never compared with the paper.
SUPPLEMENT = metrics_named("Q2 (ratio form)")

#: The paper's data sets in the order of its tables.
ROLES = ("delicious", "newsgroups", "enron")

#: Data sets whose reading was found by looking at the published numbers.
FITTED = {"newsgroups20": "its stop list and words found by looking at Table 2"}

#: The paper's summaries: the printed name, and the name in the scores.
SUMMARIES = (("Marginal", "marginal"), ("MAP", "map"), ("Rand", "random"))

#: Columns that the result files must have, and what messages call the files.
_SCORES = ("dataset", "status", "model", "chain", "summary")
_POSTERIOR = ("dataset", "status", "beta", "way", "chain", "rhat", "log_joint")
_EM_STARTS = ("dataset", "status", "concentration", "restart", "iterations")
_SWITCHING = ("dataset", "n_occupied", "n_switched")

read_scores = partial(read_frames, columns=_SCORES, what="scores")
read_posterior = partial(read_frames, columns=_POSTERIOR, what="chains", dtype={"beta": str})
read_em_starts = partial(read_frames, columns=_EM_STARTS, what="fits")
read_switching = partial(read_frames, columns=_SWITCHING, what="figures")


def read_published(path):
    """Return published numbers by (system, metric); the names of systems keep leading zeros."""
    columns = ("system", "metric", "value")
    return keyed(read_numbers(path, columns, dtype={"system": str, "metric": str}))


def cell(identity, system, summary, metric, values, published=np.nan, published_chains=100):
    """Return a row of a tidy table; the paper's m chains are taken to have the spread of our n."""
    mean, error, n = mean_and_error(values)
    combined = error * np.sqrt(n) * np.sqrt(1 / max(n, 1) + 1 / published_chains)
    return tidy_row(identity, system, summary, metric, (mean, error, n), published, combined)


def each_dataset(scores, role, artefact):
    """Split scores as `by_dataset` does; they do not say which role their data sets have."""
    return by_dataset(scores.assign(role=role), artefact, [role])


def select(scores, model, summary):
    """Return the rows of one model and one summary."""
    return scores[(scores["model"] == model) & (scores["summary"] == summary)]


@dataclass(frozen=True)
class Published:
    """Tables 1 to 3 and 4 to 6 by role, and Table 7, from `read_published`."""

    summaries: dict
    methods: dict
    table7: dict

    @classmethod
    def load(cls, folder):
        """Read the files of the paper from a folder."""
        tables = [read_published(Path(folder) / f"docs_table{n}.csv") for n in range(1, 8)]
        by_role = (dict(zip(ROLES, tables[first : first + 3], strict=True)) for first in (0, 3))
        return cls(*by_role, tables[6])
