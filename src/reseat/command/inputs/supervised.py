"""Read a table of items, some of known entities and the others to be clustered."""

import logging
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist

from reseat.command.inputs.loaded import LoadedInput, names_of_rows
from reseat.command.portraits import medoids
from reseat.datasets import DatasetIdentity, EmbeddedMentions, Mentions, embed_mentions
from reseat.datasets.raw import SIDES, number_entities
from reseat.errors import ConfigError, DataError
from reseat.estimators.inputs import LARGEST, SMALLEST
from reseat.estimators.supervised import FEW_KNOWN, NO_ENTITY
from reseat.reading import warnings_on_data
from reseat.reading.source import Source
from reseat.reading.tables import column, read_frame
from reseat.reading.values import MISSING_CELLS, numbers_or_texts

#: What the user can do about other cells in a column of numbers, besides correcting them.
REMEDY = "leave cells with unknown values empty, or exclude the column with --columns"

MAX_LISTED = 12  # largest number of columns of one kind that are named
COLUMNS_SHOWN = 4  # number of columns shown of the item that represents a cluster


def read_items(path: Source, arguments) -> LoadedInput:
    """Read items, which are clustered where the column of entities is empty or means unknown."""
    if arguments.entity_column is None:
        raise DataError(
            "reseat cluster supervised needs --entity-column, the column of known entities, which "
            "is empty for the items to cluster."
        )
    table = read_frame(path)
    entities = column(table, arguments.entity_column, path)
    test = entities.isin(NO_ENTITY).to_numpy()
    _check_entities(entities, test, arguments.entity_column, path)
    if arguments.share and arguments.group_column is not None:
        raise ConfigError(
            "--share lets items join the known entities of any group, so that --group-column would "
            "have no effect; remove one of them."
        )
    names = names_of_rows(len(table))
    if arguments.id_column is not None:
        names = column(table, arguments.id_column, path).tolist()
    groups = _groups(table, arguments, path, names)
    apart = (arguments.entity_column, arguments.group_column, arguments.id_column)
    used = arguments.columns or [name for name in table.columns if name not in apart]
    columns = {
        name: numbers_or_texts(column(table, name, path), names, path, REMEDY) for name in used
    }
    _check_magnitudes(columns, path)
    found = _embedded(path, columns, entities, test, groups, names)
    dropped = found.notes["dropped"]
    ignored = f"columns that do not vary among the known items are ignored: {', '.join(dropped)}."
    points = found.coordinates[test]
    described = []
    for place, row in table.loc[test, used[:COLUMNS_SHOWN]].iterrows():
        shown = ", ".join(f"{key} {value}" for key, value in row.items() if value)
        described.append(f"item {names[place]}: {shown}")

    def between(some: np.ndarray, others: np.ndarray) -> np.ndarray:
        return cdist(points[some], points[others], "sqeuclidean")

    n_known = np.unique(entities[~test]).size
    return LoadedInput(
        what=f"{int(test.sum()):,} items to cluster, {int((~test).sum()):,} of {n_known:,} known "
        f"entities, {len(found.features)} features; {_kinds(columns)}",
        fit={
            "X": found.coordinates,
            "y": np.where(test, None, entities.to_numpy(dtype=object)),
            "groups": np.asarray(groups),
        },
        source=[table[[*used, arguments.entity_column]].to_numpy(dtype=object), np.asarray(groups)],
        items=names,
        frame=table,
        portray=lambda labels: medoids(between, described, labels),
        settings={"feature_of": tuple(found.feature_of.tolist()), "standardise": False},
        warnings=[
            *warnings_on_data.remarks_on_names(names),
            *warnings_on_data.remarks_on_cells(table[used]),
            *warnings_on_data.remarks_on_labels(arguments.entity_column, entities[~test], "entity"),
            *warnings_on_data.remarks_on_unknown(arguments.entity_column, entities[test]),
            *warnings_on_data.remarks_on_units(columns),
            *warnings_on_data.remarks_on_lone(columns),
            *warnings_on_data.remarks_on_labels(arguments.group_column, groups, "group"),
            *warnings_on_data.remarks_on_gaps(columns),
            *([ignored] if dropped else []),
        ],
    )


