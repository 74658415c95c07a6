"""Changes and damage since results were made, and what is re-run because of them."""

import os
import re
from base64 import urlsafe_b64decode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from reseat.datasets.user_files import HashRecord, own_content
from reseat.errors import DataError
from reseat.provenance.closure import fingerprint, library
from reseat.provenance.code import state_of
from reseat.provenance.records import History, Step
from reseat.provenance.runs import installed_versions

#: What is said of a file in each state.
WHAT = {"missing": "no longer exists", "changed": "has changed"}


class Change(NamedTuple):
    """A change since a result was made."""

    #: A file, a source below the folder of the library, or the name of a package.
    path: str
    kind: str
    sentence: str


def find_changes(history: History, steps: Sequence[Step]) -> tuple[dict[str, str], list[Change]]:
    """Return the state of each file of some jobs, by path, and what has changed since."""
    states, changes = {}, []
    outputs = [step.output(path) for step in steps for path in step.used]
    for entry in [*outputs, *history.sources(steps)]:
        path = entry["path"]
        if states.get(path, "unchanged") == "unchanged":
            state = _state(entry, lambda place: state_of(place).sha256, history.root / path)
            states[path] = state
            if state != "unchanged":
                changes.append(Change(path, state, f"{path} {WHAT[state]}"))
    for find in (_own_data, _made_again, _code):
        changes.extend(find(history, steps))
    return states, changes


def _state(entry, hash_of, *place):
    """Return the state of a file, whose current hash a function returns."""
    try:
        return "unchanged" if hash_of(*place) == entry["sha256"] else "changed"
    except (OSError, DataError):
        return "missing"


def _own_data(history, steps):
    """Yield the user's own files that have changed since a job read them."""
    for own in filter(None, (step.record.get("own") for step in steps)):
        path = own["path"]
        state = _state(own, own_content, history.root / path, HashRecord())
        if state != "unchanged":
            yield Change(path, state, f"{path}, your own data, {WHAT[state]}")


def _made_again(history, steps):
    """Yield inputs that were made again, with other contents, after a job had used them."""
    for step in steps:
        for entry in step.record["inputs"]:
            if history.made_again(entry):
                path, taker = entry["path"], step.used[0]
                said = f"{path} was re-made differently after {taker} was made from it"
                yield Change(path, "made again", said)


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
    """Return kind (``script`` or ``library``) and path of the sources of a job that changed."""
    script = record["script"]["path"]
    if not (history.root / script).is_file():
        return []
    # Modules that the job imported by name may no longer exist. Those that only surround jobs do
    # not count.
    reaches = [name for name in record["reaches"] if library().has(name)]
    now = library().closure(history.root / script, reaches)
    then = record["modules"]
    wrapper = library().wrapper_sources().keys() - now.keys()
    names = (now.keys() | then.keys()) - wrapper
    return [
        ("script", script) if name == "script" else ("library", f"{library().name}/{name}")
        for name in sorted(names)
        if now.get(name) != then.get(name)
    ]


def changed_sources(history: History, record: Mapping[str, Any]) -> list[str]:
    """Return the paths of the sources of a job that have changed."""
    return [path for _, path in changed_code(history, record)]


