"""What the sampler does: where unlabelled objects go, and how chains settle."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import scipy

from reseat.errors import DataError
from reseat.papers.distances.results import HELD, diagnostics_of, label
from reseat.papers.tables import (
    COLUMNS,
    by_dataset,
    identity_of,
    mean_and_error,
    read_frames,
    tidy,
    tidy_row,
)

# ---- Where unlabelled objects go when the labelled ones keep their classes (experiment 4) ----

#: Columns of the result files of runs that keep labels.
HEAT_COLUMNS = "row_block column_block row_kind column_kind row_size column_size mean".split()
BLOCK_COLUMNS = (
    *"block kind n_labelled n_unlabelled share probability groups".split(),
    *"shortest median_length longest".split(),
)
ASSIGNMENT_COLUMNS = ("item", "group", "length", "block", "kind", "probability")

#: Columns of numbers, which may be missing; a class or a group may be called NA.
NUMBERS = ("mean", "share", "probability", "shortest", "median_length", "longest", "length")
_AS_WRITTEN = {"keep_default_na": False, "na_values": dict.fromkeys(NUMBERS, ["", "nan"])}

#: Share of the unlabelled objects from which a new block counts as more than a few stray objects.
SIZEABLE = 0.01

SYSTEM = HELD["tiwd"]


def _read(paths, columns, what):
    """Read several files as one frame; `dataset` is the name of a file's folder."""
    frames = [
        read_frames([path], columns, what, **_AS_WRITTEN).assign(dataset=Path(path).parent.name)
        for path in paths
    ]
    return pd.concat(frames, ignore_index=True)


read_blocks = partial(_read, columns=BLOCK_COLUMNS, what="blocks")
read_heat = partial(_read, columns=HEAT_COLUMNS, what="co-memberships")
read_assignments = partial(_read, columns=ASSIGNMENT_COLUMNS, what="assignments")


def with_identity(heat, scores, artefact):
    """Return a frame from `read_heat` with the role and status of its data sets added."""
    known = {identity["dataset"]: identity for identity, _rows in by_dataset(scores, artefact)}
    found = {key: [known[name][key] for name in heat["dataset"]] for key in ("role", "status")}
    return heat.assign(**found)


def block_counts(blocks):
    """Return how many objects and blocks of each kind there are; shares are of the unlabelled."""
    new = blocks[blocks["kind"] == "new"]
    unlabelled = float(blocks["n_unlabelled"].sum())
    share = 1 - float(new["n_unlabelled"].sum()) / unlabelled if unlabelled else np.nan
    return {
        "labelled": float(blocks["n_labelled"].sum()),
        "classes": float((blocks["kind"] == "class").sum()),
        "unlabelled": unlabelled,
        "share in classes": share,
        "new blocks": float(len(new)),
        "new blocks of 1 %": float((new["n_unlabelled"] >= SIZEABLE * unlabelled).sum()),
    }


def placed_right(assignments, blocks):
    """Return the share of the unlabelled objects of known group that went where they belong."""
    known = assignments[assignments["group"].notna() & (assignments["group"] != "")]
    has_class = known["group"].isin(blocks.loc[blocks["kind"] == "class", "block"])
    right = (known["block"] == known["group"]).where(has_class, known["kind"] == "new")
    return float(right.mean())


@tidy(*BLOCK_COLUMNS[1:], "rhat_max", "at_end")
def blocks_table(artefact, blocks, scores, published):
    """Return the table of Figure 5: counts, the new blocks, and the classes that objects joined."""
    for name, part in blocks.groupby("dataset", sort=False):
        own = scores[scores["dataset"] == name]
        identity = identity_of(own, artefact)
        found = count_rows(identity, part, published)
        part = part[(part["n_unlabelled"] > 0) | (part["kind"] == "new")]
        part = part.sort_values(["kind", "n_unlabelled"], ascending=False, kind="stable")
        for block in part.to_dict("records"):
            value = (float(block["n_unlabelled"]), np.nan, 1)
            row = tidy_row(identity, block["block"], "annealed", "unlabelled", value)
            found.append(row | {key: block[key] for key in BLOCK_COLUMNS[1:]})
        checked = diagnostics_of(own[own["model"] == "tiwd"])
        yield from [row | checked for row in found]


def count_rows(identity, blocks, published):
    """Return the counts of one data set as rows of a tidy table, next to the published ones."""
    printed = published if identity["role"] == "globins" else {}
    return [
        tidy_row(identity, SYSTEM, "annealed", name, (value, np.nan, 1), printed.get(name, np.nan))
        for name, value in block_counts(blocks).items()
    ]


# ---- How the number of clusters of a chain settles (Figure 3) --------------------------------

#: Number of sweeps for which the paper gives its run time.
SWEEPS_TIMED = 5000

