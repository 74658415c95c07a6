"""Meaning of a source file: its text without comments, docstrings and formatting.

Two files with the same digest behave the same. The digest depends only on the text, not on the
version of Python that reads it, nor on the compiler.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

__all__ = ["ImportedName", "called", "read_source"]

#: An import: the module from which a name is imported, and the name, or "" for the whole module.
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
    """Return the digest of the meaning of a source file, and what it imports.

    Of a file that is neither Python, Cython nor a C header, every byte counts. Imports are pairs of
    a module and a name in it, anywhere in the file except only for type checkers; an included
    header is ``("header", its name)``, a folder of templates ``("templates", its package)``, and
    all modules of a package ``("modules", its name)``.
    """
    if path.suffix == ".py":
        return _python(path.read_text(encoding="utf-8"))
    if path.suffix in _CYTHON:
        return _cython(path.read_text(encoding="utf-8"))
    if path.suffix == ".h":
        return _digest(" ".join(_c_tokens(path.read_text(encoding="utf-8")))), []
    return hashlib.sha256(path.read_bytes()).hexdigest(), []


def _c_tokens(text: str) -> list[str]:
    """Return the tokens of C without comments; ends of lines count, since they end directives."""
    return [token for token in _C_TOKEN.findall(text) if not token.startswith(("/*", "//"))]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _python(text: str) -> tuple[str, list[ImportedName]]:
    tree = ast.parse(text)
    return _digest(_written(tree)), list(_imports(tree))


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
        elif isinstance(node, ast.Call) and (kind := _FINDERS.get(called(node))):
            yield from ((kind, a.value) for a in node.args if isinstance(a, ast.Constant))


def called(call: ast.Call) -> str:
    """Return the name of a called function, without its module or object."""
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


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
        if _is_string(line):
            # Below `cdef extern from`, a string is C code that is compiled; elsewhere, a docstring.
            line = (
                _c_tokens(ast.literal_eval(line[0]))
                if before[:3] == ["cdef", "extern", "from"]
                else []
            )
        if line:
            kept.append((depths.index(depth), line))
        before = line
    written = "\n".join(f"{depth} {' '.join(line)}" for depth, line in kept)
    return _digest(written), [name for _, line in kept for name in _imports_of(line)]


def _is_string(line: list[str]) -> bool:
    return len(line) == 1 and line[0][-1] in "\"'"


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
