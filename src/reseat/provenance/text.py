"""Explanations as plain text for a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

__all__ = ["render"]

#: Number of characters of a hash that are shown; `--json` shows all.
SHORT = 12

#: Number of characters of parameters that are shown.
LONG = 160


def render(facts: dict[str, Any], artefact: Any | None = None) -> str:
    """Render an explanation as text."""
    parts = [
        list(_heading(facts, artefact)),
        ["Made by", *_made_by(facts["jobs"][0])],
        ["From", *_files(facts)],
        ["Chains", *(_chains(facts["chains"]) or ["  none"])],
        ["Seeds", *_seeds(facts)] if facts["seeds"] else [],
        ["Data", *(_data(facts["data"]) or ["  none"])],
        ["Configuration", *_configuration(facts["configuration"])],
        ["Code", *_code(facts)],
        ["Since then", *_changes(facts)],
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _heading(facts, artefact):
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


def _made_by(job):
    wildcards = ", ".join(f"{key} {value}" for key, value in job["wildcards"].items())
    yield f"  rule {job['rule']}{f' ({wildcards})' if wildcards else ''}, {_when(job['ended'])}"
    yield f"  script {job['script']['path']}, log {job['log']}"


def _files(facts):
    """Yield a line for every file behind the target, job by job, and for those that no job made."""
    rows = []
    for job in facts["jobs"][1:]:
        rows += [(out["path"], job["rule"], _state(out)) for out in job["outputs"]]
    rows += [(entry["path"], "as it came", _state(entry)) for entry in facts["sources"]]
    yield from _columns(rows) or ["  only the configuration"]


def _state(entry):
    return f"sha256 {entry['sha256'][:SHORT]}" + (
        "" if entry["state"] == "unchanged" else f"  {entry['state'].upper()}"
    )


def _chains(groups):
    outputs: dict[str, list] = {}
    for group in groups:
        outputs.setdefault(group["output"], []).append(group)
    lines = []
    for output, own in outputs.items():
        lines.append(f"  {output}")
        lines += _columns([_chain_row(group) for group in own], indent=4)
    return lines


def _chain_row(group):
    streams = ["/".join(map(str, stream)) for stream in group["streams"]]
    return (
        f"{group['n_chains']} of {group['model']}",
        f"{group['burn_in']} + {group['n_samples']} sweeps",
        f"seed {group['seed']}",
        f"stream {_span(streams)}, chain {_range(group['chains'])}",
    )


def _span(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} … {names[-1]} ({len(names)})"


def _range(numbers):
    low, high = min(numbers), max(numbers)
    if len(numbers) == high - low + 1 > 1:
        return f"{low} to {high}"
    return ", ".join(map(str, sorted(numbers)))


def _seeds(facts):
    seeds: dict[Any, list[str]] = {}
    for entry in facts["seeds"]:
        seeds.setdefault(entry["seed"], []).append(entry["rule"])
    for seed, rules in seeds.items():
        yield f"  {seed}: {', '.join(sorted(set(rules)))}"


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
            named = params if isinstance(params, dict) else {"": params}
            for run in (*named.get("runs", ()), *filter(None, [named.get("run")])):
                if "model" in run and "settings" in run:
                    models.setdefault(run["model"], _brief(run["settings"]))
            rest = {k: v for k, v in named.items() if k not in {"runs", "run", "artefact", "seed"}}
            if rest and (rule, _brief(rest)) not in rows:
                rows.append((rule, _brief(rest)))
    yield from _columns([(f"model {name}", settings) for name, settings in models.items()])
    yield from _columns(rows)


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


def _changes(facts) -> Iterator[str]:
    if not facts["changes"]:
        yield "  nothing has changed: every file has the hash that was recorded"
    for change in facts["changes"]:
        yield f"  ! {change['sentence']}"


def _when(moment):
    return moment[:19].replace("T", " ") + " UTC"


def _columns(rows: Sequence[Sequence[str]], indent: int = 2) -> list[str]:
    """Return the rows as lines, with each column as wide as its widest cell."""
    if not rows:
        return []
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        " " * indent
        + "  ".join(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
