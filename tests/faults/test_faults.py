"""Faults of one machine, with real processes: one command then finishes with the same results.

The faults strike a run of a part of two families. `make faults` runs all of these tests, and cuts
the power fifty times, over the whole demo. The suite cuts it twice, and runs the faults that the
project itself guards against: jobs that outlive Snakemake, two instances at once, and a disk that
is full in the middle of a chain.
"""

import os
import re
import signal

import numpy as np
import pytest
from disturbances import (
    EVERYTHING,
    WHOLE,
    Mount,
    Run,
    at_length,
    wait_until,
    why_not_mount,
)

pytestmark = [pytest.mark.workflow, pytest.mark.kill]


@pytest.fixture
def run(tmp_path):
    """Return a run that has not begun."""
    return Run(tmp_path / "run")


needs_mount = pytest.mark.skipif(bool(why_not_mount()), reason=why_not_mount())


def test_power_cuts(calm, settle, tmp_path):
    """Snakemake and all jobs are killed in the middle of random writes, spread over the run."""
    n_cuts = 50 if WHOLE else 2
    rng = np.random.default_rng(41)
    run = Run(tmp_path / "run", EVERYTHING)
    # All starts together write less than a whole run must, so none of them gets to the end.
    points = np.sort(rng.choice(calm(EVERYTHING).n_writes() - 1, n_cuts, replace=False)) + 1
    progress = []
    for number in np.diff(points, prepend=0):
        process = run.start(cut=f"{number} {rng.choice(['half', 'whole', 'renamed'])}")
        assert process.wait() == -signal.SIGKILL, process.said()
        progress.append(run.jobs_done())
    assert progress == sorted(progress) and len(set(progress)) >= 0.3 * n_cuts
    settle(run, "power cut", f"{n_cuts} times")


def test_snakemake_is_killed_and_two_go_on_at_once(run, settle):
    """Its jobs do not outlive it, and of two instances started in its place one is refused."""
    process = run.start()
    wait_until(lambda: run.jobs() and run.jobs_done() >= 3, process)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    one = run.start("--rerun-incomplete")
    # It removes stale locks before it says so; locks that exist afterwards are its own.
    wait_until(
        lambda: (
            "stale locks were removed" in one.said()
            and any(run.folder.glob(".snakemake/locks/*.lock"))
        ),
        one,
    )
    os.killpg(one.pid, signal.SIGSTOP)  # or it might be done before the other has begun
    other = run.start()
    refused = other.wait() != 0
    os.killpg(one.pid, signal.SIGCONT)
    assert refused
    assert "cannot be locked" in other.said() or "could not be locked" in other.said()
    assert one.wait() == 0, one.said()
    settle(run, "Snakemake killed, its jobs not; two instances", "1 time")


@at_length
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_snakemake_is_asked_to_end(run, settle, how):
    process = run.start()
    wait_until(lambda: run.jobs() and run.jobs_done() >= 5, process)
    # On Ctrl-C, the terminal signals all processes of the group.
    (os.killpg if how == signal.SIGINT else os.kill)(process.pid, how)
    assert process.wait(timeout=120) != 0
    settle(run, f"Snakemake ended by {how.name}", "1 time")


@at_length
def test_jobs_are_killed(run, settle):
    """The kernel kills jobs like this when memory runs out."""
    struck = 0
    for done in (3, 8):
        process = run.start()
        wait_until(lambda least=done: run.jobs() and run.jobs_done() >= least, process)
        for number in run.jobs():
            try:
                os.kill(number, signal.SIGKILL)
                struck += 1
            except ProcessLookupError:
                pass
        process.wait()
    assert struck
    settle(run, "jobs killed", f"{struck} times")


@needs_mount
def test_the_disk_is_full(calm, run, settle):
    whole = calm(run.targets).bytes_on_disk()
    sizes = [int(share * whole) for share in (0.3, 0.5, 0.65)]
    with Mount(run.folder, "-t", "tmpfs", "-o", f"size={sizes[0]}", "tmpfs") as disk:
        for size in sizes:
            disk.again("-o", f"remount,size={size}")
            process = run.start()
            assert process.wait() != 0
            assert "No space left on device" in process.said()
        disk.again("-o", "remount,size=1g")
        settle(run, "disk full", f"{len(sizes)} times")


@at_length
@needs_mount
def test_results_cannot_be_written(run, settle):
    process = run.start()
    wait_until(lambda: run.jobs_done() >= 5, process)
    # Not killed: Snakemake would first remove what a killed job left unfinished.
    process.terminate()
    process.wait(timeout=120)
    before = run.results()
    place = run.folder / "results"
    with Mount(place, "--bind", place) as mount:
        mount.again("-o", "remount,ro,bind")
        process = run.start()
        assert process.wait() != 0
        assert re.search("Read-only file system|Write-protected", process.said())
    assert before.items() <= run.results().items()
    settle(run, "results read-only", "1 time")
