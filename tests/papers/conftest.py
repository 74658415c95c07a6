"""What the tests of all papers share."""

import pytest


@pytest.fixture(autouse=True)
def few_resamplings(monkeypatch):
    """Resample less often than a run does, which takes most of the time of judging a claim."""
    monkeypatch.setattr("reseat.papers.statistics.N_RESAMPLINGS", 200)
