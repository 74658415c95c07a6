"""Identification of the code that made a result: version, checksums, commit."""

import filecmp
import hashlib
import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import reseat
from reseat.files.atomic import sha256_of
from reseat.provenance.runs import PACKAGES

#: Extensions of files that count as code of a job, including templates of pages.
SOURCES = (".py", ".pyi", ".pyx", ".pxd", ".j2", ".css", ".js")

#: Environment variable by which jobs on this machine learn the version.
CODE_VERSION_ENV = "RESEAT_CODE_VERSION"


def code_version(script: str | Path, *, shared: bool = True) -> dict[str, Any]:
    """Return version and checksums of the library, and the commit of the workflow, if any."""
    if shared and os.environ.get(CODE_VERSION_ENV):
        return json.loads(os.environ[CODE_VERSION_ENV])
    found = {"version": reseat.__version__, **library_checksums()}
    commit = commit_of(script)
    return found | ({"commit": commit} if commit else {})


def share_code_version(script: str | Path) -> None:
    """Store the version in the environment, so that hundreds of jobs need not read the library."""
    os.environ[CODE_VERSION_ENV] = json.dumps(code_version(script, shared=False))


def not_installed(sources: Path) -> list[str]:
    """Return the source files that differ from those of the installed library."""
    folder = Path(reseat.__file__).parent
    if not sources.is_dir() or sources.resolve() == folder.resolve():
        return []
    files = (file for file in list_files(sources) if file.suffix in SOURCES)
    names = [file.relative_to(sources).as_posix() for file in files]
    _, different, missing = filecmp.cmpfiles(sources, folder, names, shallow=False)
    return sorted([*different, *missing])


@cache
def library_checksums() -> dict[str, str]:
    """Return checksums of the installed `sources`, and of `compiled` files, which may differ."""
    folder = Path(reseat.__file__).parent
    files = list_files(folder)
    parts = {"sources": (".py", ".pyi"), "compiled": (".so", ".pyd")}
    return {
        part: _total(_hashes(folder, [file for file in files if file.suffix in endings]))
        for part, endings in parts.items()
    }


def commit_of(path: str | Path) -> str:
    """Return the commit of the repository that tracks a file, ``-dirty`` if changed, or none."""
    path = Path(path)
    git = ("git", "--no-optional-locks", "-C", str(path.parent))
    options = {"capture_output": True, "text": True, "timeout": 10, "check": True}
    try:
        subprocess.run([*git, "ls-files", "--error-unmatch", path.name], **options)
        # No tag matches the empty pattern, so that the result is always the hash.
        describe = ("describe", "--always", "--abbrev=40", "--dirty", "--match=")
        return subprocess.run([*git, *describe], **options).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def loaded_packages() -> dict[str, str]:
    """Return the versions of Python and of the loaded packages of `reseat.provenance.runs`."""
    versions = {"Python": platform.python_version()}
    for name in PACKAGES:
        version = getattr(sys.modules.get(name), "__version__", None)
        if version is not None:
            versions[name] = str(version)
    return versions


@dataclass(frozen=True)
class FileState:
    """State of a file, or of all files of a folder, at some time."""

    #: For a folder, the hash of the lines ``HASH NAME`` that ``sha256sum`` prints of its files.
    sha256: str
    #: In bytes, and the time of the latest change in nanoseconds.
    size: int
    modified: int
    #: Hashes of the files of a folder, by path below it; empty for a file.
    files: dict[str, str] = field(default_factory=dict)


def list_files(folder: str | os.PathLike) -> list[Path]:
    """Return the files below a folder by name, without hidden ones and those being written."""
    folder = Path(folder)
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*")}
    shown = [files[name] for name in sorted(files) if "/." not in f"/{name}"]
    return [path for path in shown if path.is_file()]


def state_of(
    path: str | os.PathLike, known: Mapping[tuple[int, int], str] | None = None
) -> FileState:
    """Return the state of a path, with a `known` hash if size and time are still the same."""
    path = Path(path)
    files = list_files(path) if path.is_dir() else [path]
    stats = [file.stat() for file in files]
    size = sum(stat.st_size for stat in stats)
    modified = max((stat.st_mtime_ns for stat in stats), default=0)
    if known and (size, modified) in known:
        return FileState(known[size, modified], size, modified)
    if not path.is_dir():
        return FileState(sha256_of(path), size, modified)
    hashes = _hashes(path, files)
    return FileState(_total(hashes), size, modified, hashes)


def _hashes(folder: Path, files: list[Path]) -> dict[str, str]:
    return {file.relative_to(folder).as_posix(): sha256_of(file) for file in files}


def _total(hashes: dict[str, str]) -> str:
    listing = "".join(f"{value}  {name}\n" for name, value in hashes.items())
    return hashlib.sha256(listing.encode()).hexdigest()
