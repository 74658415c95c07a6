"""Run the chains behind an estimator, in memory or in a folder, and collect their draws."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from reseat.chains import Chain, Kept, MixtureModel, Schedule, read_groups, run_chains
from reseat.chains.progress import Progress, Silence
from reseat.errors import ConfigError, DataError
from reseat.estimators.costs import Forecast, check_memory
from reseat.files.locking import try_lock
from reseat.files.packed import is_whole_file
from reseat.moves import SplitMerge, gibbs_sweep

__all__ = [
    "Bar",
    "NotebookBar",
    "Sample",
    "Target",
    "bar_for",
    "check_folder",
    "data_hash",
    "flat",
    "following",
    "phase",
    "run_target",
    "splits_and_sweep",
    "thinned",
]


STREAM = ("estimators",)
#: Error codes of a full disk, which is not a fault of the folder.
FULL = (errno.ENOSPC, errno.EDQUOT)


def splits_and_sweep() -> tuple[Callable, ...]:
    """Return the moves of a chain whose blocks can be split and merged."""
    return SplitMerge(n_proposals=1), gibbs_sweep


@dataclass(frozen=True)
class Target:
    """Model that chains are to sample, with their starting points."""

    #: Called as ``build(rng, number)`` with the number of the chain; returns the model at its
    #: start. Chains start in different places, so that they can disagree.
    build: Callable[[np.random.Generator, int], MixtureModel]
    #: Model and data as JSON types, which must be the same for a chain to be resumed.
    identity: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Sample:
    """Draws and traces of chains."""

    #: Every thin-th partition after the burn-in. Shape (n_chains, n_draws, n_items).
    draws: np.ndarray
    #: Log joint density, numbers of clusters and hyperparameters after each sweep. Shape (n_chains,
    #: n_samples).
    traces: dict[str, np.ndarray]
    #: Processor time of all chains together.
    seconds: float


_FOLLOWER: ContextVar[tuple] = ContextVar("follower", default=(None, None, None, None))


@contextmanager
def following(
    progress: Callable[[int, str, str], Any] | None = None,
    stop: threading.Event | None = None,
    say: Callable[[str], None] | None = None,
    data: str | None = None,
) -> Iterator[None]:
    """Let fits report their progress and be stopped while the context lasts.

    `progress` is called for each phase with the number of its steps (sweeps of all chains,
    searches), its name and the unit of its steps, and returns an object with the methods of
    `reseat.chains.progress.Progress`. When `stop` is set, chains write a checkpoint and the fit
    ends with `reseat.chains.Interrupted`. `say` is called with a sentence on the time and memory
    that the chains will take, once their first sweeps have been timed.
    """
    token = _FOLLOWER.set((progress, stop, say, data))
    try:
        yield
    finally:
        _FOLLOWER.reset(token)


@contextmanager
def phase(
    total: int, label: str, unit: str, verbose: bool = False
) -> Iterator[tuple[Any, threading.Event]]:
    """Yield the progress of a slow part of a fit, and the event that is set to stop it.

    With `verbose`, progress is shown if none was given to `following`.
    """
    make_progress, stop, *_ = _FOLLOWER.get()
    if make_progress is None:
        make_progress = bar_for if verbose else lambda total, *_: Silence(total)
    progress = make_progress(total, label, unit)
    try:
        yield progress, stop or threading.Event()
    finally:
        progress.close()


def check_folder(folder) -> None:
    """Raise a ConfigError unless `folder` can be the name of a folder, or is None."""
    if folder is None:
        return
    if not isinstance(folder, str | os.PathLike) or not str(folder).strip() or "\0" in str(folder):
        raise ConfigError(
            f"folder is {folder!r}; it must be the path of a folder, or None for no files."
        )


def data_hash(*arrays: np.ndarray | sp.csr_array | None) -> str:
    """Return the SHA-256 of the types, shapes and bytes of arrays, which may be sparse."""
    digest = hashlib.sha256()
    for array in chain.from_iterable(map(_dense_parts, arrays)):
        if array is None:
            digest.update(b"none;")
            continue
        digest.update(f"{array.dtype.str}{array.shape};".encode())
        if is_whole_file(array):
            # Not through the memory map, because pages read there would count as process memory.
            with open(array.filename, "rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        else:
            array = np.ascontiguousarray(array)
            digest.update(array.data if array.size else b"")
    return digest.hexdigest()


def _dense_parts(array):
    """Return the dense arrays of an array; for a sparse one also its shape, which they lack."""
    if not sp.issparse(array):
        return [array]
    return [np.array(array.shape), array.data, array.indices, array.indptr]


def run_target(
    target: Target,
    schedule: Schedule,
    *,
    n_chains: int,
    seed: int,
    threads: int = 1,
    folder: str | Path | None = None,
    verbose: bool = False,
) -> Sample:
    """Run chains, or read those that have already been run.

    The draws do not depend on `threads`, the number of chains that run in parallel. An interrupted
    run is resumed from the files in `folder`; by default, chains are kept in memory.
    """
    *_, say, data = _FOLLOWER.get()
    identity = dict(target.identity) | ({} if data is None else {"data": data})
    # A round trip through JSON, as through the file of a chain, so that both can be compared.
    identity = json.loads(json.dumps(identity, default=_plain))
    with phase(n_chains * schedule.n_sweeps, "chains", "sweeps", verbose) as (progress, stop):
        forecast = Forecast(progress, n_chains, schedule, threads, say)
        chains = [
            Chain(
                number=number,
                build=partial(_start, target, schedule, n_chains, number, forecast),
                schedule=schedule,
                seed=seed,
                stream=STREAM,
                path=None if folder is None else Path(folder) / f"chain-{number}.nc",
                scratch=None if folder is None else Path(folder) / f".chain-{number}",
                identity=identity,
                extensible=folder is not None,
            )
            for number in range(n_chains)
        ]
        try:
            with _alone(folder):
                return _sample(run_chains(chains, threads=threads, stop=stop, progress=forecast))
        except OSError as error:
            if folder is None or error.errno in FULL:
                raise
            raise DataError(
                f"The folder {folder} cannot be written to ({error.strerror or error}); choose "
                "another one."
            ) from error


@contextmanager
def _alone(folder: str | Path | None) -> Iterator[None]:
    """Hold the lock of a folder within the context; it is made, and removed if it stays empty."""
    if folder is None:
        yield
        return
    Path(folder).mkdir(parents=True, exist_ok=True)
    with try_lock(folder) as alone:
        if not alone:
            raise ConfigError(
                f"folder is {str(folder)!r}, where another fit is running; wait for it to end, or "
                "choose another folder."
            )
        try:
            yield
        finally:
            with suppress(OSError):
                Path(folder).rmdir()  # which refuses to delete files


def _start(target: Target, schedule: Schedule, n_chains: int, number: int, forecast, rng):
    model = target.build(rng, number)
    check_memory(n_chains, schedule, model.n_items)
    forecast.n_items = model.n_items
    return model


def _plain(value: Any) -> Any:
    if callable(value):  # its `repr` contains an address, which differs between processes
        return f"{value.__module__}.{value.__qualname__}" if hasattr(value, "__qualname__") else ""
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else repr(value)


def _sample(chains: list[Path | Kept]) -> Sample:
    parts = [_of_memory(c) if isinstance(c, Kept) else _of_file(c) for c in chains]
    draws, traces, seconds = zip(*parts, strict=True)
    return Sample(
        draws=np.stack(draws).astype(np.int32),
        traces={
            name: np.stack([trace[name] for trace in traces]).astype(float)
            for name in traces[0]
            if name != "n_moved"
        },
        seconds=float(sum(seconds)),
    )


def _of_memory(chain: Kept) -> tuple[np.ndarray, dict[str, np.ndarray], float]:
    """Return draws, traces after the burn-in, and processor time in seconds."""
    record = chain.record
    kept = slice(record.schedule.burn_in, None)
    return record.draws(), {name: t[kept] for name, t in record.traces.items()}, chain.seconds


def _of_file(path: Path) -> tuple[np.ndarray, dict[str, np.ndarray], float]:
    groups, attributes = read_groups(path, only=("posterior", "sample_stats", "partition"))
    traces = {
        name: values[0]
        for name, values in {**groups["sample_stats"], **groups["posterior"]}.items()
        if name not in ("chain", "draw")
    }
    return groups["partition"]["labels"][0], traces, attributes["seconds"]


# ---- Draws of all chains as one sequence, complete or evenly thinned -------------------------


def flat(draws: np.ndarray) -> np.ndarray:
    """Return draws of shape (n_chains, n_draws, n_items) with one chain after the other."""
    return draws.reshape(-1, draws.shape[-1])


def thinned(draws: np.ndarray, most: int) -> np.ndarray:
    """Return at most `most` draws, evenly spaced among all, shape (n_draws, n_items)."""
    return draws[np.linspace(0, len(draws) - 1, min(len(draws), most)).astype(int)]


# ---- Progress bars: those of rich in a terminal, those of tqdm in a notebook -----------------
#
# Each has the methods of `reseat.chains.progress.Progress`.


class Bar:
    """A progress bar in a terminal, by default on the error stream; removed at the end."""

    def __init__(self, total: int, label: str, unit: str, terminal=None):
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )
        from rich.progress import Progress as Bars

        self._bars = Bars(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn(unit),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=terminal or Console(stderr=True),
            transient=True,
        )
        self._task = self._bars.add_task(label, total=total)
        self._bars.start()

    def skip(self, n: int) -> None:
        """Count `n` steps that an earlier run made."""
        self._bars.advance(self._task, n)

    def step(self) -> None:
        """Count one step."""
        self._bars.advance(self._task)

    def close(self) -> None:
        """Remove the bar."""
        self._bars.stop()


class NotebookBar:
    """A progress bar in a notebook; its parameters are those of `Bar`."""

    def __init__(self, total: int, label: str, unit: str):
        from tqdm.auto import tqdm

        self._bar = tqdm(total=total, desc=label, unit=f" {unit}", leave=False)
        self._lock = threading.Lock()

    def skip(self, n: int) -> None:
        """Count `n` steps that an earlier run made."""
        with self._lock:
            self._bar.update(n)

    def step(self) -> None:
        """Count one step."""
        self.skip(1)

    def close(self) -> None:
        """Close the bar."""
        self._bar.close()


def bar_for(total: int, label: str, unit: str, terminal=None):
    """Return progress that suits the environment: a bar in a notebook or terminal, else lines.

    The parameters are those of `Bar`.
    """
    if terminal is None and _in_notebook():
        return NotebookBar(total, label, unit)
    if sys.stderr.isatty() if terminal is None else terminal.is_terminal:
        return Bar(total, label, unit, terminal)
    return Progress(total, label, unit=unit)


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    return shell is not None and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell"
