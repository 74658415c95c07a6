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
from reseat.provenance.records import History, Step, output_of
from reseat.provenance.runs import installed_versions

# ---- Changes to inputs, outputs and code since a result was made -----------------------------


#: What is said of a file in each state.
WHAT = {"missing": "no longer exists", "changed": "has changed"}


class Change(NamedTuple):
    """A change since a result was made."""

    #: A file, a source below the folder of the library, or the name of a package.
    path: str
    kind: str
    sentence: str


def find_changes(history: History, steps: Sequence[Step]) -> tuple[dict[str, str], list[Change]]:
    """Compare the inputs and outputs of some jobs with the current files, all of which are read.

    The states, by path, are ``unchanged``, ``changed`` or ``missing``.
    """
    states, changes = {}, []
    outputs = [step.output(path) for step in steps for path in step.used]
    for entry in [*outputs, *history.sources(steps)]:
        path = entry["path"]
        if states.get(path, "unchanged") == "unchanged":
            state = _state(entry, lambda place: state_of(place).sha256, history.root / path)
            states[path] = state
            if state != "unchanged":
                changes.append(Change(path, state, f"{path} {WHAT[state]}"))
    return states, [
        *changes,
        *_own_data(history, steps),
        *_made_again(history, steps),
        *_code(history, steps),
    ]


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
            maker = history.maker(entry["path"])
            made = output_of(maker, entry["path"]) if maker is not None else entry
            if made["sha256"] != entry["sha256"]:
                taker = step.used[0]
                said = f"{entry['path']} was re-made differently after {taker} was made from it"
                yield Change(entry["path"], "made again", said)


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
    """Return the sources reached by a job that have changed since, but for comments and format.

    Each is ``script`` or ``library`` with the path below its folder; none if there is no workflow.
    """
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
    changed = sorted(name for name in names if now.get(name) != then.get(name))
    return [
        ("script", script) if name == "script" else ("library", f"{library().name}/{name}")
        for name in changed
    ]


def changed_packages(record: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return the packages that a job had loaded in another version, with then and now."""
    now, then = installed_versions(), record.get("software", {})
    changed = [name for name in then if now.get(name) != then[name]]
    return [(name, then[name], now.get(name, "none")) for name in changed]


# ---- Results that have been changed or damaged since their jobs wrote them -------------------

#: Number of files that the message names.
MAX_LISTED = 3


def damaged_outputs(history: History) -> list[str]:
    """Return the outputs whose contents are not those that their jobs wrote.

    An output with the recorded size and modification time counts as unchanged, and one that no
    longer exists, or that an interrupted Snakemake will make again, is left out.
    """
    # If several jobs made an output, the record of the last one counts.
    in_order = sorted(history.records, key=lambda record: record["ended"])
    made = {entry["path"]: entry for record in in_order for entry in record["outputs"]}
    for path in _interrupted():
        made.pop(os.path.relpath(path, history.root), None)
    damaged = []
    for path, entry in made.items():
        known = {(entry["size"], entry["modified"]): entry["sha256"]}
        with suppress(OSError):
            if state_of(history.root / path, known).sha256 != entry["sha256"]:
                damaged.append(path)
    return sorted(damaged)


def check_outputs(root: str | os.PathLike, run: str) -> None:
    """Raise a DataError if an output of a run was changed or damaged after it had been made.

    Otherwise jobs would use it as it is; or Snakemake would notice its date, and remove what was
    made from it before any job finds that it cannot be read.  While another instance of Snakemake
    is running, nothing is compared: outputs come and go, and Snakemake itself refuses to start.
    """
    if any(Path(".snakemake", "locks").glob("*.lock")):
        return
    try:
        history = History(root, run)
    except DataError:  # nothing has been made yet
        return
    found = [os.path.normpath(os.path.join(root, path)) for path in damaged_outputs(history)]
    if found:
        more = f" and {len(found) - MAX_LISTED} more" if len(found) > MAX_LISTED else ""
        raise DataError(
            f"{', '.join(found[:MAX_LISTED])}{more}: changed or damaged since the job that made it "
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


# ---- A parameter of jobs by which Snakemake notices that their code has changed --------------

#: A wildcard of Snakemake, optionally with the regular expression that it must match.
_WILDCARD = re.compile(r"\{(\w+)(?:,[^{}]*)?\}")


class CodeParameter:
    """Fingerprint of the code that a rule can reach.

    `reaches`: modules that the script imports by names in its parameters, or a function of the
        wildcards that returns them.
    `outputs`: patterns of the outputs of the rule, with wildcards in braces.
    `keep`: name of the run whose results are kept even if the code has changed.
    `root`: the folder in which the run lies.
    """

    def __init__(
        self,
        script: str | os.PathLike,
        reaches: Iterable[str] | Callable[[Any], Iterable[str]] = (),
        outputs: Iterable[str] = (),
        keep: str | None = None,
        root: str = ".",
    ):
        self._script, self._reaches = script, reaches
        self._outputs, self._keep, self._root = tuple(outputs), keep, root
        if not callable(reaches):
            self._now()  # fills the cache of sources, to be saved before any job starts

    # Takes only the wildcards, and builds the paths of outputs from them, because Snakemake ignores
    # changes of parameters that are derived from `output`.
    def of_job(self, wildcards: Any) -> str:
        """Return the fingerprint of a job's code, or the recorded one if its results are kept."""
        if self._keep:
            for pattern in self._outputs:
                path = _WILDCARD.sub(lambda found: wildcards.get(found[1]), pattern)
                history = history_of(self._keep, self._root)
                if history and os.path.exists(path):
                    record = history.maker(os.path.relpath(path, self._root))
                    if record is not None:
                        return record["params"]["code"]
        return self._now(wildcards)

    def _now(self, wildcards: Any = None) -> str:
        reaches = self._reaches(wildcards) if callable(self._reaches) else self._reaches
        return _fingerprint(str(self._script), tuple(reaches))


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

    def changed(history, record):
        return [path for _, path in changed_code(history, record)]

    return _by_rule(run, leave_out, root, changed)


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
