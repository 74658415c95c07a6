"""Build processed data sets from their names in the registry."""

import inspect
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pkgutil import resolve_name
from typing import Any

import numpy as np

from reseat.datasets.parsers import KINDS, PARSERS
from reseat.datasets.parsers.options import Files
from reseat.datasets.raw import RawMentions, RawRecords
from reseat.datasets.registry import DataSettings, Registry
from reseat.datasets.sources import Located, locate
from reseat.datasets.stored import Stored
from reseat.errors import ConfigError, DataError, unforeseen
from reseat.reading import warnings_on_data

logger = logging.getLogger(__name__)


def build(
    registry: Registry,
    name: str,
    settings: DataSettings | None = None,
    seed: int = 0,
    kind: str | None = None,
    **options: Any,
) -> Stored:
    """Find a data set, run its parser, and turn the result into a processed data set.

    Parameters
    ----------
    registry : Registry
    name : str
    settings : DataSettings, optional
    seed : int
        Seed for drawing mentions or their sides, unless the entry has one among its options.
    kind : str, optional
        One of `reseat.datasets.parsers.KINDS`; the data set must be of its class.
    **options
        For documents, ``features``: `FeatureOptions`, or a mapping that overrides the entry's.

    Returns
    -------
    Stored
        An object of the class of its kind, whose identity says what was read and how.
    """
    entry = registry[name]
    if kind is not None:
        wanted = {other for other, known in KINDS.items() if known.result == KINDS[kind].result}
        fitting = [key for key, own in registry.items() if PARSERS.kind_of(own.parser) in wanted]
        if name not in fitting:
            others = ", ".join(fitting) or "none"
            raise ConfigError(f"data set {name!r} is not {KINDS[kind].what}; these are: {others}")
    own = KINDS.get(PARSERS.kind_of(entry.parser))
    if own is KINDS["mentions"] and "seed" in _parameters(PARSERS[entry.parser]):
        entry = replace(entry, options={"seed": seed, **entry.options})
        registry = Registry({**registry, name: entry}, registry.source)
    settings = settings or DataSettings()
    located = locate(registry, name, settings)
    files = " and ".join(map(str, located.paths.values())) or "its options"
    try:
        with unforeseen(f"the parser {entry.parser!r} cannot read {files}"):
            found = read_raw(located)
            if not isinstance(found, Stored):
                finish = resolve_name(f"reseat.datasets.{own.finish.replace('.', ':')}")
                context = {"located": located, "registry": registry, "settings": settings}
                wanted = {key: context[key] for key in context.keys() & _parameters(finish)}
                found = finish(found, **wanted, **options)
    except (ConfigError, DataError) as error:
        raise type(error)(f"data set {name!r}: {error}") from error
    steps = {"parser": entry.parser, "options": dict(entry.options)}
    hashes = {**located.identity.sha256, **found.identity.sha256}
    # Generated data and the user's own have no file with a hash in the registry.
    hashes = hashes or {"data as read": found.digest()}
    steps |= found.identity.preprocessing
    return found.identified(replace(located.identity, sha256=hashes, preprocessing=steps))


def read_raw(located: Located) -> Any:
    """Run the parser of a located data set.

    Parameters
    ----------
    located : Located
        From `reseat.datasets.locate`.

    Returns
    -------
    object
        What parsers of its kind return.
    """
    entry = located.dataset
    if entry.parser is None:
        raise ConfigError(
            f"data set {entry.name!r} has no parser, because it only provides files to other data "
            "sets"
        )
    files = Files(located.paths, entry.parser)
    found = PARSERS[entry.parser](files, **entry.options)
    files.check_all_read()
    if entry.user_path:
        for remark in remarks_on(found, entry.options):
            logger.warning("%s: %s", located.paths["user"], remark)
    return found


def _parameters(function: Callable) -> set[str]:
    return set(inspect.signature(function).parameters)


def remarks_on(raw: Any, options: Mapping[str, Any]) -> list[str]:
    """Return remarks on records or items that a parser has read from the user's own files."""
    if isinstance(raw, RawRecords):
        cells, said = raw.cells.astype(object).where(raw.cells.notna(), None), []
    elif isinstance(raw, RawMentions) and raw.kind == "items":
        import pandas as pd  # takes longer to load than most data sets take to build

        texts = {name: _as_texts(values) for name, values in raw.columns.items()}
        cells = pd.DataFrame(texts, dtype=object)
        said = warnings_on_data.remarks_on_units(raw.columns)
        said = said + warnings_on_data.remarks_on_gaps(raw.columns)
    else:
        return []
    entities = [] if raw.entities is None else raw.entities
    label = options.get("entity") or "entity"
    of_labels = warnings_on_data.remarks_on_labels(label, entities, "entity")
    return warnings_on_data.remarks_on_cells(cells) + said + of_labels


def _as_texts(values: Sequence[str] | np.ndarray) -> Sequence[str]:
    if not isinstance(values, np.ndarray):
        return values
    return ["" if np.isnan(value) else f"{value:.15g}" for value in values]
