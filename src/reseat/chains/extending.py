"""Make a finished chain longer: its last state and its draws are kept for that."""

from __future__ import annotations

import copy
import json
import os
from pathlib import Path

from reseat.chains import checkpoint
from reseat.errors import CheckpointError

__all__ = ["reopen", "state_folder"]

CHECKPOINT = "checkpoint.npz"


def state_folder(path: Path) -> Path:
    """Where the last state of the chain of a finished file lies."""
    return path.with_suffix(".state")


def reopen(path: Path, scratch: Path, before: dict, now: dict) -> bool:
    """Turn a finished chain into one that was interrupted at its end, if it is to be longer.

    Parameters
    ----------
    path : Path
        Of the finished file.
    scratch : Path
        Where an unfinished chain lies.
    before, now : dict
        Fingerprints of the finished chain, and of the one that is wanted.

    Returns
    -------
    bool
        Whether that was done; not if the two differ in more than the number of samples, or
        fewer are wanted.

    Raises
    ------
    CheckpointError
        If the last state of the chain is not there.
    """
    now = json.loads(json.dumps(now))
    if not _is_longer(before, now):
        return False
    state = state_folder(path)
    # An earlier attempt may have been killed anywhere below.
    if (state / CHECKPOINT).exists():
        header, arrays = _load_either(state / CHECKPOINT, before, now)
        checkpoint.save(state / CHECKPOINT, now, header, arrays)
        os.replace(state, scratch)
    elif not (scratch / CHECKPOINT).exists():
        raise CheckpointError(
            f"{path} cannot be extended because its last state in {state} is missing; request as "
            "many samples as before, or start over in another folder."
        )
    else:
        checkpoint.load(scratch / CHECKPOINT, now)
    path.unlink()
    return True


def _load_either(path: Path, before: dict, now: dict):
    """The last state, whether or not it has been marked as that of the longer chain."""
    try:
        return checkpoint.load(path, now)
    except CheckpointError:
        return checkpoint.load(path, before)


def _is_longer(before: dict, now: dict) -> bool:
    if not isinstance(before, dict) or "schedule" not in before:
        return False
    then = copy.deepcopy(before)
    if not then["schedule"]["n_samples"] < now["schedule"]["n_samples"]:
        return False
    then["schedule"]["n_samples"] = now["schedule"]["n_samples"]
    if isinstance(then.get("model"), dict) and "n_samples" in now.get("model", {}):
        then["model"]["n_samples"] = now["model"]["n_samples"]
    return then == now
