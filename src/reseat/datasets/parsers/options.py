"""Checks of the options that an entry of the registry gives to a parser."""

from __future__ import annotations

import re
from typing import Any

from reseat.errors import ConfigError

__all__ = ["check_probabilities", "group_pattern"]


def group_pattern(option: str, pattern: Any) -> re.Pattern:
    """Compile a regular expression with one group.

    Parameters
    ----------
    option : str
        What the option is called.
    pattern : object
        Its value as the entry has it.

    Raises
    ------
    ConfigError
        If it is no regular expression, or has not exactly one group.
    """
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


def check_probabilities(**values: float) -> None:
    """Raise a ConfigError unless each of the options is at least 0 and below 1."""
    for option, value in values.items():
        if not 0 <= value < 1:
            raise ConfigError(
                f"the option {option!r} is {value!r}; it must be at least 0 and below 1"
            )
