"""The manifest of a published run, which every reader of such a run opens first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from reseat.errors import DataError
from reseat.io import stored_json

__all__ = ["MANIFEST", "PACKED", "read_card", "read_manifest", "restoring"]

#: Name of the file that lists the contents of a published run.
MANIFEST = "manifest.json"

#: Suffix of the name of a compressed table.
PACKED = ".gz"


def read_manifest(path: Path) -> dict[str, Any]:
    """Read the manifest of a published run."""
    manifest = stored_json(path)
    if {"scale", "settings", "artefacts", "chains"} <= manifest.keys():
        return manifest
    raise DataError(
        f"{path} is no manifest of a published run; restore it {restoring(path.parent)}."
    )


def read_card(source: Path) -> dict[str, Any]:
    """Read the card of the run whose report is in a folder; raise a DataError if it is damaged."""
    card = stored_json(source / "run.json")
    if not {"name", "scale", "settings", "made", "artefacts"} <= card.keys():
        raise DataError(f"{source / 'run.json'} is damaged; make the report of the run again.")
    return card


def restoring(folder: Path) -> str:
    """Return, in brackets, the command that restores the published run in a folder."""
    return f"(git checkout HEAD -- {folder})"
