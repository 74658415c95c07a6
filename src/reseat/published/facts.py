"""Contents of the manifest of the published run."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from reseat.provenance.history import Step
from reseat.published.manifest import read_card
from reseat.report.timings import read_benchmarks

__all__ = ["chain_rows", "facts_of"]


def chain_rows(steps: Sequence[Step]) -> Iterator[dict[str, Any]]:
    """Yield every chain that some jobs ran with the hash of its file, ordered by path."""
    found = {}
    for step in steps:
        hashes = dict(_files(step.record["outputs"]))
        for chain in step.record["chains"]:
            found[chain["path"]] = chain | {"sha256": hashes[chain["path"]]}
    for path in sorted(found):
        yield found[path]


def _files(outputs):
    """Yield the path and hash of each file that is an output, or lies in one."""
    for entry in outputs:
        yield entry["path"], entry["sha256"]
        for name, sha256 in entry.get("files", {}).items():
            yield f"{entry['path']}/{name}", sha256


def facts_of(steps: Sequence[Step], root: Path, source: Path) -> dict[str, Any]:
    """Return what a reader has to know about a run to judge its numbers.

    The result has `run`, `scale`, `settings` (with the seed), `artefacts` (numbers of those made,
    and of all that are known), `code` (every version that made a part), `jobs` (their number),
    `hours` (during which at least one of them ran), `chains` (their number for each model on each
    data set, and the length of the longest), `data` (every data set, its status and hashes) and
    `costs` (of each family).
    """
    card = read_card(source)
    versions = {
        tuple(step.record["code"].get(key) or "" for key in ("version", "commit", "sources"))
        for step in steps
    }
    return {
        "run": card["name"],
        "scale": card["scale"],
        "settings": card["settings"],
        "artefacts": {"made": card["made"], "known": card["artefacts"]},
        "code": [
            dict(zip(("version", "commit", "sources"), version, strict=True))
            for version in sorted(versions)
        ],
        "jobs": len(steps),
        "hours": round(_seconds_at_work(steps) / 3600, 3),
        "chains": _chains(steps),
        "data": _data(steps),
        "costs": _costs(steps, root),
    }


def _rounded(value):
    return None if math.isnan(value) else round(value)


def _seconds_at_work(steps):
    """Return the time during which jobs ran, without pauses of a run that was interrupted."""
    times = sorted(
        tuple(datetime.fromisoformat(step.record[key]).timestamp() for key in ("started", "ended"))
        for step in steps
    )
    total, until = 0.0, float("-inf")
    for started, ended in times:
        total += max(0.0, ended - max(started, until))
        until = max(until, ended)
    return total


def _chains(steps):
    """Return the number of chains of each model on each data set, and the length of the longest."""
    found = {}
    for chain in chain_rows(steps):
        family = Path(chain["path"]).parts[2]
        own = found.setdefault(
            (family, chain["dataset"], chain["model"]), {"chains": 0, "sweeps": 0}
        )
        own["chains"] += 1
        sweeps = chain["burn_in"] + chain["n_samples"]
        own["sweeps"] = max(own["sweeps"], sweeps)
    names = ("family", "dataset", "model")
    return [dict(zip(names, key, strict=True)) | found[key] for key in sorted(found)]


def _data(steps):
    found = {}
    for step in steps:
        for entry in step.record["data"]:
            found[entry["name"]] = {
                key: entry.get(key) for key in ("name", "title", "status", "stands_for", "sha256")
            }
    return [found[name] for name in sorted(found)]


def _costs(steps, root):
    """Return the jobs, wall-clock and processor hours, and largest memory of a job, by family."""
    times = read_benchmarks((step.record["log"] for step in steps), root)
    costs = {}
    for family, own in times.groupby(times["job"].str.split("/").str[0]):
        costs[family] = {
            "jobs": len(own),
            "hours": round(own["seconds"].sum() / 3600, 3),
            "processor_hours": round(own["cpu_seconds"].sum() / 3600, 3),
            "largest_job_mb": _rounded(own["memory_mb"].max()),
        }
    return costs
