"""Files of finished chains, and the labels of single samples in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from reseat.chains import read_groups
from reseat.errors import DataError

__all__ = ["chain_files", "random_labels", "read_samples", "read_snapshot", "snapshot"]


def chain_files(blocks: Iterable[Path]) -> list[Path]:
    """Return the chain files in the folders of finished jobs, in the order of their numbers."""
    return sorted(
        (path for block in blocks for path in Path(block).glob("chain-*.nc")),
        key=lambda path: path.name,
    )


def snapshot(groups: Mapping, sweep: int) -> np.ndarray:
    """Return the labels after `sweep`, which must be one of the snapshots of the chain."""
    group = groups["snapshots"]
    at = np.flatnonzero(group["sweep"] == sweep)
    if at.size == 0:
        raise KeyError(f"sweep {sweep} is not among the snapshots of the chain")
    return group["labels"][at[0]]


def random_labels(path: Path) -> np.ndarray:
    """Return the labels of the random sample of a chain, shape (n_documents,)."""
    groups, attributes = read_groups(path, {"snapshots"})
    return snapshot(groups, attributes["configuration"]["random_sweep"])


def read_snapshot(path, sweep):
    """Return the labels after a sweep, or after the stored sweep that is nearest to it, and which.

    Sweeps are counted from the start of the chain, burn-in included; of two that are equally near,
    the earlier one is taken.
    """
    try:
        stored = read_groups(path, {"snapshots"})[0]["snapshots"]
        sweeps, labels = stored["sweep"], stored["labels"]
    except (KeyError, OSError) as error:
        raise DataError(
            f"{path} has no readable group 'snapshots' ({error}); run the chain again."
        ) from error
    if sweeps.size == 0:
        raise DataError(f"{path} kept no snapshot; add one to the chain's schedule.")
    place = int(np.argmin(np.abs(sweeps - sweep)))
    return labels[place].astype(np.int64), int(sweeps[place])


def read_samples(
    blocks: Iterable[Path], sweeps: Iterable[int]
) -> list[list[tuple[np.ndarray, int]]]:
    """Return samples of each chain of some finished jobs, as from `read_snapshot`, by sweep."""
    sweeps = tuple(sweeps)
    return [[read_snapshot(path, sweep) for sweep in sweeps] for path in chain_files(blocks)]
