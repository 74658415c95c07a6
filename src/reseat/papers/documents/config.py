"""Checks of the section `documents` of the configuration that no schema can express."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reseat.datasets import Registry
from reseat.datasets.features import FeatureOptions
from reseat.errors import ConfigError
from reseat.papers.configuration import Rules

__all__ = ["RULES"]


def _check_section(section: Mapping[str, Any]) -> None:
    """Raise a ConfigError for missing or too long lags, and features that cannot be used."""
    for name, entry in section.get("datasets", {}).items():
        if entry["role"] == "enron" and "switching_lag" not in entry:
            raise ConfigError(
                f"config, documents.datasets.{name}: the role enron needs switching_lag, the "
                "number of sweeps between the two samples that Figure 3 compares; add it."
            )
        if entry.get("switching_lag", 0) >= entry["n_samples"]:
            raise ConfigError(
                f"config, documents.datasets.{name}.switching_lag: {entry['switching_lag']} must "
                f"be below n_samples, which is {entry['n_samples']}."
            )
    _check_features(section.get("features", {}), "config, documents.features")
    for name, reading in section.get("readings", {}).items():
        _check_features(reading["features"], f"config, documents.readings.{name}.features")


def _check_data(
    section: Mapping[str, Any], scale: str, registry: Registry, own: Mapping[str, Any]
) -> None:
    """Raise a ConfigError for features of a data set of the user's own that cannot be used."""
    for name, entry in own.items():
        _check_features(entry.get("features", {}), f"config, datasets.{name}.features")


def _check_features(options: Mapping[str, Any], where: str) -> None:
    try:
        FeatureOptions.from_config(options)
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from error


RULES = Rules(
    entries={"datasets": ()},
    decides="kind",
    only_with={
        **dict.fromkeys(("prior", "beta", "split_merge", "anneal"), ("chains",)),
        **dict.fromkeys(("smoothing", "start", "tolerance"), ("em",)),
    },
    check_section=_check_section,
    check_data=_check_data,
)
