"""Checks of a configuration: its schemas, and what no schema can express."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import reseat
from reseat.configuration import did_you_mean, read_texts, read_yaml, validate
from reseat.datasets import Registry
from reseat.datasets.parsers import KINDS, PARSERS
from reseat.declarations import read_declarations
from reseat.errors import ConfigError
from reseat.priors import all_priors, check_parameters, declared_prior

__all__ = [
    "Rules",
    "check_kind",
    "check_kinds",
    "check_models",
    "check_names",
    "check_numbers",
    "read_schema",
    "rules_of",
    "validate_family",
]


# ---- Checks of a configuration that no schema can express, and what each family adds to them ----

#: Parameters of a prior that must be above 0 wherever they occur.
POSITIVE = ("concentration", "beta")

#: Keys whose value is an interval, the lower end first, wherever they occur.
INTERVALS = ("log2_gamma", "log2_c")


@dataclass(frozen=True)
class Rules:
    """What the section of a family must satisfy beyond its schema.

    They are `RULES` in the ``config.py`` of the family; one without this file has the defaults.
    """

    #: Parts of the section whose keys are names of data sets, and the kinds of these, of `KINDS`;
    #: without any, all kinds of the family are accepted.
    entries: Mapping[str, Sequence[str]] = field(default_factory=lambda: {"sets": ()})
    #: Key of a model that distinguishes its kind, and the kind if the key is absent.
    decides: str = ""
    otherwise: str = ""
    #: Keys of a model that affect only some kinds, and these kinds. What holds for ``prior`` also
    #: holds for the parameters of priors.
    only_with: Mapping[str, Sequence[str]] = field(default_factory=dict)
    #: Whether a finite prior needs the number of clusters in the configuration.
    counted: bool = False
    #: Called with the section; raises a ConfigError.
    check_section: Callable[[Mapping[str, Any]], None] | None = None
    #: Called with the section, the scale, the registry and the names of the user's own data sets,
    #: once names and kinds have been checked; raises a ConfigError.
    check_data: Callable[[Mapping[str, Any], str, Registry, Mapping[str, Any]], None] | None = None


def rules_of(family: str) -> Rules:
    """Return the rules of a family."""
    module = f"reseat.papers.{family}.config"
    return import_module(module).RULES if find_spec(module) else Rules()


def check_numbers(config: Mapping[str, Any]) -> None:
    """Raise a ConfigError for a number that is not finite or not positive where it has to be.

    The same holds for an interval that is empty or reversed, and for thinning that leaves no draws.
    """
    for path, value in _entries(config, ()):
        where = "config, " + ".".join(map(str, path))
        if isinstance(value, float) and not math.isfinite(value):
            raise ConfigError(f"{where}: {value} is not finite; it must be a finite number.")
        if (
            path[-1] in POSITIVE
            and isinstance(value, int | float)
            and not isinstance(value, bool)
            and value <= 0
        ):
            raise ConfigError(f"{where}: {value} is not above 0; it must be a positive number.")
        if path[-1] in INTERVALS:
            _check_interval(where, value)
        if isinstance(value, Mapping):
            thin, kept = value.get("thin"), value.get("n_samples")
            if isinstance(thin, int) and isinstance(kept, int) and thin > kept:
                raise ConfigError(
                    f"{where}: thin is {thin} and n_samples {kept}, which leaves no draws; lower "
                    "thin."
                )


def _check_interval(where: str, value: Any) -> None:
    if not isinstance(value, Sequence) or not all(isinstance(end, int | float) for end in value):
        return
    if [*value] != sorted(value):
        raise ConfigError(f"{where}: {value} is upside down; write the smaller number first.")
    if len(set(value)) < len(value):
        raise ConfigError(
            f"{where}: {value} leaves nothing to search; write two different numbers."
        )


def check_names(family: str, section: Mapping[str, Any], known: Collection[str]) -> None:
    """Raise a ConfigError for an entry whose name is not that of a data set."""
    for part in rules_of(family).entries:
        for name, entry in section.get(part, {}).items():
            where = f"config, {family}.{part}.{name}"
            _check_name(where, name, known)
            if "instead_of" in entry:
                _check_name(f"{where}.instead_of", entry["instead_of"], known)


def check_kinds(family: str, section: Mapping[str, Any], registry: Registry) -> None:
    """Raise a ConfigError for a data set of a kind that its entry does not accept.

    The registry must contain the names of all entries.
    """
    for part, kinds in rules_of(family).entries.items():
        for name in section.get(part, {}) if kinds else ():
            check_kind(f"config, {family}.{part}.{name}", registry, name, kinds)


def check_kind(where: str, registry: Registry, name: str, kinds: Sequence[str]) -> None:
    """Raise a ConfigError if a data set is of none of the given kinds."""
    kind = PARSERS.kind_of(registry[name].parser)
    if kind not in kinds:
        found = "only files of other data sets" if kind is None else KINDS[kind].what
        wanted = " or ".join(KINDS[other].what for other in kinds)
        raise ConfigError(
            f"{where}: the data set {name!r} is {found}, not {wanted}; name it where these are "
            "asked for."
        )


def _check_name(where: str, name: str, known: Collection[str]) -> None:
    if name not in known:
        hint = did_you_mean(name, known) or (
            "; add it under datasets in your configuration file, or omit the entry"
        )
        raise ConfigError(f"{where}: there is no data set {name!r}{hint}.")


def check_models(family: str, section: Mapping[str, Any]) -> None:
    """Raise a ConfigError for a key of a model without effect, or a finite prior without n_blocks.

    Keys and values must be valid already.
    """
    rules = rules_of(family)
    needed = rules.only_with
    if "prior" in needed:
        parameters = {name for prior in all_priors().values() for name in prior.parameters}
        needed = dict.fromkeys(parameters, needed["prior"]) | needed
    for name, model in section.get("models", {}).items():
        value = model.get(rules.decides, rules.otherwise)
        for key in model:
            if value not in needed.get(key, (value,)):
                raise ConfigError(
                    f"config, {family}.models.{name}.{key}: has no effect with {rules.decides} "
                    f"{value}, only with {' or '.join(needed[key])}; omit it."
                )
        if rules.counted and model.get("prior") is not None:
            _check_count(f"config, {family}.models.{name}", model)


def _check_count(where: str, model: Mapping[str, Any]) -> None:
    prior = model["prior"]
    finite, counted = declared_prior(prior).finite, model.get("n_blocks") is not None
    if finite and not counted:
        raise ConfigError(
            f"{where}: the prior {prior} needs n_blocks, the number of its clusters; add it."
        )
    if counted and not finite:
        raise ConfigError(
            f"{where}.n_blocks: has no effect with the prior {prior}, which has as many clusters "
            "as the data need; omit it."
        )


def _entries(value: Any, path: tuple) -> Iterator[tuple[tuple, Any]]:
    if path:
        yield path, value
    if isinstance(value, Mapping):
        for key, entry in value.items():
            yield from _entries(entry, (*path, key))
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for place, entry in enumerate(value):
            yield from _entries(entry, (*path, place))


# ---- Schemas of the configuration, completed with the names that the library declares --------


def read_schema(root: Path, name: str) -> dict:
    """Read the schema of a file of the configuration.

    Where models refer to names that the library declares, the schema says so with the key
    ``declared``. For ``likelihood`` its value is the family. For ``prior`` it is ``all``, which
    allows every prior and adds the parameters of priors to the settings of models, or ``groups``,
    which allows only priors of groups, whose parameters all models share.
    """
    schema = read_yaml(root / "workflow" / "schemas" / f"{name}.schema.yaml")
    properties = _model_properties(schema)
    family = properties.get("likelihood", {}).get("declared")
    if family is not None:
        source = Path(reseat.__file__).parent / "models" / f"{family}.py"
        found = [name for name, *_ in read_declarations(source, "likelihood")]
        properties["likelihood"]["enum"] = found
    chosen = properties.get("prior", {}).get("declared")
    if chosen is not None:
        every = chosen == "all"
        priors = [prior for prior in all_priors().values() if every or prior.groups]
        properties["prior"]["enum"] = [prior.name for prior in priors]
        settings = set(properties)
        for prior in priors if every else ():
            for parameter in settings & prior.parameters.keys():
                raise ConfigError(
                    f"The prior {prior.name!r} has a parameter {parameter!r}, which is a setting "
                    f"of the models of {name}; rename the parameter."
                )
            properties |= prior.schemas
    return schema


def validate_family(section: Mapping[str, Any], root: Path, family: str) -> None:
    """Check the section of a family."""
    schema = read_schema(root, family)
    read_texts(section, schema)

    def place(path: list, source: str) -> str:
        return f"{source}, {'.'.join(map(str, [family, *path]))}"

    validate(section, schema, "config", place)
    if _model_properties(schema).get("prior", {}).get("declared") == "all":
        for name, settings in section["models"].items():
            if "prior" in settings:
                check_parameters(settings, f"config, {family}.models.{name}: ")
                # Parameters of different priors may have the same name but different schemas.
                own = {"properties": declared_prior(settings["prior"]).schemas}
                nested = {"properties": {"models": {"properties": {name: own}}}}
                validate(section, nested, "config", place)


def _model_properties(schema: Mapping[str, Any]) -> dict[str, Any]:
    entry = schema["properties"].get("models", {}).get("additionalProperties", {})
    return entry.get("properties", {})
