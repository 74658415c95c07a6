"""The tally of faults: what struck, how often, and whether results match an undisturbed run."""

from functools import cache

import pytest
from disturbances import HERE, WHOLE, Run
from rich.console import Console
from rich.table import Table
from run_results import differing

COLUMNS = ("fault", "struck", "results compared", "differing")


@pytest.fixture(scope="session")
def calm(tmp_path_factory):
    """Return a function that returns the undisturbed run of some targets."""

    @cache
    def calm(targets):
        run = Run(tmp_path_factory.mktemp("calm"), targets)
        run.finish()
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


def pytest_terminal_summary(terminalreporter):
    """Print the recorded faults, whichever worker ran the tests."""
    reports = [
        report
        for outcome in ("passed", "failed")
        for report in terminalreporter.getreports(outcome)
        if report.when == "call"
    ]
    rows = [row for report in reports for name, row in report.user_properties if name == "fault"]
    if not rows:
        return
    table = Table(*COLUMNS, title="After each fault one `snakemake --rerun-incomplete` finished")
    for row in rows:
        table.add_row(*map(str, row))
    Console(file=terminalreporter._tw._file, width=100).print(table)
