"""Run chains: one to a file or to memory, many in threads, resumable at any instant."""

import os
import shutil
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from reseat import __version__
from reseat.chains import checkpoint
from reseat.chains.annealing import AnnealedModel
from reseat.chains.chain import Chain
from reseat.chains.checkpoint import CHECKPOINT, describe_model, reopen_to_extend, state_folder
from reseat.chains.coupled import ARRAYS, CoupledModel, below
from reseat.chains.model import MixtureModel
from reseat.chains.output import read_groups, write_chain
from reseat.chains.progress import Progress
from reseat.chains.record import JOURNAL, ChainRecord
from reseat.chains.schedule import Schedule
from reseat.chains.stopping import Interrupted
from reseat.errors import CheckpointError, ConfigError
from reseat.files.atomic import is_leftover, remove_leftovers
from reseat.threads import in_threads

#: All files that the folder of an unfinished chain may hold.
FILES = (JOURNAL, CHECKPOINT)


@dataclass(frozen=True)
class Kept:
    """A finished chain in memory.

    Attributes
    ----------
    record : ChainRecord
        Traces and draws of the sweeps after the burn-in.
    seconds : float
        CPU time of the run.

    Examples
    --------
    >>> from reseat.chains import Kept  # `Chain` shows where it comes from
    >>> Kept(record=None, seconds=1.5).seconds
    1.5
    """

    record: ChainRecord
    seconds: float


def _repeated(values: Iterable) -> Iterator[tuple]:
    """Yield each value that comes up several times, and how often."""
    return ((value, count) for value, count in Counter(values).items() if count > 1)


def _check_apart(chains: Sequence[Chain]) -> None:
    """Raise a ConfigError if two chains would draw the same or write to the same place."""
    # Streams are distinguished by their names as strings: the numbers 0 and "0" are the same.
    drawn = ((c.seed, tuple(map(str, c.stream)), str(c.number)) for c in chains)
    for (_seed, stream, number), count in _repeated(drawn):
        raise ConfigError(
            f"{count} chains of the stream {stream} have the number {number} and would draw "
            "the same; give each one of its own."
        )
    for name in ("path", "scratch"):
        places = (getattr(chain, name).absolute() for chain in chains if chain.path is not None)
        for place, count in _repeated(places):
            raise ConfigError(f"{count} chains have the {name} {place}; give each one of its own.")


def _check_own(chain: Chain) -> None:
    """Raise a ConfigError if a folder that the chain removes holds files that no chain wrote."""
    if chain.path is None:
        return
    for folder in (chain.scratch, *([state_folder(chain.path)] if chain.extensible else [])):
        check_removable(folder)


def _of_unfinished(entry: Path) -> bool:
    return entry.name in FILES and entry.is_file()


