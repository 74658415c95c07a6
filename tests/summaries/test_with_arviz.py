"""Import of ArviZ where it cannot record in its cache folder when it last issued a warning."""

import os
import subprocess
import sys

import pytest

WITHOUT_ACCOUNT = """
import pwd
def unknown(number):
    raise KeyError(number)
pwd.getpwuid = unknown
"""
IMPORTED = """
import os
from reseat.summaries.with_arviz import import_arviz
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
