"""The records that jobs leave, the history they form, and what the results contain."""

import json
import os
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from reseat.configuration import did_you_mean
from reseat.errors import ConfigError, DataError
from reseat.files.atomic import sha256_of, stored_json, write_text
from reseat.provenance.closure import fingerprint, library
from reseat.provenance.code import code_version, list_files, loaded_packages, state_of
from reseat.provenance.runs import RECORD_FORMAT, record_path, records_of


def running_task() -> Any | None:
    """Return the object `snakemake` of the script, the main program, or None without one."""
    task = getattr(sys.modules.get("__main__"), "snakemake", None)
    return task if hasattr(task, "rule") and hasattr(task, "output") else None


def home_of(task: Any) -> str:
    """Return the folder of the run of a job, which its rule names (workflow/rules/code.smk)."""
    return dict(task.params.items()).get("home") or "."


def read_records(root: str | os.PathLike = ".", run: str = "") -> Iterator[dict[str, Any]]:
    """Yield every record of a run, or of all runs, skipping files of another format."""
    for path in records_of(root, run):
        record = stored_json(path)
        if record.get("format") == RECORD_FORMAT:
            yield record


class JobRecord:
    """A record in preparation: inputs and code when the job starts, the rest when it has ended."""

    def __init__(self, task: Any, script: str | os.PathLike):
        self._task, self._home = task, home_of(task)
        # If files are stored elsewhere, the record is one of them, and is read in a project folder.
        stored = "record" in dict(task.output.items())
        self._elsewhere = "." if stored else self._home
        # Modules that the job imports by names in its parameters; see workflow/rules/code.smk.
        params = dict(task.params.items())
        reaches = list(params.get("reaches", ()))
        modules = library().closure(script, reaches)
        # The code may have been edited since Snakemake planned this job.
        planned = params.get("code", "")
        unchanged = not planned or planned == fingerprint(modules)
        own = {}  # the user's own data that the job reads
        if params.get("own"):
            path = self._relative(task.config["data"]["paths"][params["entry"]["name"]])
            own["own"] = {"path": path, "sha256": params["own"]["sha256"]}
        log = self._relative(task.log[0])
        self.path = Path(self._home, record_path(log))
        self._facts = {
            "format": RECORD_FORMAT,
            "rule": task.rule,
            "wildcards": dict(task.wildcards.items()),
            "log": log,
            "script": {"path": self._relative(script), "sha256": sha256_of(script)},
            "code": code_version(script, shared=unchanged),
            "reaches": reaches,
            "modules": modules,
            "run": Path(log).parts[1],
            "scale": task.config.get("scale"),
            "seed": task.config.get("seed"),
            # Not `home`, which names a place on this machine.
            "params": plain({k: v for k, v in params.items() if k != "home"}),
            **own,
            "threads": task.threads,
            "started": _now(),
            "inputs": [entry for entry, _ in self._entries(named_files(task.input))],
        }

    def finish(self) -> Path:
        """Add the outputs, write the record, and return its path."""
        # The record itself is an output if files are stored elsewhere.
        files = [file for file in named_files(self._task.output) if file[0] != "record"]
        outputs = [entry | ({"files": own} if own else {}) for entry, own in self._entries(files)]
        paths = [path for _, path in files]
        facts = self._facts | {
            "beyond": library().untracked(self._facts["modules"]),
            "ended": _now(),
            "software": loaded_packages(),
            "outputs": outputs,
            "chains": self._below(chains_in(paths)),
            "data": self._below(data_in(paths)),
        }
        write_text(self.path, json.dumps(facts, indent=1, ensure_ascii=False) + "\n")
        return self.path

    def _entries(self, files):
        """Yield the entry of each file or folder, and the hashes of the files of a folder."""
        for role, path in files:
            state = state_of(path)
            entry = {"sha256": state.sha256, "size": state.size, "modified": state.modified}
            yield {"role": role, "path": self._relative(path), **entry}, state.files

    def _below(self, found):
        return [entry | {"path": self._relative(entry["path"])} for entry in found]

    def _relative(self, path):
        # A record must stay valid when the folder in which the run lies is moved.
        below = os.path.relpath(path, self._home)
        outside = below.startswith("..")
        return Path(os.path.relpath(path, self._elsewhere) if outside else below).as_posix()


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
        # A record must not name the machine, and stays valid when the folder of the run is moved.
        path = os.path.relpath(value) if os.path.isabs(value) else value
        return Path(path).as_posix()
    if hasattr(value, "item"):
        return value.item()  # a NumPy scalar
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def _now():
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def named_run(name: str) -> str:
    """Return the name of a run without a slash of shell completion; a path is refused."""
    found = name.rstrip("/")
    if name and (not found or found != Path(found).name or found == ".."):
        raise ConfigError(
            f"{name!r} is no name of a run; give the name of its folder below reports/ alone, such "
            "as standard."
        )
    return found


