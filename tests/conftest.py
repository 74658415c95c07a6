"""Paths and fixtures that all tests share."""

import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(Path(__file__).resolve().parent))


@pytest.fixture
def rng():
    return np.random.default_rng(20081)


@pytest.fixture
def root():
    return ROOT
