"""The tally of faults: what struck, how often, and whether results match an undisturbed run.

It also notes the outcome of the long targets of make in ``tests/last_runs.csv``.
"""

import os
import subprocess
import time
from datetime import UTC, datetime
from functools import cache

import pandas as pd
import pytest
from disturbances import HERE, WHOLE, Run
from places import ROOT, TESTS
from run_results import differing

COLUMNS = ("fault", "struck", "results compared", "differing")
LAST_RUNS = TESTS / "last_runs.csv"
BEGAN = time.monotonic()


@pytest.fixture(scope="session")
def calm(tmp_path_factory):
    """Return a function that returns the undisturbed run of some targets."""

    @cache
    def calm(targets):
        run = Run(tmp_path_factory.mktemp("calm") / "run", targets)
        run.finish_in_a_fork()
        return run

    return calm


@pytest.fixture
def settle(calm, tally):
    """Return a function that finishes a disturbed run by one command and checks its results."""

    def settle(run, fault, struck):
        if WHOLE or run.options != HERE:
            run.finish()
        else:
            run.finish_in_a_fork()
        tally(fault, struck, calm(run.targets).results(), run.results())

    return settle


@pytest.fixture
def tally(record_property):
    """Return a function that records a fault after recovery and fails if a result differs."""

    def tally(fault, struck, calm, disturbed):
        wrong = differing(calm, disturbed)
        record_property("fault", (fault, struck, len(calm), len(wrong)))
        assert len(calm) > 5
        assert not wrong, f"{fault}: {wrong[:10]}"

    return tally


def pytest_terminal_summary(terminalreporter, exitstatus):
    """Print the recorded faults, whichever worker ran the tests."""
    reports = [
        report
        for outcome in ("passed", "failed")
        for report in terminalreporter.getreports(outcome)
        if report.when == "call"
    ]
    rows = [row for report in reports for name, row in report.user_properties if name == "fault"]
    if rows:
        terminalreporter.line("After each fault one `snakemake --rerun-incomplete` finished")
        table = pd.DataFrame(rows, columns=COLUMNS)
        terminalreporter.line(table.to_string(index=False, justify="left"))
    # Set by the Makefile if all tests of a target are to run; an interrupted run is not noted.
    target = os.environ.get("RESEAT_TARGET")
    if target and exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        note_run(target, terminalreporter.stats)


def note_run(target, reports):
    """Replace the row of a target of make in the table of last runs."""
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", f":!{LAST_RUNS}")
    row = {
        "target": target,
        "date": datetime.now(UTC).date().isoformat(),
        "commit": _git("rev-parse", "--short", "HEAD") + (" with changes" if changed else ""),
        "passed": len(reports.get("passed", [])),
        "failed": len(reports.get("failed", []) + reports.get("error", [])),
        "skipped": len(reports.get("skipped", [])),
        "minutes": round((time.monotonic() - BEGAN) / 60),
    }
    found = pd.read_csv(LAST_RUNS, dtype=str)
    found = pd.concat([found[found["target"] != target], pd.DataFrame([row])])
    found.sort_values("target").to_csv(LAST_RUNS, index=False, lineterminator="\n")


def _git(*arguments):
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip()
