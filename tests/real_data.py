"""Data sets whose files are available without a download."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable

from places import MIRROR, ROOT

from reseat.datasets import DataSettings, Registry
from reseat.datasets.sources import Located, find

REGISTRY = Registry.load(ROOT / "config" / "datasets.yaml")


def available(names: Iterable[str] | None = None, mirrors=(MIRROR,)) -> list[str]:
    """Return the data sets, of those named or of all with a parser, that need no download."""
    if names is None:
        names = [name for name in REGISTRY if REGISTRY[name].parser is not None]
    with tempfile.TemporaryDirectory() as folder:
        settings = DataSettings(mirrors=mirrors, raw=folder, download=False)
        return [
            name
            for name in names
            if isinstance(find(REGISTRY, name, settings, fetch=False), Located)
        ]
