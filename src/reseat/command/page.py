"""The page of a result: clusters, how sure they are, and what to make of the chains."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import jinja2
import numpy as np
import pandas as pd

from reseat.command.results import Result
from reseat.io import write_text

__all__ = ["write_page"]

#: Rows of the tables.
CLUSTERS, UNSURE = 200, 20
ABOUT = {
    "labels.csv": "cluster of each item, how surely it belongs there, and its columns in the input",
    "clusters.csv": "the clusters",
    "duplicates.csv": "pairs of records that may be one, the least certain first",
    "golden.csv": "one record for each cluster",
    "pairs.csv": "pairs of items that may be one, with their probability",
    "summary.csv": "numbers of clusters and hyperparameters, with their diagnostics",
    "coclustering.npz": "probability of each pair to be together, for scipy.sparse.load_npz",
    "settings.json": "what was run",
    "chains": "draws, for ArviZ and xarray",
}


def write_page(
    folder: Path,
    results: Sequence[Result],
    tables: Sequence[tuple[pd.DataFrame, pd.DataFrame]],
    summary: pd.DataFrame,
    *,
    what: str,
    model: str,
    prior: str,
    notes: Sequence[str],
) -> None:
    """Write ``index.html``.

    Parameters
    ----------
    folder : Path
        Of the result, whose other files are there.
    results : sequence of Result
    tables : sequence of tuple of DataFrame
        Of each result its clusters and, if there are few of them that say something, pairs of
        items; the latter may be empty.
    summary : DataFrame
        A row a quantity.
    what, model, prior : str
    notes : sequence of str
        What the user should know.
    """
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("reseat.command"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    sides = [
        _side(r, clusters, pairs) for r, (clusters, pairs) in zip(results, tables, strict=True)
    ]
    names = [
        (prefix + name, about)
        for prefix in dict.fromkeys(("", *(result.prefix for result in results)))
        for name, about in ABOUT.items()
        if (folder / (prefix + name)).exists()
    ]
    rows = [[_short(cell) for cell in row] for row in summary.itertuples(index=False)]
    write_text(
        folder / "index.html",
        made.get_template("index.html.j2").render(
            title=f"Clusters of {folder.resolve().name}",
            what=what,
            model=model,
            prior=prior,
            sides=sides,
            notes=list(dict.fromkeys(notes)),
            quantities={"columns": list(summary.columns), "rows": rows},
            files=names,
        ),
    )


def _side(result: Result, clusters: pd.DataFrame, pairs: pd.DataFrame) -> dict:
    low, high = result.interval
    n_clusters = result.sizes.size
    if len(pairs):
        order = np.argsort(np.abs(pairs["probability"].to_numpy() - 0.5), kind="stable")[:UNSURE]
        unsure = [[*map(str, row)] for row in pairs.iloc[order].itertuples(index=False)]
    else:
        order = np.argsort(result.probability, kind="stable")[:UNSURE]
        unsure = [
            [result.items[place], result.names[result.labels[place]],
             f"{result.probability[place]:.2f}"]
            for place in order if result.probability[place] < 1
        ]  # fmt: skip
    shown = clusters.head(CLUSTERS)
    return {
        "prefix": result.prefix,
        "heading": "Clusters of columns" if result.prefix else "Clusters",
        "mean": f"{result.n_clusters.mean():.1f}",
        "low": low,
        "high": high,
        "n_clusters": n_clusters,
        "outside": not low <= n_clusters <= high,
        "agreement": None if result.agreement is None else f"{result.agreement:.3f}",
        "picture": "the posterior of the clusters",
        "clusters": shown.to_dict("records"),
        "hidden": len(clusters) - len(shown),
        "unsure": unsure,
        "unsure_what": "pairs" if len(pairs) else "items",
    }


def _short(cell) -> str:
    if isinstance(cell, str):
        return cell
    return "" if pd.isna(cell) else f"{cell:.4g}"
