"""The state of a chain on disk, tied to the configuration that produced it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from reseat.errors import CheckpointError
from reseat.io import atomic_path, seal, seal_fault

__all__ = ["FORMAT", "check_same", "load", "restoring", "save"]

#: Increased whenever the meaning of a checkpoint or of the random streams behind it changes.
FORMAT = 2


def save(path: Path, fingerprint: dict, header: dict, arrays: dict[str, np.ndarray]) -> None:
    """Write a checkpoint atomically.

    The fingerprint is all that must be the same for the chain to resume: code version,
    configuration, data. It and the header, which is a small state, hold JSON types only.
    """
    text = json.dumps({"fingerprint": fingerprint, "header": header})
    with atomic_path(path) as temporary:
        with open(temporary, "wb") as file:
            np.savez(file, _text=np.array(text), **arrays)
        seal(temporary)


def load(path: Path, fingerprint: dict) -> tuple[dict, dict[str, np.ndarray]] | None:
    """Read a checkpoint; return None if there is none.

    If it was made with another fingerprint, the CheckpointError names the first difference.
    """
    if not path.exists():
        return None
    with restoring(path):
        fault = seal_fault(path)
        if fault:
            raise ValueError(fault)
        with np.load(path, allow_pickle=False) as stored:
            text = json.loads(str(stored["_text"]))
            arrays = {name: stored[name] for name in stored.files if name != "_text"}
        then, header = text["fingerprint"], text["header"]
    check_same(then, fingerprint, f"The checkpoint {path}", "the folder of the checkpoint")
    return header, arrays


@contextmanager
def restoring(path: Path) -> Iterator[None]:
    """Turn any error in reading a checkpoint, or in restoring what it holds, into one sentence."""
    try:
        yield
    except CheckpointError:
        raise
    except Exception as error:
        raise CheckpointError(
            f"The checkpoint {path} cannot be read ({error}); delete its folder to restart the "
            "chain from the beginning."
        ) from error


def check_same(then: dict, now: dict, what: str, where: str) -> None:
    """Raise a CheckpointError if something was made with a fingerprint other than this run's.

    `what`, the thing that was made, begins the sentence, and `where` is what to delete in order to
    start over.
    """
    difference = _first_difference(then, json.loads(json.dumps(now)))
    if difference is not None:
        key, before, wanted = difference
        key = key.removeprefix("schedule.").removeprefix("model.")  # parts that users do not know
        raise CheckpointError(
            f"{what} was created with {key} = {before}, this run has {wanted}; restore "
            f"the setting to resume, or delete {where} to start over."
        )


def _first_difference(then, now, key=""):
    if isinstance(then, dict) and isinstance(now, dict):
        # In the order of this run, so that settings come before what follows from them.
        for name in dict.fromkeys([*now, *then]):
            inner = f"{key}.{name}" if key else name
            if name not in then or name not in now:
                return inner, then.get(name, "nothing"), now.get(name, "nothing")
            difference = _first_difference(then[name], now[name], inner)
            if difference is not None:
                return difference
        return None
    if isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        pairs = zip(then, now, strict=True)
        return None if all(_first_difference(*pair) is None for pair in pairs) else (key, then, now)
    if isinstance(then, float) and isinstance(now, float):  # the processor decides the last bits
        return None if math.isclose(then, now, rel_tol=1e-9) else (key, then, now)
    return None if then == now else (key, then, now)
