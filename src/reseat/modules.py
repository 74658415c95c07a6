"""Packages that show what their modules name, so that a new module is one new file."""

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
    """What the modules in a folder name in their ``__all__``, without importing them.

    Parameters
    ----------
    folder : Path
        Of a package. Modules without an ``__all__`` show nothing.

    Returns
    -------
    dict of str to list of str
        By module, in alphabetical order.
    """
    shown = {}
    for path in sorted(Path(folder).glob("*.py")):
        found = _NAMES.search(path.read_text(encoding="utf-8"))
        if found and path.stem != "__init__":
            shown[path.stem] = ast.literal_eval(found[1])
    return shown


def show_modules(package: str, file: str) -> tuple[Callable, Callable, list[str]]:
    """Let a package show the names of its modules, each imported when it is asked for.

    Parameters
    ----------
    package, file : str
        ``__name__`` and ``__file__`` of the package.

    Returns
    -------
    tuple
        ``__getattr__``, ``__dir__`` and ``__all__`` of the package.
    """
    return lazy_loader.attach(package, submod_attrs=names_shown(Path(file).parent))


def import_modules(package: str) -> None:
    """Import every module of a package, for what they declare as they are imported.

    Parameters
    ----------
    package : str
        Written out where this is called: `reseat.provenance.closure` reads it.
    """
    for found in pkgutil.iter_modules(importlib.import_module(package).__path__):
        importlib.import_module(f"{package}.{found.name}")
