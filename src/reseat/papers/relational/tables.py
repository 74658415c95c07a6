"""Tables of cells, restarts, coverage, purity, sorted tables, and of Gibbs sampling."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd

from reseat.metrics import adjusted_rand
from reseat.papers.enumerated import check_table
from reseat.papers.relational import results
from reseat.papers.tables import mean_and_error, read_frames, rows_of, tidy, tidy_row
from reseat.summaries import AGREED
from reseat.variational.restarts import best_restart
from reseat.vocabulary import GENERATED, NOT_CONVERGED, NOTE

#: Additional columns: the range over restarts or random draws.
RANGE = ("lowest", "highest")

_SIDES = ("row", "column")


def _ranged(identity, system, summary, name, values, spread, n, printed=None):
    """Return the row of the mean of some values, with the range of others."""
    found = (*mean_and_error(values)[:2], n)
    row = tidy_row(identity, system, summary, name, found, (printed or {}).get(name, np.nan))
    return row | dict(zip(RANGE, (spread.min(), spread.max()), strict=True))


def _groups(frame, names, order):
    """Return the groups of a frame by the values of some columns, ordered by a function of them."""
    groups = frame.groupby([*names], sort=False)
    return sorted(groups, key=lambda group: order(*group[0]))


def _place(names, name):
    """Return the place of a name among others, which comes last if it is not one of them."""
    names = list(names)
    return names.index(name) if name in names else len(names)


# ---- Tables of unspecific cells, of all restarts, and of relations of more than two types ----

#: Number of the largest cells, and of those among them of the lowest S_1 shown (Table 1).
N_LARGEST, N_SHOWN = 20, 5
#: Number of words that name a cluster, and the longest text, in characters, that names the clusters
#: of a type.
N_WORDS, MAX_LETTERS = 5, 80

CELL_EXTRA = ("row_cluster", "column_cluster", "row_words", "column_words")
TYPE_EXTRA = ("relation", "type", "words")
JOINT_EXTRA = ("relation", "n_cells", "n_linked")

#: Metrics of the tables of cells, of types and of joint relations, and their columns.
CELLS = {
    "S_1": "purity",
    "classes of its pairs": "n_classes",
    "rows": "n_rows",
    "columns": "n_columns",
    "observed pairs": "n_observed",
    "tokens": "tokens",
}
TYPES = {
    "entities": "n_entities",
    "clusters": "n_clusters",
    "largest cluster": "largest",
    "NMI": "nmi",
    "ELBO": "elbo",
    "seconds": "seconds",
}
JOINT = {
    "log predictive, together": "together",
    "log predictive, apart": "apart",
    "gain": "gain",
    "AUC, together": "auc_together",
    "AUC, apart": "auc_apart",
}


@tidy(NOTE, *CELL_EXTRA)
def cells_table(artefact, cells):
    """Return Table 1: the :data:`N_SHOWN` of the largest cells whose pairs have the lowest S_1."""
    for identity, part in results.by_dataset(cells, artefact):
        for model in ("firm", "irm"):
            own = rows_of(part, model=model).nlargest(N_LARGEST, "tokens")
            for cell in own.nsmallest(N_SHOWN, "purity").to_dict("records"):
                # Without words, which are results: a row must be found again in other runs.
                places = _times(cell["row_cluster"], cell["column_cluster"])
                system = f"{results.MODELS[model]} {places}"
                note = _times(shortened(cell["row_words"]), shortened(cell["column_words"]))
                extra = {NOTE: note, **{key: cell[key] for key in CELL_EXTRA}}
                for name, column in CELLS.items():
                    found = (float(cell[column]), np.nan, 1)
                    yield tidy_row(identity, system, "best restart", name, found) | extra


def _times(first, second):
    return f"{first} \N{MULTIPLICATION SIGN} {second}"


def shortened(words):
    """Return the first few of some words that are separated by commas."""
    found = [word.strip() for word in words.split(",") if word.strip()]
    return ", ".join(found[:N_WORDS])


@tidy(*RANGE)
def restarts_table(artefact, restarts, sam, published):
    """Return ELBO, numbers of clusters and time of all restarts, and the starts of SAM."""

    def order(_model, beta, start, control):
        places = _place(results.CONTROLS, control), _place(results.STARTS, start)
        return (*places, beta != results.BETA, -beta)

    keys = ("model", "beta", "initialisation", "control")
    for identity, part in results.by_dataset(restarts.astype({"converged": float}), artefact):
        for model in results.MODELS:
            for (_model, beta, start, control), own in _groups(
                rows_of(part, model=model), keys, order
            ):
                printed = {}
                if identity["role"] == results.MAIN and control == "":
                    seconds = 60 * published.setup["minutes a restart"]
                    printed = published.beside(model, start, beta) | {"seconds": seconds}
                best = own.iloc[[best_restart(own["elbo"])]]
                numbers = {
                    "best ELBO": (best, "elbo"),
                    "mean ELBO": (own, "elbo"),
                    "row clusters": (best, "n_row_clusters"),
                    "column clusters": (best, "n_column_clusters"),
                    "iterations": (own, "n_iter"),
                    "converged": (own, "converged"),
                    "seconds": (own, "seconds"),
                }
                system = results.label(model, control, beta, start)
                yield from _of_restarts(identity, system, own, numbers, printed)
        starts = () if sam is None else rows_of(sam, dataset=identity["dataset"])
        if len(starts) > 0:
            own = starts.astype({"converged": float})
            numbers = {
                "best log likelihood": (own.nlargest(1, "log_likelihood"), "log_likelihood"),
                "iterations": (own, "n_iter"),
                "converged": (own, "converged"),
            }
            yield from _of_restarts(identity, "SAM", own, numbers)


def _of_restarts(identity, system, own, numbers, printed=None):
    for name, (rows, column) in numbers.items():
        of = (rows[column], own[column], len(own), printed)
        yield _ranged(identity, system, "restarts", name, *of)


@tidy(NOTE, *TYPE_EXTRA)
def types_table(artefact, types):
    """Return the clusters of relations with more than two types, or a type at several places."""
    for identity, part in results.by_dataset(types, artefact):
        for model, name in results.MODELS.items():
            for kind, group in rows_of(part, model=model).groupby("type", sort=False):
                restarts = group.drop_duplicates("restart")
                best = rows_of(restarts, best=True).iloc[:1]
                extra = best[list(TYPE_EXTRA)].iloc[0].to_dict()
                words = extra["words"]
                if len(words) > MAX_LETTERS:
                    words = words[:MAX_LETTERS].rsplit(",", 1)[0] + ", \N{HORIZONTAL ELLIPSIS}"
                for metric, column in TYPES.items():
                    values = (restarts if column == "seconds" else best)[column]
                    mean, error, n_finite = mean_and_error(values)
                    if n_finite:
                        found = (mean, error, len(restarts))
                        row = tidy_row(identity, f"{name}, {kind}", "best restart", metric, found)
                        yield row | {NOTE: words, **extra}


@tidy(*JOINT_EXTRA)
def joint_table(artefact, joint):
    """Return how well held-out cells are predicted from all relations, and each alone, in nats."""
    for identity, part in results.by_dataset(joint, artefact):
        for cell in part.to_dict("records"):
            system = f"{results.MODELS[cell['model']]}, {cell['relation']}"
            for metric, column in JOINT.items():
                found = (cell[column], cell.get(f"{column}_se", np.nan), 1)
                row = tidy_row(identity, system, "best restart", metric, found)
                yield row | {name: cell[name] for name in JOINT_EXTRA}


# ---- The classes that the cells of a co-clustering cover, and the purity of the cells --------

#: Metrics of the table of coverage, under the paper's names, and their columns; ``S_1`` comes from
#: the purity curves.
METRICS = {
    "coverage": "coverage",
    "covered": "covered",
    "row clusters": "n_row_clusters",
    "column clusters": "n_column_clusters",
    "cells": "n_cells",
    "ties": "n_ties",
    "S_1": "purity",
}


@tidy("pairs", "control", *RANGE)
def coverage_table(artefact, coverage, purity, published):
    """Return the classes covered, numbers of clusters and purity of every partition and control."""
    coverage, first = rows_of(coverage, aspect=0), rows_of(purity, i=1, aspect=0)
    for identity, part in results.by_dataset(coverage, artefact):
        for key, group in _partitions(part):
            curves = rows_of(first, dataset=identity["dataset"], **key)
            printed, pairs, control = {}, key["pairs"], key["control"]
            if identity["role"] == results.MAIN and pairs == "all" and control == "":
                printed = published.beside(key["model"], key["initialisation"], key["beta"])
            is_random = control == "random"
            summary = "mean over draws" if is_random else "best restart"
            for name, column in METRICS.items():
                scored = curves if column == "purity" else group
                frame = scored if is_random else scored[scored["best"]]
                if len(frame) == 0:
                    continue
                counted = frame["draw"].nunique() if is_random else group["restart"].nunique()
                of = (name, frame[column], scored[column], counted, printed)
                row = _ranged(identity, results.label(**key), summary, *of)
                yield row | {"pairs": pairs, "control": control}


def _partitions(frame):
    """Yield the groups of partitions, ordered by pairs, beta and start, model, and control."""

    def order(model, beta, start, control, pairs):
        others = (results.BETAS, beta), (results.MODELS, model), (results.CONTROLS, control)
        # The paper's beta and start come first.
        first = (_place(results.PAIRS, pairs), beta != results.BETA, start != results.START)
        return (*first, *(_place(*of) for of in others))

    names = ("model", "beta", "initialisation", "control", "pairs")
    for key, group in _groups(frame, names, order):
        yield dict(zip(names, key, strict=True)), group


def classes_table(artefact, classes):
    """Return Figure 4: share of the cells that each class covers, ranked by the FIRM's share."""
    ranked = []
    for identity, part in results.by_dataset(classes, artefact):
        for pairs in results.PAIRS:
            shown = rows_of(part, pairs=pairs)
            order = rows_of(shown, model="firm", control="").sort_values(
                ["share", "sam_class"], ascending=[False, True]
            )
            rank = pd.Series(np.arange(1, len(order) + 1), order["sam_class"])
            systems = shown.groupby(["model", "control"])["share"]
            found = {**identity, **shown[["pairs", "model", "control"]]}
            found["system"] = list(map(results.label, shown["model"], shown["control"]))
            found |= {"sam_class": shown["sam_class"], "rank": shown["sam_class"].map(rank)}
            found["share"] = shown["share"]
            found["covered"] = systems.transform(lambda share: int((share > 0).sum()))
            table = pd.DataFrame(found | {"n_classes": systems.transform("size")})
            ranked.append(table.sort_values(["model", "control", "rank"], kind="stable"))
    return pd.concat(ranked, ignore_index=True)


