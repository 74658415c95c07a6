"""The summaries of this family, and the names and numbers that the paper prints."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from reseat.errors import DataError
from reseat.papers.published import Metric, PublishedNumbers, keyed
from reseat.papers.records import ESTIMATES, PAPER_MODELS
from reseat.papers.tables import read_frames
from reseat.summaries import AGREED

# ---- The summaries of this family, and the names under which the paper prints them -----------

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

#: DP and PYP with sampled parameters, and with fixed ones. The paper says that N/2 clusters are
#: expected a priori; its numbers of clusters are reproduced only if the concentrations are sampled.
SAMPLED = {"dp_sampled": "dp", "pyp_sampled": "pyp"}

#: The models whose numbers count beside the published ones, and their other readings in Table 1.
COUNTED = (*SAMPLED, "nbnb", "nbd")
OTHER_READINGS = ("dp", "pyp", "pyp_concentration")

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

ESTIMATED = tuple(
    Metric(f"{rate.name}, {words}", f"{rate.column}_{name}")
    for name, words in ESTIMATES.items()
    for rate in (FNR, FDR)
)

#: Fewest effective draws of a single chain, which with fewer may not have left its start.
MIN_EFFECTIVE = 10

BOX = ("whisker_low", "q25", "median", "q75", "whisker_high")

#: Columns that identify the rows of every result. A data set is a draw of a variant (a recipe at
#: one concentration, ``italy_d02``), or real records, a variant of their own.
KEYS = "dataset variant status role delta_true draw model system reading likelihood".split()

_SUMMARY = (*KEYS, "quantity", "truth", "mean", "sd", "mcse", "ess", "rhat", "n_chains")
_SIZES = (*KEYS, "size", "truth", "mean", "q025", "q975")


def read_summaries(paths):
    """Return the summaries of several data sets, a row per (data set, model, quantity)."""
    return read_frames(paths, (*_SUMMARY, *BOX), "summaries", words=["reading"])


def read_sizes(paths):
    """Return the posterior counts of clusters of each size (`sizes.csv`) as one frame."""
    return read_frames(paths, _SIZES, "cluster sizes", words=["reading"])


def printed_name(row):
    """Return the printed name of the model of a row, including its reading if it is one."""
    return ", ".join(filter(None, (row["system"], row["reading"])))


def by_model(frame):
    """Yield the model, label and rows of each: the paper's first, each followed by its readings."""
    places = {name: place for place, name in enumerate(SYSTEMS)}

    def place(group):
        first = group[1].iloc[0]
        return places.get(first["system"], len(places)), first["reading"] != ""

    for model, rows in sorted(frame.groupby("model", sort=False), key=place):
        yield model, printed_name(rows.iloc[0]), rows


def variants(frame, artefact):
    """Yield identity, delta and rows of each variant of the paper's recipes, as in Table 1."""
    frame = frame[(frame["draw"] >= 0) & frame["role"].isin(list(SETS))]
    if len(frame) == 0:
        raise DataError(f"{artefact} has no draw of the paper's data sets; run its models first.")
    frame = frame.assign(place=frame["role"].map(list(SETS).index))
    order = ["place", "delta_true", "variant"]
    for (_place, delta, name), rows in frame.groupby(order, sort=True):
        first = rows.iloc[0]
        identity = {"artefact": artefact, "role": first["role"], "dataset": name}
        yield identity | {"status": first["status"]}, float(delta), rows


def posterior_of(rows, metric):
    """Return the rows of one model as values of one metric, delta averaged over fields."""
    columns = ["dataset", "truth", "mean", "mcse", "ess", "rhat", "n_chains"]
    found = rows[rows["quantity"] == metric.column]
    if metric is SD_K:
        error = found["sd"] / np.sqrt(2 * found["ess"])  # as of a normal sample
        found = found.assign(truth=np.nan, mean=found["sd"], mcse=error)
    elif metric is E_DELTA:
        fields = rows[rows["quantity"].str.fullmatch(r"delta(_\d+)?")]
        grouped = fields.groupby("dataset", sort=False)
        rules = {"truth": "mean", "mean": "mean", "ess": "min", "rhat": "max", "n_chains": "max"}
        found = grouped.agg(rules)
        # The errors of the fields are treated as independent.
        found["mcse"] = grouped["mcse"].agg(lambda e: float(np.linalg.norm(e) / len(e)))
        found = found.reset_index()
    return found[columns]


def unsettled(rows):
    """Return which summaries are of chains that disagree, or of one with few effective draws."""
    alone = rows["n_chains"] == 1
    return (rows["rhat"] > AGREED) | (alone & ~(rows["ess"] >= MIN_EFFECTIVE))


# ---- The numbers that Zanella et al. (2016) print, or draw in vector graphics ----------------


@dataclass(frozen=True)
class Published(PublishedNumbers):
    """The published numbers of this paper."""

    FILES = {
        "micro_table1": ("role", "delta", "system", "metric", "value"),
        "micro_fig1": ("system", "n_items", "max_size"),
        "micro_fig2": ("role", "delta", "system", "statistic", "truth", *BOX),
        "micro_fig3": ("role", "size", "count"),
    }

    #: (role, delta, system, metric) to value. System ``truth`` with metric ``K`` is the true number
    #: of clusters, and ``sd[K]`` is what the paper calls the posterior standard error.
    table1: dict
    #: `system`, `n_items` (to within one), `max_size`: draws read off the vector graphics.
    fig1: pd.DataFrame
    #: `role`, `delta`, `system`, `statistic`, `truth` and :data:`BOX`, read off the graphics.
    fig2: pd.DataFrame
    #: `role`, `size`, `count`: true numbers of clusters by size (supplement, Figure 1).
    fig3: pd.DataFrame

    @classmethod
    def of(cls, table1, *figures):
        """Return the numbers, with Table 1 keyed by its cells and the figures left as frames."""
        return cls(keyed(table1), *figures)

    def true_clusters(self, role, delta):
        """Return the true number of clusters of a set, as Table 1 prints it."""
        return self.table1[role, delta, "truth", "K"]

    def true_singletons(self, role):
        """Return the true number of singletons of a set, the dashed line of Figure 2."""
        boxes = self.fig2[(self.fig2["role"] == role) & (self.fig2["statistic"] == "n_singletons")]
        return float(boxes["truth"].iloc[0])

    def cells(self):
        """Return the (role, delta) pairs of the twelve variants, in the order of Table 1."""
        return list(dict.fromkeys(cell[:2] for cell in self.table1))


# ---- Rule that decides when a number of Table 1 counts as reproduced -------------------------
#
# Each number is printed from a single data draw that is not public. The rule is said in words where
# Table 1 is declared; of the differences that it allows, .005 is rounding.

#: Standard errors that are allowed for E[K] and E[delta].
STANDARD_ERRORS = 3.0
#: Shares of the printed number that are allowed for E[K] and sd[K], and differences for the others.
SHARE, SPREAD, RATE, CONCENTRATION = 0.01, 0.25, 0.03, 0.015


def agrees(metric, difference, published, combined):
    """Return whether a number agrees with the published one; `combined` is NaN for one draw."""
    gap = abs(difference)
    if metric in (E_K.name, E_DELTA.name) and gap <= STANDARD_ERRORS * combined:
        return True
    allowed = {E_K.name: SHARE * published, SD_K.name: SPREAD * published}
    allowed[E_DELTA.name] = CONCENTRATION
    # A small margin is added because .07 - .04 exceeds .03 in floating point.
    return bool(gap <= allowed.get(metric, RATE) + 1e-9)
