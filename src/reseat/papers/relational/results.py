"""The result files of this family, and the names and numbers that the paper prints."""

from dataclasses import dataclass
from functools import partial

from reseat.papers import tables
from reseat.papers.published import PublishedNumbers
from reseat.papers.tables import read_frames

# ---- The result files of this family, and the names under which the paper prints its models ----

#: Role of the paper's set, and the names in words of all roles.
MAIN = "adjectives"
ROLES = {
    MAIN: "adjectives and nouns",
    "english": "English adjectives and nouns",
    "svo": "subjects, verbs and objects",
    "words": "adjectives, nouns and verbs",
    "animals": "animals and features",
    "nations": "nations",
    "kinship": "kinship",
    "umls": "medical terms",
}

#: Split a frame by data set, in the order of :data:`ROLES`.
by_dataset = partial(tables.by_dataset, order=tuple(ROLES))

#: Names of the rows and of the columns of a table of pairs, by role.
SIDES = dict.fromkeys((MAIN, "english"), ("adjectives", "nouns"))

#: The two models, in the paper's order.
MODELS = {"irm": "IRM", "firm": "FIRM"}

#: Controls with which a clustering is compared, and what follows the name of the model in print.
CONTROLS = {
    "": "",
    "same_numbers": " with the IRM's numbers",
    "random": ", random of the same sizes",
}

#: Initialisations of q(z). The paper's restarts are random, but it does not say from what they are
#: drawn.
STARTS = {
    "dirichlet_01": "Dirichlet(0.1) start",
    "dirichlet_1": "Dirichlet(1) start",
    "hard": "hard start",
    "k_means_merged": "K-means start and merges",
    "k_means": "K-means start",
}

#: The start that the figures show and the claims are judged on (of the random ones, that with
#: which the numbers of clusters come closest to the printed ones).
START = "dirichlet_01"

#: Which pairs are counted: all, as in the paper's definition, or those that occur.
PAIRS = {"all": "all pairs", "observed": "observed pairs"}

#: beta of Figures 2 to 4 and Table 1, and the three of Figure 5, in the paper's order.
BETA, BETAS = 0.1, (1.0, 0.1, 0.01)

_SET = "dataset status role model"
_RUN = f"{_SET} beta initialisation control"
#: ``aspect`` is the fit of the aspect model by whose classes a partition is scored, 0 the best.
_PARTITION = f"{_RUN} draw pairs aspect restart best"
_CLUSTERS = "n_row_clusters n_column_clusters"

#: Columns of each kind of result files.
COLUMNS = {
    "restarts": f"{_RUN} restart best elbo elbo_full n_iter converged seconds {_CLUSTERS}",
    "coverage": f"{_PARTITION} {_CLUSTERS} n_cells covered n_classes coverage n_ties",
    "purity": f"{_PARTITION} i purity",
    "classes": f"{_SET} control pairs sam_class share",
    "cells": f"{_SET} row_cluster column_cluster n_rows n_columns n_observed tokens purity "
    "n_classes row_words column_words",
    "sam": "dataset status log_likelihood n_iter converged",
    "predictive": f"{_SET} method run {_CLUSTERS} log_predictive auc seconds rhat",
    "joint": f"{_SET} relation n_cells n_linked together apart gain gain_se auc_together auc_apart",
    "types": f"{_SET} relation type restart best elbo n_entities n_clusters seconds largest words "
    "nmi",
}


def read_results(paths, kind):
    """Return several result files of one kind as one frame."""
    words = ("control", "row_words", "column_words", "words")
    return read_frames(paths, COLUMNS[kind].split(), kind, words, flags=["converged", "best"])


def label(model, control="", beta=BETA, initialisation=START, pairs="all"):
    """Return the printed name of a partition, with its differences from the paper's setting."""
    parts = (
        MODELS[model] + CONTROLS[control],
        "" if beta == BETA else f"beta = {beta:g}",
        "" if initialisation == START else STARTS[initialisation],
        "" if pairs == "all" else PAIRS[pairs],
    )
    return ", ".join(filter(None, parts))


def with_elbo(frame, restarts):
    """Return the rows of `coverage` or `purity` of known restarts, with the ELBO of the restart."""
    keys = [name for name in (*_RUN.split(), "restart") if name not in ("status", "role")]
    return frame.merge(restarts[[*keys, "elbo"]].drop_duplicates(keys), on=keys, how="inner")


# ---- The numbers and words that Kurihara et al. (2006) print ---------------------------------


@dataclass(frozen=True)
class Published(PublishedNumbers):
    """The published numbers of this paper, whose text gives none for its curves."""

    FILES = {
        "firm_setup": ("quantity", "value"),
        "firm_models": ("model", "quantity", "value"),
        "firm_fig1": ("quantity", "value"),
        "firm_table1": ("side", "words"),
    }

    #: Sizes, truncations, hyperparameters, ``restarts``, ``minutes a restart``, SAM's ``classes``.
    setup: dict
    #: (model, quantity) to value at beta = 0.1: clusters, ``covered`` classes, ``coverage``.
    models: dict
    #: ``row clusters`` and ``column clusters`` of the toy table, and its ``rows`` and ``columns``.
    fig1: dict
    #: Words of the printed clusters of ``adjectives`` and of ``nouns``.
    table1: dict

    def beside(self, model, initialisation=START, beta=0.1):
        """Return quantity to value for a model as the paper ran it, otherwise an empty dict."""
        if initialisation != START or beta != self.setup["beta"]:
            return {}
        return {name: value for (of, name), value in self.models.items() if of == model}
