"""The files of a data set by their roles, and the optional files in a user's folder."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from reseat.configuration import did_you_mean
from reseat.errors import ConfigError, DataError

__all__ = ["Files", "beside", "file_of"]

#: Similarity from which a file name is taken for a misspelling of an expected one (`difflib`).
ALIKE = 0.85


class Files(Mapping[str, Path]):
    """Mapping of roles to files that records which roles a parser has asked for.

    A role that is misspelt in the registry is thus noticed, whether its file is required or
    optional.
    """

    def __init__(self, paths: Mapping[str, Path], parser: str):
        self._paths, self._parser = dict(paths), parser
        self._asked: set[str] = set()

    def __getitem__(self, role: str) -> Path:
        found = self.get(role)
        if found is None:
            raise ConfigError(
                f"the parser {self._parser!r} reads a file {role!r}, which the entry does not "
                "have; name it under the key 'files'"
            )
        return found

    def get(self, role, default=None):
        """Return the file of a role, or a default."""
        self._asked.add(role)
        return self._paths.get(role, default)

    def __contains__(self, role) -> bool:
        self._asked.add(role)
        return role in self._paths

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)

    def check_all_read(self) -> None:
        """Raise a ConfigError if there is a file that the parser has not asked for."""
        for role in self._paths.keys() - self._asked:
            others = self._asked - {"user"}
            raise ConfigError(
                f"key 'files.{role}': the parser {self._parser!r} does not read a file of this "
                f"name{did_you_mean(role, others) or '; it reads ' + ', '.join(sorted(others))}"
            )


def file_of(paths: Mapping[str, Path], role: str) -> Path:
    """Return the file of a role, or the user's own file, which takes precedence."""
    return paths["user"] if "user" in paths else paths[role]


def beside(folder: Path, *names: str) -> dict[str, Path]:
    """Return those of the named files that a folder of the user contains, by name.

    A file with nearly the same name, which would be ignored, is refused.
    """
    there = {path.name for path in folder.iterdir() if path.is_file()}
    for name in sorted(there - set(names)):
        meant = _meant(name.lower(), names)
        if meant and meant not in there:
            raise DataError(
                f"{folder / name} would not be read; rename it to {meant} if it is that table, or "
                "move it to another folder"
            )
    return {name: folder / name for name in names if name in there}


def _meant(name: str, names: Sequence[str]) -> str | None:
    """Return the one of `names` that differs only in its ending or in a few letters, or None."""
    stem = name.partition(".")[0]
    same = [other for other in names if other.partition(".")[0] == stem]
    return next(iter(same or difflib.get_close_matches(name, names, n=1, cutoff=ALIKE)), None)
