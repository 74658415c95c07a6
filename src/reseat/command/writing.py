"""The files of a result, each whole or not there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp

from reseat.command.duplicates import duplicates_of, golden_of
from reseat.command.inputs.material import Material
from reseat.command.picture import draw_posterior
from reseat.command.results import Result
from reseat.estimators.base import PosteriorClustering
from reseat.io import atomic_path
from reseat.plots import save_figure
from reseat.summaries import coclustering

__all__ = ["summary_of", "write_results"]

#: Items up to which all co-clustering probabilities are kept, not only those from 0.05.
ALL_PAIRS = 3000


def write_results(
    folder: Path, results: Sequence[Result], estimator: PosteriorClustering, material: Material
) -> None:
    """Write all files of the results but the chains.

    Parameters
    ----------
    folder : path
    results : sequence of Result
    estimator : PosteriorClustering
        Fitted.
    material : Material
    """
    for result in results:
        labels = pd.DataFrame(
            {
                "item": result.items,
                "cluster": [result.names[label] for label in result.labels],
                "probability": result.probability.round(4),
            }
        )
        _write_table(labels, folder / f"{result.prefix}labels.csv")
        _write_table(clusters_of(result), folder / f"{result.prefix}clusters.csv")
        together = coclustering(result.draws, dense_limit=ALL_PAIRS, dtype=np.float32)
        with atomic_path(folder / f"{result.prefix}coclustering.npz") as temporary:
            sp.save_npz(temporary, sp.csr_array(together))
        figure = draw_posterior(result.draws, result.labels, result.n_clusters)
        save_figure(figure, folder / f"{result.prefix}picture")
    if material.table is not None:
        _write_table(duplicates_of(results[0], *material.table), folder / "duplicates.csv")
        _write_table(golden_of(results[0], *material.table), folder / "golden.csv")
    _write_table(summary_of(results, estimator), folder / "summary.csv")


def clusters_of(result: Result) -> pd.DataFrame:
    """One row a cluster: its size, how sure it is and what characterises it."""
    sizes = result.sizes
    sums = np.bincount(result.labels, weights=result.probability)
    return pd.DataFrame(
        {
            "cluster": result.names,
            "size": sizes,
            "probability": (sums / sizes).round(4),
            "characterised_by": result.portraits,
        }
    )


def summary_of(results: Sequence[Result], estimator: PosteriorClustering) -> pd.DataFrame:
    """One row a quantity: mean, standard deviation, 95 % interval, R-hat and effective sample size.

    Numbers of clusters come first; the last row is the processor seconds of all chains.
    """
    rows = []
    for result in results:
        rows.append(
            {
                "quantity": f"{result.prefix}clusters",
                "mean": result.n_clusters.mean(),
                "sd": result.n_clusters.std(),
                "low": result.interval[0],
                "high": result.interval[1],
                **_diagnosed(estimator, trace_of(result, estimator)),
            }
        )
        rows.append({"quantity": f"{result.prefix}clusters in labels", "mean": result.sizes.size})
        if result.agreement is not None:
            rows.append({"quantity": "adjusted Rand index", "mean": result.agreement})
    if hasattr(estimator, "quality_"):
        for name, (mean, low, high) in vars(estimator.quality_).items():
            rows.append({"quantity": f"expected {name}", "mean": mean, "low": low, "high": high})
    for name, values in estimator.traces_.items():
        # What is fixed is in the settings.
        if not name.startswith("n_") and np.ptp(values) > 0:
            low, high = np.quantile(values, [0.025, 0.975])
            row = {"quantity": name, "mean": values.mean(), "sd": values.std()}
            rows.append(row | {"low": low, "high": high} | _diagnosed(estimator, name))
    rows.append({"quantity": "seconds", "mean": estimator.seconds_})
    columns = ["quantity", "mean", "sd", "low", "high", "rhat", "ess"]
    return pd.DataFrame(rows, columns=columns)


def trace_of(result: Result, estimator: PosteriorClustering) -> str:
    """The name of the trace of the number of clusters; empty if there is none."""
    side = "column" if result.prefix else "row"
    names = ("n_test_clusters", f"n_clusters_{side}", "n_clusters")
    return next((name for name in names if name in estimator.traces_), "")


def _diagnosed(estimator: PosteriorClustering, name: str) -> dict[str, float]:
    if name not in estimator.rhat_:
        return {}
    return {"rhat": estimator.rhat_[name], "ess": estimator.ess_[name]}


def _write_table(frame: pd.DataFrame, path: Path) -> None:
    with atomic_path(path) as temporary:
        frame.to_csv(temporary, index=False, float_format="%.6g")
