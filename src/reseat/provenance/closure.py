"""The code that a script can reach: its direct and indirect imports from this library."""

from __future__ import annotations

import ast
import functools
import hashlib
import json
import os
import re
import sys
from collections.abc import Container, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

import reseat
from reseat.configuration import did_you_mean
from reseat.errors import ConfigError
from reseat.io import stored_json, write_text
from reseat.modules import names_shown
from reseat.provenance.meaning import ImportedName, called, read_source
from reseat.runs import RECORD_FORMAT

__all__ = ["CACHE", "Library", "fingerprint", "library"]

#: File with the digests of sources, below the working directory of a workflow.
CACHE = Path(".snakemake", "reseat-code.json")
#: File beside the compiled modules that says how they were compiled; absent if there are none.
COMPILED = "compiled.txt"
#: Module that surrounds every job with its log, lock and record. It changes no result, so that
#: neither it nor what only it imports counts as code of a job.
AROUND = "jobs.py"
#: Names that a module defines (functions, classes, variables), and names that it imports.
DEFINED = re.compile(
    r"^(?:async )?(?:def|class|cdef class|cpdef [\w.*\[\], ]+?) (\w+)|^(\w+)(?:: [^=\n]+)? =", re.M
)
IMPORTED = re.compile(r"^(?:from [\w.]+ )?c?import (\([^)]*\)|.*)", re.M)
#: Format of the cache, increased when digests or imports are derived differently from a source.
FORMAT = 3


