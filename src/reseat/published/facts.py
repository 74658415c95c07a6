"""What the manifest of the published run says of that run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reseat.provenance.history import History
from reseat.report.timings import read_benchmarks

__all__ = ["chain_rows", "facts_of"]


def chain_rows(history: History) -> Iterator[dict[str, Any]]:
    """Every chain of a run with the hash of its file, in the order of their paths.

    Parameters
    ----------
    history : History
        Of one run.

    Yields
    ------
    dict
        As `reseat.provenance.contents.chains_in` has them, and `sha256`.
    """
    found = {}
    for record in sorted(history.records, key=lambda record: record["ended"]):
        hashes = dict(_files(record["outputs"]))
        for chain in record["chains"]:
            found[chain["path"]] = chain | {"sha256": hashes[chain["path"]]}
    for path in sorted(found):
        yield found[path]


def _files(outputs):
    """Path and hash of each file that is an output, or lies in one."""
    for entry in outputs:
        yield entry["path"], entry["sha256"]
        for name, sha256 in entry.get("files", {}).items():
            yield f"{entry['path']}/{name}", sha256


def facts_of(history: History, root: Path, source: Path) -> dict[str, Any]:
    """What a reader has to know of a run to judge its numbers.

    Parameters
    ----------
    history : History
        Of one run.
    root, source : Path
        Folders of the project and of the report of the run.

    Returns
    -------
    dict
        `run`, `scale`, `seed`, `settings`, `artefacts` (made, and known of), `code` (every version
        that made a part), `chains` (how many of each model, and their length), `data` (every data
        set, its status and hashes) and `costs` (of each family).
    """
    card = json.loads((source / "run.json").read_text(encoding="utf-8"))
    versions = {
        tuple(record["code"].get(key) or "" for key in ("version", "commit", "sources"))
        for record in history.records
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
        "jobs": len(history.records),
        "chains": _chains(history),
        "data": _data(history),
        "costs": _costs(root / "results" / source.name / "benchmarks"),
    }


def _chains(history):
    """How many chains there are of each model on each data set, and how long the longest is."""
    found = {}
    for chain in chain_rows(history):
        family = Path(chain["path"]).parts[2]
        own = found.setdefault(
            (family, chain["dataset"], chain["model"]), {"chains": 0, "sweeps": 0}
        )
        own["chains"] += 1
        sweeps = chain["burn_in"] + chain["n_samples"]
        own["sweeps"] = max(own["sweeps"], sweeps)
    names = ("family", "dataset", "model")
    return [dict(zip(names, key, strict=True)) | found[key] for key in sorted(found)]


def _data(history):
    found = {}
    for record in history.records:
        for entry in record["data"]:
            found[entry["name"]] = {
                key: entry.get(key) for key in ("name", "title", "status", "stands_for", "sha256")
            }
    return [found[name] for name in sorted(found)]


def _costs(folder):
    """Jobs, hours of wall clock and of processor, and the largest job's memory, by family."""
    times = read_benchmarks(folder.rglob("*.tsv"), folder)
    costs = {}
    for family, own in times.groupby(times["job"].str.split("/").str[0]):
        costs[family] = {
            "jobs": len(own),
            "hours": round(own["seconds"].sum() / 3600, 3),
            "processor_hours": round(own["cpu_seconds"].sum() / 3600, 3),
            "largest_job_mb": round(own["memory_mb"].max()),
        }
    return costs
