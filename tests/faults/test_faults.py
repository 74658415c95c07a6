"""Faults of one machine, with real processes: one command then finishes with the same results.

The faults strike while a certain file is written, never at a point in time.  `make faults` runs all
of these tests on a part of two families, and cuts the power fifty times during the whole demo.  The
suite has one power cut, Snakemake killed, a full disk and a read-only folder, for a single table.
"""

import errno
import json
import os
import signal
from itertools import pairwise

import disturbances
import numpy as np
import pytest
from disturbances import CHAINS, FITS, PART, TABLE, WHOLE, Mount, Run, at_length, wait_until

pytestmark = [pytest.mark.workflow, pytest.mark.kill]


@pytest.fixture
def run(tmp_path):
    """Yield a run that has not begun; whatever a failed test leaves of it is ended."""
    run = Run(tmp_path / "run", PART if WHOLE else (TABLE,))
    yield run
    run.end()


def failed(run):
    """Start a run that must fail, in a fork if only a part is tested, and return what it says."""
    if WHOLE:
        process = run.start()
        assert process.wait() != 0
        return process.said()
    with pytest.raises(AssertionError) as said:
        run.finish_in_a_fork()
    return str(said.value)


WHY_NOT = disturbances.why_not_mount()
needs_mount = pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)


def test_power_cuts(calm, settle, tmp_path):
    """Snakemake and all jobs are killed in the middle of random writes, spread over the run."""
    n_cuts = 50 if WHOLE else 1
    rng = np.random.default_rng(41)
    run = Run(tmp_path / "run", disturbances.EVERYTHING)
    # All starts together write less than a whole run must, so none of them gets to the end.
    n_writes = calm(run.targets).n_writes()
    points = np.sort(rng.choice(n_writes - 1, n_cuts, replace=False)) + 1
    done = [set()]
    for number in np.diff(points, prepend=0):
        process = run.start(cut=f"{number} {rng.choice(['half', 'whole', 'renamed'])}")
        assert process.wait() == -signal.SIGKILL, process.said()
        done.append(run.recorded())
    # A job that has ended is repeated only if Snakemake had not yet noted its end.
    assert all(len(before - after) <= disturbances.CORES for before, after in pairwise(done))
    settle(run, "power cut", f"{n_cuts} times")


def test_snakemake_is_killed_and_two_go_on_at_once(run, settle):
    """Its jobs do not outlive it, and of two instances started in its place one is refused."""
    process, job = run.start_and_hold(FITS)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    stale = run.locks()
    os.kill(job, signal.SIGCONT)
    one = run.start("--rerun-incomplete")
    wait_until(lambda: run.locks().items() - stale.items(), one)
    os.killpg(one.pid, signal.SIGSTOP)  # or it might be done before the other has begun
    locks, recorded = run.locks(), run.recorded()
    said = failed(run)
    unchanged = (run.locks(), run.recorded()) == (locks, recorded)
    os.killpg(one.pid, signal.SIGCONT)
    assert "lock" in said and unchanged, said
    assert one.wait() == 0, one.said()
    settle(run, "Snakemake killed, its jobs not; two instances", "1 time")


@at_length
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_snakemake_is_asked_to_end(run, settle, how):
    process, job = run.start_and_hold(CHAINS)
    # On Ctrl-C, the terminal signals all processes of the group.
    (os.killpg if how == signal.SIGINT else os.kill)(process.pid, how)
    os.kill(job, signal.SIGCONT)
    assert process.wait() != 0
    settle(run, f"Snakemake ended by {how.name}", "1 time")


@at_length
def test_jobs_are_killed(run, settle):
    """The kernel kills jobs like this when memory runs out."""
    struck = 0
    for place in (FITS, f"{TABLE}.csv"):
        process, job = run.start_and_hold(place)
        jobs = run.jobs()
        assert job in jobs
        for number in jobs:
            try:
                os.kill(number, signal.SIGKILL)
                struck += 1
            except ProcessLookupError:
                pass
        assert process.wait() != 0
    settle(run, "jobs killed", f"{struck} times")


@needs_mount
def test_the_disk_is_full(calm, run, settle):
    whole = calm(run.targets).bytes_on_disk()
    sizes = [int(share * whole) for share in ((0.3, 0.5, 0.65) if WHOLE else (0.5,))]
    with Mount(run.folder, "-t", "tmpfs", "-o", f"size={sizes[0]}", "tmpfs") as disk:
        for size in sizes:
            disk.again("-o", f"remount,size={size}")
            assert os.strerror(errno.ENOSPC) in failed(run)
        disk.again("-o", "remount,size=1g")
        settle(run, "disk full", f"{len(sizes)} times")


@needs_mount
def test_results_cannot_be_written(calm, run, settle):
    """A job ends before it begins if its record cannot be written, though its results could."""
    (record,) = calm(run.targets).folder.glob(f"results/*/provenance/**/{TABLE}.json")
    needed = [entry["path"] for entry in json.loads(record.read_text())["inputs"]]
    Run(run.folder, tuple(needed)).finish_in_a_fork()
    before, recorded = run.results(), run.recorded()
    place = run.folder / "results"
    with Mount(place, "--bind", place) as mount:
        mount.again("-o", "remount,ro,bind")
        # Of this job alone: which of several Snakemake starts first, and fails at, is open.
        said = failed(Run(run.folder, (TABLE,)))
        reason = os.strerror(errno.EROFS)
        assert [line for line in said.splitlines() if reason in line and TABLE in line], said
    assert (run.results(), run.recorded()) == (before, recorded)
    settle(run, "results read-only", "1 time")
