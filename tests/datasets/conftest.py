"""A fixture with which many Matlab files are read in little time."""

import faulthandler
import os
import subprocess
import sys
from multiprocessing import get_context
from tempfile import TemporaryFile
from types import SimpleNamespace

import pytest
import scipy.io  # noqa: F401, so that no fork needs to load it

from reseat.datasets.parsers import matlab_relation


@pytest.fixture
def matlab_in_forks(monkeypatch):
    """Read Matlab files in forks of this process, which are processes of their own, too."""
    monkeypatch.setattr(matlab_relation, "subprocess", SimpleNamespace(run=run_in_fork))


def run_in_fork(command, input, capture_output):
    """Run a program of Python as `subprocess.run` does."""
    with TemporaryFile() as given, TemporaryFile() as output, TemporaryFile() as errors:
        given.write(input)
        given.seek(0)
        fork = get_context("fork").Process(target=become, args=(command[-1], given, output, errors))
        fork.start()
        fork.join()
        texts = [os.pread(file.fileno(), 2**30, 0) for file in (output, errors)]
    return subprocess.CompletedProcess(command, fork.exitcode, *texts)


def become(program, *streams):
    """Run a program in this fork, with these files as its standard streams."""
    faulthandler.disable()  # pytest would show a crash, which some of these files cause
    for number, file in enumerate(streams):
        os.dup2(file.fileno(), number)
    sys.stdin, sys.stdout, sys.stderr = (
        open(number, mode, encoding="utf-8") for number, mode in enumerate("rww")
    )
    exec(program, {})
    sys.stdout.flush()
