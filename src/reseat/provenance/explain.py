"""Explanations of a file, an artefact or a claim: what is asked, the facts, and the text."""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from reseat.errors import DataError
from reseat.provenance.changes import find_changes
from reseat.provenance.records import History, Step
from reseat.vocabulary import split_claim

#: Parameters that say where things lie or how they are stored, not what is computed.
_HOUSEKEEPING = frozenset(
    """
    registry schema scratch checkpoint_seconds benchmarks entry made_from root recipe caption
    memory_bound_mb
    """.split()
)


def explain(history: History, target: Target) -> dict[str, Any]:
    """Explain the origin of a result by facts that can be written as JSON."""
    makers = [history.maker(path) for path in target.outputs]
    # Jobs that led to it may have run again since, and so be more recent than its own.
    steps = sorted(history.steps(target.outputs), key=lambda step: step.record not in makers)
    states, changes = find_changes(history, steps)
    settled = {key: _distinct(step.record[key] for step in steps) for key in ("scale", "seed")}
    return {
        "target": target.name,
        "outputs": list(target.outputs),
        "artefact": target.artefact,
        "claim": target.claim,
        "jobs": [_job(step, states) for step in steps],
        "chains": chain_groups(steps),
        "seeds": seeds_of(steps),
        "data": data_sets(steps),
        "sources": [
            _with_state(entry, states, ("role", "path", "sha256"))
            for entry in history.sources(steps)
        ],
        "configuration": {
            **{key: values[0] if len(values) == 1 else values for key, values in settled.items()},
            "rules": {rule: params for rule, params in _parameters(steps).items() if params},
        },
        "code": _distinct(step.record["code"] for step in steps),
        "software": _distinct(step.record["software"] for step in steps),
        "changes": [change._asdict() for change in changes],
    }


def _job(step: Step, states: dict[str, str]) -> dict[str, Any]:
    record, outputs = step.record, map(step.output, step.used)
    keys = ("rule", "wildcards", "script", "log", "started", "ended")
    return {
        **{key: record[key] for key in keys},
        "inputs": [entry["path"] for entry in record["inputs"]],
        "outputs": [_with_state(entry, states, ("path", "sha256")) for entry in outputs],
    }


def _with_state(entry, states, keys):
    return {key: entry[key] for key in keys} | {"state": states[entry["path"]]}


def chain_groups(steps: Iterable[Step]) -> list[dict[str, Any]]:
    """Group the chains of the same model in the same output, with their sum of seconds."""
    groups: dict[tuple, dict[str, Any]] = {}
    for step in steps:
        for chain in step.record["chains"]:
            output = next(path for path in step.used if _is_within(chain["path"], path))
            same = {key: chain[key] for key in ("model", "seed", "burn_in", "n_samples", "thin")}
            new = {"n_chains": 0, "chains": [], "streams": [], "seconds": 0.0, "versions": []}
            key = (output, *same.values())
            group = groups.setdefault(key, {"output": output, **same, **new})
            group["n_chains"] += 1
            group["seconds"] = round(group["seconds"] + chain["seconds"], 3)
            own = {"chains": "chain", "streams": "stream", "versions": "versions"}
            for key, value in own.items():
                if chain[value] not in group[key]:
                    group[key].append(chain[value])
    return list(groups.values())


def seeds_of(steps: Iterable[Step]) -> list[dict[str, Any]]:
    """Return each pair of a rule and a seed that was passed to a job or chain."""
    found = [(step.rule, seed) for step in steps for seed in _seeds_in(step.record["params"])]
    return _distinct({"rule": rule, "seed": seed} for rule, seed in found)


def data_sets(steps: Iterable[Step]) -> list[dict[str, Any]]:
    """Return the data sets that were read, with their origins and the hashes of their files."""
    found: dict[str, dict[str, Any]] = {}
    for step in steps:
        record = step.record
        entry = record["params"].get("entry") or {}
        for path in step.used:
            cards = [card for card in record["data"] if _is_within(card["path"], path)]
            if not cards:
                continue
            name = entry.get("name") or Path(path).stem
            keys = ("title", "status", "stands_for", "licence", "citation", "note")
            card = {key: cards[0].get(key, "") for key in keys}
            new = {"name": name, **card, "sha256": {}, "urls": {}, "processed": []}
            data = found.setdefault(name, new)
            for card in cards:
                data["sha256"] |= card["sha256"]
            for file in (entry.get("files") or {}).values():
                for form in file["forms"]:
                    if form["urls"]:
                        data["urls"][form["path"]] = list(form["urls"])
            data["processed"].append({"path": path, "sha256": step.output(path)["sha256"]})
    return list(found.values())


