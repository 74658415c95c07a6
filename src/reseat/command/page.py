"""Pages of a result: its clusters, their uncertainty and diagnostics; and doubtful pairs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import jinja2
import numpy as np
import pandas as pd

from reseat.command.results import Result
from reseat.io import write_text
from reseat.models.fields.columns import as_columns

__all__ = ["write_page", "write_review"]

#: Largest numbers of rows in the table of clusters and in that of uncertain items or pairs.
CLUSTERS, UNSURE = 200, 20
#: Largest number of pairs on the page of doubtful pairs, and the probabilities between which a pair
#: is doubtful.
REVIEWED, DOUBTFUL = 300, (0.05, 0.95)
ABOUT = {
    "labels.csv": "cluster of each item, with its probability",
    "clusters.csv": "the clusters",
    "duplicates.csv": "pairs of records that may be duplicates, the least certain first",
    "review.html": "the least certain of these pairs side by side",
    "golden.csv": "one record for each cluster",
    "aliases.csv": "values that stand for each other, such as nicknames",
    "pairs.csv": "pairs of items that may belong together, with their probability",
    "summary.csv": "numbers of clusters and hyperparameters, with their diagnostics",
    "models.csv": "how well each model recovers known entities that were held out",
    "coclustering.npz": "probability that each pair is together, for scipy.sparse.load_npz",
}
#: Files and folders that are already in the folder of the result when the new files are written.
KEPT = {
    "settings.json": "settings of the run",
    "chains": "the draws, for ArviZ and xarray",
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
    approximate: bool,
    notes: Sequence[str],
) -> None:
    """Write ``index.html``.

    Each result has a table of its clusters and one of pairs of items, which is empty unless there
    are many small clusters. `approximate` says that the draws do not come from chains.
    """
    sides = [
        _side(r, clusters, pairs) for r, (clusters, pairs) in zip(results, tables, strict=True)
    ]
    names = [
        (prefix + name, about)
        for prefix in dict.fromkeys(("", *(result.prefix for result in results)))
        for name, about in ABOUT.items()
        if (folder / (prefix + name)).exists()
    ]
    names += [(name, about) for name, about in KEPT.items() if (folder.parent / name).exists()]
    rows = [[_short(cell) for cell in row] for row in summary.itertuples(index=False)]
    _write(
        folder / "index.html",
        title=f"Clusters of {folder.resolve().parent.name}",
        what=what,
        model=model,
        prior=prior,
        approximate=approximate,
        sides=sides,
        notes=list(dict.fromkeys(notes)),
        quantities={"columns": list(summary.columns), "rows": rows},
        files=names,
    )


def write_review(folder: Path, duplicates: pd.DataFrame, fields: Sequence[str]) -> None:
    """Write ``review.html``: the records of doubtful pairs, with their differences marked."""
    low, high = DOUBTFUL
    unsure = duplicates[duplicates["probability"].between(low, high)]
    n_fixed = duplicates.shape[1] - 2 * len(fields)
    pairs = []
    for row in unsure.head(REVIEWED).itertuples(index=False, name=None):
        first, second, probability, cluster = row[:n_fixed]
        sides = row[n_fixed::2], row[n_fixed + 1 :: 2]
        # Values that the model treats as equal or missing are treated so here, too.
        compared = as_columns(np.array(sides, dtype=object))
        pairs.append(
            {
                "probability": f"{probability:.2f}",
                "cluster": cluster,
                "differs": [None not in values and values[0] != values[1] for values in compared],
                "records": [
                    (item, ["–" if pd.isna(cell) else cell for cell in cells])
                    for item, cells in zip((first, second), sides, strict=True)
                ],
            }
        )
    _write(
        folder / "review.html",
        title=f"Doubtful pairs of {folder.resolve().parent.name}",
        n_unsure=len(unsure),
        low=low,
        high=high,
        fields=list(fields),
        pairs=pairs,
    )


def _write(path: Path, **values) -> None:
    """Fill in the template of a page."""
    write_text(path, _templates().get_template(f"{path.name}.j2").render(**values))


@cache
def _templates() -> jinja2.Environment:
    """Return the templates, cached because the pages share a part that is slow to compile."""
    return jinja2.Environment(
        loader=jinja2.PackageLoader("reseat.command"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
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
