"""Run chains: one to a file, many in threads, resumable at any instant."""

from __future__ import annotations

import json
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from reseat import __version__
from reseat.chains import checkpoint
from reseat.chains.coupled import CoupledModel
from reseat.chains.model import MixtureModel
from reseat.chains.output import write_chain
from reseat.chains.progress import Progress
from reseat.chains.record import Record
from reseat.chains.schedule import Schedule
from reseat.chains.seeds import chain_seed
from reseat.io import remove_leftovers
from reseat.summaries import PartitionStatistics

__all__ = ["Chain", "Interrupted", "run_chain", "run_chains"]


class Interrupted(Exception):
    """The run was asked to stop; every chain has written a checkpoint."""


@dataclass(frozen=True)
class Chain:
    """One chain to run.

    Parameters
    ----------
    number : int
        Its number among the chains of the model.
    build : callable
        Called as ``build(rng)``; returns a `MixtureModel` or a `CoupledModel`
        at its start.
    schedule : Schedule
    seed : int
        The seed of the run.
    stream : tuple of str
        Paper, data set and model: with the number, the name of the stream.
    path : path
        The finished file.
    scratch : path
        Folder for the unfinished chain; removed at the end.
    statistics : callable, optional
        Called after every sweep as ``statistics(labels, sizes)``; the dict it
        returns, with the keys ``statistics.names``, joins the traces.
    finish : callable, optional
        Called after the last sweep as ``finish(model, rng)``; the partitions
        that it returns, name to labels of shape (n_items,), are stored in the
        group ``finish``.
    identity : dict
        What else goes into the file and must not change between start and
        resume: configuration of the model, identity of the data.
    """

    number: int
    build: Callable[[np.random.Generator], MixtureModel | CoupledModel]
    schedule: Schedule
    seed: int
    stream: tuple[str, ...]
    path: Path
    scratch: Path
    statistics: PartitionStatistics | None = None
    finish: Callable[[MixtureModel, np.random.Generator], Mapping[str, np.ndarray]] | None = None
    identity: dict = field(default_factory=dict)

    @property
    def fingerprint(self) -> dict:
        """What must be the same for a checkpoint to be continued."""
        return {
            "format": checkpoint.FORMAT,
            "version": __version__,
            "seed": self.seed,
            "stream": list(self.stream),
            "chain": self.number,
            "schedule": self.schedule.to_dict(),
            **self.identity,
        }


def run_chain(
    chain: Chain,
    *,
    checkpoint_seconds: float = 30.0,
    stop: threading.Event | None = None,
    progress: Progress | None = None,
) -> Path:
    """Run one chain to its end and write its file.

    Killed at any instant, the same call continues from the last checkpoint and
    ends with exactly the draws of an uninterrupted run.  A finished chain is
    not run again.

    Parameters
    ----------
    chain : Chain
    checkpoint_seconds : float
        Seconds between two checkpoints; 0 writes one after every sweep.
    stop : threading.Event, optional
        When set, the chain writes a checkpoint after the present sweep and
        raises `Interrupted`.
    progress : Progress, optional

    Returns
    -------
    pathlib.Path
        ``chain.path``.

    Raises
    ------
    CheckpointError
        If a checkpoint of another version, configuration or data set stands
        in the scratch folder.
    Interrupted
        If `stop` was set.
    """
    schedule = chain.schedule
    if chain.path.exists():
        # A kill may have come between the file and the end of its scratch folder.
        shutil.rmtree(chain.scratch, ignore_errors=True)
        if progress is not None:
            progress.skip(schedule.n_sweeps)
        return chain.path
    chain.scratch.mkdir(parents=True, exist_ok=True)
    stored = chain.scratch / "checkpoint.npz"
    for path in (chain.path, stored):
        remove_leftovers(path)
    saved = checkpoint.load(stored, chain.fingerprint)

    rng = np.random.Generator(np.random.PCG64(chain_seed(chain.seed, *chain.stream, chain.number)))
    model = chain.build(rng)
    statistics = chain.statistics
    names = () if statistics is None else statistics.names
    scalars = ("log_joint", "n_moved", *model.n_clusters, *model.hyperparameters)
    scalars += (*model.traced, *names)
    record = Record(
        schedule,
        model.n_items,
        model.n_slots,
        model.n_labelled,
        scalars,
        chain.scratch / "draws.bin",
    )
    done, elapsed = 0, 0.0
    if saved is None:
        record.journal.unlink(missing_ok=True)
    else:
        done, elapsed = _resume(model, record, rng, *saved)
        if progress is not None:
            progress.skip(done)

    last = time.monotonic()
    # Of the processor, by this thread: what else runs on the machine does not count.
    began = time.thread_time()

    def save(sweep: int) -> None:
        record.flush()
        header, arrays = _freeze(model, record, rng, sweep, elapsed + time.thread_time() - began)
        checkpoint.save(stored, chain.fingerprint, header, arrays)

    for sweep in range(done + 1, schedule.n_sweeps + 1):
        moved = model.sweep(rng)
        labels = model.labels
        scalars = {
            "log_joint": model.log_joint(),
            "n_moved": moved,
            **model.n_clusters,
            **model.hyperparameters,
            **model.traced,
        }
        if statistics is not None:
            scalars |= statistics(labels, model.block_sizes)
        record.add(sweep, labels, scalars)
        if progress is not None:
            progress.step()
        if stop is not None and stop.is_set():
            save(sweep)
            record.close()
            raise Interrupted(f"chain {chain.number} stopped after sweep {sweep}")
        if time.monotonic() - last >= checkpoint_seconds:
            save(sweep)
            last = time.monotonic()

    finished = {} if chain.finish is None else chain.finish(model, rng)
    seconds = elapsed + time.thread_time() - began
    attributes = {
        "created_by": f"reseat {__version__}",
        "configuration": chain.fingerprint,
        "seconds": seconds,
        "seconds_per_sweep": seconds / schedule.n_sweeps,
        "versions": {"numpy": np.__version__, "reseat": __version__},
    }
    write_chain(chain.path, chain.number, record, attributes, finished)
    record.close()
    shutil.rmtree(chain.scratch, ignore_errors=True)
    return chain.path


