"""Growth of the blocks with the number of items under each prior: Figure 1 and theorem 1."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseat.errors import DataError
from reseat.experiments.intervals import proportion_interval
from reseat.experiments.tidy import mean_and_error
from reseat.vocabulary import GENERATED

#: Columns of a frame of prior draws: the printed name of the prior, the number of items, the index
#: of the draw, the size of the largest block, and the number of blocks.
DRAW_COLUMNS = ("system", "n_items", "draw", "max_size", "n_clusters")

#: Largest number of blocks that counts as few in the second half of theorem 1, by which
#: P(K <= 10 | N) tends to 0.
FEW = 10

#: Values of the columns `dataset` and `status`, since a prior involves no data.
SAMPLED = {"dataset": "prior draws", "status": GENERATED}


def check_draws(draws, artefact):
    """Raise DataError unless `draws` has rows and the columns :data:`DRAW_COLUMNS`."""
    missing = [column for column in DRAW_COLUMNS if column not in draws.columns]
    if missing:
        raise DataError(f"{artefact}: the prior draws lack {', '.join(missing)}; draw them again.")
    if len(draws) == 0:
        raise DataError(f"{artefact} received no draws from a prior; draw some first.")


def growth_table(artefact, draws, published):
    """Return Figure 1: largest block and number of blocks of one prior draw per number of items.

    Draw 0 is shown, from the paper's smallest number of items on; the paper shows only the largest
    block.
    """
    check_draws(draws, artefact)
    shown = (draws["draw"] == 0) & (draws["n_items"] >= published["n_items"].min())
    ours = draws[shown].assign(source="ours")
    both = pd.concat([ours, published.assign(source="published", n_clusters=np.nan)])
    both = both.assign(
        artefact=artefact,
        largest_share=both["max_size"] / both["n_items"],
        cluster_share=both["n_clusters"] / both["n_items"],
        **SAMPLED,
    )
    columns = ["artefact", "dataset", "status", "source", "system", "n_items", "max_size"]
    columns += ["n_clusters", "largest_share", "cluster_share"]
    return both[columns].reset_index(drop=True)


def theorem_table(artefact, draws):
    """Return the data on theorem 1: mean share of the largest block, and how often blocks are few.

    `low` and `high` are a 95 % interval: two standard errors either side for the share,
    Clopper-Pearson for the probability. Numbers of items with a single draw are left out, because
    they have no standard error.
    """
    check_draws(draws, artefact)
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
            rows.append(
                {
                    "artefact": artefact,
                    **SAMPLED,
                    "system": system,
                    "n_items": n_items,
                    "quantity": quantity,
                    "few": FEW,
                    "mean": mean,
                    "se": error,
                    "low": low,
                    "high": high,
                    "n_draws": n,
                }
            )
    if not rows:
        raise DataError(f"{artefact} needs several draws for each number of items; draw more.")
    return pd.DataFrame(rows)
