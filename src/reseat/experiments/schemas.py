"""Schemas of the configuration, completed with the names that the library declares."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import reseat
from reseat.configuration import read_texts, read_yaml, validate
from reseat.declarations import read_declarations
from reseat.errors import ConfigError
from reseat.priors import all_priors, check_parameters, declared_prior

__all__ = ["read_schema", "validate_family"]


def read_schema(root: Path, name: str) -> dict:
    """Read the schema of a file of the configuration.

    Where models refer to names that the library declares, the schema says so with the key
    ``declared``. For ``likelihood`` its value is the family. For ``prior`` it is ``all``, which
    allows every prior and adds the parameters of priors to the settings of models, or ``groups``,
    which allows only priors of groups, whose parameters all models share.
    """
    schema = read_yaml(root / "workflow" / "schemas" / f"{name}.schema.yaml")
    properties = _model_properties(schema)
    family = properties.get("likelihood", {}).get("declared")
    if family is not None:
        source = Path(reseat.__file__).parent / "models" / f"{family}.py"
        found = [name for name, *_ in read_declarations(source, "likelihood")]
        properties["likelihood"]["enum"] = found
    chosen = properties.get("prior", {}).get("declared")
    if chosen is not None:
        every = chosen == "all"
        priors = [prior for prior in all_priors().values() if every or prior.groups]
        properties["prior"]["enum"] = [prior.name for prior in priors]
        settings = set(properties)
        for prior in priors if every else ():
            for parameter in settings & prior.parameters.keys():
                raise ConfigError(
                    f"The prior {prior.name!r} has a parameter {parameter!r}, which is a setting "
                    f"of the models of {name}; rename the parameter."
                )
            properties |= prior.schemas
    return schema


def validate_family(section: Mapping[str, Any], root: Path, family: str) -> None:
    """Check the section of a family."""
    schema = read_schema(root, family)
    read_texts(section, schema)

    def place(path: list, source: str) -> str:
        return f"{source}, {'.'.join(map(str, [family, *path]))}"

    validate(section, schema, "config", place)
    if _model_properties(schema).get("prior", {}).get("declared") == "all":
        for name, settings in section["models"].items():
            if "prior" in settings:
                check_parameters(settings, f"config, {family}.models.{name}: ")
                # Parameters of different priors may have the same name but different schemas.
                own = {"properties": declared_prior(settings["prior"]).schemas}
                nested = {"properties": {"models": {"properties": {name: own}}}}
                validate(section, nested, "config", place)


def _model_properties(schema: Mapping[str, Any]) -> dict[str, Any]:
    entry = schema["properties"].get("models", {}).get("additionalProperties", {})
    return entry.get("properties", {})
