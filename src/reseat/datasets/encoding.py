"""Encoding of tables of records as `Records`."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reseat.datasets.identity import UNNAMED, DatasetIdentity
from reseat.datasets.parsers.record_table import check_fields, parse_record_table
from reseat.datasets.raw import RawRecords
from reseat.datasets.records import Records
from reseat.files.atomic import sha256_of
from reseat.reading.archives import natural_key
from reseat.reading.values import MISSING_CELLS, missing_words


def encode_records(raw: RawRecords, identity: DatasetIdentity = UNNAMED) -> Records:
    """Number the categories of every field, and the entities.

    Levels are sorted, with numbers in order of value and before names.

    Parameters
    ----------
    raw : RawRecords
    identity : DatasetIdentity, optional
    """
    codes, levels = np.empty(raw.cells.shape, np.int32), []
    for column, (_, cells) in enumerate(raw.cells.items()):
        names = sorted(cells.dropna().unique(), key=natural_key)
        codes[:, column] = pd.Categorical(cells, categories=names).codes
        levels.append(tuple(names))
    entities = None if raw.entities is None else pd.factorize(np.asarray(raw.entities, object))[0]
    return Records(
        codes=codes,
        fields=tuple(raw.cells.columns),
        levels=tuple(levels),
        entities=entities,
        record_ids=np.asarray(raw.record_ids, dtype=np.str_),
        identity=identity,
    )


def read_records(
    path: str | os.PathLike,
    entity: str | None = None,
    id: str | None = None,
    fields: Sequence[str] | Mapping[str, Any] | None = None,
    truth: str | os.PathLike | None = None,
    missing: Sequence[str | float] = MISSING_CELLS,
    drop_constant: bool = False,
) -> Records:
    """Read records of your own from a table.

    Parameters
    ----------
    path : path-like
        A ``csv`` file in UTF-8, plain or compressed (gz, bz2, xz), with a line of
        column names.  Blanks around cells are ignored.
    entity, id : str, optional
        Columns that name the true entity and the record; by default records are numbered from 1.
    fields : sequence of str, or mapping, optional
        Columns to use, by default all others, or rules that make fields from them; see
        `reseat.datasets.parsers.record_table.parse_record_table`.
    truth : path-like, optional
        Instead of `entity`, a table with two named columns, record id and entity, of all records.
    missing : sequence of str or number
        Cells that mean a missing value; empty cells always do.
    drop_constant : bool
        Whether to leave out fields with fewer than two distinct values, unless all are such.  Their
        names are in ``identity.preprocessing["options"]["dropped"]``.

    Returns
    -------
    Records
        Their identity is named after the file.
    """
    paths = {"table": Path(path)} | ({} if truth is None else {"truth": Path(truth)})
    check_fields({"fields": fields, "missing": missing})
    raw = parse_record_table(paths, fields=fields, entity=entity, record=id, missing=missing)
    options = {"entity": entity, "record": id, "missing": list(missing_words(missing))}
    if drop_constant:
        raw, options["dropped"] = without_constant(raw)
    options["fields"] = dict(fields) if isinstance(fields, Mapping) else list(raw.cells.columns)
    identity = DatasetIdentity(
        name=paths["table"].name,
        title=paths["table"].name.split(".")[0],
        status="faithful",
        sha256={file.name: sha256_of(file) for file in paths.values()},
        preprocessing={"parser": "record_table", "options": options},
    )
    return encode_records(raw, identity)


def without_constant(raw: RawRecords) -> tuple[RawRecords, list[str]]:
    """Return records without fields of one value, unless all are such, and these fields."""
    constant = [name for name in raw.cells if raw.cells[name].nunique() < 2]
    if len(constant) == raw.cells.shape[1]:
        return raw, []
    return replace(raw, cells=raw.cells.drop(columns=constant)), constant
