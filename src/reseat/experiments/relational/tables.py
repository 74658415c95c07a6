"""Tables of unspecific cells, of all restarts, and of relations of more than two types."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseat.errors import DataError
from reseat.experiments.relational.results import CONTROLS, MAIN, MODELS, STARTS, by_dataset, label
from reseat.experiments.tidy import COLUMNS, mean_and_error, rows_of, tidy_row
from reseat.variational.best import best_restart
from reseat.vocabulary import NOTE

#: Number of cells with the most tokens that are considered, and of those among them with the lowest
#: S_1 that are shown (Table 1).
N_LARGEST, N_SHOWN = 20, 5
#: Number of words that name a cluster, and the longest text, in characters, that names the clusters
#: of a type.
N_WORDS, LONGEST = 5, 80

#: Columns of Table 1 in addition to the shared ones.
CELL_EXTRA = ("row_cluster", "column_cluster", "row_words", "column_words")
#: Columns of the table of restarts in addition to the shared ones.
RESTART_EXTRA = ("lowest", "highest")
#: Columns of the tables of several types in addition to the shared ones.
TYPE_EXTRA = ("relation", "type", "words")


def cells_table(artefact, cells):
    """Return Table 1: cells with many tokens whose pairs belong to many classes.

    Of the :data:`N_LARGEST` cells with the most tokens, the :data:`N_SHOWN` with the lowest S_1 are
    shown, for the FIRM and then for the IRM. The paper shows one cell, "not discovered by the SAM".
    """
    rows = []
    for identity, part in by_dataset(cells, artefact):
        for model in ("firm", "irm"):
            own = part[part["model"] == model].nlargest(N_LARGEST, "tokens")
            for cell in own.nsmallest(N_SHOWN, "purity").to_dict("records"):
                rows += _cell(identity, model, cell)
    return pd.DataFrame(rows, columns=[*COLUMNS, NOTE, *CELL_EXTRA])


def restarts_table(artefact, restarts, sam, published):
    """Return ELBO, numbers of clusters and time of all restarts, and the starts of SAM.

    ``best ELBO``, ``best log likelihood`` and the numbers of clusters are those of the best
    restart; other numbers are means over all restarts. The paper's number of seconds is an upper
    bound.
    """
    rows = []
    for identity, part in by_dataset(restarts, artefact):
        for model in MODELS:
            for key, group in _runs(part[part["model"] == model]):
                rows += _restarts(identity, model, key, group, published)
        if sam is not None:
            rows += _sam(identity, sam[sam["dataset"] == identity["dataset"]])
    return pd.DataFrame(rows, columns=[*COLUMNS, *RESTART_EXTRA])


def types_table(artefact, types):
    """Return the clusters of relations with more than two types, or a type at several places.

    A system is a model and a type; numbers are those of the best restart, except the seconds, which
    are the mean over restarts. A type that is in several relations has one clustering and is shown
    once. ``NMI`` compares with known classes, where there are any.
    """
    rows = []
    for identity, part in by_dataset(types, artefact):
        for model in (name for name in MODELS if (part["model"] == name).any()):
            own = part[part["model"] == model]
            for kind, group in own.groupby("type", sort=False):
                rows += _type(identity, model, kind, group.drop_duplicates("restart"))
    return pd.DataFrame(rows, columns=[*COLUMNS, NOTE, *TYPE_EXTRA])


def shortened(words):
    """Return the first few of some words that are separated by commas."""
    found = [word.strip() for word in words.split(",") if word.strip()]
    return ", ".join(found[:N_WORDS])


def _cell(identity, model, cell):
    rows, columns = (shortened(cell[f"{side}_words"]) for side in ("row", "column"))
    # Words are left out of the name: they are results, and a row must be found again in other runs.
    system = "{} {} \N{MULTIPLICATION SIGN} {}".format(
        MODELS[model], cell["row_cluster"], cell["column_cluster"]
    )
    note = f"{rows} \N{MULTIPLICATION SIGN} {columns}"
    numbers = {
        "S_1": cell["purity"],
        "classes of its pairs": cell["n_classes"],
        "rows": cell["n_rows"],
        "columns": cell["n_columns"],
        "observed pairs": cell["n_observed"],
        "tokens": cell["tokens"],
    }
    return [
        tidy_row(identity, system, "best restart", name, (float(value), np.nan, 1))
        | {NOTE: note, **{key: cell[key] for key in CELL_EXTRA}}
        for name, value in numbers.items()
    ]


def _runs(part):
    """Return the restarts of one model by beta, start and control, the paper's first."""
    groups = dict(list(part.groupby(["beta", "initialisation", "control"], sort=False)))
    places = {name: place for place, name in enumerate((*CONTROLS, *STARTS))}

    def place(key):
        beta, start, control = key
        return (places.get(control, 99), places.get(start, 99), beta != 0.1, -beta)

    return [(key, groups[key]) for key in sorted(groups, key=place)]