def run_chains(
    chains: Iterable[Chain],
    *,
    threads: int = 1,
    checkpoint_seconds: float = 30.0,
    stop: threading.Event | None = None,
    label: str = "chains",
    progress: Progress | None = None,
) -> list[Path]:
    """Run many chains in one process, `threads` at a time.

    The sweeps run without the GIL, so that threads are enough; one process
    shares the data and the tables between its chains.  The files do not
    depend on `threads`.  What is done is told to `progress`; by default it is
    printed, under `label`.

    Raises
    ------
    Exception
        The first error of any chain, after the others have checkpointed.
    """
    chains = list(chains)
    stop = threading.Event() if stop is None else stop
    if progress is None:
        progress = Progress(sum(chain.schedule.n_sweeps for chain in chains), label)

    def work(chain: Chain) -> Path:
        try:
            if stop.is_set():
                raise Interrupted(f"chain {chain.number} was not started")
            return run_chain(
                chain, checkpoint_seconds=checkpoint_seconds, stop=stop, progress=progress
            )
        except BaseException:
            stop.set()
            raise

    with ThreadPoolExecutor(max_workers=max(1, int(threads))) as pool:
        futures = [pool.submit(work, chain) for chain in chains]
        try:
            errors = [future.exception() for future in futures]
        except KeyboardInterrupt:
            stop.set()
            raise
    progress.close()
    failures = [error for error in errors if error is not None]
    # An interruption is a consequence; the error that caused it says more.
    failures.sort(key=lambda error: isinstance(error, Interrupted))
    if failures:
        raise failures[0]
    return [future.result() for future in futures]


def _freeze(model, record, rng, sweep, elapsed):
    state = model.state()
    header = {
        "sweep": sweep,
        "elapsed": elapsed,
        "rng": rng.bit_generator.state,
        "prior": state["prior"],
        "likelihood": state["likelihood"],
    }
    arrays = {
        f"{kind}_{name}": value
        for kind in ("partition", "parameters")
        for name, value in state[kind].items()
    }
    arrays |= {f"record_{name}": value for name, value in record.state(sweep).items()}
    return header, arrays


def _resume(model, record, rng, header, arrays):
    def part(prefix):
        return {
            name.removeprefix(prefix): value
            for name, value in arrays.items()
            if name.startswith(prefix)
        }

    model.restore(
        {
            "partition": part("partition_"),
            "parameters": part("parameters_"),
            "prior": header["prior"],
            "likelihood": header["likelihood"],
        }
    )
    record.restore(header["sweep"], part("record_"))
    # JSON keeps the big integers of the generator's state exactly.
    rng.bit_generator.state = json.loads(json.dumps(header["rng"]))
    return header["sweep"], header["elapsed"]
