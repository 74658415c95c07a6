"""Paths and fixtures that all tests share."""

from pathlib import Path

import numpy as np
import pytest
from fault_tally import calm, pytest_terminal_summary, settle, tally  # noqa: F401

ROOT = Path(__file__).resolve().parent.parent


def pytest_collection_modifyitems(items):
    """Put what runs the workflow first: it takes longest, and other files can run beside it."""
    items.sort(key=lambda item: item.get_closest_marker("workflow") is None)


@pytest.fixture
def rng():
    return np.random.default_rng(20081)


@pytest.fixture
def root():
    return ROOT
