"""Schemas of the configuration, with partition priors as they are declared."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reseat.configuration import read_yaml, validate
from reseat.priors import all_priors, check_parameters

__all__ = ["read_schema", "validate_family"]


def read_schema(root: Path, name: str) -> dict:
    """The schema of ``config.yaml`` or of the section of a family.

    Where models name a prior, the file says by ``declared`` which ones they can have: ``all``,
    with their parameters, or those of ``groups``, whose parameters all models share.

    Parameters
    ----------
    root : path
        Of the project.
    name : str
    """
    schema = read_yaml(root / "workflow" / "schemas" / f"{name}.schema.yaml")
    properties = _model_properties(schema)
    if "prior" in properties:
        chosen = properties["prior"]["declared"]
        found = [prior for prior in all_priors().values() if chosen == "all" or prior.groups]
        properties["prior"]["enum"] = [prior.name for prior in found]
        if chosen == "all":
            for prior in found:
                properties |= prior.schemas
    return schema


def validate_family(section: Mapping[str, Any], root: Path, family: str) -> None:
    """Check the section of a family.

    Raises
    ------
    ConfigError
        One sentence on the first thing that is wrong.
    """
    schema = read_schema(root, family)
    validate(section, schema, f"config, {family}")
    if _model_properties(schema).get("prior", {}).get("declared") == "all":
        for name, settings in section["models"].items():
            if "prior" in settings:
                check_parameters(settings, f"config, {family}.models.{name}: ")


def _model_properties(schema: Mapping[str, Any]) -> dict[str, Any]:
    return (
        schema["properties"].get("models", {}).get("additionalProperties", {}).get("properties", {})
    )
