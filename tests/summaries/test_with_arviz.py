"""ArviZ where it cannot record when it last issued a warning, and where there is numba."""

import os
import subprocess
import sys

import numpy as np

from reseat.summaries.posterior import describe
from reseat.summaries.with_arviz import import_arviz

IMPORTED = """
import os
from reseat.summaries.with_arviz import import_arviz
print(import_arviz().__name__, os.environ["XDG_CACHE_HOME"])
"""


def test_arviz_needs_no_place_to_write(tmp_path):
    """A file is in the place of the cache folder, as if another process had won the race."""
    taken = tmp_path / "taken"
    taken.write_text("")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", IMPORTED],
        env=os.environ | {"XDG_CACHE_HOME": str(taken)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout.split()) == (0, ["arviz", str(taken)]), done.stderr


def test_numba_changes_nothing(monkeypatch):
    """With numba, ArviZ returns arrays of one element, and other last digits."""
    arviz = import_arviz()
    draws = np.random.default_rng(20081).normal(size=(3, 101)).cumsum(axis=1)
    plain = describe(draws)
    monkeypatch.setattr(arviz.utils.Numba, "numba_flag", True)
    assert describe(draws) == plain
    assert arviz.utils.Numba.numba_flag
    assert np.ndim(arviz.mcse(draws)) == 1