def _check_entities(entities: pd.Series, test: np.ndarray, name: str, path: Source) -> None:
    """Raise a DataError unless there is something to learn from and something to cluster."""
    named = entities[~test]
    if test.all():
        said = f"the column {name!r} names no entity, so there is nothing to learn from."
    elif named.nunique() == 1:
        said = (
            f"all known items have the same entity in {name!r}, so nothing shows what "
            "distinguishes entities; fill in items of at least two, or name another column."
        )
    elif len(named) > FEW_KNOWN and named.nunique() == len(named):
        said = (
            f"every known item has its own entity in {name!r}, so nothing shows how far apart "
            "items of one entity are; name another column."
        )
    elif not test.any():
        said = f"every item has an entity in {name!r}; leave it empty for the items to cluster."
    else:
        return
    raise DataError(f"{path}: {said}")


def _check_magnitudes(columns: Mapping[str, np.ndarray | tuple[str, ...]], path: Source) -> None:
    """Raise a DataError for finite numbers whose squares overflow or underflow."""
    for name, values in columns.items():
        if not isinstance(values, np.ndarray) or np.isinf(values).any():
            continue
        largest = np.nanmax(np.abs(values), initial=0.0)
        if largest > LARGEST or 0 < largest < SMALLEST:
            size = "large" if largest > LARGEST else "small"
            raise DataError(
                f"{path}: the greatest value of the column {name!r} is {largest:g}, too {size} to "
                "be compared; change its unit, or exclude the column with --columns."
            )


def _embedded(
    path: Source,
    columns: Mapping[str, np.ndarray | tuple[str, ...]],
    entities: pd.Series,
    test: np.ndarray,
    groups: Sequence[str],
    names: Sequence[str],
) -> EmbeddedMentions:
    """Return coordinates of the items, with known and other items in separate groups."""
    sides = np.array(SIDES)[test.astype(int)]
    both = [f"{group} ({side})" for group, side in zip(groups, sides, strict=True)]
    # Items to be clustered have no entity yet, so each gets one of its own.
    known = np.where(test, [f"new {place}" for place in range(len(test))], entities)
    logger = logging.getLogger("reseat")
    level = logger.level
    logger.setLevel(logging.ERROR)  # the caller reports dropped columns itself
    try:
        mentions = Mentions(
            kind="items",
            columns=columns,
            entities=number_entities(known.tolist()),
            test=test,
            groups=number_entities(both),
            group_names=tuple(dict.fromkeys(both)),
            item_ids=tuple(names),
            identity=DatasetIdentity(name=path.name, title=path.name, status="faithful"),
        )
        return embed_mentions(mentions)
    except DataError as error:
        raise DataError(f"{error.args[0]}; correct the file", source=path) from error
    finally:
        logger.setLevel(level)


def _kinds(columns: Mapping[str, np.ndarray | tuple[str, ...]]) -> str:
    """Return which columns are compared as numbers, and which as texts."""
    kinds = {"numbers": [], "texts": []}
    for name, values in columns.items():
        kinds["numbers" if isinstance(values, np.ndarray) else "texts"].append(name)
    said = []
    for kind, names in kinds.items():
        if names:
            more = f" and {len(names) - MAX_LISTED:,} more" if len(names) > MAX_LISTED else ""
            said.append(f"{kind}: {', '.join(names[:MAX_LISTED])}{more}")
    return "; ".join(said)


def _groups(table: pd.DataFrame, arguments, path: Source, names: Sequence[str]) -> list[str]:
    if arguments.group_column is None:
        return ["all"] * len(table)
    found = column(table, arguments.group_column, path)
    lacking = np.flatnonzero(found.isin(MISSING_CELLS))
    if lacking.size:
        raise DataError(
            f"{path}: the column {arguments.group_column!r} is empty for item "
            f"{names[lacking[0]]!r}; every item needs a group."
        )
    return found.tolist()