def purity_table(artefact, purity):
    """Return Figure 5: S_i of the best restarts and, with their range, of random partitions."""
    chosen = rows_of(purity, initialisation=results.START, best=True, aspect=0)
    parts = []
    for identity, part in results.by_dataset(chosen, artefact):
        for key, group in _partitions(part):
            kept = {name: key[name] for name in ("pairs", "beta", "model", "control")}
            system = results.label(key["model"], key["control"])
            curve = group.groupby("i")["purity"].agg(
                purity="mean", low="min", high="max", n_draws="size"
            )
            parts.append(
                pd.DataFrame({**identity, **kept, "system": system, **curve.reset_index()})
            )
    return pd.concat(parts, ignore_index=True)


# ---- Tables of pairs before and after their rows and columns are sorted by cluster -----------


def read_sorted(path):
    """Read a file ``sorted_MODEL.npz``, from `sort_pairs`; its folder has the name of the data."""
    found = read_toy(path)
    found.dataset = Path(path).parent.name
    return found


def read_toy(path):
    """Read the file ``toy.npz``, from `sort_toy`."""
    with np.load(path) as arrays:
        return SimpleNamespace(**arrays)


@tidy()
def toy_table(artefact, toy, published):
    """Return Figure 1: clusters found in the toy table, and their ARI with those planted."""
    identity = {"artefact": artefact, "role": "toy", "dataset": "toy_blocks", "status": GENERATED}
    for side, size in zip(_SIDES, toy.matrix.shape, strict=True):
        true, found = getattr(toy, f"{side}_true"), getattr(toy, f"{side}_found")
        numbers = {
            f"{side}s": size,
            f"{side} clusters": len(np.unique(found)),
            f"{side} ARI": adjusted_rand(true, found),
        }
        for name, value in numbers.items():
            given = (float(value), np.nan, 1)
            printed = published.get(name, np.nan)
            yield tidy_row(identity, "FIRM", "best restart", name, given, printed)


