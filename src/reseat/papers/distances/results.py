"""The scores of this family, and the names and numbers that the paper prints."""

from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
import pandas as pd

from reseat.papers.distances import PAPER_MODELS
from reseat.papers.published import Metric, PublishedNumbers
from reseat.papers.tables import read_frames

#: Numerators c of theta = c/d, numbers of dimensions and means of experiment 3.
THETAS, DIMS, MEANS = (100, 15), (3, 100), (0, 40)

#: Its settings, in the order of the panels of Figure 4.
PANELS = tuple(product(THETAS, DIMS, MEANS))


def means_role(theta, dim, mean):
    """Return the role of a setting of experiment 3, such as ``means_c100_d3_mu40``."""
    return f"means_c{theta}_d{dim}_mu{mean}"


#: Roles of the data sets, and their names in words.
ROLES = {
    "separated": "separated clusters",
    "overlapping": "overlapping clusters",
    "large": "8,000 objects",
    **{
        means_role(theta, dim, mean): f"theta = {theta}/d, d = {dim}, mean "
        + ("N(40, 0.1)" if mean else "0")
        for theta, dim, mean in PANELS
    },
    "globins": "globins",
    "globins_added": "globins and additions",
    "globins_rank30": "globins and additions, rank 30",
    "globins_scop": "SCOP globins",
    "protein213": "Protein 213",
    "families": "families",
}

#: The paper's models and WD_R from kernel PCA, and their printed names.
MODELS = dict(zip(PAPER_MODELS, ("WD", "WD_R", "WD_R (kernel PCA)", "TIWD"), strict=True))

#: Models whose chains say how many clusters hierarchical methods have; the first that ran does.
REFERENCES = ("tiwd_free", "tiwd")

#: Hierarchical methods, cut at the number of clusters of TIWD.
BASELINES = {"ward": "Ward", "complete": "CL", "single": "SL", "average": "AL"}

#: Models of experiment 1, in the order of Figure 2.
EXPERIMENT1 = ("tiwd", *BASELINES)

LESS_1, SPLITS = "d - 1 degrees of freedom", "splits and merges"

#: Other readings of what the paper leaves open: the model they vary, and what sets them apart.
READINGS = {
    "tiwd_printed": ("tiwd", "exponent as printed"),
    "tiwd_double": ("tiwd", "sums in double precision"),
    "tiwd_lambda_01": ("tiwd", "lambda = 0.1"),
    "tiwd_lambda_10": ("tiwd", "lambda = 10"),
    "tiwd_lambda_sampled": ("tiwd", "lambda sampled"),
    "tiwd_finite": ("tiwd", "at most the true number of clusters"),
    "tiwd_pyp": ("tiwd", "Pitman-Yor prior"),
    "tiwd_nbd": ("tiwd", "NBD prior"),
    "tiwd_anneal_likelihood": ("tiwd", "likelihood alone annealed"),
    "tiwd_d_half": ("tiwd", "half of d"),
    "tiwd_d_twice": ("tiwd", "twice d"),
    "tiwd_free_d_half": ("tiwd_free", "half of d"),
    "tiwd_free_d_twice": ("tiwd_free", "twice d"),
    "wdr_d_less_1": ("wdr_direct", LESS_1),
    "wdr_kpca_d_less_1": ("wdr_kpca", LESS_1),
    "wd_split": ("wd", SPLITS),
    "wdr_split": ("wdr_direct", SPLITS),
    "tiwd_split": ("tiwd", SPLITS),
}

#: Models of the paper, and those that may be judged in their place.
SPLIT, LOST = (
    {base: name for name, (base, words) in READINGS.items() if words == reading}
    for reading in (SPLITS, LESS_1)
)

#: TIWD on objects with classes, by the labels that are kept and the degrees of freedom.
HELD = {"tiwd_free": "TIWD", "tiwd": "TIWD, labels kept", "tiwd_hidden": "TIWD, some labels hidden"}
HELD |= {"tiwd_new": "TIWD, classes hidden"}
HELD |= {f"tiwd_new_d_{part}": f"TIWD, classes hidden, d / {part}" for part in (10, 50, 100)}
NEW_FEW = "tiwd_new_d_50"

ARI = Metric("ARI", "ari")

#: Where objects without a label go, if their true class has labelled objects and if it has none.
PLACES = (
    Metric("share in own class", "right"),
    Metric("share in own class, by the nearest label", "nearest"),
    Metric("share of unlabelled classes in new blocks", "apart"),
    Metric("new blocks of an unlabelled class", "blocks_each"),
)

SCORE_COLUMNS = (
    *("dataset", "status", "role", "draw", "model", "chain", "start", "partition", "n_items"),
    *("n_true", "n_clusters", "ari", "log_joint", "log_joint_true", "rhat", "at_end"),
    "seconds_per_sweep",
)

read_scores = partial(read_frames, columns=SCORE_COLUMNS, what="scores")


def final_scores(scores):
    """Return a row per (data set, draw, model, chain), with the first partition that it has."""
    found = [scores[scores["partition"] == name] for name in ("annealed", "cut", "map", "last")]
    chosen = pd.concat(found).drop_duplicates(["dataset", "draw", "model", "chain"])
    final = scores.loc[chosen.index.sort_values()]
    for dataset, part in final.groupby("dataset"):
        cut_at = next((name for name in REFERENCES if (part["model"] == name).any()), None)
        rhat = part[part["model"] == cut_at].groupby("draw")["rhat"].first()
        trees = (final["dataset"] == dataset) & (final["partition"] == "cut")
        final.loc[trees, "rhat"] = final.loc[trees, "draw"].map(rhat)
    return final


def by_draw(rows, model, column):
    """Return the values of one model, averaged over its chains on each draw that has any."""
    return rows[rows["model"] == model].groupby("draw")[column].mean().dropna()


def independent_values(rows, model, column):
    """Return the values of one model, one per draw, or one per chain if there is a single draw."""
    values = by_draw(rows, model, column)
    if len(values) == 1:
        values = rows.loc[rows["model"] == model, column].dropna()
    return np.asarray(values, dtype=float)


def at_end(rows):
    """Return on how many draws theta is at an end of its range in a chain; trees have no theta."""
    return rows.loc[rows["at_end"].isin([True, "True"]), "draw"].nunique()


def diagnostics_of(rows):
    """Return the largest R-hat of the number of clusters, and `at_end`, of some scores."""
    return {"rhat_max": rows["rhat"].max(), "at_end": at_end(rows)}


def other_models(scores, named):
    """Return the models in the scores that are not in `named`, in the order in which they ran."""
    return [model for model in scores["model"].unique() if model not in named]


def label(model):
    """Return the printed name of a model; for a reading, it includes what sets it apart."""
    if model in READINGS:
        base, words = READINGS[model]
        return f"{label(base)}, {words}"
    return {**HELD, **MODELS, **BASELINES}.get(model, model)


@dataclass(frozen=True)
class Published(PublishedNumbers):
    """The published numbers of this paper, which gives none for its box plots."""

    FILES = {
        "tiwd_setup": ("experiment", "quantity", "value"),
        "tiwd_fig3": ("metric", "value"),
        "tiwd_fig5": ("metric", "value"),
        "tiwd_scaling": ("algorithm", "axis", "exponent"),
    }

    #: By experiment and quantity: sizes of the data sets and lengths of the runs.
    setup: dict
    #: By metric, for 8,000 objects and for the globins.
    fig3: dict
    fig5: dict
    #: By algorithm and axis, ``n`` or ``k``: the exponent in theorem 1.
    scaling: dict
