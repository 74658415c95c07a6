"""Small data frames in the formats of the relational family, with known effects."""

import itertools
from types import SimpleNamespace

import numpy as np
import pandas as pd
from places import ROOT

from reseat.papers.relational.plan import BETTER
from reseat.papers.relational.results import BETAS, START, Published

PUBLISHED = Published.load(ROOT / "config" / "published")

N_CLASSES = 50

#: Starts beside the one that is judged.
OTHERS = (BETTER, "hard", "dirichlet_1")

#: Clusters of rows and columns, classes covered and S_1 of each (model, control), as the paper
#: claims; the control with the IRM's numbers of clusters keeps most of the lead.
SYSTEMS = {
    ("irm", ""): ((13, 61), 43, 0.35),
    ("firm", ""): ((45, 107), 50, 0.55),
    ("firm", "same_numbers"): ((13, 61), 47, 0.45),
    ("irm", "random"): ((13, 61), 20, 0.15),
    ("firm", "random"): ((45, 107), 24, 0.18),
}


def changed(key, **given):
    """Return the systems, one of them with other `clusters`, `covered` or `first` (S_1)."""
    values = dict(zip(("clusters", "covered", "first"), SYSTEMS[key], strict=True)) | given
    return SYSTEMS | {key: tuple(values.values())}


def settings():
    """Return (beta, start) of every fit.

    Each beta is used with the first start, and each start with beta = 0.1.
    """
    return [(beta, START) for beta in BETAS] + [(0.1, start) for start in OTHERS]


def _identity(model, beta, start, control, role="adjectives", status="stand-in", dataset="pairs"):
    return {
        **{"dataset": dataset, "status": status, "role": role, "model": model},
        **{"beta": beta, "initialisation": start, "control": control},
    }


def _cells(control):
    if control == "":
        return settings()
    return [(0.1, start) for start in (START, *(OTHERS if control == "random" else (BETTER,)))]


def restarts(n_restarts=6, systems=None, **identity):
    """Return restarts, each better than the one before; numbers of clusters vary by one."""
    rows = []
    for (model, control), (clusters, _covered, _first) in (systems or SYSTEMS).items():
        for beta, start in _cells(control) if control != "random" else ():
            for restart in range(n_restarts):
                best = restart == n_restarts - 1
                row = _identity(model, beta, start, control, **identity)
                row |= {"restart": restart, "best": best, "elbo": -1000.0 + restart}
                row |= {"elbo_full": -3000.0 + restart, "n_iter": 100, "converged": True}
                row |= {"seconds": 20.0 + restart, "n_row_clusters": clusters[0] - (not best)}
                rows.append(row | {"n_column_clusters": clusters[1] - restart % 2 * (not best)})
    return pd.DataFrame(rows)


def _partitions(n_restarts, n_draws, systems, identity):
    """Yield identity, clusters, classes covered and S_1 of each partition; restarts are similar."""
    rng = np.random.default_rng(21)
    for (model, control), (clusters, covered, first) in (systems or SYSTEMS).items():
        for beta, start in _cells(control):
            count = n_draws if control == "random" else n_restarts
            for place in range(count):
                random = control == "random"
                best = random or place == n_restarts - 1
                base = _identity(model, beta, start, control, **identity)
                base |= {"draw": place * random, "restart": place * (not random)}
                shift = 0.004 * rng.standard_normal() * (random or not best)
                for pairs, more in (("all", 0.0), ("observed", 0.05)):
                    of = base | {"pairs": pairs, "aspect": 0, "best": best}
                    yield of, clusters, covered, first + shift + more


def coverage(n_restarts=6, n_draws=5, systems=None, **identity):
    """Return `coverage.csv`."""
    rows = []
    for base, clusters, covered, _first in _partitions(n_restarts, n_draws, systems, identity):
        found = covered - base["draw"] % 2
        row = base | {"n_row_clusters": clusters[0], "n_column_clusters": clusters[1]}
        row |= {"n_cells": clusters[0] * clusters[1], "covered": found, "n_classes": N_CLASSES}
        rows.append(row | {"coverage": found / N_CLASSES, "n_ties": 3})
    return pd.DataFrame(rows)


