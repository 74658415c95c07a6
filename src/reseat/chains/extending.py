"""Extend finished chains, whose last states and draws are kept for this purpose."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from reseat.chains import checkpoint
from reseat.chains.described import describe_model
from reseat.chains.output import read_groups
from reseat.errors import CheckpointError

if TYPE_CHECKING:
    from reseat.chains.runner import Chain

__all__ = ["reopen_shorter", "state_folder"]

CHECKPOINT = "checkpoint.npz"


def state_folder(path: Path) -> Path:
    """Return the folder that holds the last state of the chain in a finished file."""
    return path.with_suffix(".state")


def reopen_shorter(chains: Sequence[Chain]) -> None:
    """Turn finished chains that are to be longer into chains interrupted at their last sweep.

    All chains are checked before the first one is changed.
    """
    finished = [
        (chain, *_fingerprints(chain))
        for chain in chains
        if chain.extensible and chain.path is not None and chain.path.exists()
    ]
    longer = [each for each in finished if _check(*each)]
    for chain, before, now in longer:
        _reopen(chain, before, now)


def _fingerprints(chain: Chain) -> tuple[dict, dict]:
    """Return the fingerprint of a finished chain and that of the requested one."""
    _, attributes = read_groups(chain.path, only=())
    return attributes["configuration"], json.loads(json.dumps(chain.fingerprint))


def _check(chain: Chain, before: dict, now: dict) -> bool:
    """Return whether a finished chain is to be longer; raise an error if it cannot be."""
    longer = _length(now) > _length(before)
    if before != now and not (longer and _but_for_length(before) == _but_for_length(now)):
        if _model(before) == _model(now):
            # Settings first, because data that are derived by other settings are different, too.
            compared = [_but_for_length(one) if longer else one for one in (before, now)]
            then, wanted = ({k: v for k, v in one.items() if k != "data"} for one in compared)
            checkpoint.check_same(then, wanted, str(chain.path), "the files of the chains")
        if before.get("data") != now.get("data"):
            raise CheckpointError(
                f"{chain.path} is of other data; choose another folder or empty this one."
            )
        checkpoint.check_same(before, now, str(chain.path), "the files of the chains")
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
        checkpoint.check_same(header["built"], built, f"The chain {chain.path}", "the file")
    return True


def _reopen(chain: Chain, before: dict, now: dict) -> None:
    # All steps can be repeated, because an earlier attempt may have been killed at any of them.
    last = _last_state(chain)
    checkpoint.save(last, now, *_load(last, before, now))
    if last.parent != chain.scratch:
        os.replace(last.parent, chain.scratch)
    chain.path.unlink()


def _last_state(chain: Chain) -> Path:
    """Return the path of the last checkpoint.

    It is in the scratch folder if an earlier attempt was killed after moving it there.
    """
    unfinished = chain.scratch / CHECKPOINT
    return unfinished if unfinished.exists() else state_folder(chain.path) / CHECKPOINT


def _load(path: Path, before: dict, now: dict) -> tuple[dict, dict]:
    """Return the last state, whether or not it is already marked as that of the longer chain."""
    try:
        return checkpoint.load(path, now)
    except CheckpointError:
        return checkpoint.load(path, before)


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
