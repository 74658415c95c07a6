"""ArviZ where its own note of the day cannot be written."""

import os
import subprocess
import sys

IMPORTED = """
import os
from reseat.summaries.with_arviz import import_arviz
print(import_arviz().__name__, os.environ["XDG_CACHE_HOME"])
"""


def test_arviz_needs_no_place_to_write(tmp_path):
    """A file is where the folder would be, as where another process was faster."""
    taken = tmp_path / "taken"
    taken.write_text("")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", IMPORTED],
        env=os.environ | {"XDG_CACHE_HOME": str(taken)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout.split()) == (0, ["arviz", str(taken)]), done.stderr
