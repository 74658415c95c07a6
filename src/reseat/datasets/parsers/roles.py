"""The files of a data set by their roles, and those that lie beside them in a user's folder."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path

from reseat.errors import DataError

__all__ = ["beside", "file_of"]

#: How alike a name must be to one that is looked for, so that it is taken for a slip.
ALIKE = 0.85


def file_of(paths: Mapping[str, Path], role: str) -> Path:
    """Return the file of a role, or that of the user's own, which takes its place."""
    return paths["user"] if "user" in paths else paths[role]


def beside(folder: Path, *names: str) -> dict[str, Path]:
    """Return those of some files that are in a folder of the user's own.

    Parameters
    ----------
    folder : Path
    *names : str
        What they are called.

    Raises
    ------
    DataError
        If one is not there, but a file of nearly that name is, which would be passed over.
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
    """Which of some names another one differs from by its ending, or by few letters."""
    stem = name.partition(".")[0]
    same = [other for other in names if other.partition(".")[0] == stem]
    return next(iter(same or difflib.get_close_matches(name, names, n=1, cutoff=ALIKE)), None)
