"""Things that settings ask for by a name, declared once, where they are written.

A module has a `Registry`, say ``prior``, and ``@prior("uniform", title="uniform")`` stands above a
class.  The declarations of a file can be read without importing it: so all names are known before
anything runs, and a job imports only what it needs.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from reseat.errors import ConfigError

__all__ = ["Registry", "read_declarations"]

Thing = TypeVar("Thing", bound=Callable)


class Registry(dict[str, Any]):
    """What has been declared so far, by name; it is the decorator that declares.

    Attributes
    ----------
    declared : dict of str to dict
        What else is said of each: literals, as they are read from the text as well.
    """

    def __init__(self):
        super().__init__()
        self.declared: dict[str, dict[str, Any]] = {}

    def __call__(self, name: str, **declared: Any) -> Callable[[Thing], Thing]:
        """Decorator that gives a class or a function the name by which it can be asked for."""

        def register(thing: Thing) -> Thing:
            there = self.get(name)
            if there is not None and there.__module__ != thing.__module__:
                raise ConfigError(
                    f"{name!r} is declared twice, in {there.__module__} and in "
                    f"{thing.__module__}; rename one of them."
                )
            self[name], self.declared[name] = thing, declared
            return thing

        return register


def read_declarations(path: Path, decorator: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Names that a decorator gives in a source file, and what else it says.

    Parameters
    ----------
    path : Path
    decorator : str
        Name of the `Registry`.

    Raises
    ------
    ValueError
        If an argument is no literal.
    """
    yield from _declared_in(path.read_text(encoding="utf-8"), decorator)


@lru_cache(maxsize=1024)  # a workflow asks for the same names hundreds of times
def _declared_in(text: str, decorator: str) -> list[tuple[str, dict[str, Any]]]:
    written = re.compile(rf"^@{decorator}\((.*?)\)\n(?=@|class |def )", re.M | re.S)
    found = []
    for match in written.finditer(text):
        call = ast.parse(f"f({match[1]})", mode="eval").body
        name = ast.literal_eval(call.args[0])
        found.append((name, {word.arg: ast.literal_eval(word.value) for word in call.keywords}))
    return found