def _restarts(identity, model, key, group, published):
    beta, start, control = key
    system = label(model, control, beta, start)
    best = group.iloc[best_restart(group["elbo"])]
    printed = {}
    if identity["role"] == MAIN and control == "":
        printed = dict(published.beside(model, start, beta))
        printed["seconds"] = 60 * published.setup["minutes a restart"]
    numbers = {
        "best ELBO": ([best["elbo"]], group["elbo"]),
        "mean ELBO": (group["elbo"], group["elbo"]),
        "row clusters": ([best["n_row_clusters"]], group["n_row_clusters"]),
        "column clusters": ([best["n_column_clusters"]], group["n_column_clusters"]),
        "iterations": (group["n_iter"], group["n_iter"]),
        "converged": (group["converged"], group["converged"]),
        "seconds": (group["seconds"], group["seconds"]),
    }
    return [
        _row(identity, system, name, values, spread, len(group), printed.get(name, np.nan))
        for name, (values, spread) in numbers.items()
    ]


def _sam(identity, starts):
    if len(starts) == 0:
        return []
    numbers = {
        "best log likelihood": ([starts["log_likelihood"].max()], starts["log_likelihood"]),
        "iterations": (starts["n_iter"], starts["n_iter"]),
        "converged": (starts["converged"], starts["converged"]),
    }
    return [
        _row(identity, "SAM", name, values, spread, len(starts))
        for name, (values, spread) in numbers.items()
    ]


def _row(identity, system, name, values, spread, n_restarts, printed=np.nan):
    mean, error, _n = mean_and_error(values)
    row = tidy_row(identity, system, "restarts", name, (mean, error, n_restarts), printed)
    ends = (float(spread.min()), float(spread.max()))
    return row | dict(zip(RESTART_EXTRA, ends, strict=True))


def _type(identity, model, kind, group):
    if not group["best"].any():
        raise DataError(
            f"{identity['artefact']}: no restart of {MODELS[model]} on {identity['dataset']} is "
            "marked as the best; mark one."
        )
    best = rows_of(group, best=True).iloc[0]
    words = best["words"]
    if len(words) > LONGEST:
        words = words[:LONGEST].rsplit(",", 1)[0] + ", \N{HORIZONTAL ELLIPSIS}"
    system = f"{MODELS[model]}, {kind}"
    numbers = {
        "entities": [best["n_entities"]],
        "clusters": [best["n_clusters"]],
        "largest cluster": [best["largest"]],
        "NMI": [best["nmi"]],
        "ELBO": [best["elbo"]],
        "seconds": group["seconds"],
    }
    rows = []
    for name, values in numbers.items():
        mean, error, n_finite = mean_and_error(values)
        if n_finite:
            found = (mean, error, len(group))
            row = tidy_row(identity, system, "best restart", name, found)
            rows.append(row | {NOTE: words, **{key: best[key] for key in TYPE_EXTRA}})
    return rows
