"""The console script `reseat`, and what its subcommands share."""

import errno
import os
from contextlib import contextmanager
from pathlib import Path

from reseat.errors import DataError


@contextmanager
def writing_to(place: Path, other: str = "another folder for -o"):
    """Raise a DataError, in one sentence, if the disk is full or a place cannot be written to."""
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        remedy = "free some space, then re-run the command to resume" if full else f"choose {other}"
        reason = error.strerror or error
        if _is_elsewhere(error.filename, place):
            raise DataError(
                f"{error.filename} cannot be used ({reason}), while {place} was being made; "
                "re-run the command when it can be."
            ) from error
        raise DataError(f"{place} cannot be written to ({reason}); {remedy}.") from error


def _is_elsewhere(name: str | bytes | int | None, place: Path) -> bool:
    """Return whether the file of an error is neither the place written to, nor above or below."""
    if not isinstance(name, str | bytes) or not name:
        return False
    path, place = Path(os.fsdecode(name)).absolute(), place.absolute()
    unfinished = path.parent == place.parent and path.name.startswith(f".{place.name}.")
    return not (unfinished or path in (place, *place.parents) or place in path.parents)
