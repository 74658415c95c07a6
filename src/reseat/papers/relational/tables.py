"""Tables of cells, restarts, coverage, purity, sorted tables, and of Gibbs sampling."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd

from reseat.metrics import adjusted_rand
from reseat.papers.enumerated import check_table
from reseat.papers.published import Metric
from reseat.papers.relational import results
from reseat.papers.tables import mean_and_error, read_frames, rows_of, tidy, tidy_row
from reseat.summaries import AGREED
from reseat.variational.restarts import best_restart
from reseat.vocabulary import GENERATED, NOT_CONVERGED, NOTE

# ---- Tables of unspecific cells, of all restarts, and of relations of more than two types ----

#: Number of the largest cells, and of those among them of the lowest S_1 shown (Table 1).
N_LARGEST, N_SHOWN = 20, 5
#: Number of words that name a cluster, and the longest text, in characters, that names the clusters
#: of a type.
N_WORDS, MAX_LETTERS = 5, 80

CELL_EXTRA = ("row_cluster", "column_cluster", "row_words", "column_words")
RESTART_EXTRA = ("lowest", "highest")
TYPE_EXTRA = ("relation", "type", "words")
JOINT_EXTRA = ("relation", "n_cells", "n_linked")


@tidy(NOTE, *CELL_EXTRA)
def cells_table(artefact, cells):
    """Return Table 1: the :data:`N_SHOWN` of the largest cells whose pairs have the lowest S_1."""
    for identity, part in results.by_dataset(cells, artefact):
        for model in ("firm", "irm"):
            own = part[part["model"] == model].nlargest(N_LARGEST, "tokens")
            for cell in own.nsmallest(N_SHOWN, "purity").to_dict("records"):
                yield from _cell(identity, model, cell)


@tidy(*RESTART_EXTRA)
def restarts_table(artefact, restarts, sam, published):
    """Return ELBO, numbers of clusters and time of all restarts, and the starts of SAM.

    Numbers are those of the best restart if so called, otherwise means over all.
    """
    for identity, part in results.by_dataset(restarts, artefact):
        for model in results.MODELS:
            for key, group in _runs(part[part["model"] == model]):
                yield from _restarts(identity, model, key, group, published)
        if sam is not None:
            yield from _sam(identity, sam[sam["dataset"] == identity["dataset"]])


@tidy(NOTE, *TYPE_EXTRA)
def types_table(artefact, types):
    """Return the clusters of relations with more than two types, or a type at several places.

    Numbers are those of the best restart, but mean seconds; ``NMI`` is with known classes.
    """
    for identity, part in results.by_dataset(types, artefact):
        for model in (name for name in results.MODELS if (part["model"] == name).any()):
            own = part[part["model"] == model]
            for kind, group in own.groupby("type", sort=False):
                yield from _type(identity, model, kind, group.drop_duplicates("restart"))


def shortened(words):
    """Return the first few of some words that are separated by commas."""
    found = [word.strip() for word in words.split(",") if word.strip()]
    return ", ".join(found[:N_WORDS])


def _cell(identity, model, cell):
    rows, columns = (shortened(cell[f"{side}_words"]) for side in ("row", "column"))
    # Words are left out of the name: they are results, and a row must be found again in other runs.
    system = "{} {} \N{MULTIPLICATION SIGN} {}".format(
        results.MODELS[model], cell["row_cluster"], cell["column_cluster"]
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
    places = {name: place for place, name in enumerate((*results.CONTROLS, *results.STARTS))}

    def place(key):
        beta, start, control = key
        return (places.get(control, 99), places.get(start, 99), beta != 0.1, -beta)

    return [(key, groups[key]) for key in sorted(groups, key=place)]


def _restarts(identity, model, key, group, published):
    beta, start, control = key
    system = results.label(model, control, beta, start)
    best = group.iloc[best_restart(group["elbo"])]
    printed = {}
    if identity["role"] == results.MAIN and control == "":
        printed = dict(published.beside(model, start, beta))
        printed["seconds"] = 60 * published.setup["minutes a restart"]
    numbers = {
        "best ELBO": ([best["elbo"]], "elbo"),
        "mean ELBO": (group["elbo"], "elbo"),
        "row clusters": ([best["n_row_clusters"]], "n_row_clusters"),
        "column clusters": ([best["n_column_clusters"]], "n_column_clusters"),
        "iterations": (group["n_iter"], "n_iter"),
        **{name: (group[name], name) for name in ("converged", "seconds")},
    }
    return [
        _row(identity, system, name, values, group[spread], len(group), printed.get(name, np.nan))
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
    found = (*mean_and_error(values)[:2], n_restarts)
    row = tidy_row(identity, system, "restarts", name, found, printed)
    ends = (float(spread.min()), float(spread.max()))
    return row | dict(zip(RESTART_EXTRA, ends, strict=True))


def _type(identity, model, kind, group):
    best = rows_of(group, best=True).iloc[0]
    words = best["words"]
    if len(words) > MAX_LETTERS:
        words = words[:MAX_LETTERS].rsplit(",", 1)[0] + ", \N{HORIZONTAL ELLIPSIS}"
    system = f"{results.MODELS[model]}, {kind}"
    numbers = {
        "entities": [best["n_entities"]],
        "clusters": [best["n_clusters"]],
        "largest cluster": [best["largest"]],
        "NMI": [best["nmi"]],
        "ELBO": [best["elbo"]],
        "seconds": group["seconds"],
    }
    for name, values in numbers.items():
        mean, error, n_finite = mean_and_error(values)
        if n_finite:
            found = (mean, error, len(group))
            row = tidy_row(identity, system, "best restart", name, found)
            yield row | {NOTE: words, **{key: best[key] for key in TYPE_EXTRA}}


#: Metrics of the table of relations that share a type: columns of the value and of its error.
JOINT = {
    "log predictive, together": ("together", None),
    "log predictive, apart": ("apart", None),
    "gain": ("gain", "gain_se"),
    "AUC, together": ("auc_together", None),
    "AUC, apart": ("auc_apart", None),
}


@tidy(*JOINT_EXTRA)
def joint_table(artefact, joint):
    """Return how well held-out cells are predicted from all relations, and each alone, in nats."""
    for identity, part in results.by_dataset(joint, artefact):
        for cell in part.to_dict("records"):
            system = f"{results.MODELS[cell['model']]}, {cell['relation']}"
            for metric, (value, error) in JOINT.items():
                found = (cell[value], cell[error] if error else np.nan, 1)
                row = tidy_row(identity, system, "best restart", metric, found)
                yield row | {name: cell[name] for name in JOINT_EXTRA}


# ---- The classes that the cells of a co-clustering cover, and the purity of the cells --------

COVERAGE_EXTRA = ("pairs", "control", "lowest", "highest")

#: Metrics of the table of coverage, under the paper's names; ``S_1`` comes from the purity curves.
METRICS = (
    Metric("coverage", "coverage"),
    Metric("covered", "covered"),
    Metric("row clusters", "n_row_clusters"),
    Metric("column clusters", "n_column_clusters"),
    Metric("cells", "n_cells"),
    Metric("ties", "n_ties"),
    Metric("S_1", "purity"),
)

_GROUP = ["model", "beta", "initialisation", "control", "pairs"]


@tidy(*COVERAGE_EXTRA)
def coverage_table(artefact, coverage, purity, published):
    """Return the classes covered, numbers of clusters and purity of every partition and control.

    Numbers are those of the best restart, without a standard error; for random partitions they are
    means over draws, with the standard error of the mean. `lowest` and `highest` are their range.
    Classes are those of the best fit of the aspect model, as in all tables.
    """
    coverage, first = rows_of(coverage, aspect=0), rows_of(purity, i=1, aspect=0)
    for identity, part in results.by_dataset(coverage, artefact):
        own = first[first["dataset"] == identity["dataset"]]
        for key, group in _ordered_groups(part):
            also = own[np.logical_and.reduce([own[k] == key[k] for k in _GROUP])]
            yield from _covered(identity, key, group, also, published)


def classes_table(artefact, classes):
    """Return Figure 4: share of the cells that each class covers, ranked by the FIRM's share."""
    ranked = [
        _ranked(identity, pairs, part[part["pairs"] == pairs])
        for identity, part in results.by_dataset(classes, artefact)
        for pairs in results.PAIRS
    ]
    return pd.concat(ranked, ignore_index=True)


