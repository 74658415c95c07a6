"""The record that a job leaves of its inputs, code and outputs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from reseat.io import sha256_of, stored_json, write_text
from reseat.provenance.closure import fingerprint, library
from reseat.provenance.code import code_version, loaded_packages
from reseat.provenance.contents import chains_in, data_in
from reseat.provenance.files import state_of
from reseat.runs import RECORD_FORMAT, record_path, records_of, run_of

__all__ = ["JobRecord", "read_records", "running_task"]

#: Size in bytes from which looking up an old hash is faster than calculating it again.
LARGE = 32 << 20


def running_task() -> Any | None:
    """Return the object that Snakemake gives to the script of this process, or None without one.

    Snakemake defines an object `snakemake` before the first line of a script and starts the script
    as the main program, so that no script has to pass the object on.
    """
    task = getattr(sys.modules.get("__main__"), "snakemake", None)
    return task if hasattr(task, "rule") and hasattr(task, "output") else None


def read_records(root: str | os.PathLike = ".", run: str = "") -> Iterator[dict[str, Any]]:
    """Yield every record of a run, or of all runs, skipping files of another format."""
    for path in records_of(root, run):
        record = stored_json(path)
        if record.get("format") == RECORD_FORMAT:
            yield record


class JobRecord:
    """A record in preparation: inputs and code when the job starts, the rest when it has ended.

    `task` has the attributes of Snakemake's object, as from `running_task`.
    """

    def __init__(self, task: Any, script: str | os.PathLike):
        self._task = task
        # Modules that the job imports by names in its parameters; see workflow/rules/code.smk.
        reaches = list(dict(task.params.items()).get("reaches", ()))
        modules = library().closure(script, reaches)
        # The code may have been edited since Snakemake planned this job.
        planned = dict(task.params.items()).get("code", "")
        told = not planned or planned == fingerprint(modules)
        self.path = record_path(task.log[0])
        self._facts = {
            "format": RECORD_FORMAT,
            "rule": task.rule,
            "wildcards": dict(task.wildcards.items()),
            "log": str(task.log[0]),
            "script": {"path": _relative(script), "sha256": sha256_of(script)},
            "code": code_version(script, told=told),
            "reaches": reaches,
            "modules": modules,
            "run": run_of(task.log[0]),
            "scale": task.config.get("scale"),
            "seed": task.config.get("seed"),
            "params": plain(task.params),
            **_own(task),
            "threads": task.threads,
            "started": _now(),
            "inputs": list(self._inputs()),
        }

    def _inputs(self):
        known = None
        for role, path in named_files(self._task.input):
            if known is None and _size(path) >= LARGE:
                known = _known_hashes()
            state = state_of(path, (known or {}).get(_relative(path)))
            yield {"role": role, "path": _relative(path), **_summary(state)}

    def finish(self) -> Path:
        """Add the outputs, write the record, and return its path."""
        files = list(named_files(self._task.output))
        outputs = []
        for role, path in files:
            state = state_of(path)
            entry = {"role": role, "path": _relative(path), **_summary(state)}
            outputs.append(entry | ({"files": state.files} if state.files else {}))
        paths = [_relative(path) for _, path in files]
        facts = self._facts | {
            "beyond": library().beyond(self._facts["modules"]),
            "ended": _now(),
            "software": loaded_packages(),
            "outputs": outputs,
            "chains": chains_in(paths),
            "data": data_in(paths),
        }
        write_text(self.path, json.dumps(facts, indent=1, ensure_ascii=False) + "\n")
        return self.path


def _own(task):
    """Return the path and hash of the user's own data that a job read, if any."""
    params = dict(task.params.items())
    own = params.get("own")
    if not own:
        return {}
    path = task.config["data"]["paths"][params["entry"]["name"]]
    return {"own": {"path": _relative(path), "sha256": own["sha256"]}}


def named_files(names: Any) -> Iterator[tuple[str, str]]:
    """Yield role and path of the inputs or outputs of a job; a file without a role has ``""``."""
    roles = {}
    for role, value in names.items():
        for path in [value] if isinstance(value, str | os.PathLike) else value:
            roles.setdefault(str(path), role)
    for path in dict.fromkeys(map(str, names)):
        yield roles.get(path, ""), path


def plain(value: Any) -> Any:
    """Return parameters as JSON types, with paths relative to the working directory."""
    if hasattr(value, "items"):
        if not isinstance(value, Mapping) and not dict(value.items()):
            return [plain(item) for item in value]  # a list of Snakemake without names
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in (sorted(value) if isinstance(value, set) else value)]
    if isinstance(value, os.PathLike) or (isinstance(value, str) and os.path.isabs(value)):
        return _relative(value)
    if hasattr(value, "item"):
        return value.item()  # a NumPy scalar
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def _known_hashes():
    """Return the hashes of inputs of earlier jobs: path to (size, modification time) to hash."""
    known = {}
    for record in read_records():
        for entry in record["inputs"]:
            stamp = (entry["size"], entry["modified"])
            known.setdefault(entry["path"], {})[stamp] = entry["sha256"]
    return known


def _summary(state):
    return {"sha256": state.sha256, "size": state.size, "modified": state.modified}


def _size(path):
    path = Path(path)
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files)


def _relative(path):
    # A record must not name the machine, and must stay valid when the folder of the run is moved.
    return Path(os.path.relpath(path)).as_posix() if os.path.isabs(path) else Path(path).as_posix()


def _now():
    return datetime.now(UTC).isoformat(timespec="milliseconds")
