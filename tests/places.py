"""Where the project, its tests and the raw data lie."""

from pathlib import Path

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent

#: Raw files that may not be redistributed, where there are any.
MIRROR = ROOT.parent / "shared" / "data"