def _is_within(path: str, folder: str) -> bool:
    """Return whether a file is `folder` itself or lies below it."""
    return PurePosixPath(path).is_relative_to(folder)


def _parameters(steps: Iterable[Step]) -> dict[str, list[Any]]:
    """Return for each rule the parameters that affect results, each distinct set once."""
    found: dict[str, list[Any]] = {}
    for step in steps:
        given = step.record["params"].items()
        params = {key: value for key, value in given if key not in _HOUSEKEEPING}
        own = found.setdefault(step.rule, [])
        if params and params not in own:
            own.append(params)
    return found


def _seeds_in(value: Any) -> Iterator[Any]:
    """Yield the values of the key ``seed`` anywhere in nested parameters."""
    named = value.items() if isinstance(value, dict) else enumerate(value)
    for name, inner in named:
        if isinstance(inner, dict | list):
            yield from _seeds_in(inner)
        elif name == "seed":
            yield inner


def _distinct(values: Iterable[Any]) -> list[Any]:
    found = []
    for value in values:
        if value not in found:
            found.append(value)
    return found


#: Numbers of characters that are shown of a hash, and of parameters; `--json` shows all.
SHORT, LONG = 12, 160
UNCHANGED = "  nothing has changed: every file has the hash that was recorded"


def render(facts: dict[str, Any], artefact: Any | None = None) -> str:
    """Render an explanation as text."""
    job = facts["jobs"][0]
    wildcards = ", ".join(f"{key} {value}" for key, value in job["wildcards"].items())
    ended = job["ended"][:19].replace("T", " ")
    seeds: dict[Any, set[str]] = {}
    for entry in facts["seeds"]:
        seeds.setdefault(entry["seed"], set()).add(entry["rule"])
    changes = [f"  ! {change['sentence']}" for change in facts["changes"]]
    parts = [
        list(heading(facts, artefact)),
        [
            "Made by",
            f"  rule {job['rule']}{f' ({wildcards})' if wildcards else ''}, {ended} UTC",
            f"  script {job['script']['path']}, log {job['log']}",
        ],
        ["From", *_files(facts)],
        ["Chains", *(_chains(facts["chains"]) or ["  none"])],
        ["Seeds", *(f"  {seed}: {', '.join(sorted(rules))}" for seed, rules in seeds.items())],
        ["Data", *(_data(facts["data"]) or ["  none"])],
        ["Configuration", *_configuration(facts["configuration"])],
        ["Code", *_code(facts)],
        ["Since then", *(changes or [UNCHANGED])],
    ]
    if not seeds:
        parts.remove(["Seeds"])
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def heading(facts, artefact):
    """Yield the lines that say what is explained: a claim with its verdicts, or an artefact."""
    if facts["claim"]:
        for row in facts["claim"]:
            yield f"{row['claim']}  [{row['paper']}]"
            interval = f" [{row['low']}, {row['high']}]" if row["low"] else ""
            effect = f", effect {row['effect']}{interval}" if row["effect"] else ""
            yield f"  {row['verdict']}{effect}"
            yield f"  {row['evidence']}"
        return
    yield facts["target"]
    if artefact is not None:
        label = f"{artefact.published} of " if artefact.published else "beside "
        yield f"  {artefact.name}: {label}{artefact.paper.short}. {artefact.shows}"
    elif facts["outputs"] != [facts["target"]]:
        yield f"  part of {', '.join(facts['outputs'])}"


def _files(facts):
    """Yield a line for every file behind the target, job by job, and for those that no job made."""
    rows = []
    for job in facts["jobs"][1:]:
        rows += [(out["path"], job["rule"], _state(out)) for out in job["outputs"]]
    rows += [(entry["path"], "as it came", _state(entry)) for entry in facts["sources"]]
    yield from columns(rows) or ["  only the configuration"]


def _state(entry):
    changed = "" if entry["state"] == "unchanged" else f"  {entry['state'].upper()}"
    return f"sha256 {entry['sha256'][:SHORT]}{changed}"


