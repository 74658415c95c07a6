"""Comparison of how well the moves of a sampler mix."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseat.errors import DataError
from reseat.experiments.intervals import LEVEL, difference_interval
from reseat.summaries import AGREED
from reseat.vocabulary import NOT_CONVERGED, NOTE

#: Moves that are compared: the name in the results, and the name that is shown.
MOVES = {
    "gibbs": "Gibbs",
    "chaperones_uniform": "chaperones, uniform pairs",
    "chaperones_similarity": "chaperones, similar pairs",
}

#: Columns of a frame of runs. `chain` is the number of a chain, or -1 for all chains together. In
#: the latter case, `ess` is that of all chains, which falls when they disagree, `seconds` is their
#: total, and there may be a further column `rhat`.
RUN_COLUMNS = (
    *("dataset", "status", "move", "chain", "quantity", "mean", "mcse", "ess", "seconds"),
    *("n_sweeps", "n_chains"),
)


def chaperones_table(artefact, runs):
    """Return the effective samples per second of each move, and their ratio to Gibbs sweeps.

    `seconds` is the CPU time of the sweeps that `ess` counts. `ratio`, with its interval, is that
    to Gibbs from single chains (:func:`speed_ratio`), and `ratio_together` that of
    `ess_per_second`, which counts the draws of all chains together.
    """
    check_runs(runs, artefact)
    rows = []
    together = runs[runs["chain"] == -1]
    for (name, quantity), part in together.groupby(["dataset", "quantity"], sort=False):
        speed = (part["ess"] / part["seconds"]).set_axis(part["move"])
        for row in part.to_dict("records"):
            move = row["move"]
            ratio, low, high = speed_ratio(runs, name, move, quantity)
            rows.append(
                {
                    "artefact": artefact,
                    **{key: row[key] for key in ("dataset", "status", "move", "quantity")},
                    **{key: row[key] for key in ("mean", "mcse", "ess", "seconds")},
                    "ess_per_second": speed[move],
                    "ratio": 1.0 if move == "gibbs" else ratio,
                    "ratio_low": 1.0 if move == "gibbs" else low,
                    "ratio_high": 1.0 if move == "gibbs" else high,
                    "ratio_together": speed[move] / speed.get("gibbs", np.nan),
                    **{key: row[key] for key in ("n_sweeps", "n_chains")},
                    "rhat": row.get("rhat", np.nan),
                    NOTE: NOT_CONVERGED if row.get("rhat", np.nan) > AGREED else "",
                }
            )
    order = {move: place for place, move in enumerate(MOVES)}
    table = pd.DataFrame(rows)
    return table.sort_values(
        "move", key=lambda moves: moves.map(lambda m: order.get(m, len(order))), kind="stable"
    ).reset_index(drop=True)


def speed_ratio(runs, dataset, move, quantity, level=LEVEL):
    """Return the ratio of a move's effective samples per second to those of Gibbs sweeps.

    It is the ratio of the geometric means over single chains; its interval is Welch's for the
    difference of the mean logarithms. All three are NaN if either move has no single chains, and
    the ends if either has fewer than two.
    """

    def logs(name):
        chains = runs[
            (runs["dataset"] == dataset)
            & (runs["move"] == name)
            & (runs["quantity"] == quantity)
            & (runs["chain"] >= 0)
        ]
        return np.log(chains["ess"] / chains["seconds"])

    difference = difference_interval(logs(move), logs("gibbs"), level)
    return tuple(float(np.exp(value)) for value in difference)


def move_traces(move, arrays, seconds_per_sweep, max_points=400):
    """Return the traces of the chains of one move against CPU time, thinned for plotting.

    All sweeps of a chain are assumed to take equally long. At most `max_points` are kept per chain,
    evenly spaced on a logarithmic scale.
    """
    n_chains, n_sweeps = arrays["log_joint"].shape
    kept = np.unique(np.geomspace(1, n_sweeps, max_points).round().astype(int))
    frames = [
        pd.DataFrame(
            {
                "move": move,
                "chain": chain,
                "sweep": kept,
                "seconds": kept * float(seconds_per_sweep[chain]),
                "n_clusters": arrays["n_clusters"][chain, kept - 1],
                "log_joint": arrays["log_joint"][chain, kept - 1],
            }
        )
        for chain in range(n_chains)
    ]
    return pd.concat(frames, ignore_index=True)


def check_runs(runs, artefact):
    """Raise DataError unless `runs` has :data:`RUN_COLUMNS` and rows for all chains together."""
    missing = [column for column in RUN_COLUMNS if column not in runs.columns]
    if missing:
        raise DataError(f"{artefact}: the runs lack {', '.join(missing)}; make them again.")
    if not (runs["chain"] == -1).any():
        raise DataError(f"{artefact} has no row for all chains together (chain -1); add them.")
