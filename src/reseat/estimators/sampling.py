"""Run the chains behind an estimator, forecast what they take, and collect their draws."""

import errno
import hashlib
import json
import os
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import scipy.sparse as sp
from numpy.typing import ArrayLike

from reseat.chains import Chain, Kept, MixtureModel, Schedule, read_groups, run_chains
from reseat.chains.output import write_chain
from reseat.chains.progress import Progress, duration
from reseat.chains.record import ChainRecord
from reseat.checks import MAX_CHAINS, refusal
from reseat.errors import ConfigError, DataError
from reseat.files.locking import file_lock, try_lock
from reseat.files.packed import is_whole_file
from reseat.moves import SplitMerge, gibbs_sweep

STREAM = ("estimators",)
#: Error codes of a full disk, which is not a fault of the folder.
FULL = (errno.ENOSPC, errno.EDQUOT)


def splits_and_sweep() -> tuple[Callable, ...]:
    """Return the moves of a chain whose blocks can be split and merged."""
    return SplitMerge(n_proposals=1), gibbs_sweep


@dataclass(frozen=True)
class Sample:
    """Draws and traces of chains, and processor time in seconds."""

    #: Shape (n_chains, n_draws, n_items).
    draws: np.ndarray
    #: Shape (n_chains, n_samples) each.
    traces: dict[str, np.ndarray]
    seconds: float


class ChainEnded(Exception):
    """Raised by a fit that was to run one of its chains: it has ended, and its file is there."""


_FOLLOWER: ContextVar[tuple] = ContextVar("follower", default=(None, None, None, None, None))


@contextmanager
def following(
    progress: Callable[[int, str, str], Any] | None = None,  # called for each phase
    stop: threading.Event | None = None,
    say: Callable[[str], None] | None = None,  # called with a sentence on time and memory
    data: str | None = None,
    only: int | None = None,  # the only chain to run, into its folder; it ends with `ChainEnded`
) -> Iterator[None]:
    """Let fits report their progress and be stopped while the context lasts."""
    token = _FOLLOWER.set((progress, stop, say, data, only))
    try:
        yield
    finally:
        _FOLLOWER.reset(token)


