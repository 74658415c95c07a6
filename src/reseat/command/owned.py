"""Which files of a result this command wrote; others, and those changed since, are the user's."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from reseat.errors import ConfigError
from reseat.io import sha256_of, write_text

__all__ = ["LAST", "WRITTEN", "check_unchanged", "replacing"]

#: The file with the hashes of those that this command wrote beside it.
WRITTEN = ".written.json"
#: Where new files lie until all of them are there.
NEW = ".unfinished"
#: The one that is put in place when all others are there.
LAST = "index.html"


def check_unchanged(folder: Path, names: Collection[str]) -> None:
    """Raise a ConfigError if a file that would be replaced is not as this command wrote it.

    Parameters
    ----------
    folder : Path
        Of the results.
    names : collection of str
        Files that may be replaced besides those that this command wrote here.
    """
    written = _written(folder)
    for name in sorted({*names, *written}):
        path = folder / name
        if not path.exists():
            continue
        if not path.is_file() or sha256_of(path) not in written.get(name, ()):
            raise ConfigError(
                f"{path} is not as this command wrote it, and would be replaced; rename it, or use "
                "--overwrite."
            )


@contextmanager
def replacing(folder: Path, overwrite: bool = False) -> Iterator[Path]:
    """Yield an empty folder whose files replace those that this command wrote before.

    If the block fails, these still stand.

    Parameters
    ----------
    folder : Path
        Of the results.
    overwrite : bool
        Whether files of the user's may be replaced.
    """
    place = folder / NEW
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    try:
        yield place
        old, new = _written(folder), {path.name: [sha256_of(path)] for path in place.iterdir()}
        if not overwrite:  # the user may have worked on a file in the meantime
            check_unchanged(folder, new)
        # Before any is replaced, so that those that are can be told after an interruption.
        _record(folder, {name: old.get(name, []) + new.get(name, []) for name in old | new})
        for name in old.keys() - new.keys():
            (folder / name).unlink(missing_ok=True)
        for name in sorted(new, key=lambda name: (name == LAST, name)):
            os.replace(place / name, folder / name)
        _record(folder, new)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _written(folder: Path) -> dict[str, list[str]]:
    """Hashes that each file of this command may have; none if nothing is known of them."""
    try:
        found = json.loads((folder / WRITTEN).read_text(encoding="utf-8"))
        return {Path(name).name: [*map(str, hashes)] for name, hashes in found.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}


def _record(folder: Path, hashes: dict[str, list[str]]) -> None:
    write_text(folder / WRITTEN, json.dumps(hashes, indent=1, sort_keys=True) + "\n")
