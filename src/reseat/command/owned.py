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

__all__ = ["LAST", "WRITTEN", "check_unchanged", "of_command", "replacing"]

#: The file with the hashes of those that this command wrote beside it.
WRITTEN = ".written.json"
#: Where new files lie until all of them are there.
NEW = ".unfinished"
#: The one that is put in place when all others are there.
LAST = "index.html"


def check_unchanged(folder: Path, names: Collection[str], overwrite: bool = False) -> None:
    """Raise a ConfigError if a file that would be replaced is not as this command wrote it.

    Parameters
    ----------
    folder : Path
        Of the results.
    names : collection of str
        Files that may be replaced besides those that this command wrote here.
    overwrite : bool
        Whether files that this command wrote may have been changed since.
    """
    written, ours = _written(folder), of_command(folder, names)
    for name in sorted({*names, *written}):
        path = folder / name
        if not path.exists():
            continue
        replaceable = path.is_file() and name in ours
        if replaceable and (overwrite or sha256_of(path) in written.get(name, ())):
            continue
        raise ConfigError(
            f"{path} is not as this command wrote it, and would be replaced; rename it"
            f"{', or use --overwrite' * replaceable}."
        )


def of_command(folder: Path, names: Collection[str]) -> set[str]:
    """Names of the files that this command wrote, whether or not they were changed since.

    Parameters
    ----------
    folder : Path
        Of the results.
    names : collection of str
        Those of a complete result of a release that kept no record of them.
    """
    if (folder / WRITTEN).is_file():
        return set(_written(folder))
    return set(names) if (folder / LAST).is_file() else set()


@contextmanager
def replacing(folder: Path, overwrite: bool = False) -> Iterator[Path]:
    """Yield an empty folder whose files replace those that this command wrote before.

    If the block fails, these still stand.

    Parameters
    ----------
    folder : Path
        Of the results.
    overwrite : bool
        Whether files that the user changed may be replaced.
    """
    place = folder / NEW
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    try:
        yield place
        old, new = _written(folder), {path.name: [sha256_of(path)] for path in place.iterdir()}
        # The user may have worked on a file in the meantime.
        check_unchanged(folder, new, overwrite)
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