@contextmanager
def phase(total: int, label: str, unit: str, verbose: bool = False) -> Iterator[tuple]:
    """Yield the progress of a slow part of a fit, and the event that is set to stop it."""
    make_progress, stop, *_ = _FOLLOWER.get()
    if make_progress is None:
        make_progress = partial(Progress, shown=verbose)
    progress = make_progress(total, label, unit)
    try:
        yield progress, stop or threading.Event()
    finally:
        progress.close()


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads: 1 by default; -1 means all processors, -2 all but one."""
    if n_jobs is None:
        return 1
    whole = isinstance(n_jobs, Integral) and not isinstance(n_jobs, bool)
    if not whole or n_jobs == 0 or n_jobs > MAX_CHAINS:
        rule = f"a whole number from 1 to {MAX_CHAINS}, or -1 for all processors"
        raise refusal("n_jobs", n_jobs, f"; it must be {rule}.")
    return int(n_jobs) if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))


def data_hash(*arrays: ArrayLike | sp.csr_array | None) -> str:
    """Return the SHA-256 of types, shapes and bytes of arrays; objects count as their texts."""
    digest = hashlib.sha256()
    parts: list[np.ndarray | None] = []
    for array in arrays:
        if sp.issparse(array):  # the arrays in it lack its shape
            parts += [np.array(array.shape), array.data, array.indices, array.indptr]
        else:
            parts.append(None if array is None else _as_texts(np.asanyarray(array)))
    for array in parts:
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


def _as_texts(values: np.ndarray) -> np.ndarray:
    if values.dtype != object:
        return values
    return np.array([str(value) for value in values.ravel()]).reshape(values.shape)


def run_fit(fitted, build: Callable, identity: Mapping[str, Any], seed: int) -> Sample:
    """Run, resume or read chains, which ``build(rng, number)`` starts in different places."""
    *_, say, data, only = _FOLLOWER.get()
    numbers = range(int(fitted.n_chains)) if only is None else [only]
    folder, schedule, threads = fitted.folder, fitted._schedule(), n_threads(fitted.n_jobs)
    identity = dict(identity) | ({} if data is None else {"data": data})
    # A chain is resumed only if this is the same, after a round trip through JSON as in its file.
    identity = json.loads(json.dumps(identity, default=_plain))
    n_sweeps = len(numbers) * schedule.n_sweeps
    with phase(n_sweeps, "chains", "sweeps", bool(fitted.verbose)) as (progress, stop):
        forecast = Forecast(progress, len(numbers), schedule, threads, say)

        def start(number: int, rng: np.random.Generator) -> MixtureModel:
            model = build(rng, number)
            check_memory(len(numbers), schedule, model.n_items)
            forecast.n_items = model.n_items
            return model

        chains = [
            Chain(
                number=number,
                build=partial(start, number),
                schedule=schedule,
                seed=seed,
                stream=STREAM,
                path=None if folder is None else Path(folder) / f"chain-{number}.nc",
                scratch=None if folder is None else Path(folder) / f".chain-{number}",
                identity=identity,
                extensible=folder is not None,
            )
            for number in numbers
        ]
        try:
            with _alone(folder, only):
                found = run_chains(chains, threads=threads, stop=stop, progress=forecast)
                if only is not None:
                    raise ChainEnded
                return sample_of(found)
        except OSError as error:
            if folder is None or error.errno in FULL:
                raise
            raise DataError(
                "The folder {path} cannot be written to ({fault}); choose another one.",
                parameter="folder",
                path=folder,
                fault=error.strerror or error,
            ) from error


@contextmanager
def _alone(folder: str | Path | None, only: int | None) -> Iterator[None]:
    """Hold the lock of a folder, with `only` that of a chain; an empty folder is removed."""
    if folder is None:
        yield
        return
    Path(folder).mkdir(parents=True, exist_ok=True)
    with try_lock(folder, shared=only is not None) as alone:
        if not alone:
            raise ConfigError(
                "{parameter} is {given}, where another fit is running; wait for it to end, or "
                "choose another folder.",
                parameter="folder",
                value=folder,
                given=repr(str(folder)),
            )
        own = nullcontext() if only is None else file_lock(Path(folder, f".chain-{only}.lock"))
        try:
            with own:
                yield
        finally:
            with suppress(OSError):
                Path(folder).rmdir()  # which refuses to delete files


def _plain(value: Any) -> Any:
    if callable(value):  # its `repr` contains an address, which differs between processes
        return f"{value.__module__}.{value.__qualname__}" if hasattr(value, "__qualname__") else ""
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else repr(value)


def sample_of(chains: Sequence[Path | Kept]) -> Sample:
    """Return the draws and traces of chains, those of files or of what was kept in memory."""
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


def read_chains(folder: Path, n_chains: int) -> Sample:
    """Return what finished chains stored in a folder."""
    return sample_of([folder / f"chain-{number}.nc" for number in range(n_chains)])


def write_chains(folder: Path, sample: Sample) -> None:
    """Write draws, and the traces of the same sweeps, as those of chains."""
    folder.mkdir(parents=True, exist_ok=True)
    n_chains, n_draws, n_items = sample.draws.shape
    for number in range(n_chains):
        record = ChainRecord(Schedule(0, n_draws), n_items, n_items + 1, None, sample.traces)
        for place, draw in enumerate(sample.draws[number]):
            values = {name: trace[number, place] for name, trace in sample.traces.items()}
            record.add(place + 1, draw, values)
        attributes = {"seconds": sample.seconds / n_chains}
        write_chain(folder / f"chain-{number}.nc", number, record, attributes)


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


def flat(draws: np.ndarray) -> np.ndarray:
    """Return draws of shape (n_chains, n_draws, n_items) with one chain after the other."""
    return draws.reshape(-1, draws.shape[-1])


def thinned(draws: np.ndarray, most: int) -> np.ndarray:
    """Return at most `most` draws, evenly spaced among all, shape (n_draws, n_items)."""
    return draws[evenly(len(draws), most)]


def evenly(n_draws: int, most: int) -> np.ndarray:
    """Return the numbers of at most `most` draws, evenly spaced among all."""
    return np.linspace(0, n_draws - 1, min(n_draws, most)).astype(int)


def numbers_of(draws: np.ndarray) -> np.ndarray:
    """Return the number of clusters in each draw."""
    return np.array([np.unique(draw).size for draw in draws])


# ---- Forecasts of the memory and time that a fit will take -----------------------------------

#: Scalars that a chain keeps for each sweep: log joint, items moved, clusters, hyperparameters.
N_TRACES = 12
#: Bytes for each label of a draw: in the chain's own store, and in the result of all chains.
LABEL_BYTES = 8
#: Number of matrices as large as the distances that are in memory at the same time.
MATRIX_COPIES = 3
#: Seconds, and sweeps of each thread, that are measured before the total time is forecast.
MEASURED_SECONDS, MEASURED_SWEEPS = 2.0, 3
#: Seconds without a sweep after which the user is told that the first ones take so long.
PATIENCE = 20.0
#: Forecast in seconds above which the user is warned.
LONG = 600.0


def memory_of(n_chains: int, schedule: Schedule, n_items: int) -> int:
    """Return the number of bytes of the traces and draws of all chains."""
    traces = 2 * 8 * N_TRACES * schedule.n_sweeps
    return n_chains * (traces + LABEL_BYTES * schedule.n_draws * n_items)


def check_memory(n_chains: int, schedule: Schedule, n_items: int = 1) -> None:
    """Raise a ConfigError if what the chains keep does not fit into the machine's memory."""
    wanted, there = memory_of(n_chains, schedule, n_items), psutil.virtual_memory().total
    if wanted > there:
        one = n_chains == 1
        items = f" of {n_items:,} items" if n_items > 1 else ""  # they may not be known yet
        raise ConfigError(
            f"{'1 chain' if one else f'{n_chains:,} chains'} of {schedule.n_sweeps:,} sweeps, of "
            f"which {schedule.n_draws:,} draws{items} are kept, {'takes' if one else 'take'} about "
            f"{wanted / 2**30:,.0f} GiB, and this machine has {there / 2**30:,.0f}; lower "
            f"{'{parameter}' if one else '{parameter} or {n_chains}'}, or raise {{thin}}.",
            parameter="n_samples",
            value=schedule.n_samples,
        )


