"""One sentence for what is wrong with a configuration."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from reseat.errors import ConfigError

if TYPE_CHECKING:
    from jsonschema import ValidationError

__all__ = ["nearest", "validate"]


def nearest(word: object, known: Iterable) -> str:
    """``"; did you mean 'x'?"`` for the closest of `known`, or an empty string."""
    close = difflib.get_close_matches(str(word), [str(item) for item in known], n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def validate(
    document: Any, schema: dict, source: str, place: Callable[[list, str], str] | None = None
) -> None:
    """Check a parsed document against a JSON schema.

    Parameters
    ----------
    document : object
        Parsed YAML or JSON.
    schema : dict
        JSON schema, draft 2020-12.
    source : str
        Name of the file, for the sentence.
    place : callable, optional
        Called as ``place(path, source)``; says in words where an error is.

    Raises
    ------
    ConfigError
        One sentence that names the file, the key and the remedy for the
        shallowest error: a wrong key says more than what follows from it.
    """
    from jsonschema import Draft202012Validator

    errors = list(Draft202012Validator(schema).iter_errors(document))
    if errors:
        first = min(errors, key=lambda error: len(error.absolute_path))
        where = (place or _place)(list(first.absolute_path), source)
        raise ConfigError(f"{where}: {_fault(first)}")


def _place(path: list, source: str) -> str:
    return f"{source}, {'.'.join(map(str, path))}" if path else source


def _fault(error: ValidationError) -> str:
    value, rule = error.instance, error.validator_value
    if error.validator == "additionalProperties" and isinstance(value, dict):
        known = error.schema.get("properties", {})
        key = next(key for key in value if key not in known)
        hint = nearest(key, known) or f"; the keys are {', '.join(known)}"
        return f"the key {key!r} is not known{hint}"
    if error.validator == "required":
        key = next(key for key in rule if key not in value)
        return f"the key {key!r} is missing"
    if error.validator == "type":
        wanted = " or ".join(rule) if isinstance(rule, list) else rule
        return f"must be of type {wanted}, not {value!r}"
    if error.validator == "enum":
        return f"{value!r} is none of {', '.join(map(str, rule))}"
    if error.validator == "pattern":
        hint = error.schema.get("description", f"must match {rule}")
        return f"{value!r} is not usable ({hint})"
    return error.message
