"""Paths and fixtures that all tests share."""

from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def rng():
    return np.random.default_rng(20081)


@pytest.fixture
def root():
    return ROOT
