"""The files and the options that an entry of the registry passes to a parser."""

import difflib
import re
from collections import UserDict
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from reseat.checks import check_between, check_whole
from reseat.configuration import did_you_mean
from reseat.errors import ConfigError, DataError


def group_pattern(option: str, pattern: Any) -> re.Pattern:
    """Compile a regular expression, the value of an option, which must have exactly one group."""
    said = f"the option {option!r} is {pattern!r}, which"
    try:
        compiled = re.compile(pattern)
    except (re.error, TypeError) as error:
        raise ConfigError(f"{said} is not a regular expression ({error})") from error
    if compiled.groups != 1:
        raise ConfigError(f"{said} must contain exactly one group")
    return compiled


def check_list(option: str, values: Any) -> None:
    """Raise a ConfigError unless an option is a list or not given."""
    if values is not None and not isinstance(values, (list, tuple)):
        raise ConfigError(f"the option {option!r} is {values!r}; it must be a list")


def check_rule(option: str, rule: Any, keys: Collection[str]) -> None:
    """Raise a ConfigError unless an option is a mapping with some of the keys."""
    all_keys = ", ".join(keys)
    if not isinstance(rule, Mapping):
        raise ConfigError(f"the option {option!r} must be a mapping with the keys {all_keys}")
    for key in rule:
        if key not in keys:
            hint = did_you_mean(key, keys) or f"; the keys are {all_keys}"
            raise ConfigError(f"the option {option!r} has the unknown key {key!r}{hint}")


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
            hint = did_you_mean(kind, types) or f"; the types are {', '.join(map(str, types))}"
            raise ConfigError(f"the option {option!r} names the unknown type {kind!r}{hint}")


def check_probabilities(ends: str = "[)", **values: float) -> None:
    """Raise a ConfigError unless each of the options is between 0 and 1."""
    for option, value in values.items():
        check_between(f"the option {option!r}", value, 0, 1, ends)


# ---- Files by their roles, and the optional files in a folder of the user --------------------

ALIKE = 0.85  # similarity from which one name is taken for a misspelling of another (`difflib`)


class Files(UserDict[str, Path]):
    """Mapping of roles to files that records which were asked for, so a misspelt one is noticed."""

    def __init__(self, paths: Mapping[str, Path], parser: str):
        super().__init__(paths)
        self._parser = parser
        self._asked: set[str] = set()

    def __getitem__(self, role: str) -> Path:
        if role not in self:
            raise ConfigError(
                f"the parser {self._parser!r} reads a file {role!r}, which the entry does not "
                "have; name it under the key 'files'"
            )
        return self.data[role]

    def get(self, role, default=None):
        return self.data[role] if role in self else default

    def __contains__(self, role) -> bool:
        self._asked.add(role)
        return role in self.data

    def check_all_read(self) -> None:
        """Raise a ConfigError if there is a file that the parser has not asked for."""
        for role in self.data.keys() - self._asked:
            others = self._asked - {"user"}
            raise ConfigError(
                f"key 'files.{role}': the parser {self._parser!r} does not read a file of this "
                f"name{did_you_mean(role, others) or '; it reads ' + ', '.join(sorted(others))}"
            )


def file_of(paths: Mapping[str, Path], role: str) -> Path:
    """Return the file of a role, or the user's own file, which takes precedence."""
    return paths["user"] if "user" in paths else paths[role]


def files_of(paths: Mapping[str, Path], **names: str) -> tuple[Path, Path | None]:
    """Return the file of the first of two roles, named in a folder of the user, and the other."""
    (role, name), (other, other_name) = names.items()
    user = paths.get("user")
    if user is None:
        return paths[role], paths.get(other)
    if not user.is_dir():
        return user, None
    return user / name, beside(user, name, other_name).get(other_name)


def beside(folder: Path, *names: str) -> dict[str, Path]:
    """Return the named files that a folder contains; one with nearly the same name is refused."""
    there = {path.name for path in folder.iterdir() if path.is_file()}
    for name in sorted(there - set(names)):
        stem = name.lower().partition(".")[0]
        # One that differs only in its ending or in a few letters.
        same = [other for other in names if other.partition(".")[0] == stem]
        close = same or difflib.get_close_matches(name.lower(), names, n=1, cutoff=ALIKE)
        meant = next(iter(close), None)
        if meant and meant not in there:
            raise DataError(
                f"{folder / name} would not be read; rename it to {meant} if it is that table, or "
                "move it to another folder"
            )
    return {name: folder / name for name in names if name in there}
