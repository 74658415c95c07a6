"""What a chain records while it runs."""

import math
import os
import zlib
from pathlib import Path

import numpy as np

from reseat.chains.schedule import Schedule
from reseat.errors import CheckpointError, DataError
from reseat.numerics import TIE_BITS, rounded
from reseat.summaries import MarginalCounts

#: Name of the file of thinned draws in the folder of an unfinished chain.
JOURNAL = "draws.bin"

_CHUNK = 1 << 24


class ChainRecord:
    """Scalar traces of every sweep, online summaries, and draws, in a journal if there is one."""

    def __init__(
        self,
        schedule: Schedule,
        n_items: int,
        n_slots: int,
        n_labelled: int | None,
        traces,
        journal: Path | None = None,
    ):
        self.schedule = schedule
        self.n_items = n_items
        self.dtype = np.min_scalar_type((n_slots if n_labelled is None else n_labelled) - 1)
        self.traces = {name: np.full(schedule.n_sweeps, np.nan) for name in traces}
        self.snapshots = np.zeros((len(schedule.snapshots), n_items), dtype=self.dtype)
        self.marginal = None if n_labelled is None else MarginalCounts(n_items, n_labelled)
        self.best_log_joint = -np.inf
        self.best_sweep = 0
        self.best_labels = np.zeros(n_items, dtype=self.dtype)
        self.n_draws = 0
        self.journal = journal
        self._checksum = 0
        self._file = None
        self._draws: list[np.ndarray] = []

    def follows(self, sweep: int) -> bool:
        """Return whether the state after `sweep` is to be recorded."""
        schedule = self.schedule
        return self.journal is not None or sweep > schedule.burn_in or sweep in schedule.snapshots

    def add(self, sweep: int, labels: np.ndarray, scalars: dict[str, float]) -> None:
        """Record the state after `sweep`."""
        if not scalars["log_joint"] < math.inf:  # also true for NaN
            raise DataError(
                f"The log joint density after sweep {sweep} is {scalars['log_joint']}; look at "
                "log_prob of the prior and log_marginal of the likelihood."
            )
        # The last digits depend on the processor, and must not get into a file.
        values = rounded(list(scalars.values()), TIE_BITS).tolist()
        scalars = dict(zip(scalars, values, strict=True))
        for name, value in scalars.items():
            self.traces[name][sweep - 1] = value
        if sweep in self.schedule.snapshots:
            self.snapshots[self.schedule.snapshots.index(sweep)] = self.stored(labels)
        if sweep <= self.schedule.burn_in:
            return
        if self.marginal is not None:
            self.marginal.update(labels)
        if scalars["log_joint"] > self.best_log_joint:
            self.best_log_joint = scalars["log_joint"]
            self.best_sweep = sweep
            self.best_labels[:] = self.stored(labels)
        if self.schedule.is_draw(sweep):
            self._keep(self.stored(labels))
            self.n_draws += 1

    def _keep(self, draw: np.ndarray) -> None:
        if self.journal is None:
            self._draws.append(draw)
            return
        if self._file is None:
            self._file = open(self.journal, "ab")
        self._file.write(draw.data)
        self._checksum = zlib.crc32(draw.data, self._checksum)

    def stored(self, labels: np.ndarray) -> np.ndarray:
        """Return the labels in the type in which they are stored."""
        if labels.size and labels.max() > np.iinfo(self.dtype).max:
            raise OverflowError(
                f"The label {labels.max()} does not fit into {self.dtype}, the type in which this "
                "chain stores its labels."
            )
        return labels.astype(self.dtype)

    def draws(self) -> np.ndarray:
        """Return the thinned partitions, shape (n_draws, n_items)."""
        self.flush()
        if not self.n_draws:
            return np.zeros((0, self.n_items), dtype=self.dtype)
        if self.journal is None:
            return np.stack(self._draws)
        flat = np.fromfile(self.journal, dtype=self.dtype)
        return flat.reshape(self.n_draws, self.n_items)

    def flush(self) -> None:
        """Flush the journal to the disk."""
        if self._file is not None:
            self._file.flush()
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the journal."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def state(self, sweep: int) -> dict[str, np.ndarray]:
        """Return what a checkpoint after `sweep` must hold, apart from the journal."""
        state = {f"trace_{name}": trace[:sweep] for name, trace in self.traces.items()}
        state |= {
            "snapshots": self.snapshots,
            "best_labels": self.best_labels,
            "best": np.array([self.best_log_joint, self.best_sweep]),
            "n_draws": np.array(self.n_draws),
            "checksum": np.array(self._checksum),
        }
        if self.marginal is not None:
            state |= {f"marginal_{k}": value for k, value in self.marginal.state().items()}
        return state

    def restore(self, sweep: int, state: dict[str, np.ndarray]) -> None:
        """Restore the record after `sweep`, and cut later draws off the journal."""
        lacking = [name for name in self.traces if f"trace_{name}" not in state]
        if lacking:
            raise CheckpointError(
                f"The checkpoint in {self.journal.parent} has no trace of {', '.join(lacking)}; "
                "ask for what was asked for before, or delete the folder to restart the chain."
            )
        for name, trace in self.traces.items():
            trace[:sweep] = state[f"trace_{name}"]
        self.snapshots[:] = state["snapshots"]
        self.best_labels[:] = state["best_labels"]
        self.best_log_joint = float(state["best"][0])
        self.best_sweep = int(state["best"][1])
        self.n_draws = int(state["n_draws"])
        if self.marginal is not None:
            self.marginal.restore({k: state[f"marginal_{k}"] for k in ("counts", "n_updates")})
        self._checksum = int(state["checksum"])
        if self.n_draws or self.journal.exists():
            self._cut(self.n_draws * self.n_items * self.dtype.itemsize)

    def _cut(self, n_bytes: int) -> None:
        """Truncate the journal to what the checkpoint refers to, if all of it is there."""
        checksum, missing = 0, n_bytes
        with open(self.journal, "ab+") as file:
            file.seek(0)
            while missing and (read := file.read(min(missing, _CHUNK))):
                checksum, missing = zlib.crc32(read, checksum), missing - len(read)
            if not missing:
                file.truncate(n_bytes)
        if missing or checksum != self._checksum:
            what = "lacks" if missing else "has been changed and no longer holds the"
            raise CheckpointError(
                f"{self.journal} {what} draws that its checkpoint refers to; delete its folder to "
                "restart the chain from the beginning."
            )
