"""The manifest of a published run, which all that reads one has to open first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from reseat.errors import DataError

__all__ = ["MANIFEST", "PACKED", "read_manifest", "restoring"]

#: Name of the file that has the contents of a published run in one.
MANIFEST = "manifest.json"

#: What follows the name of a table that is compressed.
PACKED = ".gz"


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest of a published run.

    Parameters
    ----------
    path : Path

    Returns
    -------
    dict
        From `reseat.published.facts.facts_of`.

    Raises
    ------
    DataError
        If it is no manifest, as after a merge with a conflict.
    """
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        if {"scale", "settings", "artefacts", "chains"} <= manifest.keys():
            return manifest
    except (OSError, ValueError, AttributeError):
        pass
    raise DataError(
        f"{path} is no manifest of a published run; restore it {restoring(path.parent)}."
    )


def restoring(folder: Path) -> str:
    """How to restore the published run in a folder, in brackets."""
    return f"(git checkout HEAD -- {folder})"