@dataclass(frozen=True)
class Step:
    """A job that led to some files."""

    record: dict[str, Any] = field(repr=False)
    #: Those of its outputs that led to the files.
    used: tuple[str, ...] = ()

    @property
    def rule(self) -> str:
        """Name of the rule."""
        return self.record["rule"]

    def output(self, path: str) -> dict[str, Any]:
        """Return the entry of one output."""
        return next(entry for entry in self.record["outputs"] if entry["path"] == path)


class History:
    """All records of a run, or of all runs."""

    def __init__(self, root: str | os.PathLike = ".", run: str = ""):
        self.root, run = Path(root), named_run(run)
        self.records = list(read_records(self.root, run))
        if not self.records:
            known = sorted({record["run"] for record in read_records(self.root)}) if run else ()
            place = self.root / "results"
            if known:
                hint = did_you_mean(run, known) or f"; there is: {', '.join(known)}."
                raise DataError(f"There is no run {run!r} in {place}{hint}")
            raise DataError(
                f"{place} contains no job records; run the workflow first, or specify the folder "
                "of the project with --directory."
            )

    @cached_property
    def runs(self) -> list[str]:
        """Names of the runs, beginning with the one whose last job ended most recently."""
        ended: dict[str, str] = {}
        for record in self.records:
            ended[record["run"]] = max(record["ended"], ended.get(record["run"], ""))
        return sorted(ended, key=ended.get, reverse=True)

    @cached_property
    def _makers(self) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
        """Path of each output to the record of the last job that made it, and its entry there."""
        in_order = sorted(self.records, key=lambda record: record["ended"])
        return {e["path"]: (record, e) for record in in_order for e in record["outputs"]}

    @property
    def outputs(self) -> dict[str, dict[str, Any]]:
        """Entries of all outputs by path, each from the record of the last job that made it."""
        return {path: entry for path, (_, entry) in self._makers.items()}

    def output_of(self, path: str) -> str | None:
        """Return the output of a job that `path` is or lies in, or None if no job made it."""
        for candidate in (path, *map(Path.as_posix, Path(path).parents)):
            if candidate in self._makers:
                return candidate
        return None

    def maker(self, path: str) -> dict[str, Any] | None:
        """Return the record of the job that made an output, or None if no job did."""
        return self._makers.get(path, (None, None))[0]

    def made_again(self, entry: Mapping[str, Any]) -> bool:
        """Return whether an input of a job was made again, with other contents."""
        return self._makers.get(entry["path"], (None, entry))[1]["sha256"] != entry["sha256"]

    def steps(self, paths: Iterable[str]) -> list[Step]:
        """Return the jobs that led to outputs, each before those from which it took inputs."""
        found, queue = {}, deque(paths)
        while queue:
            path = queue.popleft()
            record = self.maker(path)
            if record is None:
                continue
            _, used = found.setdefault(record["log"], (record, []))
            if not used:
                queue.extend(entry["path"] for entry in record["inputs"])
            if path not in used:
                used.append(path)
        ordered = sorted(found.values(), key=lambda step: step[0]["ended"], reverse=True)
        return [Step(record, tuple(used)) for record, used in ordered]

    def commits(self, path: str) -> list[str]:
        """Return the commits of the code of all jobs that led to an output, as far as known."""
        found = {step.record["code"].get("commit") for step in self.steps([path])}
        return sorted(filter(None, found))

    def sources(self, steps: Iterable[Step]) -> list[dict[str, Any]]:
        """Return the inputs that no job made, once for each content that a job found there."""
        found = {}
        for step in steps:
            for entry in step.record["inputs"]:
                if entry["path"] not in self._makers:
                    found.setdefault((entry["path"], entry["sha256"]), entry)
        return list(found.values())


def chains_in(outputs: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield the chains that some outputs are or contain, with the names of their streams."""
    for path in _files(outputs, ".nc"):
        from reseat.chains.output import read_groups  # loaded only where there are chains

        _, attributes = read_groups(path, only=())
        chain = attributes["configuration"]
        schedule = chain["schedule"]
        yield {
            "path": path.as_posix(),
            "dataset": chain.get("data", {}).get("name", ""),
            "model": chain.get("model", {}).get("name", ""),
            **{key: chain[key] for key in ("chain", "seed", "stream")},
            **{key: schedule[key] for key in ("burn_in", "n_samples", "thin")},
            "seconds": round(attributes["seconds"], 3),
            "versions": attributes["versions"],
        }


def data_in(outputs: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield the identities of the processed data sets that some outputs are or contain."""
    for path in _files(outputs, ".npz"):
        import numpy as np

        from reseat.datasets.stored import decode_strings

        with np.load(path, allow_pickle=False) as stored:
            if "header" not in stored.files:
                continue
            header = json.loads(decode_strings(stored["header"])[0])
        if "identity" in header:
            yield {"path": path.as_posix(), **header["identity"]}


def _files(outputs, ending):
    for output in map(Path, outputs):
        files = list_files(output) if output.is_dir() else [output]
        yield from (file for file in files if file.suffix == ending)
