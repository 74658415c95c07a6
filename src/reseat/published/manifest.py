"""The manifest of a published run, which every reader of such a run opens first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from reseat.errors import DataError

__all__ = ["MANIFEST", "PACKED", "read_manifest", "restoring"]

#: Name of the file that lists the contents of a published run.
MANIFEST = "manifest.json"

#: Suffix of the name of a compressed table.
PACKED = ".gz"


def read_manifest(path: Path) -> dict[str, Any]:
    """Read the manifest of a published run."""
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
    """Return, in brackets, the command that restores the published run in a folder."""
    return f"(git checkout HEAD -- {folder})"