def purity_table(artefact, purity):
    """Return Figure 5: S_i of the best restarts from the first start, and of controls, per beta.

    For random partitions, `purity` is the mean over draws, and `low` and `high` are their range.
    """
    chosen = rows_of(purity, initialisation=results.START, best=True, aspect=0)
    rows = []
    for identity, part in results.by_dataset(chosen, artefact):
        for key, group in _ordered_groups(part):
            curve = group.groupby("i")["purity"].agg(["mean", "min", "max", "size"]).reset_index()
            curve.columns = ["i", "purity", "low", "high", "n_draws"]
            kept = {name: key[name] for name in ("pairs", "beta", "model", "control")}
            system = results.label(key["model"], key["control"])
            rows.append(curve.assign(**identity, **kept, system=system))
    table = pd.concat(rows, ignore_index=True)
    front = ["artefact", "role", "dataset", "status", "pairs", "beta", "model", "control"]
    return table[[*front, "system", "i", "purity", "low", "high", "n_draws"]]


def _ordered_groups(frame):
    """Yield the groups of partitions, ordered by pairs, beta and start, model, and control."""
    keys = frame[_GROUP].drop_duplicates().to_dict("records")
    places = {"pairs": results.PAIRS, "beta": results.BETAS, "model": results.MODELS}
    places = {name: [*of] for name, of in (places | {"control": results.CONTROLS}).items()}

    def place(key):
        found = [of.index(key[name]) if key[name] in of else len(of) for name, of in places.items()]
        # The paper's beta and start come first.
        return (found[0], key["beta"] != 0.1, key["initialisation"] != results.START, *found[1:])

    for key in sorted(keys, key=place):
        yield key, frame[np.logical_and.reduce([frame[k] == key[k] for k in _GROUP])]


