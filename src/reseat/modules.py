"""Packages that export the public names of their modules, so that a new module is one new file."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections.abc import Callable
from pathlib import Path

import lazy_loader

__all__ = ["import_modules", "names_shown", "show_modules"]

_NAMES = re.compile(r"^__all__ = (\[[^]]*\])", re.M)


def names_shown(folder: Path) -> dict[str, list[str]]:
    """Return the names in the ``__all__`` of each module in a folder, without importing it.

    Modules without an ``__all__`` are left out.
    """
    shown = {}
    for path in sorted(Path(folder).glob("*.py")):
        found = _NAMES.search(path.read_text(encoding="utf-8"))
        if found and path.stem != "__init__":
            shown[path.stem] = ast.literal_eval(found[1])
    return shown


def show_modules(package: str, file: str) -> tuple[Callable, Callable, list[str]]:
    """Let a package export the names of its modules, which are imported on first use.

    Return its ``__getattr__``, ``__dir__`` and ``__all__``.
    """
    return lazy_loader.attach(package, submod_attrs=names_shown(Path(file).parent))


def import_modules(package: str) -> None:
    """Import every module of a package, so that their declarations are registered.

    Its name must be a literal in the call, since `reseat.provenance.closure` reads it from the
    source.
    """
    for found in pkgutil.iter_modules(importlib.import_module(package).__path__):
        importlib.import_module(f"{package}.{found.name}")
