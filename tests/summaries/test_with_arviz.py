"""Import of ArviZ where it cannot record in its cache folder when it last issued a warning."""

import os
import subprocess
import sys

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
