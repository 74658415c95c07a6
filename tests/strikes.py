"""Kill a process at a point of its work, never at a point in time.

The process kills itself, at one of its sweeps or at one of its writes. The point at which it dies,
and so what it leaves behind, is the same on every machine.
"""

import itertools
import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from reseat.chains import (
    Chain,
    Interrupted,
    MixtureModel,
    checkpoint,
    open_chain,
    run_chain,
    runner,
)
from reseat.files import atomic

#: Number of sweeps from one checkpoint to the next.
EVERY = 7
#: Stages of a file that is being written: still empty, half written, complete, renamed.
WRITES = ("empty", "half", "whole", "renamed")
#: Moments at which a process can be killed: the start of a sweep, and the stages of a write.
MOMENTS = ("sweep", *WRITES)


def chain_of(build, folder, schedule, number=0, **changes):
    """Return a chain of a model with its file and its scratch in a folder."""
    given = {"number": number, "build": build, "schedule": schedule, "seed": 5, "stream": ("test",)}
    folder = Path(folder)
    given |= {"path": folder / f"chain-{number}.nc", "scratch": folder / f"scratch-{number}"}
    return Chain(**(given | changes))


def run_until(chain, moment, number):
    """Run a chain that checkpoints every `EVERY` sweeps, up to the `number`-th such moment."""
    count, sweeps = itertools.count(1), itertools.count()
    now = next(sweeps)
    sweep, begin, rename = MixtureModel.sweep, atomic.new_file_beside, os.replace

    def strike(here, before=lambda: None):
        if here == moment and next(count) == number:
            before()
            os.kill(os.getpid(), signal.SIGKILL)

    def counted_sweep(model, rng):
        nonlocal now
        strike("sweep")
        now = next(sweeps)
        return sweep(model, rng)

    def counted_begin(*arguments, **options):
        opened = begin(*arguments, **options)
        strike("empty")
        return opened

    def counted_rename(source, target):
        strike("half", lambda: os.truncate(source, os.stat(source).st_size // 2))
        strike("whole")
        rename(source, target)
        strike("renamed")

    MixtureModel.sweep, os.replace = counted_sweep, counted_rename
    atomic.new_file_beside = counted_begin
    # The clock of the chain counts its sweeps.
    runner.time = SimpleNamespace(monotonic=lambda: now, thread_time=time.thread_time)
    run_chain(chain, checkpoint_seconds=EVERY)


def interrupt(chain, after=1):
    """Run a chain that is asked to stop after `after` sweeps in all; return it."""
    stop, seen = threading.Event(), []

    class Count:
        def skip(self, n):
            seen.append(n)

        def step(self):
            seen.append(1)
            if sum(seen) >= after:
                stop.set()

    with pytest.raises(Interrupted):
        run_chain(chain, stop=stop, progress=Count())
    return chain


def contents(path):
    """Return every array of a chain file as bytes, and nothing that depends on the clock."""
    tree = open_chain(path)
    return {
        f"{node.path}/{name}": (str(data.dtype), data.shape, data.values.tobytes())
        for node in tree.subtree
        for name, data in node.variables.items()
    }


def progress(chain):
    """Return the sweep of the checkpoint that a chain has left, or 0 if there is none."""
    stored = checkpoint.load(chain.scratch / "checkpoint.npz", chain.fingerprint)
    return 0 if stored is None else stored[0]["sweep"]


@contextmanager
def started(script):
    """Start a worker that imports only once what its chains need, as this takes longest."""
    with subprocess.Popen(
        [sys.executable, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as worker:
        yield worker


def serve(chain):
    """Act as a worker: for each request, run a chain to a moment in a fork of this process."""
    for line in sys.stdin:
        folder, moment, number = json.loads(line)
        process = os.fork()
        if not process:
            sys.exit(run_until(chain(folder), moment, number))
        print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)


def kill(worker, chain, moment, number):
    """Let a worker run its chain to a moment; check and return the progress that is left."""
    done = progress(chain)
    print(json.dumps([str(chain.path.parent), moment, number]), file=worker.stdin, flush=True)
    assert int(worker.stdout.readline()) == -signal.SIGKILL
    n_written = (number - 1) // EVERY if moment == "sweep" else number - (moment != "renamed")
    n_written = min(n_written, n_checkpoints_left(chain, done))
    assert progress(chain) == done + EVERY * n_written
    return progress(chain)


def n_checkpoints_left(chain, done):
    """Return how many checkpoints come before the finished file."""
    return (chain.schedule.n_sweeps - done) // EVERY


def kill_at_random(worker, chain, n_kills, rng, largest=40):
    """Kill a chain again and again before it ends, at each of `MOMENTS` equally often.

    Return the progress after each kill, which grows by at most `largest` sweeps at a time.
    """
    found = []
    for moment in rng.permutation(np.resize(MOMENTS, n_kills)):
        most = largest if moment == "sweep" else largest // EVERY
        found.append(kill(worker, chain, str(moment), int(rng.integers(1, most + 1))))
        assert not chain.path.exists()
    return found


def kill_at_the_end(worker, chain):
    """Kill a chain once at each of the `WRITES` of its finished file."""
    for moment in WRITES:
        assert not chain.path.exists()
        kill(worker, chain, moment, n_checkpoints_left(chain, progress(chain)) + 1)
    assert chain.path.exists()


def ask_to_end(number):
    """Make this process send itself SIGTERM at the `number`-th sweep and wait for the handler."""
    count, handled = itertools.count(1), threading.Event()
    sweep, install = MixtureModel.sweep, signal.signal

    def listening(which, handler):
        def handle(*arguments):
            try:
                handler(*arguments)  # which may raise KeyboardInterrupt
            finally:
                handled.set()

        return install(which, handle if callable(handler) else handler)

    def counted_sweep(model, rng):
        if next(count) == number:
            os.kill(os.getpid(), signal.SIGTERM)
            handled.wait()
        return sweep(model, rng)

    MixtureModel.sweep, signal.signal = counted_sweep, listening
