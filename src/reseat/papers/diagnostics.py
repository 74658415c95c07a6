"""Diagnostics of how well the chains of all families mixed, from their files alone."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from reseat.chains import read_groups
from reseat.errors import DataError
from reseat.summaries import describe, whole_trace
from reseat.variational import reach_best

DIAGNOSTIC_COLUMNS = (
    *("family", "dataset", "draw", "model", "quantity", "n_chains", "n_sweeps", "burn_in"),
    *("mean", "sd", "mcse", "ess", "rhat", "moved", "seconds"),
)

RESTART_COLUMNS = (
    *("family", "dataset", "model", "setting", "n_restarts", "converged", "iterations"),
    *("best", "mean", "sd", "at_best", "seconds"),
)

#: A trace is thinned to about this many points per chain, and shown for at most this many chains.
MAX_POINTS, MAX_CHAINS = 240, 4

_GROUPS = ("posterior", "sample_stats", "warmup_posterior", "warmup_sample_stats", "summary")


def diagnose(folders: Iterable[tuple[str, str, Path]]):
    """Return diagnostics by quantity, and traces of first draws, (n_chains, n_points), by name."""
    files = {}
    for family, dataset, folder in folders:
        files.setdefault((family, dataset), []).extend(Path(folder).glob("*.nc"))
    rows, traces = [], {}
    for (family, dataset), paths in sorted(files.items()):
        for (draw, model), chains in chains_by_model(paths).items():
            place = {"family": family, "dataset": dataset, "draw": draw, "model": model}
            found, kept = _diagnose(place, chains)
            rows += found
            for quantity, values in kept.items():
                # The draws of a data set come in order, so the trace of the first one is kept.
                traces.setdefault(f"{family}/{dataset}/{model}/{quantity}", values)
    return pd.DataFrame(rows, columns=list(DIAGNOSTIC_COLUMNS)), traces


def chains_by_model(paths):
    """Return number, path, groups and attributes of the chains of each draw and model, in order."""
    groups = {}
    for path in paths:
        stored, attributes = read_groups(path, _GROUPS)
        configuration = attributes["configuration"]
        key = (configuration["stream"][1], configuration["model"]["name"])
        groups.setdefault(key, []).append((configuration["chain"], path, stored, attributes))
    return {
        key: sorted(chains, key=lambda chain: chain[0])
        for key, chains in sorted(groups.items(), key=lambda item: _in_order(*item[0]))
    }


def _in_order(draw, model):
    """Return a sort key: by the name of the model, then by the number of the draw."""
    number = "".join(filter(str.isdigit, draw.rpartition("/")[2].rpartition("_")[2]))
    return model, int(number or 0), draw


def _diagnose(place, chains):
    _numbers, paths, stored, attributes = zip(*chains, strict=True)
    lengths = set()
    for groups in stored:
        warm_up = groups.get("warmup_sample_stats", {}).get("draw", ())
        lengths.add((len(warm_up), len(groups["sample_stats"]["draw"])))
    if len(lengths) > 1:
        raise DataError(
            f"{paths[0].parent} contains chains of different lengths of {place['model']}; "
            "delete them and run the model again."
        )
    n_items = len(stored[0]["summary"]["map"])
    burn_in, kept = lengths.pop()
    common = place | {"n_chains": len(chains), "n_sweeps": burn_in + kept, "burn_in": burn_in}
    moved = _mean_of(groups["sample_stats"].get("n_moved") for groups in stored)
    common["moved"] = moved / n_items
    common["seconds"] = _mean_of(own.get("seconds") for own in attributes)
    names = [("sample_stats", "log_joint")]
    names += [("posterior", of) for of in stored[0]["posterior"] if of not in ("chain", "draw")]
    rows, traces = [], {}
    for group, name in names:
        draws = np.concatenate([groups[group][name] for groups in stored]).astype(float)
        with np.errstate(invalid="ignore", divide="ignore"):  # halves of constant chains
            found = describe(draws)
        rows.append(common | {"quantity": name} | found)
        if name == "log_joint" or name.startswith("n_clusters"):
            whole = [whole_trace(groups, group, name) for groups in stored[:MAX_CHAINS]]
            step = max(1, common["n_sweeps"] // MAX_POINTS)
            traces[name] = np.stack(whole)[:, ::step].astype(np.float64)
    return rows, traces


def _mean_of(values):
    values = [float(np.mean(value)) for value in values if value is not None]
    return float(np.mean(values)) if values else np.nan


def summarise_restarts(folders: Iterable[tuple[str, str, Path]]) -> pd.DataFrame:
    """Summarise restarts; `at_best` counts those within a nat of the best bound."""
    rows = []
    found = [
        (family, dataset, path)
        for family, dataset, folder in folders
        for path in Path(folder).glob("*/restarts.csv")
    ]
    for family, dataset, path in sorted(found):
        frame = pd.read_csv(path)
        bounds = frame["elbo"]
        row = (
            *(family, dataset, frame["model"].iloc[0], _setting(frame.iloc[0]), len(frame)),
            *(float(frame["converged"].mean()), float(frame["n_iter"].median())),
            *(float(bounds.max()), float(bounds.mean()), float(bounds.std(ddof=1))),
            *(int(reach_best(bounds).sum()), float(frame["seconds"].mean())),
        )
        rows.append(row)
    return pd.DataFrame(rows, columns=list(RESTART_COLUMNS))


def _setting(restart):
    """Return, in words, how a fit differs from others of its model."""
    control = restart["control"] if isinstance(restart["control"], str) else ""
    words = (restart["initialisation"], f"beta{restart['beta']:g}", control)
    return ", ".join(filter(None, words)).replace("_", " ")
