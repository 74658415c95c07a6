"""One sentence for what is wrong with a configuration."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

import jsonschema

from reseat.errors import ConfigError

__all__ = ["nearest", "validate"]


def nearest(word: object, known: Iterable) -> str:
    """``"; did you mean 'x'?"`` for the closest of `known`, or an empty string."""
    close = difflib.get_close_matches(str(word), [str(item) for item in known], n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def validate(document: Any, schema: dict, source: str) -> None:
    """Check a parsed document against a JSON schema.

    Parameters
    ----------
    document : object
        Parsed YAML or JSON.
    schema : dict
        JSON schema, draft 2020-12.
    source : str
        Name of the file, for the sentence.

    Raises
    ------
    ConfigError
        One sentence that names the file, the key and the remedy for the
        shallowest error: a wrong key says more than what follows from it.
    """
    errors = list(jsonschema.Draft202012Validator(schema).iter_errors(document))
    if errors:
        raise ConfigError(_sentence(min(errors, key=lambda e: len(e.absolute_path)), source))


def _sentence(error: jsonschema.ValidationError, source: str) -> str:
    path = ".".join(str(part) for part in error.absolute_path)
    value, rule = error.instance, error.validator_value
    where = f"{source}, {path}" if path else source
    if error.validator == "additionalProperties" and isinstance(value, dict):
        known = error.schema.get("properties", {})
        key = next(key for key in value if key not in known)
        hint = nearest(key, known) or f"; known are {', '.join(map(str, known))}"
        return f"{where}: {key!r} is not a known key{hint}"
    if error.validator == "required":
        key = next(key for key in rule if key not in value)
        return f"{where}: the key {key!r} is missing; add it"
    if error.validator == "type":
        wanted = " or ".join(rule) if isinstance(rule, list) else rule
        return f"{where}: {value!r} must be of type {wanted}"
    if error.validator == "enum":
        hint = nearest(value, rule) or f"; choose one of {', '.join(map(str, rule))}"
        return f"{where}: {value!r} is not a choice{hint}"
    return f"{where}: {error.message}"
