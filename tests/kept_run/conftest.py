"""The overview of published numbers, which takes longest, is drawn once for equal numbers."""

import pytest

from reseat.kept_run import writing

DRAWN = {}


@pytest.fixture(autouse=True)
def overview(monkeypatch):
    """Return the function that draws the overview."""
    draw = writing._overview

    def once(path):
        numbers = path.read_bytes()
        if numbers not in DRAWN:
            DRAWN[numbers] = draw(path)
        return DRAWN[numbers]

    monkeypatch.setattr(writing, "_overview", once)
    return draw
