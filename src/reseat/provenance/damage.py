"""Results that are not as the jobs that made them left them."""

from __future__ import annotations

import os
from base64 import urlsafe_b64decode
from collections.abc import Iterator
from pathlib import Path

from reseat.errors import DataError
from reseat.provenance.files import state_of
from reseat.provenance.history import History

__all__ = ["check_outputs", "damaged_outputs"]

#: Files that the sentence names.
SHOWN = 3


def damaged_outputs(history: History) -> list[str]:
    """Outputs of jobs that hold something else than these wrote.

    What has the size and the date that its job recorded is taken to be unchanged; of everything
    else the hash is compared.  Outputs that are no longer there do not count, nor do those that
    Snakemake makes anew because it was interrupted in the middle of them.

    Parameters
    ----------
    history : History

    Returns
    -------
    list of str
        Files and folders, below the folder of the project.
    """
    # What several jobs made is as the last one left it.
    in_order = sorted(history.records, key=lambda record: record["ended"])
    made = {entry["path"]: entry for record in in_order for entry in record["outputs"]}
    for path in _interrupted(history.root):
        made.pop(path, None)
    return sorted(path for path, entry in made.items() if _is_damaged(history.root / path, entry))


def check_outputs(root: str | os.PathLike, run: str) -> None:
    """Raise a DataError if an output of a run was changed or damaged after it had been made.

    Jobs would take it as it is; or Snakemake would notice its date, and remove what was made from
    it before anybody could say that it cannot be read.  While another instance of Snakemake is at
    work, nothing is compared: outputs come and go, and Snakemake itself refuses to start.
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
            "ended; restore it, or delete it to have it made again."
        )


def _interrupted(root: Path) -> Iterator[str]:
    """Outputs of jobs that had begun, perhaps only to remove the old ones, and did not end."""
    marks = root / ".snakemake" / "incomplete"
    for mark in filter(Path.is_file, marks.rglob("*")):
        # Base64 of the path, a long one in folders that begin with "@"
        parts = [part.removeprefix("@") for part in mark.relative_to(marks).parts]
        try:
            yield urlsafe_b64decode("".join(parts)).decode()
        except ValueError:  # nothing of Snakemake's
            continue


def _is_damaged(path, entry) -> bool:
    try:
        now = state_of(path, {(entry["size"], entry["modified"]): entry["sha256"]})
    except OSError:
        return False
    return now.sha256 != entry["sha256"]
