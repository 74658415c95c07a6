"""Results that have been changed or damaged since their jobs wrote them."""

from __future__ import annotations

import os
from base64 import urlsafe_b64decode
from collections.abc import Iterator
from pathlib import Path

from reseat.errors import DataError
from reseat.provenance.files import state_of
from reseat.provenance.history import History

__all__ = ["check_outputs", "damaged_outputs"]

#: Number of files that the message names.
SHOWN = 3


def damaged_outputs(history: History) -> list[str]:
    """Return the outputs whose contents are not those that their jobs wrote.

    An output with the size and modification time in the record of its job counts as unchanged; for
    all others the hash is compared.  Outputs that no longer exist do not count, nor do those that
    Snakemake will make again because it was interrupted while they were made.
    """
    # If several jobs made an output, the record of the last one counts.
    in_order = sorted(history.records, key=lambda record: record["ended"])
    made = {entry["path"]: entry for record in in_order for entry in record["outputs"]}
    for path in _interrupted(history.root):
        made.pop(path, None)
    return sorted(path for path, entry in made.items() if _is_damaged(history.root / path, entry))


def check_outputs(root: str | os.PathLike, run: str) -> None:
    """Raise a DataError if an output of a run was changed or damaged after it had been made.

    Otherwise jobs would use it as it is; or Snakemake would notice its date, and remove what was
    made from it before any job finds that it cannot be read.  While another instance of Snakemake
    is running, nothing is compared: outputs come and go, and Snakemake itself refuses to start.
    """
    if any(Path(root, ".snakemake", "locks").glob("*.lock")):
        return
    try:
        history = History(root, run)
    except DataError:  # nothing has been made yet
        return
    found = damaged_outputs(history)
    if found:
        more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        raise DataError(
            f"{', '.join(found[:SHOWN])}{more}: changed or damaged since the job that made it "
            "ended; restore it, or delete it and re-run the command with `--forcerun "
            f"{' '.join(found)}` at its end (with make, in ARGS), so that it and what follows from "
            "it are made again."
        )


def _interrupted(root: Path) -> Iterator[str]:
    """Yield outputs of jobs that started, if only to remove old outputs, but did not end."""
    marks = root / ".snakemake" / "incomplete"
    for mark in filter(Path.is_file, marks.rglob("*")):
        # The Base64 of the path, split for long paths into folders whose names begin with "@".
        parts = [part.removeprefix("@") for part in mark.relative_to(marks).parts]
        try:
            yield urlsafe_b64decode("".join(parts)).decode()
        except ValueError:  # not a file of Snakemake
            continue


def _is_damaged(path, entry) -> bool:
    try:
        now = state_of(path, {(entry["size"], entry["modified"]): entry["sha256"]})
    except OSError:
        return False
    return now.sha256 != entry["sha256"]
