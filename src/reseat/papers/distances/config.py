"""Checks of the section `distances` of the configuration that no schema can express."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

from reseat.datasets import Registry
from reseat.datasets.parsers import PARSERS
from reseat.errors import ConfigError
from reseat.papers.configuration import Rules

__all__ = ["RULES"]


def _check_data(
    section: Mapping[str, Any], scale: str, registry: Registry, own: Mapping[str, Any]
) -> None:
    _check_objects(section["objects"], registry)
    _check_degrees(section, scale, registry)


def _check_objects(objects: Mapping[str, Any], registry: Registry) -> None:
    """Raise a ConfigError for sequences without kappa, or other objects with it."""
    for name, entry in objects.items():
        aligned = PARSERS.kind_of(registry[name].parser) == "sequences"
        where = f"config, distances.objects.{name}"
        if aligned and "kappa" not in entry:
            raise ConfigError(f"{where}: sequences need kappa, which turns scores into distances.")
        if "kappa" in entry and not aligned:
            raise ConfigError(f"{where}.kappa: has an effect on sequences only; omit it.")


def _check_degrees(section: Mapping[str, Any], scale: str, registry: Registry) -> None:
    """Raise a ConfigError for a model that has no degrees of freedom left on a set of points."""
    for part, studies in section["scales"][scale].items():
        for number, study in enumerate(studies if isinstance(studies, list) else ()):
            for name, model in product(study["datasets"], study["models"]):
                lost = section["models"].get(model, {}).get("lost", 0)
                dim = registry[name].options.get("dim") if name in registry else None
                if isinstance(dim, int) and lost >= dim:
                    raise ConfigError(
                        f"config, distances.scales.{scale}.{part}[{number}].models has {model!r}, "
                        f"which loses {lost} degrees of freedom, but {name!r} has only "
                        f"{dim} dimensions; lower lost, or remove one of them."
                    )


RULES = Rules(
    entries={"points": ("points",), "objects": ("sequences", "dissimilarities")},
    decides="likelihood",
    only_with={
        "exponent": ("distances",),
        "precision": ("distances",),
        "centre": ("similarities",),
    },
    counted=True,
    check_data=_check_data,
)
