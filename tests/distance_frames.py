"""Small data frames in the formats of the distances family, with known effects."""

import itertools

import numpy as np
import pandas as pd
from places import ROOT

from reseat.papers.distances.results import BASELINES, Published
from reseat.papers.distances.samplers import Trace
from reseat.papers.distances.tables import FIGURE4

PUBLISHED = Published.load(ROOT / "config" / "published")

#: Mean ARI by role and model, with the differences that the paper reports as clear.
EXPERIMENT1 = {
    "separated": dict.fromkeys(("tiwd", *BASELINES), 0.97),
    "overlapping": {"tiwd": 0.85, "ward": 0.5, "complete": 0.3, "single": 0.0, "average": 0.0},
}
#: ARI of wd, wdr_direct, wdr_kpca, tiwd with zero means, and with other means at any d.
_ZERO, _PART = (0.85, 0.7, 0.66, 0.85), (0.02, 0.6, 0.55, 0.9)
EXPERIMENT3 = {
    role: dict(
        zip(("wd", "wdr_direct", "wdr_kpca", "tiwd"), _PART if "mu40" in role else _ZERO,
            strict=True)
    )
    for role in FIGURE4
}  # fmt: skip


def score_row(role, draw, model, ari, status="faithful", chain=0, dataset=None, **given):
    """Return a row of `scores.csv`, with unremarkable values where none are given."""
    baseline = model in BASELINES
    row = {"dataset": dataset or role, "status": status, "role": role, "draw": draw}
    row |= {"model": model, "chain": chain, "start": "one"}
    row |= {"partition": "cut" if baseline else "annealed", "n_items": 500, "n_true": 10}
    row |= {"dim": 100, "theta_true": 1.0, "mean_true": 0.0, "n_clusters": 10, "ari": ari}
    row |= {"log_joint": -100.0, "log_joint_true": -90.0, "theta": np.nan if baseline else 1.0}
    row |= {"at_end": np.nan if baseline else False, "n_clusters_mean": 10.2}
    row |= {"n_clusters_sd": 0.5, "ess": 400.0, "rhat": 1.001, "seconds": 4.0}
    row |= {"seconds_per_sweep": 0.002, "n_sweeps": 2000}
    return row | given


def scores(means, n_draws=10, noise=0.01, chains=1, status="faithful", **given):
    """Return scores whose ARI is that in `means` (by role and model) plus noise of each draw."""
    rng = np.random.default_rng(10)
    rows = []
    for role, draw in itertools.product(means, range(n_draws)):
        shared = noise * rng.standard_normal()
        for model, mean in means[role].items():
            ari = min(1.0, mean + shared + 0.3 * noise * rng.standard_normal())
            of = (role, draw, model, ari, status)
            rows += [score_row(*of, chain, **given) for chain in range(chains)]
    return pd.DataFrame(rows)


def readings(clusters, n_draws=5):
    """Return scores on `overlapping` of several models, given the mean clusters of each."""
    rng = np.random.default_rng(11)
    rows = []
    for draw in range(n_draws):
        shift = rng.integers(-1, 2)
        for model, n_clusters in clusters.items():
            ari = 0.9 - 0.01 * abs(n_clusters - 10)
            given = {"n_clusters": n_clusters + shift}
            rows.append(score_row("overlapping", draw, model, ari, **given))
    return pd.DataFrame(rows)


def rising(n_sweeps=4000, settles=60, chain=0):
    """Return a number of clusters that rises from 1 to 11 and then varies by at most one."""
    rng = np.random.default_rng(12 + chain)
    sweeps = np.arange(n_sweeps)
    climb = np.minimum(11, 1 + 10 * sweeps / settles)
    late = sweeps > settles
    return np.round(climb + late * rng.choice([-1, 0, 1], n_sweeps, p=[0.15, 0.7, 0.15]))


def traces(n_draws=3, dataset="large", n_chains=2, **given):
    """Return the traces of TIWD on several draws."""
    found = np.array([rising(chain=chain, **given) for chain in range(n_draws * n_chains)])
    parts = found.reshape(n_draws, n_chains, -1)
    return tuple(Trace(dataset, draw, "tiwd", part, 500) for draw, part in enumerate(parts))


def save_traces(path, found):
    """Write traces as the workflow does."""
    arrays = {"runs": np.array([(of.dataset, str(of.draw), of.model) for of in found])}
    for trace in found:
        stem = f"{trace.dataset}/{trace.draw}/{trace.model}"
        arrays |= {f"{stem}/n_clusters": trace.n_clusters, f"{stem}/burn_in": trace.burn_in}
        arrays |= {f"{stem}/log_joint": -trace.n_clusters, f"{stem}/theta": trace.n_clusters}
    np.savez(path, **arrays)