#: Columns next to the shared ones; `truth` is the true number of clusters.
TRACE_EXTRA = ("draw", "chain", "sweep", "n_items", "truth", "rhat_max", "at_end")


@dataclass(frozen=True)
class Trace:
    """Number of clusters of the chains of one model on one draw, shape (n_chains, n_sweeps)."""

    dataset: str
    draw: int
    model: str
    n_clusters: np.ndarray
    burn_in: int


def read_traces(path, model="tiwd"):
    """Read the traces of one model from a file ``traces.npz``, in the order of the draws."""
    found = []
    with np.load(path) as stored:
        # Files written by earlier versions do not name their runs.
        for dataset, draw, of_model in stored.get("runs", ()):
            if of_model == model:
                values, burn_in = (
                    stored[f"{dataset}/{draw}/{model}/{name}"] for name in ("n_clusters", "burn_in")
                )
                found.append(Trace(str(dataset), int(draw), model, values, int(burn_in)))
    if not found:
        raise DataError(f"{path} has no number of clusters of {model}; make the traces again.")
    return sorted(found, key=lambda trace: (trace.dataset, trace.draw))


def read_all_traces(paths):
    """Read the traces of TIWD from several files ``traces.npz``."""
    return tuple(trace for path in paths for trace in read_traces(path))


def settling_sweep(n_clusters):
    """Return the first sweep from which the number of clusters stays at its level, or n_sweeps + 1.

    The level is the mean of the second half. Windows of a twentieth of the trace, and the sweep,
    must lie within one cluster of it, or within three standard deviations of such windows.
    """
    n_clusters = np.asarray(n_clusters, dtype=float)
    n = len(n_clusters)
    width = max(1, n // 20)
    totals = np.concatenate([[0.0], np.cumsum(n_clusters)])
    windows = (totals[width:] - totals[:-width]) / width
    level = n_clusters[n // 2 :].mean()
    half = windows[min(n // 2, len(windows) - 1) :]
    band = max(1.0, 3 * float(scipy.signal.detrend(half).std()))
    outside = np.flatnonzero(np.abs(windows - level) > band)
    first = outside[-1] + 1 if len(outside) else 0
    # A window looks ahead, so the sweep itself must be checked as well.
    inside = np.flatnonzero(np.abs(n_clusters[first:] - level) <= band)
    if first == len(windows) or len(inside) == 0:
        return n + 1
    return int(first + inside[0]) + 1


def backward_share(n_clusters):
    """Return the steps down as a share of those up to the mean of the second half, or NaN."""
    n_clusters = np.asarray(n_clusters, dtype=float)
    level = n_clusters[len(n_clusters) // 2 :].mean()
    reached = int(np.argmax(n_clusters >= level))
    steps = np.diff(n_clusters[: reached + 1])
    up, down = steps[steps > 0].sum(), -steps[steps < 0].sum()
    return float(down / up) if up > 0 else np.nan


def trace_table(artefact, traces, scores, published):
    """Return the table of Figure 3: the printed numbers, as means over draws, and the traces."""
    model = traces[0].model
    rows = scores[(scores["dataset"] == traces[0].dataset) & (scores["model"] == model)]
    identity = identity_of(rows, artefact)
    draws = [trace.n_clusters for trace in traces]
    seconds = rows.groupby("draw")["seconds_per_sweep"].mean()
    found = {
        "clusters": [chains[:, chains.shape[1] // 2 :].mean() for chains in draws],
        "sweeps until stable": [np.mean([*map(settling_sweep, chains)]) for chains in draws],
        f"hours for {SWEEPS_TIMED:,} sweeps": seconds * SWEEPS_TIMED / 3600,
    }
    size = {"n_items": rows["n_items"].iloc[0], "truth": np.nan}
    known = {"truth": rows["n_true"].iloc[0]} | diagnostics_of(rows)
    table = []
    for metric, values in found.items():
        printed = published.get(metric, np.nan)
        row = tidy_row(identity, label(model), "chains", metric, mean_and_error(values), printed)
        table.append(row | size | (known if metric == "clusters" else {}))
    frames = [pd.DataFrame(table, columns=[*COLUMNS, *TRACE_EXTRA])]
    blank = tidy_row(identity, label(model), "trace", "clusters", (np.nan, np.nan, 1)) | size
    for trace in traces:
        for chain, values in enumerate(trace.n_clusters):
            kept = np.arange(0, len(values), max(1, len(values) // SWEEPS_TIMED))
            of_sweeps = {"draw": trace.draw, "chain": chain, "sweep": kept + 1}
            frames.append(pd.DataFrame(blank | of_sweeps | {"mean": values[kept]}))
    return pd.concat(frames, ignore_index=True)[[*COLUMNS, *TRACE_EXTRA]]
