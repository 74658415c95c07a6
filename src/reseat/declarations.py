"""Names that settings and packages refer to: declared next to their code, and exported lazily."""

import ast
import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import lazy_loader

from reseat.errors import ConfigError

# A module has a `Registry`, for example ``prior``, and a class is decorated with
# ``@prior("uniform", title="uniform")``. The declarations of a file can be read without importing
# it, so that all names are known before anything runs, and a job imports only what it needs.

Thing = TypeVar("Thing", bound=Callable)


class Registry(dict[str, Any]):
    """Everything that has been declared so far, by name; calling it makes the decorator."""

    def __init__(self):
        super().__init__()
        #: Other keywords of each declaration: literals, since they are also read from the source.
        self.declared: dict[str, dict[str, Any]] = {}

    def __call__(self, name: str, **declared: Any) -> Callable[[Thing], Thing]:
        """Return a decorator that declares a class or function under a name."""

        def register(thing: Thing) -> Thing:
            there = self.get(name)
            # A module that is imported again declares the same things again.
            if there is not None and _place_of(there) != _place_of(thing):
                raise ConfigError(
                    f"{name!r} is declared twice, by {_place_of(there)} and by "
                    f"{_place_of(thing)}; rename one of them."
                )
            self[name], self.declared[name] = thing, declared
            return thing

        return register


def _place_of(thing: Callable) -> str:
    return f"{thing.__module__}.{thing.__qualname__}"


def read_declarations(path: Path, decorator: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each name that a decorator declares in a source file, and its keywords."""
    yield from _declared_in(path.read_text(encoding="utf-8"), decorator)


@lru_cache(maxsize=1024)
def _declared_in(text: str, decorator: str) -> list[tuple[str, dict[str, Any]]]:
    if not re.search(rf"^@{decorator}\(", text, re.M):
        return []  # true of most files of a package; parsing them all would delay every start
    found = []
    for statement in ast.parse(text).body:
        for call in getattr(statement, "decorator_list", ()):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == decorator:
                declared = {word.arg: ast.literal_eval(word.value) for word in call.keywords}
                found.append((ast.literal_eval(call.args[0]), declared))
    return found


_NAMES = re.compile(r"^__all__ = (\[[^]]*\])", re.M)


def exported_names(folder: Path) -> dict[str, list[str]]:
    """Return the names in the ``__all__`` of each module that has one, without importing it."""
    shown = {}
    for path in sorted(Path(folder).glob("*.py")):
        found = _NAMES.search(path.read_text(encoding="utf-8"))
        if found and path.stem != "__init__":
            shown[path.stem] = ast.literal_eval(found[1])
    return shown


def export_modules(package: str, file: str) -> tuple[Callable, Callable, list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package of lazy modules."""
    return lazy_loader.attach(package, submod_attrs=exported_names(Path(file).parent))


def import_modules(package: str) -> None:
    """Import every module of a package, a literal that `reseat.provenance.closure` can read."""
    for found in pkgutil.iter_modules(importlib.import_module(package).__path__):
        importlib.import_module(f"{package}.{found.name}")