def _covered(identity, key, group, purity, published):
    printed = {}
    if identity["role"] == "adjectives" and key["pairs"] == "all" and key["control"] == "":
        printed = published.beside(key["model"], key["initialisation"], key["beta"])
    is_random = key["control"] == "random"
    summary = "mean over draws" if is_random else "best restart"
    for metric in METRICS:
        scored = purity if metric.column == "purity" else group
        frame = scored if is_random else scored[scored["best"]]
        if len(frame) == 0:
            continue
        counted = frame["draw"].nunique() if is_random else group["restart"].nunique()
        found = (*mean_and_error(frame[metric.column])[:2], counted)
        value = printed.get(metric.name, np.nan)
        row = tidy_row(identity, results.label(**key), summary, metric.name, found, value)
        spread = {"lowest": scored[metric.column].min(), "highest": scored[metric.column].max()}
        yield row | {"pairs": key["pairs"], "control": key["control"]} | spread


def _ranked(identity, pairs, shown):
    firm = shown[(shown["model"] == "firm") & (shown["control"] == "")]
    order = firm.sort_values(["share", "sam_class"], ascending=[False, True])["sam_class"]
    rank = {name: place + 1 for place, name in enumerate(order)}
    kept = ["model", "control", "sam_class", "share"]
    table = shown[kept].assign(**identity, pairs=pairs, rank=shown["sam_class"].map(rank))
    systems = table.groupby(["model", "control"])["share"]
    table["covered"] = systems.transform(lambda share: int((share > 0).sum()))
    table["n_classes"] = systems.transform("size")
    table["system"] = [
        results.label(model, control)
        for model, control in zip(table["model"], table["control"], strict=True)
    ]
    front = ["artefact", "role", "dataset", "status", "pairs", "model", "control", "system"]
    last = ["sam_class", "rank", "share", "covered", "n_classes"]
    return table.sort_values(["model", "control", "rank"], kind="stable")[[*front, *last]]


