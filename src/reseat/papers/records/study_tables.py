"""Tables of the studies, apart from other tables because the studies use their columns."""

import numpy as np
import pandas as pd

from reseat.errors import DataError
from reseat.papers.statistics import LEVEL, difference_interval, proportion_interval
from reseat.papers.tables import mean_and_error, rows_of
from reseat.summaries import AGREED
from reseat.vocabulary import GENERATED, NOT_CONVERGED, NOTE

# ---- Growth of the blocks with the number of items under each prior: theorem 1 ----------------

#: Columns of prior draws: largest block and number of blocks of a draw from a prior.
DRAW_COLUMNS = ("system", "n_items", "draw", "max_size", "n_clusters")

#: Number of blocks up to which they are few; by theorem 1, P(K <= 10 | N) tends to 0.
FEW = 10

#: Values of the columns `dataset` and `status`, since a prior involves no data.
OF_PRIOR = {"dataset": "prior draws", "status": GENERATED}


def theorem_table(artefact, draws):
    """Return the mean share of the largest block, and how often blocks are few, for theorem 1."""
    rows = []
    for (system, n_items), part in draws.groupby(["system", "n_items"], sort=False):
        for quantity, values in (
            ("largest_share", part["max_size"] / n_items),
            ("few_clusters", part["n_clusters"] <= FEW),
        ):
            mean, error, n = mean_and_error(values)
            if n < 2:
                continue
            low, high = max(0.0, mean - 2 * error), min(1.0, mean + 2 * error)
            if quantity == "few_clusters":
                _share, low, high = proportion_interval(int(values.sum()), n)
            of = {"artefact": artefact, **OF_PRIOR, "system": system, "n_items": n_items}
            found = {"mean": mean, "se": error, "low": low, "high": high, "n_draws": n}
            rows.append(of | {"quantity": quantity, "few": FEW} | found)
    if not rows:
        raise DataError(f"{artefact} needs several draws for each number of items; draw more.")
    return pd.DataFrame(rows)


# ---- Comparison of how well the moves of a sampler mix ---------------------------------------

#: Moves that are compared: the name in the results, and the name that is shown.
MOVES = {
    "gibbs": "Gibbs",
    "chaperones_uniform": "chaperones, uniform pairs",
    "chaperones_similarity": "chaperones, similar pairs",
    "split_merge": "split–merge, similar pairs",
    "both": "chaperones and split–merge",
}

#: Columns with the speed as a multiple of that of Gibbs sweeps, and the ends of its interval.
RATIO = ("ratio", "ratio_low", "ratio_high")


def chaperones_table(artefact, runs):
    """Return the effective samples per second of each move, and their ratio to Gibbs sweeps."""
    rows = []
    # The ratio is from single chains, all else from all chains together.
    together = runs[runs["chain"] == -1]
    for (name, quantity), part in together.groupby(["dataset", "quantity"], sort=False):
        speed = (part["ess"] / part["seconds"]).set_axis(part["move"])
        for row in part.to_dict("records"):
            move = row["move"]
            ratios = (1.0,) * 3 if move == "gibbs" else speed_ratio(runs, name, move, quantity)
            found = {key: row[key] for key in ("dataset", "status", "move", "quantity")}
            found |= {key: row[key] for key in ("mean", "mcse", "ess", "seconds")}
            found |= {"ess_per_second": speed[move]} | dict(zip(RATIO, ratios, strict=True))
            found["ratio_together"] = speed[move] / speed.get("gibbs", np.nan)
            found |= {key: row[key] for key in ("n_sweeps", "n_chains", "rhat")}
            found[NOTE] = NOT_CONVERGED if row["rhat"] > AGREED else ""
            rows.append({"artefact": artefact} | found)
    order = {move: place for place, move in enumerate(MOVES)}
    return pd.DataFrame(sorted(rows, key=lambda row: order[row["move"]]))


def speed_ratio(runs, dataset, move, quantity, level=LEVEL, against="gibbs"):
    """Return the ratio of a move's effective samples per second to another's, and its interval."""

    def logs(name):
        chains = rows_of(runs[runs["chain"] >= 0], dataset=dataset, move=name, quantity=quantity)
        return np.log(chains["ess"] / chains["seconds"])

    difference = difference_interval(logs(move), logs(against), level)
    return tuple(float(np.exp(value)) for value in difference)


def move_traces(dataset, move, arrays, seconds_per_sweep, max_points=400):
    """Return the traces of the chains of one move against CPU time, log-thinned for plotting."""
    kept = np.unique(np.geomspace(1, arrays["log_joint"].shape[1], max_points).round().astype(int))
    frames = []
    for chain, seconds in enumerate(seconds_per_sweep):
        found = {"dataset": dataset, "move": move, "chain": chain, "sweep": kept}
        found["seconds"] = kept * float(seconds)
        found |= {name: arrays[name][chain, kept - 1] for name in ("n_clusters", "log_joint")}
        frames.append(pd.DataFrame(found))
    return pd.concat(frames, ignore_index=True)
