"""Track the files that this command wrote; others, and files changed since, are the user's."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from reseat.errors import ConfigError
from reseat.io import sha256_of, stored_json, write_text

__all__ = ["LAST", "WRITTEN", "check_unchanged", "of_command", "replacing"]

#: File with the hashes of the files that this command wrote to the same folder.
WRITTEN = ".written.json"
#: Beginning of the name of the subfolder for new files until all of them have been written, and
#: the whole of it, so that a folder of the user is not taken for one.
NEW = ".unfinished"
OF_NEW = re.compile(r"\.unfinished-[0-9a-f]{16}")
#: File that is put in place last, when all others are there.
LAST = "index.html"


def check_unchanged(folder: Path, names: Collection[str], overwrite: bool = False) -> None:
    """Raise a ConfigError if a file that would be replaced is not as this command wrote it.

    The files are `names` and those that this command wrote here; with `overwrite`, it accepts files
    that it wrote and that have been changed since.
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
    """Return the names of the files that this command wrote, even if they were changed since.

    Of a complete result of an earlier release, which kept no record of its files, it returns
    `names`.
    """
    if (folder / WRITTEN).is_file():
        return set(_written(folder))
    return set(names) if (folder / LAST).is_file() else set()


@contextmanager
def replacing(folder: Path, overwrite: bool = False) -> Iterator[Path]:
    """Yield an empty folder whose files replace those that this command wrote before.

    If the block fails, the earlier files remain unchanged. With `overwrite`, files that the user
    changed may be replaced.
    """
    for left in folder.glob(f"{NEW}-*"):
        if OF_NEW.fullmatch(left.name):
            shutil.rmtree(left, ignore_errors=True)
    place = folder / f"{NEW}-{secrets.token_hex(8)}"
    place.mkdir()
    try:
        yield place
        old, new = _written(folder), {path.name: [sha256_of(path)] for path in place.iterdir()}
        # The user may have edited a file in the meantime.
        check_unchanged(folder, new, overwrite)
        # Recorded before any file is replaced, so that after an interruption both the old and the
        # new files are recognised as this command's.
        _record(folder, {name: old.get(name, []) + new.get(name, []) for name in old | new})
        for name in old.keys() - new.keys():
            (folder / name).unlink(missing_ok=True)
        for name in sorted(new, key=lambda name: (name == LAST, name)):
            os.replace(place / name, folder / name)
        _record(folder, new)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _written(folder: Path) -> dict[str, list[str]]:
    """Return the hashes that each file of this command may have; empty without a valid record."""
    found = stored_json(folder / WRITTEN)
    valid = all(isinstance(hashes, list) for hashes in found.values())
    return {Path(name).name: [*map(str, hashes)] for name, hashes in found.items() if valid}


def _record(folder: Path, hashes: dict[str, list[str]]) -> None:
    write_text(folder / WRITTEN, json.dumps(hashes, indent=1, sort_keys=True) + "\n")