def check_matrix_fits(n_items: int) -> None:
    """Raise a ConfigError if the distances of all pairs of objects do not fit into memory."""
    wanted, there = MATRIX_COPIES * 8 * n_items**2, psutil.virtual_memory().total
    if wanted > there:
        raise ConfigError(
            f"The distances of {n_items:,} objects take about {wanted / 2**30:,.0f} GiB, and this "
            f"machine has {there / 2**30:,.0f}; set {{landmarks:1000}}, so that only the distances "
            "to a thousand of them are used.",
            parameter="landmarks",
        )


class Forecast:
    """Progress that reports, after the first sweeps, the time and memory that all will take."""

    def __init__(self, progress, n_chains: int, schedule: Schedule, n_threads: int = 1, say=None):
        self._progress, self._say = progress, say
        # Whoever builds the models sets the number of labels in a draw.
        self._n_chains, self._schedule, self.n_items = n_chains, schedule, 1
        self._left = n_chains * schedule.n_sweeps
        self._wanted = MEASURED_SWEEPS * min(n_threads, n_chains)
        self._measured, self._start, self._told = 0, None, False
        self._lock = threading.Lock()
        self._waiting = threading.Timer(PATIENCE, self._tell_of_waiting)
        self._waiting.daemon = True
        if say is not None:
            self._waiting.start()

    def skip(self, n: int) -> None:
        """Count `n` sweeps that an earlier run made."""
        with self._lock:
            self._left -= n
        self._progress.skip(n)

    def step(self) -> None:
        """Count one sweep."""
        self._waiting.cancel()
        self._progress.step()
        with self._lock:
            self._left -= 1
            now = time.monotonic()
            if self._start is None:  # the models have been built before this sweep
                self._start = now
                return
            self._measured += 1
            elapsed = now - self._start
            due = self._measured >= self._wanted and elapsed >= MEASURED_SECONDS
            if self._told or not due:
                return
            self._told = True
            left = self._left * elapsed / self._measured
        self._tell(elapsed + left)

    def close(self) -> None:
        """End the progress."""
        self._waiting.cancel()
        self._progress.close()

    def _tell_of_waiting(self) -> None:
        self._say(
            f"The first of {self._left:,} sweeps has not ended after {PATIENCE:g} seconds; once it "
            "has, you are told how long all will take."
        )

    def _tell(self, seconds: float) -> None:
        held = psutil.Process().memory_info().rss
        kept = memory_of(self._n_chains, self._schedule, self.n_items)
        size, free = held + kept, held + psutil.virtual_memory().available
        if self._say is not None:
            self._say(f"The chains will take about {duration(seconds)} and {_gigabytes(size)}.")
        if seconds > LONG:
            warnings.warn(
                f"the chains will take about {duration(seconds)}; use fewer samples, a shorter "
                "burn-in or a part of the data to reduce this. If results are written to a "
                "folder, an interrupted call or command resumes when it is re-run.",
                stacklevel=2,
            )
        if size > free:
            warnings.warn(
                f"the chains will take about {_gigabytes(size)} of memory, and {_gigabytes(free)} "
                "are free; keep fewer draws (a larger thin, fewer samples), run fewer chains, or "
                "use a part of the data.",
                stacklevel=2,
            )


def _gigabytes(size: float) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e8 else f"{max(size, 1e6) / 1e6:.0f} MB"
