"""References to publications, several of which may be to the same publication."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from reseat.datasets.name_parts import split_authors
from reseat.datasets.parsers.items import entities_of
from reseat.datasets.parsers.options import check_list, file_of
from reseat.datasets.raw import RawMentions
from reseat.errors import ConfigError, DataError
from reseat.reading.tables import column, read_frame

YEAR = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")


def parse_citation_table(
    paths: Mapping[str, Path],
    item: str,
    entity: str,
    test: Mapping[str, str],
    title: str = "title",
    authors: str = "author",
    year: str = "year",
    venue: Sequence[str] = ("venue",),
) -> RawMentions:
    """Read a table with one reference per line.

    `paths`: ``references``, or ``user`` for the user's own file, is a ``csv`` table.
    `item`, `entity`: columns of the id of the reference and of its publication.
    `test`: a column and the value that more than half of the references to a publication for
        testing have, so that no publication is on both sides.
    `title`, `authors`, `year`, `venue`: columns; of those of venues the first that is not empty is
        used, and of years the first number from 1800 to 2099.
    """
    path = file_of(paths, "references")
    table = read_frame(path)
    ((key, value),) = test.items()
    marked = (column(table, key, path) == str(value)).astype(float)
    ids = column(table, item, path).tolist()
    entities = entities_of(table, entity, path, ids)
    sides = marked.groupby(entities).transform("mean") > 0.5
    if not sides.any():
        raise DataError(f"{path}: no publication has the value {value!r} in the column {key!r}")
    written = column(table, authors, path).tolist()
    people = [split_authors(text) for text in written]
    places = np.stack([column(table, name, path).to_numpy(dtype=object) for name in venue])
    years = [YEAR.search(text) for text in column(table, year, path)]
    return RawMentions(
        kind="citations",
        columns={
            "title": column(table, title, path).tolist(),
            "first_author": [(names or [""])[0] for names in people],
            "authors": written,
            "year": np.array([float(found[0]) if found else np.nan for found in years]),
            "venue": [next(filter(None, row), "") for row in places.T],
            "coauthors": ["; ".join(names[1:]) for names in people],
        },
        entities=entities.tolist(),
        test=sides.tolist(),
        item_ids=ids,
    )


def check_citation_table(options: Mapping[str, Any]) -> None:
    """Check the form of the options, before any file is read."""
    test = options["test"]
    if not isinstance(test, Mapping) or len(test) != 1:
        raise ConfigError(
            "the option 'test' must name one column and the value that marks test items"
        )
    check_list("venue", options.get("venue"))
