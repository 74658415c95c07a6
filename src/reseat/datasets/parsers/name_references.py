"""Names of authors on publications, with the true author of each."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from reseat.datasets.parsers.items import draw_sides, entities_of, read_sides
from reseat.datasets.parsers.options import check_draw, file_of, files_of
from reseat.datasets.raw import RawMentions
from reseat.errors import DataError
from reseat.files.texts import lines_of, read_text
from reseat.reading.tables import column, read_frame
from reseat.reading.values import numbers

REFERENCES, SPLIT = "references.csv", "split.csv"
NAMES = {"full_name": "mention", "publication": "pub_id"}  # of columns with another name
FIELDS = 8  # on a line that `parse_author_lines` reads


def parse_name_references(
    paths: Mapping[str, Path], train_share: float = 0.73, seed: int = 0
) -> RawMentions:
    """Read a table with one reference, the name of an author, per line.

    `paths`: ``references`` is a ``csv`` table with the columns ref_id, block, mention, first_name,
        last_name, year, venue, coauthors, entity_id and pub_id; ``split``, which is optional, one
        of the ref_id and split (train or test) of those to be read. ``user`` is the first, or a
        folder with ``references.csv`` and perhaps ``split.csv``.
    `train_share`, `seed`: without a split, share and seed for drawing whole blocks for training.
    """
    path, split = files_of(paths, references=REFERENCES, split=SPLIT)
    table = read_frame(path)
    ids = column(table, "ref_id", path)
    entities_of(table, "entity_id", path, ids.tolist())
    if split is not None:
        sides = read_sides(split, ids.tolist(), path)
        table = table[ids.isin(sides.keys()).to_numpy()]
        test = np.array([sides[name] for name in table["ref_id"]])
    else:
        wholes, entities = (column(table, key, path).tolist() for key in ("block", "entity_id"))
        test = draw_sides(wholes, entities, train_share, seed)
    columns = {
        key: column(table, NAMES.get(key, key), path).tolist()
        for key in "first_name last_name full_name year venue coauthors publication".split()
    }
    return _raw(table, test, columns | {"year": numbers(table["year"], path)})


def parse_author_lines(
    paths: Mapping[str, Path], train_share: float = 0.73, seed: int = 0
) -> RawMentions:
    """Read the references of I. Bhattacharya and L. Getoor, which have no year and no venue.

    `paths`: ``lines`` has on each, separated by `` | ``, a number, the author's number, the name as
        last_first, the full name, the place among authors, the paper, its cluster and the title.
    `train_share`, `seed`: share and seed for drawing whole last names for training.
    """
    path = file_of(paths, "lines")
    rows = []
    for number, line in enumerate(lines_of(read_text(path)), start=1):
        fields = [field.strip() for field in line.split(" | ", FIELDS - 1)]
        if line.strip() and len(fields) != FIELDS:
            raise DataError(f"{path}, line {number}: {len(fields)} fields; there must be {FIELDS}")
        if line.strip():
            rows.append([f"line {number}", *fields[1:]])
    if not rows:
        raise DataError(f"{path} is empty")
    keys = ("ref_id", "entity_id", "name", "full", "place", "paper", "cluster", "title")
    table = pd.DataFrame(rows, columns=keys)
    entities_of(table, "entity_id", path, table["ref_id"].tolist())
    names = table["name"].str.partition("_")
    last, first = names[0].tolist(), names[2].str.replace("_", " ").tolist()
    full = [f"{a} {b}".strip() for a, b in zip(first, last, strict=True)]
    others = table.groupby("paper").indices
    coauthors = [
        "; ".join(full[other] for other in others[paper] if other != own)
        for own, paper in enumerate(table["paper"])
    ]
    test = draw_sides(last, table["entity_id"].tolist(), train_share, seed)
    columns = {"first_name": first, "last_name": last, "full_name": full, "coauthors": coauthors}
    return _raw(table, test, columns)


check_name_references = check_author_lines = check_draw


def _raw(table: pd.DataFrame, test: np.ndarray, columns) -> RawMentions:
    return RawMentions(
        kind="identity",
        columns=columns,
        entities=table["entity_id"].tolist(),
        test=test.tolist(),
        item_ids=table["ref_id"].tolist(),
    )
