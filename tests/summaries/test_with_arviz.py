"""ArviZ where it cannot record when it last issued a warning, and where there is numba."""

import os
import subprocess
import sys

import numpy as np
import pytest

from reseat.summaries.posterior import describe, import_arviz

WITHOUT_ACCOUNT = """
import pwd
def unknown(number):
    raise KeyError(number)
pwd.getpwuid = unknown
"""
IMPORTED = """
import os
from reseat.summaries.posterior import import_arviz
print(import_arviz().__name__, *map(os.environ.get, ("HOME", "XDG_CACHE_HOME")))
"""


@pytest.mark.parametrize(
    ("before", "changes", "lacking"),
    [
        ("", {"XDG_CACHE_HOME": __file__}, []),  # a file, as if another process had won the race
        (WITHOUT_ACCOUNT, {}, ["HOME", "XDG_CACHE_HOME"]),
        (WITHOUT_ACCOUNT, {"XDG_CACHE_HOME": __file__}, ["HOME"]),
    ],
    ids=["taken", "no account", "no account, taken"],
)
def test_arviz_needs_no_place_to_write(before, changes, lacking):
    environment = {k: v for k, v in (os.environ | changes).items() if k not in lacking}
    kept = [str(environment.get(name)) for name in ("HOME", "XDG_CACHE_HOME")]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", before + IMPORTED],
        env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert (done.returncode, done.stdout.split()) == (0, ["arviz", *kept]), done.stderr


def test_numba_changes_nothing(monkeypatch):
    """With numba, ArviZ returns arrays of one element, and other last digits."""
    arviz = import_arviz()
    draws = np.random.default_rng(20081).normal(size=(3, 101)).cumsum(axis=1)
    plain = describe(draws)
    monkeypatch.setattr(arviz.utils.Numba, "numba_flag", True)
    assert describe(draws) == plain
    assert arviz.utils.Numba.numba_flag
    assert np.ndim(arviz.mcse(draws)) == 1
