"""Steps of a job that a paper declares: read, make, draw."""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Recipe:
    """The functions behind a product; see `reseat.papers.declare.Product.recipe`."""

    #: For each input `read` (the reader), `takes`, `part` and `options`, as in
    #: `reseat.papers.declare.Input`.
    reads: Mapping[str, Mapping[str, Any]]
    #: Names of what each function makes, separated by commas, mapped to the function.
    makes: Mapping[str, str]
    draws: str
    constants: Mapping[str, str]

    def follow(
        self, given: Mapping[str, str | Sequence[str]], settings: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Read the inputs and make everything; return all that was given, read or made, by name."""
        known = {**settings, **{name: look_up(value) for name, value in self.constants.items()}}
        for name, how in self.reads.items():
            paths = given[name]
            paths = [paths] if isinstance(paths, str | PathLike) else list(paths)
            if paths:
                known[name] = _read(paths, settings, **how)
        for names, function in self.makes.items():
            made, names = self._call(function, known), names.split(", ")
            known |= zip(names, made if len(names) > 1 else [made], strict=True)
        return known

    @property
    def made(self) -> list[str]:
        """Names of everything that the functions make."""
        return ", ".join(self.makes).split(", ")

    def draw(self, known: Mapping[str, Any], stem: str) -> None:
        """Draw the figure and save it in all formats, as ``STEM.pdf`` and so on."""
        look_up("reseat.plots.style:save_figure")(self._call(self.draws, known), stem)

    def _call(self, reference, known):
        """Call a function with arguments by name; an input without files is None or its default."""
        function = look_up(reference)
        values = {}
        for name, parameter in inspect.signature(function).parameters.items():
            if name in known:
                values[name] = known[name]
            elif parameter.default is parameter.empty:
                values[name] = None
        return function(**values)


def look_up(reference: str) -> Any:
    """Return what a module defines, by ``module:name``."""
    module, _, names = reference.partition(":")
    found = import_module(module)
    for name in names.split("."):
        found = getattr(found, name)
    return found


def _read(paths, settings, read, takes, part, options):
    reader = look_up(read)
    asked = list(inspect.signature(reader).parameters)[1:]
    options = {name: settings[name] for name in asked if name in settings} | options
    if takes == "each":
        found = [reader(path, **options) for path in paths]
    else:
        of = {"one": paths[0], "all": paths, "folder": Path(paths[0]).parent}[takes]
        found = reader(of, **options)
    return getattr(found, part) if part else found
