"""How the number of clusters of a chain settles (Figure 3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy

from reseat.errors import DataError
from reseat.experiments.distances.results import label
from reseat.experiments.tidy import COLUMNS, identity_of, mean_and_error, tidy_row

#: Number of sweeps for which the paper gives its run time.
SWEEPS_TIMED = 5000

#: Columns of the table next to the shared ones: the draw, chain and sweep of a number, the number
#: of objects, the true number of clusters and the largest R-hat of the number of clusters.
TRACE_EXTRA = ("draw", "chain", "sweep", "n_items", "truth", "rhat_max")


@dataclass(frozen=True)
class Trace:
    """Number of clusters of the chains of one model on one data draw."""

    dataset: str
    draw: int
    model: str
    #: Column s - 1 is the state after sweep s, burn-in included. Shape (n_chains, n_sweeps).
    n_clusters: np.ndarray
    #: Sweeps.
    burn_in: int


def read_traces(path, model="tiwd"):
    """Read the traces of one model from a file ``traces.npz``, in the order of the draws."""
    found = []
    with np.load(path) as stored:
        # Files written by earlier versions do not name their runs.
        for dataset, draw, of_model in stored["runs"] if "runs" in stored else ():
            if of_model == model:
                key = f"{dataset}/{draw}/{model}"
                values = np.atleast_2d(stored[f"{key}/n_clusters"])
                burn_in = int(stored[f"{key}/burn_in"])
                found.append(Trace(str(dataset), int(draw), model, values, burn_in))
    if not found:
        raise DataError(f"{path} has no number of clusters of {model}; make the traces again.")
    return sorted(found, key=lambda trace: (trace.dataset, trace.draw))


def read_all_traces(paths):
    """Read the traces of TIWD from several files ``traces.npz``."""
    return tuple(trace for path in paths for trace in read_traces(path))


def settling_sweep(n_clusters):
    """Return the first sweep from which the number of clusters stays at its final level.

    The level is the mean of the second half of the trace. The trace is averaged over windows of a
    twentieth of its length. It has settled at the first sweep that lies within one cluster of the
    level and from which every window does so, too. The tolerance is instead three standard
    deviations of the windows of the second half about a line, if these are more than one cluster,
    because a chain that mixes slowly wanders without drifting. Sweeps are counted from 1; the
    result is n_sweeps + 1 if even the last window, or every sweep from then on, is off the level.
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
    """Return the steps down as a share of the steps up, until the trace first reaches its level.

    The level is the mean of the second half. A share of 0 is a monotone rise, 1 no rise at all. The
    result is NaN if the trace starts at its level or above.
    """
    n_clusters = np.asarray(n_clusters, dtype=float)
    level = n_clusters[len(n_clusters) // 2 :].mean()
    reached = int(np.argmax(n_clusters >= level))
    steps = np.diff(n_clusters[: reached + 1])
    up, down = steps[steps > 0].sum(), -steps[steps < 0].sum()
    return float(down / up) if up > 0 else np.nan


def trace_table(artefact, traces, scores, published):
    """Return the table of Figure 3: the traces of the number of clusters, and when they settle.

    First come the numbers that the paper prints, with `summary` ``chains``: means over chains of
    the number of clusters in the second half, of the sweep from which it is stable
    (`settling_sweep`) and of the hours that 5,000 sweeps take. Then, with `summary` ``trace``,
    comes the number of clusters of each chain after each sweep, thinned if the trace is long.
    """
    model = traces[0].model
    rows = scores[(scores["dataset"] == traces[0].dataset) & (scores["model"] == model)]
    if len(rows) == 0:
        raise DataError(f"{artefact} has no scores of {model} on {traces[0].dataset}; score it.")
    identity = identity_of(rows, artefact)
    chains = [chain for trace in traces for chain in trace.n_clusters]
    seconds = rows.groupby(["draw", "chain"])["seconds_per_sweep"].first()
    found = {
        "clusters": [chain[len(chain) // 2 :].mean() for chain in chains],
        "sweeps until stable": [settling_sweep(chain) for chain in chains],
        f"hours for {SWEEPS_TIMED:,} sweeps": seconds * SWEEPS_TIMED / 3600,
    }
    size = {"n_items": rows["n_items"].iloc[0], "truth": np.nan}
    table = []
    for metric, values in found.items():
        printed = published.get(metric, np.nan)
        row = tidy_row(identity, label(model), "chains", metric, mean_and_error(values), printed)
        truth = rows["n_true"].iloc[0] if metric == "clusters" else np.nan
        rhat = rows["rhat"].max() if metric == "clusters" else np.nan
        table.append(row | size | {"truth": truth, "rhat_max": rhat})
    frames = [pd.DataFrame(table, columns=[*COLUMNS, *TRACE_EXTRA])]
    blank = tidy_row(identity, label(model), "trace", "clusters", (np.nan, np.nan, 1))
    for trace in traces:
        for chain, values in enumerate(trace.n_clusters):
            kept = np.arange(0, len(values), max(1, len(values) // SWEEPS_TIMED))
            frame = pd.DataFrame({"sweep": kept + 1, "mean": values[kept]})
            frame = frame.assign(**{k: v for k, v in (blank | size).items() if k != "mean"})
            frames.append(frame.assign(draw=trace.draw, chain=chain))
    return pd.concat(frames, ignore_index=True)[[*COLUMNS, *TRACE_EXTRA]]
