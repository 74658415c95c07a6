"""The chains behind an estimator: run into a folder, and read back."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from reseat.chains import (
    Chain,
    Interrupted,
    MixtureModel,
    Schedule,
    chain_seed,
    read_groups,
    run_chains,
)
from reseat.chains.progress import Progress
from reseat.errors import CheckpointError, DataError

__all__ = ["Sample", "Target", "data_hash", "following", "run_target"]

STREAM = ("estimators",)


class Silence:
    """A progress that says nothing."""

    def skip(self, n: int) -> None:
        """Take no note of `n` sweeps of an earlier run."""

    def step(self) -> None:
        """Take no note of a sweep."""

    def close(self) -> None:
        """Say nothing."""


@dataclass(frozen=True)
class Target:
    """What chains are to sample.

    Attributes
    ----------
    build : callable
        Called as ``build(rng, number)`` with the number of the chain; returns the model at
        its start.  Chains start in different places, so that they can disagree.
    identity : mapping
        Model and data as JSON types: what must be the same for a chain to be gone on with.
    """

    build: Callable[[np.random.Generator, int], MixtureModel]
    identity: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Sample:
    """What chains have found.

    Attributes
    ----------
    draws : ndarray of int32, shape (n_chains, n_draws, n_items)
        Every thin-th partition after burn-in.
    traces : dict of str to ndarray of float64, shape (n_chains, n_samples)
        Log joint density, numbers of clusters and hyperparameters after each sweep.
    seconds : float
        Of the processor, of all chains together.
    """

    draws: np.ndarray
    traces: dict[str, np.ndarray]
    seconds: float


_FOLLOWER: ContextVar[tuple] = ContextVar("follower", default=(None, None))


@contextmanager
def following(
    progress: Callable[[int], Any] | None = None, stop: threading.Event | None = None
) -> Iterator[None]:
    """Context in which fits tell of their progress and can be stopped.

    Parameters
    ----------
    progress : callable, optional
        Called with the number of sweeps of all chains; returns an object with the methods
        of `reseat.chains.progress.Progress`.
    stop : threading.Event, optional
        When it is set, chains write a checkpoint and the fit ends with
        `reseat.chains.Interrupted`.
    """
    token = _FOLLOWER.set((progress, stop))
    try:
        yield
    finally:
        _FOLLOWER.reset(token)


def data_hash(*arrays: np.ndarray | None) -> str:
    """SHA-256 of types, shapes and bytes of arrays."""
    digest = hashlib.sha256()
    for array in arrays:
        if array is None:
            digest.update(b"none;")
            continue
        array = np.ascontiguousarray(array)
        digest.update(f"{array.dtype.str}{array.shape};".encode())
        digest.update(array.data if array.size else b"")
    return digest.hexdigest()


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
    """Run chains, or read those that have been run.

    Parameters
    ----------
    target : Target
    schedule : Schedule
    n_chains : int
    seed : int
    threads : int
        Chains side by side; the draws do not depend on it.
    folder : path, optional
        Where the files of the chains stay; what an interrupted run left there is gone on
        with.  By default chains are kept in memory.
    verbose : bool
        Whether a line of progress is printed now and then.

    Raises
    ------
    CheckpointError
        If the folder holds chains of another model or of other data.
    """
    kept = Path(".") if folder is None else Path(folder)
    # A round trip, as the file of a chain makes it, so that the two can be compared.
    identity = json.loads(json.dumps(dict(target.identity), default=_plain))
    chains = [
        Chain(
            number=number,
            build=partial(target.build, number=number),
            schedule=schedule,
            seed=seed,
            stream=STREAM,
            path=kept / f"chain-{number}.nc",
            scratch=kept / f".chain-{number}",
            identity=identity,
        )
        for number in range(n_chains)
    ]
    make_progress, stop = _FOLLOWER.get()
    n_sweeps = n_chains * schedule.n_sweeps
    if make_progress is not None:
        progress = make_progress(n_sweeps)
    else:
        progress = Progress(n_sweeps, "chains") if verbose else Silence()
    if folder is None:
        return _in_memory(chains, threads, stop or threading.Event(), progress)
    for chain in chains:
        _check_finished(chain)
    return _read(run_chains(chains, threads=threads, stop=stop, progress=progress))


def _in_memory(chains: list[Chain], threads: int, stop: threading.Event, progress) -> Sample:
    """The draws that `run_chains` would write, without a file."""

    def run(chain: Chain) -> tuple[np.ndarray, dict[str, np.ndarray], float]:
        begin = time.thread_time()
        seed = chain_seed(chain.seed, *chain.stream, chain.number)
        rng = np.random.Generator(np.random.PCG64(seed))
        model, draws, rows = chain.build(rng), [], []
        for sweep in range(1, chain.schedule.n_sweeps + 1):
            if stop.is_set():
                raise Interrupted(f"chain {chain.number} stopped after sweep {sweep - 1}")
            model.sweep(rng)
            progress.step()
            if sweep > chain.schedule.burn_in:
                scalars = {**model.n_clusters, **model.hyperparameters}
                rows.append({"log_joint": model.log_joint(), **scalars})
            if chain.schedule.is_draw(sweep):
                draws.append(model.labels)
        traces = {name: np.array([row[name] for row in rows], dtype=float) for name in rows[0]}
        return np.array(draws, dtype=np.int32), traces, time.thread_time() - begin

    with ThreadPoolExecutor(threads) as pool:
        try:
            found = list(pool.map(run, chains))
        except BaseException:
            stop.set()
            raise
    progress.close()
    draws, traces, seconds = zip(*found, strict=True)
    return Sample(
        draws=np.stack(draws),
        traces={name: np.stack([trace[name] for trace in traces]) for name in traces[0]},
        seconds=sum(seconds),
    )


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else repr(value)


def _check_finished(chain: Chain) -> None:
    if not chain.path.exists():
        return
    try:
        _, attributes = read_groups(chain.path, only=())
    except OSError as error:
        raise DataError(f"{chain.path} is not a whole chain ({error}); remove it.") from error
    if attributes.get("configuration") != json.loads(json.dumps(chain.fingerprint)):
        raise CheckpointError(
            f"{chain.path} is a chain of another model, of other data or of another length; choose "
            "another folder or empty this one."
        )


def _read(paths: list[Path]) -> Sample:
    read = [read_groups(path, only=("posterior", "sample_stats", "partition")) for path in paths]
    traces: dict[str, list] = {}
    for groups, _ in read:
        for name, values in {**groups["sample_stats"], **groups["posterior"]}.items():
            if name not in ("chain", "draw", "n_moved"):
                traces.setdefault(name, []).append(values[0])
    return Sample(
        draws=np.concatenate([groups["partition"]["labels"] for groups, _ in read]).astype(
            np.int32
        ),
        traces={name: np.stack(values).astype(float) for name, values in traces.items()},
        seconds=float(sum(attributes["seconds"] for _, attributes in read)),
    )
