"""Folders of the project, its tests and the raw data."""

from pathlib import Path

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent

#: Folder of raw files that may not be redistributed; it need not exist.
MIRROR = ROOT.parent / "shared" / "data"
