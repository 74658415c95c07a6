"""The code that a script can reach: its direct and indirect imports from this library."""

from __future__ import annotations

import ast
import functools
import hashlib
import json
import os
import re
import sys
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import reseat
from reseat.declarations import exported_names
from reseat.files.atomic import stored_json, write_text
from reseat.provenance.runs import RECORD_FORMAT

#: File with the digests of sources, below the working directory of a workflow.
CACHE = Path(".snakemake", "reseat-code.json")
#: File beside the compiled modules that says how they were compiled; absent if there are none.
COMPILED = "compiled.txt"
#: Module that surrounds every job with its log, lock and record. It changes no result, so that
#: neither it nor what only it imports counts as code of a job.
WRAPPER = "provenance/jobs.py"
#: Format of the cache, increased when digests or imports are derived differently from a source.
FORMAT = 3


class Library:
    """The sources of this library, or of a package with the same layout; a file caches digests."""

    def __init__(self, folder: str | os.PathLike, cache: str | os.PathLike | None = None):
        self.folder = Path(folder)
        self.name = self.folder.name
        self._cache = None if cache is None else Path(cache)
        self._known = self._load()
        self._dirty = False
        # Cached, because all rules of a workflow ask for much the same files.
        self._exports = functools.cache(self._find_exports)
        self._resolve = functools.cache(self._find)
        self._sources = functools.cache(self._find_sources)
        self._relative = functools.cache(lambda path: path.relative_to(self.folder).as_posix())

    def closure(self, script: str | os.PathLike, modules: Iterable[str] = ()) -> dict[str, str]:
        """Return every source that a script and the `modules` in its parameters can reach.

        The path of a source below the folder of the library, or ``script``, is mapped to the digest
        of its meaning; a compiled module is listed with all of its sources and :data:`COMPILED`.
        """
        script = Path(script)
        found = {"script": self._read(script)[0]}
        found |= self._reached([*((name, "") for name in modules), *self._read(script)[1]])
        flags = self.folder / COMPILED
        if flags.is_file() and any(name.endswith(".pyx") for name in found):
            found[COMPILED] = self._read(flags)[0]
        return dict(sorted(found.items()))

    def has(self, module: str) -> bool:
        """Return whether a module exists, or belongs to another library."""
        return module.split(".")[0] != self.name or bool(self._sources(module))

    def wrapper_sources(self) -> dict[str, str]:
        """Return :data:`WRAPPER` and all that it imports, in the form of `closure`."""
        module = WRAPPER.removesuffix(".py").replace("/", ".")
        return self._reached([(f"{self.name}.{module}", "")], ())

    def untracked(self, closure: Mapping[str, str]) -> list[str]:
        """Return modules that were imported but a closure lacks; there should be none."""
        found, wrapper = [], self.wrapper_sources()
        for name in sorted(sys.modules):
            if name.split(".")[0] == self.name and not self._path(name).is_dir():
                sources = {self._relative(path) for path in self._sources(name)}
                if sources and not sources & (closure.keys() | wrapper.keys()):
                    found.append(name)
        return found

    def _reached(
        self, imports: Iterable[ImportedName], without: Container[str] = (WRAPPER,)
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
                name = self._relative(path)
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
        return known[2], [tuple(pair) for pair in known[3]]  # lists, if they were stored

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
            exports = self._exports(module)
            if exports is not None and name in exports:  # only the module that defines the name
                return self._resolve(exports[name])
            if exports is not None and name == "*":
                return [path for target in exports.values() for path in self._resolve(target)]
        return self._sources(module)

    def _path(self, module: str) -> Path:
        return self.folder.joinpath(*module.split(".")[1:])

    def _find_sources(self, module: str) -> list[Path]:
        path = self._path(module)
        path = path / "__init__" if path.is_dir() else path
        candidates = [path.with_name(path.name + ending) for ending in (".py", ".pyx", ".pxd")]
        return [candidate for candidate in candidates if candidate.is_file()]

    def _find_exports(self, package: str) -> dict[str, ImportedName] | None:
        """Return the origin of each name that a package exports, or None for a module."""
        path = self._path(package) / "__init__.py"
        if not path.is_file():
            return None
        text = path.read_text(encoding="utf-8")
        if "attach_stub(" in text:
            text = path.with_suffix(".pyi").read_text(encoding="utf-8")
        elif "export_modules(" in text:
            modules = exported_names(path.parent).items()
            return {name: (f"{package}.{module}", name) for module, own in modules for name in own}
        return {
            each.asname or each.name: (f"{package}." * node.level + (node.module or ""), each.name)
            for node in ast.parse(text).body
            if isinstance(node, ast.ImportFrom)
            for each in node.names
        }


def fingerprint(closure: Mapping[str, str]) -> str:
    """Return a digest of a closure and of the format of records, from which pages are made."""
    listing = f"records of form {RECORD_FORMAT}\n" + "".join(
        f"{digest}  {name}\n" for name, digest in sorted(closure.items())
    )
    return hashlib.sha256(listing.encode()).hexdigest()[:16]


@functools.cache
def library() -> Library:
    """Return the sources of the running library, with the cache of the working directory."""
    return Library(Path(reseat.__file__).parent, CACHE.absolute())


# ---- Meaning of a source file: its text without comments, docstrings and formatting ----------
#
# Two files with the same digest behave the same. The digest depends only on the text, not on the
# version of Python that reads it, nor on the compiler.

#: An import: the module from which a name is imported, and the name, or "" for the whole module; or
#: a word, "header", "templates" or "modules" (all of a package), and the name of what it is.
ImportedName = tuple[str, str]

#: Functions that load the templates of a package, or import all of its modules.
_FINDERS = {"PackageLoader": "templates", "import_modules": "modules"}
#: Fields of a syntax tree that describe how code is written, not what it does.
_UNWRITTEN = frozenset({"kind", "type_comment", "type_ignores", "ctx"})
_CYTHON = (".pyx", ".pxd", ".pxi")
#: Strings (with their prefix), comments, joined lines, ends of lines, spaces, words and all other
#: characters.
_TOKEN = re.compile(
    r"""(?P<string>[A-Za-z]{0,2}(?:\"{3}(?:\\.|[^\\])*?\"{3}|'{3}(?:\\.|[^\\])*?'{3}
        |"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))
    |(?P<comment>\#[^\n]*)
    |(?P<joined>\\\n)
    |(?P<newline>\n)
    |(?P<space>[^\S\n]+)
    |(?P<word>[\w.]+)
    |(?P<sign>.)""",
    re.X | re.S,
)
_C_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|/\*.*?\*/|//[^\n]*|[\w.]+|\n|\S', re.S)


def read_source(path: Path) -> tuple[str, list[ImportedName]]:
    """Return the digest of the meaning of a source file, and what it imports when it runs."""
    if path.suffix == ".py":
        tree = ast.parse(path.read_text(encoding="utf-8"))
        return _digest(_written(tree)), list(_imports(tree))
    if path.suffix in _CYTHON:
        return _cython(path.read_text(encoding="utf-8"))
    if path.suffix == ".h":
        return _digest(" ".join(_c_tokens(path.read_text(encoding="utf-8")))), []
    return hashlib.sha256(path.read_bytes()).hexdigest(), []  # every byte counts


def _c_tokens(text: str) -> list[str]:
    """Return the tokens of C without comments; ends of lines count, since they end directives."""
    return [token for token in _C_TOKEN.findall(text) if not token.startswith(("/*", "//"))]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _written(node: object) -> str:
    """Return a syntax tree as text that, unlike `ast.dump`, is the same in all Python versions."""
    if isinstance(node, ast.AST):
        fields = []
        for name in node._fields:
            value = None if name in _UNWRITTEN else getattr(node, name, None)
            if value is not None and (written := _written(value)) != "[]":
                fields.append(f"{name}={written}")
        return f"{type(node).__name__}({','.join(fields)})"
    if isinstance(node, list):
        return f"[{','.join([_written(item) for item in node if not _is_text(item)])}]"
    return repr(node)


def _is_text(node: object) -> bool:
    """Return whether a statement is nothing but a string: a docstring or a note."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _imports(tree: ast.AST) -> Iterator[ImportedName]:
    for node in _run_time(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if kind := _FINDERS.get(name):
                yield from ((kind, a.value) for a in node.args if isinstance(a, ast.Constant))


def _run_time(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield all nodes except those below ``if TYPE_CHECKING:``."""
    left = [tree]
    while left:
        node = left.pop()
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            left.extend(reversed(node.orelse))
        else:
            yield node
            left.extend(reversed(list(ast.iter_child_nodes(node))))


def _cython(text: str) -> tuple[str, list[ImportedName]]:
    lines = list(_logical_lines(text))
    depths = sorted({depth for depth, _ in lines})
    kept, before = [], []
    for depth, line in lines:
        if len(line) == 1 and line[0][-1] in "\"'":
            # Below `cdef extern from`, a string is C code that is compiled; elsewhere, a docstring.
            is_code = before[:3] == ["cdef", "extern", "from"]
            line = _c_tokens(ast.literal_eval(line[0])) if is_code else []
        if line:
            kept.append((depths.index(depth), line))
        before = line
    written = "\n".join(f"{depth} {' '.join(line)}" for depth, line in kept)
    return _digest(written), [name for _, line in kept for name in _imports_of(line)]


def _logical_lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield indentation and tokens of each line; brackets and backslashes join lines."""
    line, depth, at_start = [], 0, True
    brackets: list[int] = []  # number of commas in each open bracket
    for match in _TOKEN.finditer(text + "\n"):
        kind, token = match.lastgroup, match.group()
        if kind == "space":
            if at_start and not line:
                depth = len(token.expandtabs())
            at_start = False
        elif kind == "newline":
            if not brackets:
                if line:
                    yield depth, line
                line, depth, at_start = [], 0, True
        elif kind not in ("comment", "joined"):
            at_start = False
            if token in "([{":
                brackets.append(0)
            elif token in ")]}":
                n_commas = brackets.pop() if brackets else 0
                # Formatters leave a comma after the last item of a long list; (n,) is a tuple.
                if line and line[-1] == "," and not (token == ")" and n_commas == 1):
                    line.pop()
            elif token == "," and brackets:
                brackets[-1] += 1
            line.append(token)


def _imports_of(line: list[str]) -> Iterator[ImportedName]:
    if "TYPE_CHECKING" in line or not line:
        return
    if line[0] == "from" and len(line) > 3 and line[2] in ("import", "cimport"):
        names = " ".join(t for t in line[3:] if t not in "()").split(",")
        yield from ((line[1], name.split()[0]) for name in names if name.strip())
    elif line[0] in ("import", "cimport"):
        yield from ((name.split()[0], "") for name in " ".join(line[1:]).split(","))
    elif line[:3] == ["cdef", "extern", "from"] and line[3] != "*":
        yield "header", line[3].strip("\"'<>")
    elif line[0] == "include":
        yield "header", line[1].strip("\"'")
