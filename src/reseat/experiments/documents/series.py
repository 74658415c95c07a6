"""Data of Figures 2 and 4, and the sweep at which a trace reaches its plateau."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy

from reseat.errors import DataError
from reseat.experiments.documents.results import each_dataset
from reseat.experiments.modes import notes_on_modes
from reseat.experiments.printed_metrics import metrics_named
from reseat.experiments.tidy import mean_and_error
from reseat.vocabulary import NOTE

#: Metrics of Figure 4 a and b.
FIGURE4_METRICS = metrics_named("ARI", "V-Measure")


@dataclass(frozen=True)
class Traces:
    """Scalar traces of the chains of one model on one data set."""

    #: In nats; column s - 1 is the state after sweep s, burn-in included. Shape (n_chains,
    #: n_sweeps).
    log_joint: np.ndarray
    #: Shape (n_chains, n_sweeps).
    n_clusters: np.ndarray
    #: Number of sweeps.
    burn_in: int
    #: CPU time of each whole chain. Shape (n_chains,).
    seconds: np.ndarray

    @classmethod
    def load(cls, path):
        """Read a file of traces (.npz); raise DataError if a field is missing."""
        with np.load(path) as stored:
            missing = {"log_joint", "n_clusters", "burn_in", "seconds"} - set(stored.files)
            if missing:
                raise DataError(
                    f"{path} lacks {', '.join(sorted(missing))}; make the traces again."
                )
            return cls(
                np.atleast_2d(stored["log_joint"]),
                np.atleast_2d(stored["n_clusters"]),
                int(stored["burn_in"]),
                stored["seconds"],
            )


def trace_frame(artefact, role, dataset, status, traces, chain=0, max_points=2000):
    """Return the log joint of one chain and the range over all chains, thinned for Figure 2.

    The first two hundred sweeps are all kept, because the log joint climbs there. Of the later
    sweeps, every s-th is kept, so that at most about `max_points` remain, and always the last one.
    """
    n_chains, n_sweeps = traces.log_joint.shape
    head = min(200, n_sweeps)
    stride = max(1, int(np.ceil((n_sweeps - head) / max(1, max_points - head))))
    kept = np.unique(
        np.concatenate([np.arange(head), np.arange(head, n_sweeps, stride), [n_sweeps - 1]])
    )
    values = traces.log_joint[:, kept]
    return pd.DataFrame(
        {
            "artefact": artefact,
            "role": role,
            "dataset": dataset,
            "status": status,
            "chain": chain,
            "sweep": kept + 1,
            "log_joint": values[chain],
            "low": values.min(axis=0),
            "high": values.max(axis=0),
            "burn_in": traces.burn_in,
            "n_chains": n_chains,
        }
    )


def traces_table(artefact, roles, identities, traces):
    """Return Figure 2: `trace_frame` of every data set."""
    role_of = {name: role for role, names in roles.items() for name in names}
    frames = [
        trace_frame(artefact, role_of[corpus.name], corpus.name, corpus.status, of_corpus)
        for corpus, of_corpus in zip(identities, traces, strict=True)
    ]
    return pd.concat(frames, ignore_index=True)


def fixed_location_frame(artefact, role, scores, traces):
    """Return the mean over chains of the score of the i-th sample (Figure 4).

    The rows ``fixed`` of the model ``gibbs`` are used.
    """
    notes, rows = notes_on_modes(scores, traces), []
    for identity, part in each_dataset(scores, role, artefact):
        fixed = part[(part["model"] == "gibbs") & (part["summary"] == "fixed")]
        for metric in FIGURE4_METRICS:
            for sample, chains in fixed.groupby("sample"):
                mean, error, n = mean_and_error(chains[metric.column])
                rows.append(
                    {
                        **identity,
                        "metric": metric.name,
                        "sample": int(sample),
                        "mean": mean,
                        "se": error,
                        "n_chains": n,
                        NOTE: notes.get((identity["dataset"], "gibbs"), ""),
                    }
                )
    if not rows:
        raise DataError(
            f"{artefact} found no score at a fixed location for '{role}'; score some samples first."
        )
    return pd.DataFrame(rows)


def plateau_sweep(log_joint):
    """Return the first sweep from which a trace stays on its plateau.

    The plateau is the median m of the last half of the trace, and its spread s is the scaled median
    absolute deviation there. The trace is smoothed by a running median over a twentieth of its
    length, so that short dips, of which long traces have more, do not count. It is on the plateau
    within max(3 s, 0.1 % of the rise from the first sweep to m) of m. Sweeps are counted from 1;
    the result is n_sweeps + 1 if even the last one is off the plateau.
    """
    log_joint = np.asarray(log_joint, dtype=float)
    n = len(log_joint)
    last_half = log_joint[n // 2 :]
    middle = np.median(last_half)
    spread = scipy.stats.median_abs_deviation(last_half, scale="normal")
    band = max(3 * spread, 0.001 * abs(middle - log_joint[0]))
    half = n // 40
    padded = np.pad(log_joint, half, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * half + 1)
    outside = np.flatnonzero(np.abs(np.median(windows, axis=1) - middle) > band)
    return int(outside[-1]) + 2 if len(outside) else 1