def purity(n_restarts=6, n_draws=5, systems=None, **identity):
    """Return `purity.csv`, where S_i rises linearly from S_1 to 1."""
    rows = []
    for base, _clusters, _covered, first in _partitions(n_restarts, n_draws, systems, identity):
        for i in range(1, N_CLASSES + 1):
            value = first + (1 - first) * (i - 1) / (N_CLASSES - 1)
            rows.append(base | {"i": i, "purity": value})
    return pd.DataFrame(rows)


def classes(status="stand-in", role="adjectives"):
    """Return `classes.csv`, where the IRM misses the last seven classes.

    Shares fall with the number of the class under the FIRM and rise under the IRM.
    """
    rows = []
    for (model, control), (_clusters, covered, _first) in SYSTEMS.items():
        share = np.where(np.arange(N_CLASSES) < covered, 0.95 ** np.arange(N_CLASSES), 0.0)
        if model == "irm":
            share[:covered] = share[:covered][::-1]
        for pairs in ("all", "observed"):
            base = _identity(model, 0.1, START, control, role, status)
            base = {key: base[key] for key in ("dataset", "status", "role", "model", "control")}
            for number in range(N_CLASSES):
                row = {"pairs": pairs, "sam_class": number, "share": share[number] / share.sum()}
                rows.append(base | row)
    return pd.DataFrame(rows)


def cells(n_specific=300, n_vague=60, vague=0.3, status="stand-in"):
    """Return `cells.csv` of both models: small pure cells and large impure ones, Japanese words."""
    rows = []
    for model, place in itertools.product(("irm", "firm"), range(n_specific + n_vague)):
        great = place < n_vague
        row = {"dataset": "pairs", "status": status, "role": "adjectives", "model": model}
        row |= {"row_cluster": place // 20, "column_cluster": place % 20, "n_classes": 12}
        row |= {"n_rows": 40 if great else 10, "n_columns": 50 if great else 10}
        row |= {"n_observed": 900 - place, "tokens": 5000 - place}
        row |= {"purity": vague + 0.001 * place if great else 0.9}
        row |= {"row_words": "新しい, よい, 違う, 大きい, 小さい, 白い"}
        rows.append(row | {"column_words": "もの, こと, 所"})
    return pd.DataFrame(rows)


def sam():
    """Return `sam.csv` of four starts."""
    return pd.DataFrame(
        {"dataset": "pairs", "status": "stand-in", "start": range(4), "n_iter": 200}
        | {"log_likelihood": [-5e6, -4.99e6, -5.02e6, -5.01e6], "converged": True}
        | {"best": [False, True, False, False]}
    )


def predictive(gap=0.0, times=50.0, roles=("adjectives",), n_runs=(6, 4), status="stand-in"):
    """Return runs of both methods.

    Variational inference is ahead by `gap`, and a chain takes `times` as long as a restart.
    """
    rng = np.random.default_rng(22)
    rows = []
    for role in roles:
        dataset = "pairs" if role == "adjectives" else role
        for model, level in (("firm", -0.31), ("irm", -0.16)):
            for method, n, seconds in (("vb", n_runs[0], 20.0), ("gibbs", n_runs[1], 20 * times)):
                for run in range(n):
                    value = level + gap * (method == "vb") + 1e-5 * rng.standard_normal()
                    row = {"dataset": dataset, "status": status, "role": role, "model": model}
                    row |= {"method": method, "run": run, "log_predictive": value, "auc": 0.85}
                    row |= {"n_row_clusters": 40, "n_column_clusters": 90}
                    row |= {"seconds": seconds * np.exp(0.05 * rng.standard_normal())}
                    rows.append(row | {"rhat": np.nan if method == "vb" else 1.01})
    return pd.DataFrame(rows)


def enumeration(n_sweeps=20_000):
    """Return visits to the joint partitions of a table of three by two under both models."""
    rng = np.random.default_rng(23)
    parts = itertools.product(("000", "001", "010", "011", "012"), ("00", "01"))
    names = [f"{row}|{column}" for row, column in parts]
    frames = []
    for model in ("FIRM", "IRM"):
        exact = np.sort(rng.dirichlet(np.ones(len(names))))[::-1]
        columns = {"prior": f"{model}, DP", "partition": names, "exact": exact}
        columns["count"] = rng.multinomial(n_sweeps, exact)
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)


