"""Checks of the options that an entry of the registry passes to a parser."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from reseat.checks import check_between, check_whole
from reseat.configuration import did_you_mean
from reseat.errors import ConfigError

__all__ = ["check_draw", "check_list", "check_probabilities", "check_types", "group_pattern"]


def group_pattern(option: str, pattern: Any) -> re.Pattern:
    """Compile a regular expression, the value of an option, which must have exactly one group."""
    try:
        compiled = re.compile(pattern)
    except (re.error, TypeError) as error:
        raise ConfigError(
            f"the option {option!r} is {pattern!r}, which is not a regular expression ({error})"
        ) from error
    if compiled.groups != 1:
        raise ConfigError(
            f"the option {option!r} is {pattern!r}, which must contain exactly one group"
        )
    return compiled


def check_list(option: str, values: Any) -> None:
    """Raise a ConfigError unless an option is a list or not given."""
    if values is not None and not isinstance(values, (list, tuple)):
        raise ConfigError(f"the option {option!r} is {values!r}; it must be a list")


def check_draw(options: Mapping[str, Any]) -> None:
    """Check the options of parsers that draw which items are for training."""
    check_between("the option 'train_share'", options.get("train_share", 0.5), 0, 1, "()")
    check_whole("the option 'seed'", options.get("seed", 0))


def check_types(option: str, given: Any, types: Collection[str]) -> None:
    """Raise a ConfigError unless an option is a mapping with types as keys, or not given."""
    if not isinstance(given or {}, Mapping):
        raise ConfigError(f"the option {option!r} is {given!r}; it must be a mapping")
    for kind in given or {}:
        if kind not in types:
            raise ConfigError(
                f"the option {option!r} names the unknown type {kind!r}"
                f"{did_you_mean(kind, types) or '; the types are ' + ', '.join(map(str, types))}"
            )


def check_probabilities(**values: float) -> None:
    """Raise a ConfigError unless each of the options is at least 0 and below 1."""
    for option, value in values.items():
        if not 0 <= value < 1:
            raise ConfigError(
                f"the option {option!r} is {value!r}; it must be at least 0 and below 1"
            )
