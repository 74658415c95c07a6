"""Make a finished chain longer: its last state and its draws are kept for that."""

from __future__ import annotations

import copy
import json
import os
from pathlib import Path

from reseat.chains import checkpoint
from reseat.errors import CheckpointError

__all__ = ["reopen", "state_folder"]


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
    if not (state / "checkpoint.npz").exists():
        raise CheckpointError(
            f"{path} cannot be extended because its last state in {state} is missing; request as "
            "many samples as before, or start over in another folder."
        )
    header, arrays = checkpoint.load(state / "checkpoint.npz", before)
    checkpoint.save(state / "checkpoint.npz", now, header, arrays)
    os.replace(state, scratch)
    path.unlink()
    return True


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
