"""Digests of processed data sets: what is read from the papers' files must not change."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from digest_files import FOLDER
from places import MIRROR, ROOT
from real_data import REGISTRY

from reseat.datasets import DataSettings, build

DIGESTS = FOLDER / "datasets.json"
MIRRORS = (ROOT / "data", MIRROR)
SEED = 2008


def digest(name: str, folder: str | Path) -> str:
    """Return the digest of one data set, as its parser and the steps after it produce it."""
    settings = DataSettings(mirrors=MIRRORS, raw=folder, download=False)
    return build(REGISTRY, name, settings, seed=SEED).digest()[:32]


def digests(names: Iterable[str]) -> dict[str, str]:
    """Return the digests of data sets by name."""
    with tempfile.TemporaryDirectory() as folder:
        return {name: digest(name, folder) for name in names}


def differing(stored: Mapping[str, str], found: Mapping[str, str]) -> list[str]:
    """Return a line for each data set whose digest has changed or is not stored yet."""
    new = [f"{name}: not stored yet" for name in sorted(found.keys() - stored.keys())]
    return new + [f"{n}: changed" for n in sorted(found) if found[n] != stored.get(n, found[n])]
