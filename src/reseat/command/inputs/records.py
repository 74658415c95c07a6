"""Read a table of records."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from reseat.command.inputs.loaded import LoadedInput
from reseat.command.portraits import modal_values
from reseat.datasets import DatasetIdentity, Records, encode_records
from reseat.datasets.encoding import without_constant
from reseat.datasets.parsers.record_table import check_fields, parse_record_table
from reseat.errors import DataError
from reseat.estimators.base import MIN_HALVED
from reseat.estimators.pairs import ANSWERS, settle
from reseat.estimators.records import comparison
from reseat.estimators.supervised import NO_ENTITY
from reseat.models.fields.addresses import columns_of
from reseat.models.fields.columns import FEW_RECORDS, MOSTLY_DIFFERENT, remarks_on_numbers
from reseat.reading import warnings_on_data
from reseat.reading.rows import without_key
from reseat.reading.source import Source
from reseat.reading.tables import column, read_frame

#: What to do about ids that several records have.
KNOWN = "; if they are known to be of the same entity, name that column with --entity-column"
DECIDED = ("first", "second", "decision")  # columns of a table of decisions
MAX_LISTED = 5  # largest number of records without any value that a sentence names


def read_records_table(path: Source, arguments) -> LoadedInput:
    """Read records; the column of entities may be empty, and is only compared with the result."""
    chosen, source, entity = arguments.columns, arguments.source_column, arguments.entity_column
    apart = [name for name in (source, entity) if name is not None]
    fields = None if chosen is None else [*chosen, *apart]
    check_fields({"fields": fields})
    raw = parse_record_table({"table": path}, fields=fields, record=arguments.id_column)
    if arguments.into is not None:
        raw = arguments.earlier.and_more(raw, numbered=arguments.id_column is None)
    key = []
    if chosen is None and raw.cells.columns[0] not in apart:
        cells, key = without_key(raw.cells)
        raw = replace(raw, cells=cells)
    raw, dropped = without_constant(raw)
    records = encode_records(raw, DatasetIdentity(path.name, path.name, "own"))
    for option, name in ("source", source), ("entity", entity):
        if name in dropped:
            raise DataError(
                f"{path}: all records have the same {option} in {name!r}, or none; remove "
                f"--{option}-column."
            )
    compared_fields = [place for place, name in enumerate(records.fields) if name not in apart]
    if not compared_fields:
        raise DataError(
            f"{path}: all records have the same value, or none, in every column that could be "
            "compared; use further columns."
        )
    sources = truth = None
    of_labels = []
    if source is not None:
        codes, levels = _column_of(path, records, source, "--source-column")
        if (codes < 0).any():
            row = records.record_ids[(codes < 0).argmax()]
            said = f"the record {row} has no source in {source!r}; fill in this cell."
            raise DataError(f"{path}: {said}")
        sources = levels[codes]
        of_labels += warnings_on_data.remarks_on_labels(source, sources, "source")
    if entity is not None:
        codes, levels = _column_of(path, records, entity, "--entity-column")
        marked = (codes >= 0) & np.isin(levels[codes], NO_ENTITY)
        truth = np.where(marked, -1, codes)
        of_labels += warnings_on_data.remarks_on_unknown(entity, pd.Series(levels[codes[marked]]))
        of_labels += warnings_on_data.remarks_on_labels(entity, levels[truth[truth >= 0]], "entity")
        of_labels += _remarks_on_truth(truth, entity)
    fields = tuple(records.fields[place] for place in compared_fields)
    cells = _cells_of(path, records, compared_fields)
    likelihood, words = comparison(columns_of(cells), fields, arguments.likelihood)
    similar = likelihood == "similar"
    if sources is not None and not similar and arguments.at_most_one is None:
        raise DataError(
            f"{path}: --source-column needs --likelihood similar, but these values are compared as "
            "categories; add --likelihood similar, or remove --source-column."
        )
    compared = f"; compared: {words}" if similar else ""
    of_sources = "" if sources is None else f" from {len({*map(str, sources)})} sources"
    n_fields = "1 field" if len(fields) == 1 else f"{len(fields)} fields"
    table = pd.DataFrame(cells, columns=list(fields), dtype=object)
    if len(cells) < MIN_HALVED:
        raise DataError(
            f"{path} has only {len(cells)} records; the priors, which expect half as many clusters "
            f"as records, need at least {MIN_HALVED}."
        )
    warnings = key + warnings_on_data.remarks_on_cells(table)
    warnings += warnings_on_data.remarks_on_names(records.record_ids.tolist(), KNOWN)
    if dropped:
        names = ", ".join(name or "a column without a name" for name in dropped)
        warnings.append(
            f"all records have the same value, or none, in {names}, which is therefore left out."
        )
    if similar:
        warnings += remarks_on_numbers(fields, cells)
    else:
        warnings += _remarks_on_unique(path, records, compared_fields)
        for name, place in zip(fields, compared_fields, strict=True):
            warnings += warnings_on_data.remarks_on_spelling(
                f"values of {name!r}", records.levels[place]
            )
    fit = {"X": table} if sources is None else {"X": table, "sources": sources}
    decisions = []
    if arguments.decisions is not None:
        decisions, fit["decisions"] = _decisions_of(arguments.decisions, records.record_ids)
    return LoadedInput(
        what=f"{len(cells):,} records{of_sources}, {n_fields}{compared}",
        fit=fit,
        settings={"likelihood": likelihood},
        items=records.record_ids.tolist(),
        portray=partial(modal_values, cells, fields),
        truth=truth,
        frame=table if source is None else table.assign(**{source: sources}),
        warnings=[*warnings, *of_labels],
        table=(fields, cells),
        decisions=decisions,
    )


def _decisions_of(path: Path, names: np.ndarray) -> tuple[list[list[str]], np.ndarray]:
    """Return a table of decisions, and the numbers of their records, whose names are unique."""
    table = read_frame(path)
    rows = pd.DataFrame({name: column(table, name, path) for name in DECIDED})
    first, second, answer = (rows[name] for name in DECIDED)
    known = pd.Series(np.arange(len(names)), index=names)
    several = known.index[known.index.duplicated()]
    faults = {
        "is no record": [~first.isin(names), ~second.isin(names), []],
        "is the name of several records": [first.isin(several), second.isin(several), []],
        f"is none of {', '.join(ANSWERS)}": [[], [], ~answer.isin(ANSWERS)],
    }
    for fault, columns in faults.items():
        for name, wrong in zip(DECIDED, columns, strict=True):
            if np.any(wrong):
                value = rows[name][wrong].iloc[0]
                raise DataError(
                    f"{path}: {value!r} in {name!r} {fault}; fix the row, or remove it."
                )
    numbered = np.column_stack([known[first], known[second], answer.to_numpy(dtype=object)])
    try:
        settle(numbered, len(names), "record", names)
    except DataError as error:
        error.source = path
        raise
    return rows.to_numpy().tolist(), numbered


def _cells_of(path: Source, records: Records, places: Sequence[int]) -> np.ndarray:
    """Return the values of some fields, None where missing; every record must have at least one."""
    unknown = np.flatnonzero((records.codes[:, places] < 0).all(axis=1))
    if unknown.size:
        shown = ", ".join(records.record_ids[unknown[:MAX_LISTED]])
        shown += ", …" if unknown.size > MAX_LISTED else ""
        raise DataError(
            f"{path}: {unknown.size:,} of {len(records.codes):,} records have no value in any "
            f"field ({shown}); remove them, or use further columns."
        )
    named = [np.array([*records.levels[place], None], dtype=object) for place in places]
    codes = records.codes.T[places]
    return np.column_stack([names[own] for names, own in zip(named, codes, strict=True)])


def _remarks_on_unique(path: Source, records: Records, places: Sequence[int]) -> list[str]:
    """Return a remark on fields in which hardly any records agree; refuse a table of only these."""
    n_records = len(records.codes)
    most = MOSTLY_DIFFERENT * n_records
    many = [records.fields[place] for place in places if len(records.levels[place]) > most]
    if n_records <= FEW_RECORDS:  # so many different values may be due to chance
        alone = all(len(records.levels[place]) == n_records for place in places)
        said = "no two records have a value in common, so nothing tells which belong together."
        return [said] if alone else []
    if not many:
        return []
    if len(many) == len(places):
        raise DataError(
            f"{path}: nearly every record has a unique value in each of {', '.join(many)}, so no "
            "two records agree on anything; choose columns whose values are shared by records of "
            "the same entity."
        )
    return [
        f"nearly every record has a unique value in {', '.join(many)}; exclude such a column with "
        "--columns, or name it with --id-column."
    ]


def _column_of(
    path: Source, records: Records, name: str, option: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return codes and values of a column that is not compared, -1 where a value is missing."""
    if name not in records.fields:
        raise DataError(
            f"{path}: there is no column {name!r} for {option}; the columns are "
            f"{', '.join(records.fields)}."
        )
    place = records.fields.index(name)
    return records.codes[:, place], np.array(records.levels[place], dtype=object)


def _remarks_on_truth(truth: np.ndarray, name: str) -> list[str]:
    known = truth[truth >= 0]
    if known.size < 2:
        found = "no record has" if known.size == 0 else "only one record has"
        return [f"{found} an entity in {name!r}; the result is compared with none."]
    remarks = []
    if known.size < truth.size:
        remarks.append(
            f"{truth.size - known.size:,} of {truth.size:,} records have no entity in {name!r}; "
            "the result is compared with the entities of the others."
        )
    if np.unique(known).size == known.size:
        remarks.append(
            f"no two records have the same entity in {name!r}; check that this column holds the "
            "true entities."
        )
    return remarks