def _chains(groups):
    outputs: dict[str, list] = {}
    for group in groups:
        names = ["/".join(map(str, stream)) for stream in group["streams"]]
        stream = names[0] if len(names) == 1 else f"{names[0]} … {names[-1]} ({len(names)})"
        row = (
            f"{group['n_chains']} of {group['model']}",
            f"{group['burn_in']} + {group['n_samples']} sweeps",
            f"seed {group['seed']}",
            f"stream {stream}, chain {_range(group['chains'])}",
        )
        outputs.setdefault(group["output"], []).append(row)
    lines = []
    for output, rows in outputs.items():
        lines += [f"  {output}", *columns(rows, indent=4)]
    return lines


def _range(numbers):
    low, high = min(numbers), max(numbers)
    if len(numbers) == high - low + 1 > 1:
        return f"{low} to {high}"
    return ", ".join(map(str, sorted(numbers)))


def _data(sets):
    lines = []
    for data in sets:
        stands = f" for {data['stands_for']}" if data["stands_for"] else ""
        lines.append(f"  {data['name']}: {data['title']} ({data['status']}{stands})")
        lines.append(f"    licence: {data['licence']}")
        for file, value in data["sha256"].items():
            lines.append(f"    {file}  sha256 {value}")
            lines += [f"      {url}" for url in data["urls"].get(file, ())]
        for made in data["processed"]:
            lines.append(f"    as {made['path']}  sha256 {made['sha256'][:SHORT]}")
    return lines


def _configuration(configuration):
    yield f"  scale {configuration['scale']}, seed {configuration['seed']}"
    models: dict[str, str] = {}
    rows = []
    for rule, sets in configuration["rules"].items():
        for params in sets:
            for run in (*params.get("runs", ()), *filter(None, [params.get("run")])):
                if "model" in run and "settings" in run:
                    models.setdefault(run["model"], _brief(run["settings"]))
            rest = {k: v for k, v in params.items() if k not in {"runs", "run", "artefact", "seed"}}
            if rest and (rule, _brief(rest)) not in rows:
                rows.append((rule, _brief(rest)))
    yield from columns([(f"model {name}", settings) for name, settings in models.items()])
    yield from columns(rows)


def _brief(values):
    text = ", ".join(f"{k} {json.dumps(v, ensure_ascii=False)}" for k, v in values.items())
    return text if len(text) <= LONG else text[: LONG - 2] + " …"


def _code(facts):
    for code in facts["code"]:
        commit = f", commit {code['commit']}" if "commit" in code else ""
        yield f"  reseat {code['version']} (sources {code['sources'][:SHORT]}){commit}"
    newest: dict[str, set[str]] = {}
    for versions in facts["software"]:
        for name, version in versions.items():
            newest.setdefault(name, set()).add(version)
    yield "  " + ", ".join(f"{name} {' and '.join(sorted(v))}" for name, v in newest.items())


def columns(rows: Sequence[Sequence[str]], indent: int = 2) -> list[str]:
    """Return the rows as lines, with each column as wide as its widest cell."""
    if not rows:
        return []
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)]
        lines.append(" " * indent + "  ".join(cells).rstrip())
    return lines


CLAIMS = "claims.csv"


@dataclass(frozen=True)
class Target:
    """A result that is to be explained, by the `name` that the user gave."""

    name: str
    #: Outputs of jobs that it is, in which it lies, or in which its verdict is found.
    outputs: tuple[str, ...]
    #: Name in the catalogue; empty if it is not an artefact.
    artefact: str = ""
    #: Its rows of ``claims.csv``, one per reading; empty if it is not a claim.
    claim: list[dict[str, Any]] = field(default_factory=list)


def find_target(history: History, name: str, artefacts=(), claims=()) -> Target:
    """Find the path, artefact or claim that `name` refers to, of the newest run that has it."""
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
    tables = (f"reports/{run}/tables/{name}.csv" for run in history.runs)
    record = next(filter(None, map(history.maker, tables)), None)
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
                found = list(csv.DictReader(file))
            keys = [split_claim(row.get("claim", ""))[0].casefold() for row in found]
            mine = [row for row, key in zip(found, keys, strict=True) if key == name.casefold()]
            rows += mine
            outputs += [path] if mine else []
    return rows, tuple(outputs)


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
            f"{name}: no verdict on this claim was found in {', '.join(history.runs)}; "
            "`snakemake --cores 2 claims` judges all claims, for which it makes the whole run."
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