#: Each algorithm takes c n^a k^b seconds per sweep, with these (c, a, b).
POWERS = {
    "naive": (1e-9, 3.5, 1.0),
    "secular": (1e-8, 1.9, 2.9),
    "closed": (1e-8, 1.9, 0.9),
    "cached": (2e-8, 1.1, 0.9),
}


def timings(noise=0.02):
    """Return times of sweeps for several n with k = 10 and for several k with n = 400."""
    rng = np.random.default_rng(13)
    rows = []
    for algorithm, (factor, of_n, of_k) in POWERS.items():
        sizes = [(n, 10) for n in (50, 100, 200, 400, 800)]
        sizes += [(400, k) for k in (5, 20, 40, 80)]
        for n, k in sizes:
            seconds = factor * n**of_n * k**of_k * np.exp(noise * rng.standard_normal())
            row = {"algorithm": algorithm, "n_items": n, "n_clusters": k, "n_draws": 7}
            row |= {"seconds_per_sweep": seconds, "low": 0.97 * seconds, "high": 1.05 * seconds}
            row |= {"terms": 60 * n * k**of_k if algorithm == "secular" else np.nan}
            rows.append(row)
    return pd.DataFrame(rows)


def blocks(joined=0.95, new=(20, 10, 3, 1), dataset="globins", n_classes=6):
    """Return `blocks.csv`, where a share `joined` of 1,000 unlabelled objects joined classes."""
    rows = []
    for place in range(n_classes):
        share = joined / n_classes
        rows.append((f"class{place}", "class", 50 - place, round(1000 * share), share))
    rest = np.array(new) / np.sum(new) * (1 - joined) if new else []
    for place, share in enumerate(rest):
        rows.append((f"new {place + 1}", "new", 0, round(1000 * share), share))
    columns = ["block", "kind", "n_labelled", "n_unlabelled", "share"]
    frame = pd.DataFrame(rows, columns=columns)
    shortest = [150 if kind == "class" else 60 for kind in frame["kind"]]
    lengths = {"longest": 160, "shortest": shortest, "median_length": 140.0}
    return frame.assign(probability=0.9, groups="N 20, O 3", **lengths, dataset=dataset)


def heat(dataset="globins"):
    """Return `heat.csv`, with a high mean within blocks and a low one between them."""
    names = [(f"class{i}", "class", 50 - i) for i in range(6)]
    names += [(f"new {i + 1}", "new", 20 - i) for i in range(2)]
    rows = [
        {"dataset": dataset, "row_block": row, "column_block": column}
        | {"row_kind": row_kind, "column_kind": column_kind}
        | {"row_size": row_size, "column_size": column_size}
        | {"mean": 0.95 if row == column else 0.02 * (row_kind == column_kind)}
        for row, row_kind, row_size in names
        for column, column_kind, column_size in names
    ]
    return pd.DataFrame(rows)


def assignments(dataset="globins"):
    """Return seven objects: one of the four with a class and one of group Q are misplaced."""
    rows = [
        ("a", "class0", "class0", "class"),
        ("b", "class0", "class0", "class"),
        ("c", "class1", "class1", "class"),
        ("d", "class1", "new 1", "new"),
        ("e", "Q", "new 1", "new"),
        ("f", "Q", "class0", "class"),
        ("g", "", "class0", "class"),
    ]
    frame = pd.DataFrame(rows, columns=["item", "group", "block", "kind"])
    return frame.assign(length=120, probability=0.8, dataset=dataset)


def invariance(worst=1e-10, likelihood="TIWD"):
    """Return four transformations of distances, and a translation under WD, which it changes."""
    names = ("permutation", "scale", "translation", "rotation")
    rows = [(name, likelihood, worst, 203, True) for name in names]
    rows.append(("translation", "WD", 42.0, 203, False))
    columns = ["transformation", "likelihood", "worst", "n_partitions", "holds_expected"]
    return pd.DataFrame(rows, columns=columns)


def embedding():
    """Return points of ten clusters in the plane."""
    rng = np.random.default_rng(14)
    frames = []
    for role, spread in (("separated", 0.3), ("overlapping", 1.2)):
        label = rng.integers(10, size=120)
        angle = 2 * np.pi * label / 10
        noise = spread * rng.standard_normal((2, 120))
        columns = {"dataset": role, "role": role, "item": np.arange(120)}
        columns |= {"x": 4 * np.cos(angle) + noise[0], "y": 3 * np.sin(angle) + noise[1]}
        frames.append(pd.DataFrame(columns | {"label": label, "cluster": label}))
    return pd.concat(frames, ignore_index=True)
