"""What no schema can say of a configuration: numbers that fit each other, options of features."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reseat.datasets.features import FeatureOptions
from reseat.errors import ConfigError

__all__ = ["check_documents", "check_numbers"]

#: Numbers of a prior that must be above 0 wherever they stand.
POSITIVE = ("concentration", "beta")


def check_numbers(config: Mapping[str, Any]) -> None:
    """Raise a ConfigError for a number that is none, or for thinning that leaves no draw.

    Parameters
    ----------
    config : mapping
        The whole configuration.
    """
    for path, value in _entries(config, ()):
        where = "config, " + ".".join(map(str, path))
        if isinstance(value, float) and not math.isfinite(value):
            raise ConfigError(f"{where}: {value} is not finite; it must be a finite number.")
        if (
            path[-1] in POSITIVE
            and isinstance(value, int | float)
            and not isinstance(value, bool)
            and value <= 0
        ):
            raise ConfigError(f"{where}: {value} is not above 0; it must be a positive number.")
        if isinstance(value, Mapping):
            thin, kept = value.get("thin"), value.get("n_samples")
            if isinstance(thin, int) and isinstance(kept, int) and thin > kept:
                raise ConfigError(
                    f"{where}: thin is {thin} and n_samples {kept}, which leaves no draws; lower "
                    "thin."
                )


def check_documents(section: Mapping[str, Any]) -> None:
    """Raise a ConfigError for options of features that do not exist or cannot be used.

    Parameters
    ----------
    section : mapping
        ``documents`` of the configuration.
    """
    _check_features(section.get("features", {}), "config, documents.features")
    for name, reading in section.get("readings", {}).items():
        _check_features(reading["features"], f"config, documents.readings.{name}.features")


def _check_features(options: Mapping[str, Any], where: str) -> None:
    try:
        FeatureOptions.from_config(options)
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from error


def _entries(value: Any, path: tuple) -> Iterator[tuple[tuple, Any]]:
    if path:
        yield path, value
    if isinstance(value, Mapping):
        for key, entry in value.items():
            yield from _entries(entry, (*path, key))
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for place, entry in enumerate(value):
            yield from _entries(entry, (*path, place))
