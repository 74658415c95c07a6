"""Facts on how a result came about, collected from the records of jobs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from reseat.provenance.changes import find_changes
from reseat.provenance.history import History, Step
from reseat.provenance.targets import Target

__all__ = ["chain_groups", "data_sets", "explain", "seeds_of"]

#: Parameters that say where things lie or how they are stored, not what is computed.
_HOUSEKEEPING = frozenset(
    {
        *(
            "registry",
            "schema",
            "scratch",
            "checkpoint_seconds",
            "benchmarks",
            "entry",
            "made_from",
            "root",
        ),
        *("recipe", "caption", "memory_bound_mb"),
    }
)


def explain(history: History, target: Target) -> dict[str, Any]:
    """Explain the origin of a result.

    The result can be written as JSON: `target`, `outputs`, `artefact` and `claim` as in `Target`;
    `jobs`, the jobs that led to it, its own first and then the most recent first, each with the
    `state` of its files; `chains` from `chain_groups`; `seeds` from `seeds_of`; `data` from
    `data_sets`; `sources`, inputs that no job made; `configuration` (`scale`, `seed` and the
    parameters of each rule); `code` and `software`, one entry for each version that was used;
    `changes` since the result was made.
    """
    makers = [history.maker(path) for path in target.outputs]
    # Jobs that led to it may have run again since, and so be more recent than its own.
    steps = sorted(history.steps(target.outputs), key=lambda step: step.record not in makers)
    states, changes = find_changes(history, steps)
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
            {key: entry[key] for key in ("role", "path", "sha256")}
            | {"state": states[entry["path"]]}
            for entry in history.sources(steps)
        ],
        "configuration": {
            **_settled(steps),
            "rules": {rule: params for rule, params in _parameters(steps).items() if params},
        },
        "code": _distinct(step.record["code"] for step in steps),
        "software": _distinct(step.record["software"] for step in steps),
        "changes": [change.to_dict() for change in changes],
    }


def _job(step: Step, states: dict[str, str]) -> dict[str, Any]:
    record = step.record
    outputs = [step.output(path) for path in step.used]
    return {
        "rule": record["rule"],
        "wildcards": record["wildcards"],
        "script": record["script"],
        "log": record["log"],
        "started": record["started"],
        "ended": record["ended"],
        "inputs": [entry["path"] for entry in record["inputs"]],
        "outputs": [
            {"path": out["path"], "sha256": out["sha256"], "state": states[out["path"]]}
            for out in outputs
        ],
    }


def chain_groups(steps: Iterable[Step]) -> list[dict[str, Any]]:
    """Group the chains of the same model in the same output.

    `streams` has the names of each stream of random numbers, to which the number of the chain is
    appended, and `seconds` is a sum.
    """
    groups: dict[tuple, dict[str, Any]] = {}
    for step in steps:
        for chain in step.record["chains"]:
            output = next(path for path in step.used if _is_within(chain["path"], path))
            same = {key: chain[key] for key in ("model", "seed", "burn_in", "n_samples", "thin")}
            group = groups.setdefault(
                (output, *same.values()),
                {"output": output, **same, "n_chains": 0, "chains": [], "streams": []}
                | {"seconds": 0.0, "versions": []},
            )
            group["n_chains"] += 1
            group["seconds"] = round(group["seconds"] + chain["seconds"], 3)
            for key, value in (
                ("chains", "chain"),
                ("streams", "stream"),
                ("versions", "versions"),
            ):
                if chain[value] not in group[key]:
                    group[key].append(chain[value])
    return list(groups.values())


def seeds_of(steps: Iterable[Step]) -> list[dict[str, Any]]:
    """Return the seeds that were passed to jobs, including those of chains.

    Each pair of a rule and a seed is listed once.
    """
    return _distinct(
        {"rule": step.rule, "seed": seed}
        for step in steps
        for seed in _find("seed", step.record["params"])
    )


def data_sets(steps: Iterable[Step]) -> list[dict[str, Any]]:
    """Return the data sets that were read, with their origins.

    `sha256` is that of each raw file, or of the generated data, and `processed` has the paths and
    hashes of the files that jobs made from it.
    """
    found: dict[str, dict[str, Any]] = {}
    for step in steps:
        record = step.record
        if not record["data"]:
            continue
        entry = record["params"].get("entry") or {}
        for path in step.used:
            cards = [card for card in record["data"] if _is_within(card["path"], path)]
            if not cards:
                continue
            name = entry.get("name") or Path(path).stem
            data = found.setdefault(
                name,
                {
                    "name": name,
                    **{key: cards[0].get(key, "") for key in _CARD},
                    "sha256": {},
                    "urls": {},
                    "processed": [],
                },
            )
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


_CARD = ("title", "status", "stands_for", "licence", "citation", "note")


def _settled(steps: Iterable[Step]) -> dict[str, Any]:
    """Return scale and seed, or lists of them if jobs differ."""
    found = {}
    for key in ("scale", "seed"):
        values = _distinct(step.record[key] for step in steps)
        found[key] = values[0] if len(values) == 1 else values
    return found


def _parameters(steps: Iterable[Step]) -> dict[str, list[Any]]:
    """Return for each rule the parameters that affect results, each distinct set once."""
    found: dict[str, list[Any]] = {}
    for step in steps:
        params = step.record["params"]
        if isinstance(params, dict):
            params = {key: value for key, value in params.items() if key not in _HOUSEKEEPING}
        own = found.setdefault(step.rule, [])
        if params and params not in own:
            own.append(params)
    return found


def _find(key: str, value: Any) -> Iterator[Any]:
    """Yield the values of a key anywhere in nested parameters."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name == key and not isinstance(inner, dict | list):
                yield inner
            else:
                yield from _find(key, inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _find(key, inner)


def _distinct(values: Iterable[Any]) -> list[Any]:
    found = []
    for value in values:
        if value not in found:
            found.append(value)
    return found
