"""Changes to inputs, outputs and code since a result was made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from reseat.datasets.hashes import HashRecord
from reseat.datasets.own import own_content
from reseat.errors import DataError
from reseat.packages import installed_versions
from reseat.provenance.closure import library
from reseat.provenance.files import state_of
from reseat.provenance.history import History, Step

__all__ = [
    *("Change", "changed_code", "changed_packages", "find_changes"),
    *("made_by_other_code", "made_with_other_packages"),
]


@dataclass(frozen=True)
class Change:
    """A change since a result was made."""

    #: A file, a source below the folder of the library, or the name of a package.
    path: str
    kind: str
    sentence: str

    def to_dict(self) -> dict[str, str]:
        """Return the attributes as a dictionary."""
        return asdict(self)


def find_changes(history: History, steps: Sequence[Step]) -> tuple[dict[str, str], list[Change]]:
    """Compare the inputs and outputs of some jobs with the current files, all of which are read.

    The states, by path, are ``unchanged``, ``changed`` or ``missing``, for outputs that were used
    and inputs that no job made.
    """
    states, changes = {}, []
    outputs = [step.output(path) for step in steps for path in step.used]
    for entry in [*outputs, *history.sources(steps)]:
        path = entry["path"]
        if states.get(path, "unchanged") == "unchanged":
            states[path] = _state(history, entry)
            if states[path] != "unchanged":
                what = "no longer exists" if states[path] == "missing" else "has changed"
                changes.append(Change(path, states[path], f"{path} {what}"))
    return states, [
        *changes,
        *_own_data(history, steps),
        *_made_again(history, steps),
        *_code(history, steps),
    ]


def _state(history, entry):
    try:
        now = state_of(history.root / entry["path"]).sha256
    except OSError:
        return "missing"
    return "unchanged" if now == entry["sha256"] else "changed"


def _own_data(history, steps):
    """Yield the user's own files that have changed since a job read them."""
    for step in steps:
        own = step.record.get("own")
        if own is None:
            continue
        path = own["path"]
        try:
            now = own_content(history.root / path, HashRecord())
        except (OSError, DataError):
            yield Change(path, "missing", f"{path}, your own data, no longer exists")
            continue
        if now != own["sha256"]:
            yield Change(path, "changed", f"{path}, your own data, has changed")


def _made_again(history, steps):
    """Yield inputs that were made again, with other contents, after a job had used them."""
    for step in steps:
        for entry in step.record["inputs"]:
            maker = history.maker(entry["path"])
            if maker is None:
                continue
            made = next(out for out in maker["outputs"] if out["path"] == entry["path"])
            if made["sha256"] != entry["sha256"]:
                taker = step.used[0]
                yield Change(
                    entry["path"],
                    "made again",
                    (f"{entry['path']} was re-made differently after {taker} was made from it"),
                )


def _code(history, steps):
    """Yield sources and packages that have changed in meaning or version since a job ran."""
    rules: dict[tuple[str, str], dict[str, None]] = {}
    for step in steps:
        for kind, path in changed_code(history, step.record):
            rules.setdefault((kind, path), {})[step.rule] = None
    for (kind, path), names in sorted(rules.items()):
        ran = f"since {', '.join(names)} ran"
        yield Change(path, kind, f"{path} has changed {ran}, or is not the version used here")
    packages: dict[tuple[str, str, str], dict[str, None]] = {}
    for step in steps:
        for versions in changed_packages(step.record):
            packages.setdefault(versions, {})[step.rule] = None
    for (name, then, now), names in sorted(packages.items()):
        yield Change(name, "package", f"{name} was {then} when {', '.join(names)} ran; now {now}")


def changed_code(history: History, record: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the sources reached by a job that have changed since.

    Each is ``script`` or ``library``, and the path, below the folder of the project or of the
    library. Comments, docstrings and formatting do not count. There are none if the workflow is
    absent, for example if the results were copied without it.
    """
    script = record["script"]["path"]
    if not (history.root / script).is_file():
        return []
    # Modules that the job imported by name may no longer exist. Those that only surround jobs do
    # not count.
    reaches = [name for name in record["reaches"] if library().has(name)]
    now = library().closure(history.root / script, reaches)
    then = record["modules"]
    around = library().around().keys() - now.keys()
    names = (now.keys() | then.keys()) - around
    changed = sorted(name for name in names if now.get(name) != then.get(name))
    return [
        ("script", script) if name == "script" else ("library", f"{library().name}/{name}")
        for name in changed
    ]


def changed_packages(record: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return the packages that a job had loaded in a version other than the installed one.

    They come with the version then, and the version now or ``none``.
    """
    now = installed_versions()
    return [
        (name, version, now.get(name, "none"))
        for name, version in record.get("software", {}).items()
        if now.get(name) != version
    ]


def made_by_other_code(history: History, leave_out: Sequence[str] = ()) -> dict[str, list[str]]:
    """Return the rules whose results were made by code that has changed since.

    They come with the sources that have changed. Results that no longer exist do not count.
    """

    def changed(record):
        return {path for _, path in changed_code(history, record)}

    return _by_rule(history, leave_out, changed)


def made_with_other_packages(
    history: History, leave_out: Sequence[str] = ()
) -> dict[str, list[str]]:
    """Return the rules whose results were made with other versions of packages than installed.

    They come with sentences such as ``numpy 2.3.0 (now 2.4.0)``.
    """

    def changed(record):
        return {f"{name} {then} (now {now})" for name, then, now in changed_packages(record)}

    return _by_rule(history, leave_out, changed)


def _by_rule(history, leave_out, find):
    """Return, for each rule, what a function finds in the records of jobs whose results exist.

    Where a part of the results is missing, the job will run again.
    """
    found: dict[str, set[str]] = {}
    for record in history.records:
        there = all((history.root / entry["path"]).exists() for entry in record["outputs"])
        if there and record["rule"] not in leave_out:
            changed = find(record)
            if changed:
                found.setdefault(record["rule"], set()).update(changed)
    return {rule: sorted(things) for rule, things in sorted(found.items())}
