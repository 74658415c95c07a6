"""Data for the posterior plots: boxes of Figure 2, cluster sizes of Figure 1 of the supplement."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseat.datasets.identity import UNCOMPARED
from reseat.errors import DataError
from reseat.experiments.records.published import BOX
from reseat.experiments.records.results import (
    MODELS,
    STATISTICS,
    by_model,
    finite_max,
    variants,
)
from reseat.summaries import AGREED
from reseat.vocabulary import FAITHFUL, NOT_CONVERGED, NOTE

#: Sets whose distribution of cluster sizes is shown in Figure 1 of the supplement.
SIZE_ROLES = ("syria2000", "syriasizes")


def boxes_table(artefact, summaries, published):
    """Return Figure 2: posterior boxes of four partition statistics beside the published ones.

    The paper shows one data draw per cell. Ours is draw 0, which has run at full length; the spread
    between draws is in Table 1. Published numbers are NaN on generated data, which have other
    sizes.
    """
    first = summaries[(summaries["draw"] == 0) & summaries["model"].isin(list(MODELS))]
    printed = published.set_index(["role", "delta", "system", "statistic"])
    rows = []
    for identity, delta, part in variants(first, artefact):
        for _model, label, of_model in by_model(part):
            for statistic in STATISTICS:
                found = of_model[of_model["quantity"] == statistic]
                if len(found) == 0:
                    continue
                box = found.iloc[0]
                key = (identity["role"], delta, label, statistic)
                theirs = dict.fromkeys(BOX, np.nan)
                if key in printed.index and identity["status"] not in UNCOMPARED:
                    theirs = printed.loc[key]
                rows.append(
                    {
                        **identity,
                        "comparable": identity["status"] == FAITHFUL,
                        "delta": delta,
                        "system": label,
                        "statistic": statistic,
                        "truth": box["truth"],
                        **{name: box[name] for name in BOX},
                        **{f"published_{name}": theirs[name] for name in BOX},
                        "rhat": finite_max(found["rhat"]),
                        "n_chains": int(box["n_chains"]),
                        NOTE: NOT_CONVERGED if finite_max(found["rhat"]) > AGREED else "",
                    }
                )
    if not rows:
        raise DataError(f"{artefact} found no statistic of a partition; make the summaries again.")
    return pd.DataFrame(rows)


def sizes_table(artefact, sizes, summaries, published):
    """Return Figure 1 of the supplement: numbers of clusters of each size in the Syria sets.

    The true numbers stand beside those of the posteriors. Draw 0 is used, as in
    :func:`boxes_table`. A note says if chains disagree on any summary of the partition.
    """
    first = summaries[summaries["draw"] == 0]
    worst = first.groupby(["dataset", "model"])["rhat"].max().to_dict()
    chosen = (
        (sizes["draw"] == 0) & sizes["role"].isin(SIZE_ROLES) & sizes["model"].isin(list(MODELS))
    )
    counts = published.set_index(["role", "size"])["count"].to_dict()
    rows = []
    for identity, delta, part in variants(sizes[chosen], artefact):
        known = identity["status"] not in UNCOMPARED
        for model, label, of_model in by_model(part):
            apart = worst.get((of_model["dataset"].iloc[0], model), np.nan) > AGREED
            for row in of_model.sort_values("size").to_dict("records"):
                printed = counts.get((identity["role"], row["size"]), np.nan) if known else np.nan
                rows.append(
                    {
                        **identity,
                        "delta": delta,
                        "system": label,
                        "size": int(row["size"]),
                        "truth": row["truth"],
                        "published": printed,
                        **{name: row[name] for name in ("mean", "q025", "q975")},
                        NOTE: NOT_CONVERGED if apart else "",
                    }
                )
    return pd.DataFrame(rows)