def check_removable(folder: Path, ours: Callable[[Path], bool] = _of_unfinished) -> None:
    """Raise a ConfigError if a folder to remove holds entries that are not `ours`."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise ConfigError(f"{folder} is a file; give a folder for the chains.")
    for entry in sorted(folder.iterdir()):
        leftover = any(is_leftover(entry, name) for name in FILES)
        if not leftover and not ours(entry):
            raise ConfigError(
                f"{folder} holds {entry.name}, which no chain has written, and would be removed "
                "or replaced at the end; give the chains a folder of their own."
            )


class FileSink:
    """Destination of a chain with a file: it writes checkpoints, from which the chain resumes."""

    def __init__(self, chain: Chain):
        self.chain = chain
        self.journal = chain.scratch / JOURNAL
        self.checkpoint = chain.scratch / CHECKPOINT
        self.last = 0.0  # when the last checkpoint was written
        self.built: dict = {}

    def finished(self) -> bool:
        """Return whether an earlier run with the same settings has written the file."""
        path = self.chain.path
        if not path.exists():
            return False
        groups, attributes = read_groups(path, only=("posterior", "finish"))
        checkpoint.check_same(
            attributes["configuration"], self.chain.fingerprint, f"The chain {path}", "the file"
        )
        wanted = [name for name in self.chain.described if name not in groups["posterior"]]
        if self.chain.finish is not None and "finish" not in groups:
            wanted.append("finish")
        if wanted:
            raise CheckpointError(
                f"The chain {path} was run without {', '.join(wanted)}; ask for what it has, or "
                "delete the file to start over."
            )
        if not self.chain.identity:
            built = describe_model(self.chain.build(self.chain.generator()), values=True)
            checkpoint.check_same(attributes["built"], built, f"The chain {path}", "the file")
        # The earlier run may have been killed after writing the file and before tidying up.
        self._tidy()
        return True

    def open(self) -> tuple[dict, dict] | None:
        """Return the last checkpoint of an earlier run, or None if there is none."""
        self.chain.scratch.mkdir(parents=True, exist_ok=True)
        for path in (self.chain.path, self.checkpoint):
            remove_leftovers(path)
        saved = checkpoint.load(self.checkpoint, self.chain.fingerprint)
        if saved is None:
            self.journal.unlink(missing_ok=True)
        self.last = time.monotonic()
        return saved

    def begin(self, model, saved: tuple[dict, dict] | None) -> None:
        """Keep the description of the model, which must be the same as that of an earlier run."""
        self.built = describe_model(model, values=not self.chain.identity)
        if saved is not None:
            what = f"The checkpoint {self.checkpoint}"
            where = "the folder of the checkpoint"
            checkpoint.check_same(saved[0]["built"], self.built, what, where)

    def save(self, model, record: ChainRecord, rng, sweep: int, elapsed: float) -> None:
        """Write a checkpoint."""
        record.flush()
        state = model.state()
        kept = {kind: state.pop(kind) for kind in ARRAYS} | {"record": record.state(sweep)}
        arrays = {f"{kind}_{name}": value for kind in kept for name, value in kept[kind].items()}
        header = {"sweep": sweep, "elapsed": elapsed, "rng": rng.bit_generator.state, **state}
        header["built"] = self.built
        checkpoint.save(self.checkpoint, self.chain.fingerprint, header, arrays)
        self.last = time.monotonic()

    def resume(self, model, record: ChainRecord, rng, saved: tuple) -> tuple[int, float]:
        """Restore what a checkpoint holds; return its sweep and the CPU time until then."""
        header, arrays = saved
        with checkpoint.restoring(self.checkpoint):
            model.restore(header | {kind: below(f"{kind}_", arrays) for kind in ARRAYS})
            record.restore(header["sweep"], below("record_", arrays))
            rng.bit_generator.state = header["rng"]
            return header["sweep"], header["elapsed"]

    def end(self, record: ChainRecord, seconds: float, finished: Mapping | None) -> Path:
        """Write the file and return its path."""
        attributes = {
            "created_by": f"reseat {__version__}",
            "configuration": self.chain.fingerprint,
            "seconds": seconds,
            "seconds_per_sweep": seconds / record.schedule.n_sweeps,
            "versions": {"numpy": np.__version__, "reseat": __version__},
        }
        if not self.chain.identity:
            attributes["built"] = self.built
        write_chain(self.chain.path, self.chain.number, record, attributes, finished)
        record.close()
        self._tidy()
        return self.chain.path

    def _tidy(self) -> None:
        """Leave nothing beside the file except the last state of an extensible chain."""
        scratch = self.chain.scratch
        if self.chain.extensible and scratch.exists():
            state = state_folder(self.chain.path)
            shutil.rmtree(state, ignore_errors=True)
            os.replace(scratch, state)
        shutil.rmtree(scratch, ignore_errors=True)


def run_chain(
    chain: Chain,
    *,
    checkpoint_seconds: float = 30.0,
    stop: threading.Event | None = None,
    progress: Progress | None = None,
) -> Path | Kept:
    """Run one chain to its end, and write its file if it has one.

    If it is killed at any instant, the same call resumes from the last checkpoint and ends with the
    draws of an uninterrupted run.

    Parameters
    ----------
    chain : Chain
    checkpoint_seconds : float
        Seconds between two checkpoints; 0 writes one after every sweep.
    stop : threading.Event, optional
        When set, the chain writes a checkpoint after the current sweep and raises `Interrupted`.
    progress : Progress, optional

    Returns
    -------
    pathlib.Path or Kept
        ``chain.path``, or the chain in memory if it has no path.

    Raises
    ------
    CheckpointError
        If a checkpoint or file is of another chain, lacks what is asked for, or cannot be extended.
    ConfigError
        If the scratch folder, which is removed, holds what no chain has written; if more sweeps are
        annealed than the burn-in has; or if two traces have the same name.
    DataError
        If the file at the path is no chain, or the log joint density is NaN or infinitely large.
    Interrupted
        If `stop` was set.
    """
    _check_own(chain)
    reopen_to_extend([chain])
    schedule, progress = chain.schedule, progress or Progress(shown=False)
    sink = None if chain.path is None else FileSink(chain)
    if sink is not None and sink.finished():
        progress.skip(schedule.n_sweeps)
        return chain.path
    saved = None if sink is None else sink.open()

    rng = chain.generator()
    model = chain.build(rng)
    _check_annealed(model, schedule)
    if sink is not None:
        sink.begin(model, saved)
    scalars = ("log_joint", "n_moved", *model.n_clusters, *model.hyperparameters)
    traces = (*scalars, *model.traced, *chain.described)
    for name, _count in _repeated(traces):
        raise ConfigError(
            f"Two things that the chain traces are called {name!r}; rename a hyperparameter or a "
            "statistic."
        )
    journal = None if sink is None else sink.journal
    record = ChainRecord(schedule, model.n_items, model.n_slots, model.n_labelled, traces, journal)
    done, elapsed = 0, 0.0
    if saved is not None:
        done, elapsed = sink.resume(model, record, rng, saved)
        progress.skip(done)

    # CPU time of this thread, so that other work on the machine does not count.
    began = time.thread_time()
    for sweep in range(done + 1, schedule.n_sweeps + 1):
        moved = model.sweep(rng)
        if record.follows(sweep):
            labels = model.labels
            scalars = {
                "log_joint": model.log_joint(),
                "n_moved": moved,
                **model.n_clusters,
                **model.hyperparameters,
                **model.traced,
            }
            if chain.statistics is not None:
                scalars |= chain.statistics(labels, model.block_sizes)
            record.add(sweep, labels, scalars)
        progress.step()
        stopped = stop is not None and stop.is_set()
        if sink is not None and (stopped or time.monotonic() - sink.last >= checkpoint_seconds):
            sink.save(model, record, rng, sweep, elapsed + time.thread_time() - began)
        if stopped:
            record.close()
            raise Interrupted(f"chain {chain.number} stopped after sweep {sweep}")

    if sink is not None and (chain.extensible or chain.finish is not None):
        # So that no sweep is lost if `finish` fails.
        sink.save(model, record, rng, schedule.n_sweeps, elapsed + time.thread_time() - began)
    finished = None if chain.finish is None else chain.finish(model, rng)
    seconds = elapsed + time.thread_time() - began
    return Kept(record, seconds) if sink is None else sink.end(record, seconds, finished)


def _check_annealed(model: MixtureModel | CoupledModel, schedule: Schedule) -> None:
    """Raise a ConfigError if annealed sweeps, which do not sample the posterior, would be kept."""
    for part in model.parts.values() if isinstance(model, CoupledModel) else [model]:
        if isinstance(part, AnnealedModel) and part.n_annealed - part.n_done > schedule.burn_in:
            raise ConfigError(
                f"The model is annealed for {part.n_annealed - part.n_done} sweeps, which are not "
                f"of the posterior, but burn_in is {schedule.burn_in}; raise it to as many at "
                "least."
            )


def run_chains(
    chains: Iterable[Chain],
    *,
    threads: int = 1,
    checkpoint_seconds: float = 30.0,
    stop: threading.Event | None = None,
    label: str = "chains",
    progress: Progress | None = None,
) -> list[Path | Kept]:
    """Run many chains in one process, `threads` at a time; the files do not depend on `threads`.

    Parameters
    ----------
    chains : iterable of Chain
    threads : int
    checkpoint_seconds, stop
        As for `run_chain`.
    label, progress : str, Progress, optional
        By default, the progress is printed under the `label`.

    Returns
    -------
    list of pathlib.Path or Kept
        As for `run_chain`, in the order of the chains.

    Raises
    ------
    ConfigError
        If two chains have the same stream and number, or a path or scratch folder in common.
    Exception
        The first error of any chain, after the others have written checkpoints.
    """
    chains = list(chains)
    _check_apart(chains)
    for chain in chains:
        _check_own(chain)
    reopen_to_extend(chains)
    stop = threading.Event() if stop is None else stop
    if progress is None:
        progress = Progress(sum(chain.schedule.n_sweeps for chain in chains), label)

    def work(chain: Chain) -> Path | Kept:
        if stop.is_set():
            raise Interrupted(f"chain {chain.number} was not started")
        return run_chain(chain, checkpoint_seconds=checkpoint_seconds, stop=stop, progress=progress)

    try:
        return in_threads(work, chains, threads, stop)
    finally:
        progress.close()
