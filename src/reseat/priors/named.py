"""Partition priors by the names that configurations, estimators and the command use.

A prior is declared once, by the decorator `prior` on its class, in any file of this package.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reseat.configuration import did_you_mean
from reseat.declarations import Registry, read_declarations
from reseat.errors import ConfigError, shown_value

if TYPE_CHECKING:
    from reseat.priors._prior import PartitionPrior

#: Kinds of parameters that a declaration can have; a tuple of strings, in place of a kind, is a
#: choice between them.  ``half`` stands for half as many blocks as items, as `make_prior` says.
KINDS = ("positive", "positive or half", "below one", "flag", "gamma", "gamma or half")


@dataclass(frozen=True)
class NamedPrior:
    """The declaration of a prior."""

    #: Name by which it is selected.
    name: str
    #: Module of its class.
    module: str
    #: Name that tables print.
    title: str
    #: Its parameters, each with one of `KINDS` or a tuple of strings to choose from.
    parameters: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    #: Whether it has labelled blocks, whose number must be given.
    finite: bool = False
    #: Whether groups of items can share its hyperparameters.
    groups: bool = False


#: Class decorator that declares a prior: ``@prior(name, **declared)``, where the keywords are the
#: attributes of `NamedPrior` other than its name and module.  The class is called with the
#: parameters that are given, and with ``n_blocks`` if it is ``finite``.  If it needs the number of
#: items, it defines a class method ``for_items(n_items, **parameters)``, which is called instead.
prior = Registry()


def all_priors() -> dict[str, NamedPrior]:
    """Return every declared prior by its name, in alphabetical order.

    Raises
    ------
    ConfigError
        If two modules declare the same name.
    """
    found = {
        name: NamedPrior(name, kind.__module__, **prior.declared[name])
        for name, kind in prior.items()
    }
    for folder in sys.modules[__package__].__path__:
        for module, name, declared in _declared_in(folder, os.stat(folder).st_mtime_ns):
            if name in found and found[name].module != module:
                raise ConfigError(
                    f"The prior {name!r} is declared twice, in {found[name].module} and in "
                    f"{module}; rename one of them."
                )
            found[name] = NamedPrior(name, module, **declared)
    return dict(sorted(found.items()))


@lru_cache  # a workflow asks for them a thousand times
def _declared_in(folder: str, modified: int) -> list[tuple[str, str, dict[str, Any]]]:
    """Return the module, name and keywords of each declaration in the files of a folder."""
    return [
        (f"{__package__}.{path.stem}", name, declared)
        for path in Path(folder).glob("*.py")
        for name, declared in read_declarations(path, "prior")
    ]


def declared_prior(name: str) -> NamedPrior:
    """Return the declaration of one prior.

    Parameters
    ----------
    name : str

    Raises
    ------
    ConfigError
        If there is no such prior.
    """
    found = all_priors()
    if name not in found:
        hint = did_you_mean(name, found) or f"; the priors are {', '.join(found)}"
        raise ConfigError(f"Unknown prior {shown_value(name)}{hint}")
    return found[name]


def check_parameters(settings: Mapping[str, Any]) -> None:
    """Raise a ConfigError for a parameter of other priors only, or a sampled discount of 0.

    Parameters
    ----------
    settings : mapping
        ``prior`` and its parameters, possibly among other settings.
    """
    found = declared_prior(settings["prior"])
    known = {name for other in all_priors().values() for name in other.parameters}
    for name in settings:
        if name in known and name not in found.parameters:
            its = ", ".join(found.parameters)
            has = f"it has {its}" if its else "it has no parameters"
            raise ConfigError(
                f"The prior {found.name!r} has no parameter {name!r}; {has}. Omit it."
            )
    if settings.get("sample_discount") and settings.get("discount") == 0:
        raise ConfigError("discount is 0; to sample it, start from a value inside (0, 1).")


def sampled_settings(name: str, hyperprior: Mapping[str, float] | str) -> dict[str, Any]:
    """Return settings of a prior with which every parameter is sampled that can be sampled.

    Only the concentration of finitely many blocks keeps its default.

    Parameters
    ----------
    name : str
    hyperprior : mapping or str
        As described in `make_prior`; with ``half``, the initial concentration is ``half`` as well.
    """
    declared = declared_prior(name)
    parameters, settings = declared.parameters, {"prior": name}
    if "hyperprior" in parameters and not declared.finite:
        bound = None if hyperprior == "half" else hyperprior.get("upper")
        start = "half" if hyperprior == "half" else min(1.0, bound or 1.0)
        settings |= {"concentration": start, "hyperprior": hyperprior}
    if "sample_discount" in parameters:
        settings |= {"discount": 0.25, "sample_discount": True}
    return settings


def make_prior(settings: Mapping[str, Any], n_items: int) -> PartitionPrior:
    """Return the prior that the settings describe.

    Parameters
    ----------
    settings : mapping
        ``prior`` and its parameters; other settings are ignored.  With a ``concentration`` of
        ``half``, half as many blocks as items are expected; a ``hyperprior`` of ``half`` is a
        gamma law of shape 1 whose mean is half the number of items.  A prior with finitely many
        blocks needs their number, ``n_blocks``, which can be ``n_items``.
    n_items : int

    Raises
    ------
    ConfigError
        If the prior is unknown, its number of blocks is missing, or a parameter is not accepted.
    """
    found = declared_prior(settings["prior"])
    import_module(found.module)
    kind = prior[found.name]
    given = {name: settings[name] for name in found.parameters if name in settings}
    if found.finite:
        n_blocks = settings.get("n_blocks")
        if n_blocks is None:
            raise ConfigError(f"The prior {found.name} needs a number of clusters.")
        given["n_blocks"] = n_items if n_blocks == "n_items" else n_blocks
    return kind.for_items(n_items, **given) if hasattr(kind, "for_items") else kind(**given)
