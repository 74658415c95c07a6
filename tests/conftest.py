"""Paths and fixtures that all tests share."""

import os

# Each core has a worker of its own: threads of linear algebra would only be in each other's way.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pytest
from fault_tally import calm, pytest_terminal_summary, settle, tally  # noqa: F401
from places import ROOT

# One process runs the whole demo, and meanwhile the other one what needs SLURM, of which there can
# be one only. Then what takes longest, so that no process still has it when the other is done.
FIRST = (
    *("test_workflow", "test_slurm", "test_workflow_real", "test_workflow_plans"),
    *("test_attempts", "test_faults"),
    *("test_docs", "test_digests", "test_command", "test_chaperones", "test_kill"),
    *("test_bad_inputs", "test_hyperparameters", "test_microclustering_posteriors"),
)


def pytest_collection_modifyitems(items):
    """Put what runs the workflow first: it takes longest, and other files can run beside it."""

    def place(item):
        first = FIRST.index(item.path.stem) if item.path.stem in FIRST else len(FIRST)
        return item.get_closest_marker("workflow") is None, first

    items.sort(key=place)


@pytest.fixture
def rng():
    return np.random.default_rng(20081)


@pytest.fixture
def root():
    return ROOT


@pytest.fixture
def only_svg(monkeypatch):
    """Draw pictures that nobody looks at in the one format that is drawn fastest."""
    monkeypatch.setattr("reseat.plots.style.FORMATS", ("svg",))


@pytest.fixture
def and_png(only_svg, monkeypatch):
    """Draw them as PNG too."""
    monkeypatch.setattr("reseat.plots.style.FORMATS", ("svg", "png"))