# ---- Tables of pairs before and after their rows and columns are sorted by cluster -----------

#: Additional columns: the range over restarts, and the number of pairs that occur.
BLOCK_EXTRA = ("lowest", "highest", "n_observed")

_SIDES = ("row", "column")


def read_sorted(path):
    """Read a file ``sorted_MODEL.npz``, from `sort_pairs`; its folder has the name of the data."""
    with np.load(path) as arrays:
        return SimpleNamespace(dataset=Path(path).parent.name, **arrays)


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


@tidy(*BLOCK_EXTRA)
def blocks_table(artefact, model, restarts, found, published):
    """Return Figures 2 and 3: numbers of clusters of the best restart under every start."""
    pairs = {of.dataset: of for of in found}
    own = rows_of(restarts, model=model, control="", beta=published.setup["beta"])
    for identity, part in results.by_dataset(own[own["dataset"].isin(list(pairs))], artefact):
        for start in (name for name in results.STARTS if (part["initialisation"] == name).any()):
            group = part[part["initialisation"] == start]
            printed = published.beside(model, start) if identity["role"] == "adjectives" else {}
            for side in _SIDES:
                values = group[f"n_{side}_clusters"]
                best = group.iloc[best_restart(group["elbo"])][f"n_{side}_clusters"]
                name = f"{side} clusters"
                given = (*mean_and_error([best])[:2], len(group))
                system = results.label(model, initialisation=start)
                value = printed.get(name, np.nan)
                row = tidy_row(identity, system, "best restart", name, given, value)
                extra = (values.min(), values.max(), len(pairs[identity["dataset"]].rows))
                yield row | dict(zip(BLOCK_EXTRA, extra, strict=True))


# ---- Comparison of variational inference with Gibbs sampling, which the paper calls too slow ----

METHODS = {"vb": "variational", "gibbs": "collapsed Gibbs"}

_BOUND = ("model", "elbo", "log_evidence")


def read_bound(path):
    """Read the file ``bound.csv``; see `read_frames`."""
    return read_frames([path], _BOUND, "bounds")


def inference_table(artefact, predictive, enumeration, bound):
    """Return held-out predictions and seconds of both methods, and both against enumeration.

    Part ``held-out`` has one row per run, ``enumeration`` one per joint partition, as in
    `check_table`, and ``bound`` one per model, in nats.
    """
    runs = []
    for identity, part in results.by_dataset(predictive, artefact):
        systems = [
            f"{results.MODELS[model]}, {METHODS[method]}"
            for model, method in zip(part["model"], part["method"], strict=True)
        ]
        apart = np.where(part["rhat"] > AGREED, NOT_CONVERGED, "")
        named = {"artefact": identity["artefact"], "part": "held-out", "system": systems}
        runs.append(part.assign(**named, **{NOTE: apart}))
    checked = check_table(artefact, enumeration).assign(
        part="enumeration", dataset="tables that can be enumerated"
    )
    below = bound[list(_BOUND)].assign(
        artefact=artefact,
        dataset="tables that can be enumerated",
        status=GENERATED,
        part="bound",
        gap=bound["log_evidence"] - bound["elbo"],
    )
    table = pd.concat([*runs, checked, below], ignore_index=True)
    front = ["artefact", "dataset", "status", "part", "system"]
    return table[[*front, *(name for name in table.columns if name not in front)]]
