"""Costs of a run, by job and by table or figure, and the manifest of the kept run."""

import csv
import os
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from reseat.errors import DataError
from reseat.files.atomic import stored_json
from reseat.provenance.records import History, Step
from reseat.provenance.runs import job_name

#: Names of the two tables in the published run, and of the file that lists its contents.
JOB_COSTS, ARTEFACT_COSTS, MANIFEST = "jobs.csv", "costs.csv", "manifest.json"

#: Suffix of the name of a compressed table.
PACKED = ".gz"


def job_costs(
    steps: Iterable[Step], benchmarks: Mapping[str, Mapping[str, float]]
) -> dict[str, dict]:
    """Return seconds, memory (None if not measured) and disk space of each job by its name."""
    found = {}
    for record in (step.record for step in steps):
        name = job_name(record["log"])
        measured = benchmarks.get(name, {})
        ended, began = (datetime.fromisoformat(record[key]) for key in ("ended", "started"))
        seconds = measured.get("seconds", (ended - began).total_seconds())
        found[name] = {
            "rule": record["rule"],
            "seconds": round(seconds, 1),
            "memory_mb": round(measured["memory_mb"]) if "memory_mb" in measured else None,
            "disk_mb": round(sum(entry["size"] for entry in record["outputs"]) / 1e6, 3),
        }
    return dict(sorted(found.items()))


def artefact_costs(
    history: History, tables: Iterable[str], jobs: Mapping[str, Mapping[str, Any]]
) -> dict[str, dict]:
    """Return the cost of each table or figure from scratch: summed seconds, largest memory."""
    found = {}
    for table in tables:
        own = [jobs[job_name(step.record["log"])] for step in history.steps([table])]
        found[Path(table).stem] = {
            "jobs": len(own),
            "seconds": round(sum(job["seconds"] for job in own)),
            "memory_mb": max(job["memory_mb"] or 0 for job in own),
            "disk_mb": round(sum(job["disk_mb"] for job in own), 1),
        }
    return dict(sorted(found.items()))


def read_costs(path: str | os.PathLike) -> dict[str, dict[str, str]]:
    """Read a table of costs of the published run by its first column; none if it is damaged."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            rows = csv.reader(file, strict=True)
            columns = next(rows, [""])[1:]
            found = {name: dict(zip(columns, cells, strict=True)) for name, *cells in rows}
        for cost in found.values():
            in_words(cost)
    except (OSError, ValueError, KeyError, csv.Error):
        return {}
    return found


def known_seconds(folder: str | os.PathLike, scale: str) -> dict[str, float]:
    """Return the time of each job in the published run."""
    try:
        if read_manifest(Path(folder, MANIFEST))["scale"] != scale:
            return {}
    except DataError:
        return {}
    jobs = read_costs(Path(folder, JOB_COSTS))
    return {name: float(cost["seconds"]) for name, cost in jobs.items()}


def in_words(cost: Mapping[str, Any]) -> str:
    """Format the time, memory and disk space of a row of a table of costs."""
    seconds = float(cost["seconds"])
    time = f"{seconds / 60:.0f} min" if seconds >= 60 else f"{seconds:.0f} s"
    memory, disk = (f"{float(cost[key] or 0):.0f} MB" for key in ("memory_mb", "disk_mb"))
    return f"{time:>9}{memory:>9}{disk:>9}"


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
