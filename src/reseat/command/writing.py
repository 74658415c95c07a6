"""Write the files of a result, each of them atomically."""

from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

import jinja2
import numpy as np
import pandas as pd
import scipy.sparse as sp

from reseat.command.folder import CHAINS
from reseat.command.inputs.loaded import LoadedInput
from reseat.command.options import LAST, RESULT_FILES
from reseat.command.results import Report, Result, pairs_of
from reseat.estimators.pairs import ANSWERS
from reseat.estimators.pictures import draw_posterior, draw_small_clusters
from reseat.files.atomic import atomic_path, write_table, write_text
from reseat.models.fields.addresses import columns_of
from reseat.plots import save_figure
from reseat.summaries import coclustering

#: Largest number of items of which all co-clustering probabilities are kept, also those below 0.05.
ALL_PAIRS = 3000
#: Number of clusters above which pairs of items say more than a picture of the clusters.
MANY_CLUSTERS = 100
DIGITS = 6  # significant digits in the tables
TEMPLATES = jinja2.Environment(
    loader=jinja2.PackageLoader("reseat.command"),
    undefined=jinja2.StrictUndefined,
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
)


def write_files(
    folder: Path,
    report: Report,
    material: LoadedInput,
    model: str,
    name: str,
    notes: Sequence[str] = (),
) -> None:
    """Write all files of the results into a folder; `name` is in the titles of the pages."""
    for file, table in report.tables.items():
        write_table(table, folder / file, digits=DIGITS)
    if report.explained:
        frame, fields = report.tables["duplicates.csv"], material.table[0]
        write_review(folder, frame, fields, report.explained, material.decisions, name)
    has_records = material.table is not None
    listed = [(result, _write_pairs(folder, result, has_records)) for result in report.results]
    summary = report.tables["summary.csv"]
    rows = [[_short(cell) for cell in row] for row in summary.itertuples(index=False)]
    prefixes = dict.fromkeys(("", *(result.prefix for result in report.results)))
    files = [(prefix + file.name, file.holds) for prefix in prefixes for file in RESULT_FILES]
    there = {path.name for path in folder.iterdir() if path.is_file()}
    if not report.approximate and (folder.parent / CHAINS).exists():
        there.add(CHAINS)
    _write(
        folder / LAST,
        title=f"Clusters of {name}",
        what=material.what,
        model=model,
        name=name,
        report=report,
        sides=[(result, len(pairs) > 0, _unsure(result, pairs)) for result, pairs in listed],
        notes=list(dict.fromkeys(chain(notes, report.remarks, *report.advice))),
        quantities={"columns": list(summary.columns), "rows": rows},
        files=[(name, holds) for name, holds in files if name in there],
    )


def _write_pairs(folder: Path, result: Result, has_records: bool) -> pd.DataFrame:
    """Write which items are together, and a picture of it; return the pairs of small clusters."""
    pairs = pd.DataFrame()
    micro = result.is_paired and result.sizes.size > MANY_CLUSTERS
    if result.is_paired:
        together = coclustering(result.draws, dense_limit=ALL_PAIRS, dtype=np.float32)
        with atomic_path(folder / f"{result.prefix}coclustering.npz") as temporary:
            sp.save_npz(temporary, sp.csr_array(together))
        pairs = pairs_of(result, together) if micro else pairs
    if micro:
        if not has_records:  # the pairs of records are in duplicates.csv
            write_table(pairs, folder / f"{result.prefix}pairs.csv", digits=DIGITS)
        figure = draw_small_clusters(result.draws, result.n_clusters, pairs)
    else:
        figure = draw_posterior(result.draws, result.labels, result.n_clusters)
    save_figure(figure, folder / f"{result.prefix}picture")
    return pairs


# ---- Pages of a result: its clusters, their uncertainty and diagnostics; and doubtful pairs ----

UNSURE = 20  # largest number of rows in the table of uncertain items or pairs
CERTAIN = 0.95  # probability from which an item or a pair is not listed as uncertain
DOUBTFUL = 0.05, 0.95  # probabilities between which a pair is doubtful


def write_review(
    folder: Path,
    duplicates: pd.DataFrame,
    fields: Sequence[str],
    explained: Iterable[pd.DataFrame],
    decisions: Sequence[Sequence[str]],
    name: str,
) -> None:
    """Write ``review.html``, which shows the pairs to decide about and takes the decisions."""
    low, high = DOUBTFUL
    n_fixed = duplicates.shape[1] - 2 * len(fields)
    pairs = []
    asked = duplicates[duplicates["gain"].notna()].itertuples(index=False, name=None)
    for row, odds in zip(asked, explained, strict=True):
        first, second, probability, cluster, gain = row[:n_fixed]
        sides = row[n_fixed::2], row[n_fixed + 1 :: 2]
        # Values that the model treats as equal or missing are treated so here, too.
        compared = columns_of(np.array(sides, dtype=object))
        pairs.append(
            {
                "probability": f"{probability:.2f}",
                "cluster": cluster,
                "gain": f"{gain:.2f}",
                "asked": (first, second),
                # In the array of the command, fields are named by their numbers.
                "odds": [f"{odds['pair'].get(k, 0.0):+.1f}" for k in range(len(fields))],
                "others": {
                    **{f"the {k}": x for k, x in odds["pair"].items() if isinstance(k, str)},
                    "other records of the entity": odds["others"].sum(),
                    "in sum": odds["log_odds"].sum(),
                },
                "differs": [None not in values and values[0] != values[1] for values in compared],
                "records": [
                    (item, ["–" if pd.isna(cell) else cell for cell in cells])
                    for item, cells in zip((first, second), sides, strict=True)
                ],
            }
        )
    _write(
        folder / "review.html",
        title=f"Doubtful pairs of {name}",
        n_unsure=int(duplicates["probability"].between(low, high).sum()),
        low=low,
        high=high,
        fields=list(fields),
        pairs=pairs,
        decisions=list(map(list, decisions)),
        answers=ANSWERS,
    )


def _write(path: Path, **values) -> None:
    """Fill in the template of a page."""
    write_text(path, TEMPLATES.get_template(f"{path.name}.j2").render(**values))


def _unsure(result: Result, pairs: pd.DataFrame) -> list[list[str]]:
    """Return the least certain pairs or, if none are listed, items with their clusters."""
    if len(pairs):
        order = np.argsort(np.abs(pairs["probability"].to_numpy() - 0.5), kind="stable")[:UNSURE]
        rows = list(pairs.iloc[order].itertuples(index=False))
    else:
        order = np.argsort(result.probability, kind="stable")[:UNSURE]
        places = [(k, result.labels[k]) for k in order]
        rows = [(result.items[k], result.names[c], result.probability[k]) for k, c in places]
    return [[str(one), str(other), f"{p:.2f}"] for one, other, p in rows if p < CERTAIN]


def _short(cell) -> str:
    if isinstance(cell, str):
        return cell
    return "" if pd.isna(cell) else f"{cell:.4g}"
