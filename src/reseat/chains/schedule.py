"""How long a chain runs and what it keeps, its random stream, and the labels of its parts."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TypeVar

import numpy as np

from reseat.checks import MAX_COUNT, check_whole
from reseat.errors import ConfigError

Start = TypeVar("Start")


def by_turns(starts: Sequence[Start], number: int) -> Start:
    """Return the start of a chain; chains take the starts in turn, so that they can disagree.

    Parameters
    ----------
    starts : sequence
    number : int
        Number of the chain, from 0.

    Returns
    -------
    object
        One of the starts.
    """
    return starts[number % len(starts)]


@dataclass(frozen=True)
class Schedule:
    """Length of a chain and what it keeps; sweeps are counted from 1, burn-in included.

    Parameters
    ----------
    burn_in, n_samples : int
        Sweeps before the first kept one, and those that enter traces and online summaries.
    thin : int
        Every `thin`-th partition after burn-in is stored whole.
    snapshots : tuple of int
        Sweeps whose partition is stored as well, during burn-in or after it.

    Raises
    ------
    ConfigError
        If a number is not whole or is out of range.

    Examples
    --------
    >>> from reseat.chains import Schedule
    >>> schedule = Schedule(burn_in=100, n_samples=400, thin=10, snapshots=(1, 100))
    >>> schedule.n_sweeps
    500
    """

    burn_in: int
    n_samples: int
    thin: int = 1
    snapshots: tuple[int, ...] = ()

    def __post_init__(self):
        for name, least in (("burn_in", 0), ("n_samples", 1), ("thin", 1)):
            object.__setattr__(self, name, check_whole(name, getattr(self, name), least))
        if self.n_sweeps > MAX_COUNT:
            raise ConfigError(
                f"burn_in and n_samples add up to {self.n_sweeps} sweeps; a chain has at most "
                f"{MAX_COUNT}."
            )
        if not isinstance(self.snapshots, Iterable):
            raise ConfigError(f"snapshots is {self.snapshots!r}; it must be a list of sweeps.")
        snapshots = tuple(sorted({check_whole("A snapshot", s) for s in self.snapshots}))
        if snapshots and not 1 <= snapshots[0] <= snapshots[-1] <= self.n_sweeps:
            raise ConfigError(
                f"Snapshots are requested at sweeps {snapshots[0]} to {snapshots[-1]}, but the "
                f"chain has sweeps 1 to {self.n_sweeps}."
            )
        object.__setattr__(self, "snapshots", snapshots)

    @property
    def n_sweeps(self) -> int:
        """Total number of sweeps."""
        return self.burn_in + self.n_samples

    @property
    def n_draws(self) -> int:
        """Number of partitions stored whole by thinning."""
        return self.n_samples // self.thin

    def is_draw(self, sweep: int) -> bool:
        """Return whether the partition after `sweep` is stored by thinning."""
        return sweep > self.burn_in and (sweep - self.burn_in) % self.thin == 0

    def to_dict(self) -> dict:
        """Return JSON types, for the file of the chain and the fingerprint of its checkpoint."""
        return asdict(self) | {"snapshots": list(self.snapshots)}


def chain_seed(seed: int, *names: object) -> np.random.SeedSequence:
    """Return the seed sequence of the stream called `names` under the run's `seed`.

    The spawn key is a hash of the names, so that a stream depends on no other chain.

    Parameters
    ----------
    seed : int
        The seed of the run.
    *names : object
        What the stream is for; names are compared as strings.
    """
    text = "\x1f".join(str(name) for name in names)
    digest = hashlib.sha256(text.encode()).digest()
    return np.random.SeedSequence(seed, spawn_key=struct.unpack("<4I", digest[:16]))


def split_labels(labels: np.ndarray, part_sizes: Mapping[str, int]) -> dict[str, np.ndarray]:
    """Split the labels of all parts, as a chain stores them, into those of each part.

    Parameters
    ----------
    labels : ndarray, shape (..., n_items)
    part_sizes : mapping of str to int
        Number of items of each part, in the order of the model.

    Returns
    -------
    dict of str to ndarray, shape (..., n_items of the part)
        Views of `labels`.
    """
    *ends, total = np.cumsum(list(part_sizes.values()))
    if labels.shape[-1] != total:
        raise ValueError(f"There are {labels.shape[-1]} labels for parts of {dict(part_sizes)}.")
    return dict(zip(part_sizes, np.split(labels, ends, axis=-1), strict=True))
