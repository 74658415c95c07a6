"""One sentence for what is wrong with a registry file."""

from __future__ import annotations

from typing import Any

import jsonschema

from reseat.datasets.settings import nearest
from reseat.errors import ConfigError

__all__ = ["validate"]


def validate(document: Any, schema: Any, source: str) -> None:
    """Check a registry document against its schema.

    Parameters
    ----------
    document, schema : object
        Parsed YAML.
    source : str
        Name of the file, for the sentence.

    Raises
    ------
    ConfigError
        Naming the data set and the key of the first error in file order.
    """
    validator = jsonschema.Draft202012Validator(schema)
    errors = list(validator.iter_errors(document))
    if errors:
        # The shallowest first: a wrong key says more than what follows from it.
        first = min(errors, key=lambda error: len(error.absolute_path))
        raise ConfigError(_sentence(first, source))


def _sentence(error: jsonschema.ValidationError, source: str) -> str:
    where = _place(list(error.absolute_path), source)
    value = error.instance
    if error.validator == "additionalProperties" and isinstance(value, dict):
        known = error.schema.get("properties", {})
        key = next(key for key in value if key not in known)
        hint = nearest(key, known) or f"; the keys are {', '.join(known)}"
        return f"{where}: the key {key!r} is not known{hint}"
    if error.validator == "required":
        key = next(key for key in error.validator_value if key not in value)
        return f"{where}: the key {key!r} is missing"
    if error.validator == "type":
        wanted = error.validator_value
        wanted = " or ".join(wanted) if isinstance(wanted, list) else wanted
        return f"{where}: must be of type {wanted}, not {value!r}"
    if error.validator == "enum":
        return f"{where}: {value!r} is none of {', '.join(map(str, error.validator_value))}"
    if error.validator == "pattern":
        hint = error.schema.get("description", f"must match {error.validator_value}")
        return f"{where}: {value!r} is not usable ({hint})"
    return f"{where}: {error.message}"


def _place(path: list, source: str) -> str:
    if len(path) < 2:
        return source if not path else f"{source}, key {path[0]!r}"
    where = f"{source}: data set {path[1]!r}"
    return f"{where}, key {'.'.join(map(str, path[2:]))!r}" if len(path) > 2 else where