@tidy(*RANGE, "n_observed")
def blocks_table(artefact, model, restarts, found, published):
    """Return Figures 2 and 3: numbers of clusters of the best restart under every start."""
    n_observed = {of.dataset: len(of.rows) for of in found}
    own = rows_of(restarts, model=model, control="", beta=published.setup["beta"])
    own = own[own["dataset"].isin(list(n_observed))]
    for identity, part in results.by_dataset(own, artefact):
        for (start,), group in _groups(
            part, ["initialisation"], lambda start: _place(results.STARTS, start)
        ):
            printed = published.beside(model, start) if identity["role"] == results.MAIN else {}
            best = group.iloc[[best_restart(group["elbo"])]]
            system = results.label(model, initialisation=start)
            for side in _SIDES:
                column = f"n_{side}_clusters"
                of = (f"{side} clusters", best[column], group[column], len(group), printed)
                row = _ranged(identity, system, "best restart", *of)
                yield row | {"n_observed": n_observed[identity["dataset"]]}


# ---- Comparison of variational inference with Gibbs sampling, which the paper calls too slow ----

METHODS = {"vb": "variational", "gibbs": "collapsed Gibbs"}

_BOUND = ("model", "elbo", "log_evidence")


def read_bound(path):
    """Read the file ``bound.csv``; see `read_frames`."""
    return read_frames([path], _BOUND, "bounds")


def inference_table(artefact, predictive, enumeration, bound):
    """Return held-out predictions and seconds of both methods, and both against enumeration."""
    parts = [part for _identity, part in results.by_dataset(predictive, artefact)]
    runs = pd.concat(parts)
    runs = runs.assign(
        part="held-out",
        system=runs["model"].map(results.MODELS) + ", " + runs["method"].map(METHODS),
        **{NOTE: np.where(runs["rhat"] > AGREED, NOT_CONVERGED, "")},
    )
    checked = check_table(artefact, enumeration).assign(part="enumeration")
    gap = bound["log_evidence"] - bound["elbo"]
    below = bound[list(_BOUND)].assign(status=GENERATED, part="bound", gap=gap)
    enumerated = [of.assign(dataset="tables that can be enumerated") for of in (checked, below)]
    table = pd.concat([runs, *enumerated], ignore_index=True).assign(artefact=artefact)
    front = ["artefact", "dataset", "status", "part", "system"]
    return table[[*front, *(name for name in table.columns if name not in front)]]
