"""The state of a chain on disk: what it belongs to, and how a finished chain is extended."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from reseat.chains.chain import Chain
from reseat.chains.coupled import CoupledModel
from reseat.chains.model import MixtureModel
from reseat.chains.output import read_groups
from reseat.errors import CheckpointError
from reseat.files.atomic import atomic_path, seal, seal_fault


def save(path: Path, fingerprint: dict, header: dict, arrays: dict[str, np.ndarray]) -> None:
    """Write a checkpoint atomically; fingerprint and header hold JSON types only."""
    text = json.dumps({"fingerprint": fingerprint, "header": header})
    with atomic_path(path) as temporary:
        with open(temporary, "wb") as file:
            np.savez(file, _text=np.array(text), **arrays)
        seal(temporary)


def load(path: Path, fingerprint: dict) -> tuple[dict, dict[str, np.ndarray]] | None:
    """Read a checkpoint, or None; a CheckpointError names another fingerprint's difference."""
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
    """Raise a CheckpointError if `what` was made with another fingerprint: delete `where`."""
    for key, before, wanted in _differences(then, json.loads(json.dumps(now))):
        key = key.removeprefix("schedule.").removeprefix("model.")  # parts that users do not know
        raise CheckpointError(
            f"{what} was created with {key} = {before}, this run has {wanted}; restore "
            f"the setting to resume, or delete {where} to start over."
        )


def _differences(then, now, key: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield the key and both values of each difference between two values of JSON types."""
    if isinstance(then, dict) and isinstance(now, dict):
        # In the order of this run, so that settings come before what follows from them.
        for name in dict.fromkeys([*now, *then]):
            inner = f"{key}.{name}" if key else name
            if name in then and name in now:
                yield from _differences(then[name], now[name], inner)
            else:
                yield inner, then.get(name, "nothing"), now.get(name, "nothing")
        return
    same = then == now
    if isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        same = all(not any(_differences(*pair)) for pair in zip(then, now, strict=True))
    elif isinstance(then, float) and isinstance(now, float):  # the processor decides the last bits
        same = math.isclose(then, now, rel_tol=1e-9)
    if not same:
        yield key, then, now


# ---- Descriptions of models, so that no chain is resumed with a different one ----------------


def describe_model(model: MixtureModel | CoupledModel, *, values: bool) -> dict[str, Any]:
    """Return what must be the same when a chain is resumed, with `values` also at the start."""
    if isinstance(model, CoupledModel):
        found: dict[str, Any] = {name: _describe_part(part) for name, part in model.parts.items()}
    else:
        found = _describe_part(model)
    found |= {"model": type(model).__name__, "n_items": int(model.n_items)}
    if hasattr(model, "joint"):
        found["joint moves"] = [_name(move) for move in model.joint]
    if values:
        found["start"] = {name: float(value) for name, value in model.hyperparameters.items()}
        found["log joint of the start"] = float(model.log_joint())
    return found


def _describe_part(model: MixtureModel) -> dict[str, Any]:
    return {
        "prior": _name(model.prior),
        "likelihood": _name(model.likelihood),
        "moves": [_name(move) for move in model.moves],
    }


def _name(thing) -> str:
    """Return the name of a function, or of the class of any other object."""
    return getattr(thing, "__name__", type(thing).__name__)


# ---- Extend finished chains, whose last states and draws are kept for this purpose -----------

CHECKPOINT = "checkpoint.npz"


def state_folder(path: Path) -> Path:
    """Return the folder that holds the last state of the chain in a finished file."""
    return path.with_suffix(".state")


def reopen_to_extend(chains: Sequence[Chain]) -> None:
    """Turn finished chains into ones interrupted at their last sweep, after checking all."""
    longer = []
    for chain in chains:
        if chain.extensible and chain.path is not None and chain.path.exists():
            _, attributes = read_groups(chain.path, only=())
            before, now = attributes["configuration"], json.loads(json.dumps(chain.fingerprint))
            if _check(chain, before, now):
                longer.append((chain, before, now))
    # All steps can be repeated, because an earlier attempt may have been killed at any of them.
    for chain, before, now in longer:
        last = _last_state(chain)
        save(last, now, *_load(last, before, now))
        if last.parent != chain.scratch:
            os.replace(last.parent, chain.scratch)
        chain.path.unlink()


def _check(chain: Chain, before: dict, now: dict) -> bool:
    """Return whether a finished chain is to be longer; raise an error if it cannot be."""
    longer = _length(now) > _length(before)
    then, wanted = map(_but_for_length, (before, now)) if longer else (before, now)
    if then != wanted:
        if _model(before) == _model(now):
            # Settings first, because data that are derived by other settings are different, too.
            old, new = ({k: v for k, v in one.items() if k != "data"} for one in (then, wanted))
            check_same(old, new, str(chain.path), "the files of the chains")
        if before.get("data") != now.get("data"):
            raise CheckpointError(
                f"{chain.path} is of other data; choose another folder or empty this one."
            )
        check_same(before, now, str(chain.path), "the files of the chains")
    if not longer:
        return False
    last = _last_state(chain)
    if not last.exists():
        raise CheckpointError(
            f"{chain.path} cannot be extended because its last state in {last.parent} is missing; "
            "request as many samples as before, or start over in another folder."
        )
    header, _ = _load(last, before, now)
    if not chain.identity:  # the description of the model takes its place
        built = describe_model(chain.build(chain.generator()), values=True)
        check_same(header["built"], built, f"The chain {chain.path}", "the file")
    return True


def _last_state(chain: Chain) -> Path:
    """Return the last checkpoint, in the scratch folder if a killed attempt moved it there."""
    unfinished = chain.scratch / CHECKPOINT
    return unfinished if unfinished.exists() else state_folder(chain.path) / CHECKPOINT


def _load(path: Path, before: dict, now: dict) -> tuple[dict, dict]:
    """Return the last state, whether or not it is already marked as that of the longer chain."""
    try:
        return load(path, now)
    except CheckpointError:
        return load(path, before)


def _length(fingerprint: Mapping) -> int:
    return fingerprint.get("schedule", {}).get("n_samples", 0)


def _model(fingerprint: Mapping) -> object:
    model = fingerprint.get("model")
    return model.get("name") if isinstance(model, Mapping) else model


def _but_for_length(fingerprint: Mapping) -> dict:
    return {
        name: {k: v for k, v in part.items() if k != "n_samples"}
        if name in ("schedule", "model") and isinstance(part, Mapping)
        else part
        for name, part in fingerprint.items()
    }