def bound():
    """Return the ELBO below the log evidence, with the reference values of a small table."""
    return pd.DataFrame(
        {"model": ["firm", "irm"], "elbo": [-85.468, -55.304], "log_evidence": [-73.446, -45.937]}
    )


def types(role="svo", kinds=("subject", "verb", "object"), known=False, n_restarts=3):
    """Return `types.csv`, where the last restart is the best and the only one with words."""
    rows = []
    for model, restart, kind in itertools.product(("irm", "firm"), range(n_restarts), kinds):
        best = restart == n_restarts - 1
        row = {"dataset": role, "status": "stand-in", "role": role, "model": model}
        row |= {"relation": "acts, likes", "type": kind, "restart": restart, "best": best}
        row |= {"elbo": -500.0 + restart, "n_entities": 300, "n_clusters": 12 + restart}
        row |= {"seconds": 2.0 + restart, "largest": 80 if best else np.nan}
        row |= {"words": "人, 私, 彼; 犬, 猫" if best else ""}
        rows.append(row | {"nmi": 0.7 if known and best else np.nan})
    return pd.DataFrame(rows)


def joint(gain=0.01, status="faithful"):
    """Return `joint.csv`, with the same gain for every model and relation."""
    rows = []
    for model, relation in itertools.product(("irm", "firm"), ("describes", "subject_of")):
        row = {"dataset": "words", "status": status, "role": "words", "model": model}
        row |= {"relation": relation, "n_cells": 500, "n_linked": 40, "together": -0.2 + gain}
        row |= {"apart": -0.2, "gain": gain, "gain_se": 0.002}
        rows.append(row | {"auc_together": 0.8, "auc_apart": 0.7})
    return pd.DataFrame(rows)


def sorted_pairs(shape=(60, 90), n_clusters=(4, 6), density=0.15, seed=24):
    """Return sorted pairs whose dots are dense in some cells."""
    rng = np.random.default_rng(seed)
    edges = [
        np.r_[0, np.sort(rng.choice(np.arange(1, size), number - 1, replace=False)), size]
        for size, number in zip(shape, n_clusters, strict=True)
    ]
    rates = density * rng.gamma(0.5, 2.0, n_clusters)
    place = [np.repeat(np.arange(len(edge) - 1), np.diff(edge)) for edge in edges]
    dots = rng.random(shape) < rates[np.ix_(*place)]
    rows, columns = np.nonzero(dots)
    found = {"rows": rows, "columns": columns, "row_edges": edges[0], "column_edges": edges[1]}
    return SimpleNamespace(dataset="pairs", shape=shape, **found)


def toy():
    """Return a shuffled table of ten by ten in three by three blocks, with its partitions."""
    rng = np.random.default_rng(25)
    true = [np.repeat([0, 1, 2], [4, 3, 3])[rng.permutation(10)] for _side in range(2)]
    links = np.array([[1, 0, 0], [0, 1, 0], [1, 0, 1]])[np.ix_(*true)]
    order = [np.argsort(labels, kind="stable") for labels in true]
    edges = np.array([0, 4, 7, 10])
    return SimpleNamespace(
        **{"matrix": links, "row_order": order[0], "column_order": order[1]},
        **{"row_edges": edges, "column_edges": edges, "row_true": true[0]},
        **{"row_found": true[0], "column_true": true[1], "column_found": (true[1] + 1) % 3},
    )
