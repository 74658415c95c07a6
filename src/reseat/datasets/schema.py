"""Schema validation of the registry, with errors that name the data set and the key."""

from __future__ import annotations

from typing import Any

from reseat import configuration

__all__ = ["validate"]


def validate(document: Any, schema: Any, source: str) -> None:
    """Validate a registry document against its schema."""
    configuration.validate(document, schema, source, _place)


def _place(path: list, source: str) -> str:
    if len(path) < 2:
        return source if not path else f"{source}, key {path[0]!r}"
    where = f"{source}: data set {path[1]!r}"
    return f"{where}, key {'.'.join(map(str, path[2:]))!r}" if len(path) > 2 else where