def changed_packages(record: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return the packages that a job had loaded in another version, with then and now."""
    now = installed_versions()
    then = record.get("software", {}).items()
    return [(name, old, now.get(name, "none")) for name, old in then if now.get(name) != old]


def first_of(names: Sequence[str], most: int = 3) -> str:
    """Return the first names, separated by commas, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def damaged_outputs(history: History) -> list[str]:
    """Return the existing outputs whose contents are not those that their jobs wrote."""
    again = {os.path.relpath(path, history.root) for path in _interrupted()}
    outputs, damaged = history.outputs, []
    for path in outputs.keys() - again:
        # With the recorded size and modification time, a file counts as unchanged.
        entry = outputs[path]
        known = {(entry["size"], entry["modified"]): entry["sha256"]}
        with suppress(OSError):
            if state_of(history.root / path, known).sha256 != entry["sha256"]:
                damaged.append(path)
    return sorted(damaged)


def check_outputs(root: str | os.PathLike, run: str) -> None:
    """Raise a DataError if an output of a run was changed or damaged after it had been made."""
    # While another Snakemake is running, outputs come and go, and Snakemake itself does not start.
    if any(Path(".snakemake", "locks").glob("*.lock")):
        return
    try:
        history = History(root, run)
    except DataError:  # nothing has been made yet
        return
    found = [os.path.normpath(os.path.join(root, path)) for path in damaged_outputs(history)]
    if found:
        raise DataError(
            f"{first_of(found)}: changed or damaged since the job that made it "
            "ended; restore it, or delete it and re-run the command with `--forcerun "
            f"{' '.join(found)}` at its end (with make, in ARGS), so that it and what follows from "
            "it are made again."
        )


def _interrupted() -> Iterator[str]:
    """Yield outputs of jobs that started, if only to remove old outputs, but did not end."""
    marks = Path(".snakemake", "incomplete")
    for mark in filter(Path.is_file, marks.rglob("*")):
        # The Base64 of the path, split for long paths into folders whose names begin with "@".
        parts = [part.removeprefix("@") for part in mark.relative_to(marks).parts]
        try:
            yield urlsafe_b64decode("".join(parts)).decode()
        except ValueError:  # not a file of Snakemake
            continue


#: A wildcard of Snakemake, optionally with the regular expression that it must match.
_WILDCARD = re.compile(r"\{(\w+)(?:,[^{}]*)?\}")


def code_parameter(
    script: str | os.PathLike,
    reaches: Iterable[str] | Callable[[Any], Iterable[str]],
    outputs: Sequence[str],
    keep: str | None,
    root: str,
) -> Callable[[Any], str]:
    """Return a function of the wildcards of a job that returns the fingerprint of its code.

    The script imports the modules `reaches`, perhaps of the wildcards, by names in its parameters.
    If the results of a run are to be kept, their code is that in the record of an output.
    """

    def now(wildcards=None):
        modules = reaches(wildcards) if callable(reaches) else reaches
        return _fingerprint(str(script), tuple(modules))

    # Takes only the wildcards, and builds the paths of outputs from them, because Snakemake ignores
    # changes of parameters that are derived from `output`.
    def of_job(wildcards):
        for pattern in outputs if keep else ():
            path = _WILDCARD.sub(lambda found: wildcards.get(found[1]), pattern)
            history = history_of(keep, root)
            if history and os.path.exists(path):
                record = history.maker(os.path.relpath(path, root))
                if record is not None:
                    return record["params"]["code"]
        return now(wildcards)

    if not callable(reaches):
        now()  # fills the cache of sources, to be saved before any job starts
    return of_job


@cache
def _fingerprint(script: str, reaches: tuple[str, ...]) -> str:
    return fingerprint(library().closure(script, reaches))


@cache
def history_of(run: str, root: str = ".") -> History | None:
    """Return the records of a run in a folder, or None if it has none."""
    try:
        return History(root, run)
    except DataError:
        return None


def other_code(run: str, leave_out: Iterable[str] = (), root: str = ".") -> dict[str, list[str]]:
    """Return the rules whose existing results other code has made, with what has changed."""
    return _by_rule(run, leave_out, root, changed_sources)


def other_packages(
    run: str, leave_out: Iterable[str] = (), root: str = "."
) -> dict[str, list[str]]:
    """Return the rules whose results other packages made: ``numpy 2.3.0 (now 2.4.0)``."""

    def changed(_history, record):
        return [f"{name} {then} (now {now})" for name, then, now in changed_packages(record)]

    return _by_rule(run, leave_out, root, changed)


def _by_rule(run, leave_out, root, find):
    """Return, for each rule, what a function finds in the records of jobs whose results exist."""
    history = history_of(run, root)
    found: dict[str, set[str]] = {}
    for record in history.records if history else ():
        there = all((history.root / entry["path"]).exists() for entry in record["outputs"])
        if there and record["rule"] not in leave_out and (changed := find(history, record)):
            found.setdefault(record["rule"], set()).update(changed)
    return {rule: sorted(things) for rule, things in sorted(found.items())}
