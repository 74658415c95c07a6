"""Targets of an explanation: a file, an artefact or a claim."""

from __future__ import annotations

import csv
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reseat.errors import DataError
from reseat.provenance.history import History
from reseat.vocabulary import split_claim

__all__ = ["Target", "find_target"]

CLAIMS = "claims.csv"


@dataclass(frozen=True)
class Target:
    """A result that is to be explained."""

    #: Name as the user gave it.
    name: str
    #: Outputs of jobs that it is, in which it lies, or in which its verdict is found.
    outputs: tuple[str, ...]
    #: Name in the catalogue; empty if it is not an artefact.
    artefact: str = ""
    #: Its rows of ``claims.csv``, one per reading; empty if it is not a claim.
    claim: list[dict[str, Any]] = field(default_factory=list)


def find_target(history: History, name: str, artefacts=(), claims=()) -> Target:
    """Find the target that `name` refers to.

    `name`: a path, relative to the working directory or to the folder of the project; the name of
        an artefact; or the identifier of a claim, such as ``TIWD-3a``. If several runs made an
        artefact or judged a claim, the newest of them is used.
    """
    if not name.strip():
        raise DataError("The name is empty; name a file of a run, an artefact or a claim.")
    if name in artefacts:
        return _artefact(history, name)
    rows, outputs = _claim(history, name)
    if rows:
        return Target(name, outputs, claim=rows)
    path = _below(history.root, name)
    output = history.output_of(path)
    if output is None:
        raise DataError(_unknown(history, name, path, claims))
    stem = Path(output).stem
    is_artefact = output.startswith("reports/") and stem in artefacts
    return Target(name, (output,), artefact=stem if is_artefact else "")


def _artefact(history, name):
    makers = (history.maker(f"reports/{run}/tables/{name}.csv") for run in history.runs)
    record = next(filter(None, makers), None)
    if record is None:
        raise DataError(
            f"{name}: no record of its table was found in {', '.join(history.runs)}; make it with "
            f"`snakemake --cores 1 --force {name}`."
        )
    made = tuple(e["path"] for e in record["outputs"] if history.maker(e["path"]) is record)
    return Target(name, made, artefact=name)


def _claim(history, name):
    """Return the rows of a claim and the files that contain them, of the report if there is one."""
    found = re.fullmatch(r"([A-Za-z]+-\d+\w*)( \(.*\))?", name)
    if found is None:
        return [], ()
    name = found[1]  # with all its readings
    for run in history.runs:
        rows, outputs = _claim_of_run(history, name, run)
        if rows:
            return rows, outputs
    return [], ()


def _claim_of_run(history, name, run):
    collected = history.maker(f"reports/{run}/{CLAIMS}")
    if collected is not None:
        paths = [entry["path"] for entry in collected["inputs"]]
    else:
        mine = (record for record in history.records if record["run"] == run)
        paths = [entry["path"] for record in mine for entry in record["outputs"]]
    rows, outputs = [], []
    for path in paths:
        if Path(path).name == CLAIMS and (history.root / path).is_file():
            with open(history.root / path, newline="", encoding="utf-8") as file:
                mine = [row for row in csv.DictReader(file) if _is_of(row, name)]
            rows += mine
            outputs += [path] if mine else []
    return rows, tuple(outputs)


def _is_of(row, name):
    key, _reading, _says = split_claim(row.get("claim", ""))
    return key.casefold() == name.casefold()


def _below(root, name):
    """Return the path `name` relative to the folder of the project."""
    for candidate in (Path(name), root / name):
        if candidate.exists():
            return Path(os.path.relpath(candidate.resolve(), root.resolve())).as_posix()
    # The file may have been removed since a job made it.
    return Path(os.path.normpath(name)).as_posix()


def _unknown(history, name, path, claims):
    if name.casefold() in map(str.casefold, claims):
        return (
            f"{name}: no verdict on this claim was found in {', '.join(history.runs)}; make it "
            "with `snakemake --cores 1 claims`."
        )
    if path.startswith("reports/published/") and (history.root / path).exists():
        return (
            f"{name} is a copy that `reseat publish` made of a finished run; "
            "reports/published/manifest.json says of which, and how that run was made."
        )
    if (history.root / path).exists():
        return (
            f"{name} has no job record: it is older than the records, or was added by hand. If a "
            "rule makes it, delete it and let Snakemake make it again."
        )
    return (
        f"{name} is not a file of this run, an artefact or a claim; `snakemake --cores 1 list` "
        "lists the artefacts, and reports/RUN/claims.csv the claims."
    )