class Library:
    """The sources of this library, or of a package with the same layout.

    A package whose ``__init__`` does nothing but import, eagerly or lazily, is transparent: code
    that imports a name from it reaches only the module that defines the name. `cache` is a file for
    the digests, with size and modification time of the source of each.
    """

    def __init__(self, folder: str | os.PathLike, cache: str | os.PathLike | None = None):
        self.folder = Path(folder)
        self.name = self.folder.name
        self._cache = None if cache is None else Path(cache)
        self._known = self._load()
        self._dirty = False
        # Cached, because all rules of a workflow ask for much the same files.
        self._faces: dict[str, dict[str, ImportedName] | None] = {}
        self._resolve = functools.cache(self._find)
        self._sources = functools.cache(self._find_sources)
        self._names = functools.cache(self._find_names)

    def closure(self, script: str | os.PathLike, modules: Iterable[str] = ()) -> dict[str, str]:
        """Return every source that a script can reach.

        `modules` are those that it imports by a name in its parameters, such as the parser of a
        data set. The path of a source below the folder of the library, or ``script``, is mapped to
        the digest of its meaning; a compiled module is listed with all of its sources and
        :data:`COMPILED`.
        """
        script, modules = Path(script), tuple(modules)
        for name in modules:
            if name.split(".")[0] == self.name and not self._sources(name):
                raise ConfigError(
                    f"{script.name} is to find the module {name}, which is not in {self.folder}; "
                    "correct the name where a rule or an artefact gives it."
                )
        found = {"script": self._read(script)[0]}
        found |= self._reached([*((name, "") for name in modules), *self._read(script)[1]])
        flags = self.folder / COMPILED
        if flags.is_file() and any(name.endswith(".pyx") for name in found):
            found[COMPILED] = self._read(flags)[0]
        return dict(sorted(found.items()))

    def has(self, module: str) -> bool:
        """Return whether a module exists, or belongs to another library."""
        return module.split(".")[0] != self.name or bool(self._sources(module))

    def around(self) -> dict[str, str]:
        """Return :data:`AROUND` and all that it imports, in the form of `closure`."""
        return self._reached([(f"{self.name}.{AROUND.removesuffix('.py')}", "")], ())

    def require(self, references: Iterable[str], asking: str) -> None:
        """Raise a ConfigError, before any job starts, for a name that jobs would not find.

        References are ``module:name`` or ``module:name.attribute``; names in other libraries are
        not checked.
        """
        for reference in references:
            module, _, name = reference.partition(":")
            sources = self._sources(module) if module.split(".")[0] == self.name else []
            if not sources or self._path(module).is_dir():
                continue
            known = self._names(module)
            if (first := name.partition(".")[0]) not in known:
                raise ConfigError(
                    f"{asking} names {reference}, but {module} has no "
                    f"{first}{did_you_mean(first, known)}"
                )

    def _find_names(self, module: str) -> set[str]:
        """Return the names at the top level of a module, as far as its text shows them."""
        text = "\n".join(path.read_text(encoding="utf-8") for path in self._sources(module))
        found = {one or other for one, other in DEFINED.findall(text)}
        return found.union(*(re.findall(r"\w+", names) for names in IMPORTED.findall(text)))

    def beyond(self, closure: Mapping[str, str]) -> list[str]:
        """Return modules that this process has imported but a closure lacks; there should be none.

        Modules in `around` need not be in any closure.
        """
        found, around = [], self.around()
        for name in sorted(sys.modules):
            if name.split(".")[0] == self.name and not self._path(name).is_dir():
                sources = {p.relative_to(self.folder).as_posix() for p in self._sources(name)}
                if sources and not sources & (closure.keys() | around.keys()):
                    found.append(name)
        return found

    def _reached(
        self, imports: Iterable[ImportedName], without: Container[str] = (AROUND,)
    ) -> dict[str, str]:
        """Return the sources that some imports reach, as in `closure`, except those `without`."""
        found: dict[str, str] = {}
        queue, seen = list(imports), set()
        while queue:
            imported = queue.pop()
            if imported in seen:
                continue
            seen.add(imported)
            for path in self._resolve(imported):
                name = path.relative_to(self.folder).as_posix()
                if name not in found and name not in without:
                    found[name], further = self._read(path)
                    queue.extend(further)
        return found

    def save(self) -> None:
        """Save what was read for the next time; a failure is ignored, as it only costs time."""
        if self._cache is not None and self._dirty:
            with suppress(OSError):
                write_text(self._cache, json.dumps({"format": FORMAT, "files": self._known}))
            self._dirty = False

    def _load(self) -> dict[str, list]:
        stored = {} if self._cache is None else stored_json(self._cache)
        return stored.get("files", {}) if stored.get("format") == FORMAT else {}

    def _read(self, path: Path) -> tuple[str, list[ImportedName]]:
        state = path.stat()
        stamp = [state.st_size, state.st_mtime_ns]
        key = str(path)
        known = self._known.get(key)
        if known is None or known[:2] != stamp:
            digest, imports = read_source(path)
            self._known[key] = known = [*stamp, digest, sorted(set(imports))]
            self._dirty = True
        return known[2], [tuple(pair) for pair in known[3]]

    def _find(self, imported: ImportedName) -> list[Path]:
        """Return the sources behind a module, or behind a name in one."""
        module, name = imported
        if module == "header":
            return sorted(self.folder.rglob(Path(name).name))
        if module == "templates":
            folder = self._path(name) / "templates"
            return sorted(path for path in folder.iterdir() if path.is_file())
        if module == "modules":
            return sorted(self._path(name).glob("*.py"))
        if module.split(".")[0] != self.name:
            return []
        if name:
            if self._sources(f"{module}.{name}"):
                return self._sources(f"{module}.{name}")
            face = self._face(module)
            if face is not None and name in face:
                return self._resolve(face[name])
            if face is not None and name == "*":
                return [path for target in face.values() for path in self._resolve(target)]
        return self._sources(module)

    def _path(self, module: str) -> Path:
        return self.folder.joinpath(*module.split(".")[1:])

    def _find_sources(self, module: str) -> list[Path]:
        path = self._path(module)
        if path.is_dir():
            candidates = [path / "__init__.py", path / "__init__.pxd"]
        else:
            candidates = [path.with_name(path.name + ending) for ending in (".py", ".pyx", ".pxd")]
        return [candidate for candidate in candidates if candidate.is_file()]

    def _face(self, package: str) -> dict[str, ImportedName] | None:
        """Return the origin of each name that a package exports, or None for a module."""
        if package not in self._faces:
            path = self._path(package) / "__init__.py"
            self._faces[package] = _names_shown(path, package) if path.is_file() else None
        return self._faces[package]


def _names_shown(path: Path, package: str) -> dict[str, ImportedName]:
    shown: dict[str, ImportedName] = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            shown |= {a.asname or a.name: (node.module, a.name) for a in node.names}
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            lazily = {keyword.arg: keyword.value for keyword in node.value.keywords}
            modules = {}
            if "submod_attrs" in lazily:
                modules = ast.literal_eval(lazily["submod_attrs"])
            elif called(node.value) == "show_modules":
                modules = names_shown(path.parent)
            for module, names in modules.items():
                shown |= {name: (f"{package}.{module}", name) for name in names}
    return shown


def fingerprint(closure: Mapping[str, str]) -> str:
    """Return one short digest of a closure, equal if and only if all sources have the same meaning.

    The format of the records of jobs has to be the same, too, because pages and crates are made
    from records.
    """
    listing = f"records of form {RECORD_FORMAT}\n" + "".join(
        f"{digest}  {name}\n" for name, digest in sorted(closure.items())
    )
    return hashlib.sha256(listing.encode()).hexdigest()[:16]


@functools.cache
def library() -> Library:
    """Return the sources of the running library, with the cache of the working directory."""
    return Library(Path(reseat.__file__).parent, CACHE.absolute())
