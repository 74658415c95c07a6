"""Checks of a configuration that no schema can express: consistent numbers, options of features."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from reseat.configuration import did_you_mean
from reseat.datasets import Dataset, Registry
from reseat.datasets.draw_names import cell_name
from reseat.datasets.features import FeatureOptions
from reseat.datasets.parsers import KINDS, PARSERS
from reseat.errors import ConfigError
from reseat.priors import BetaHyperprior, GammaHyperprior, all_priors, declared_prior

__all__ = [
    "check_cells",
    "check_degrees",
    "check_documents",
    "check_kinds",
    "check_models",
    "check_names",
    "check_numbers",
    "check_objects",
    "check_own_features",
    "check_records",
    "check_relations",
    "check_supervised",
]

#: Parameters of a prior that must be above 0 wherever they occur.
POSITIVE = ("concentration", "beta")

#: Families whose finite priors need the number of clusters in the configuration.
COUNTED = ("distances", "records")

#: Keys whose value is an interval, the lower end first, wherever they occur.
INTERVALS = ("log2_gamma", "log2_c")

#: Parts of a section whose keys are names of data sets.
NAMED = {
    "distances": ("points", "objects"),
    "documents": ("datasets",),
    "records": ("recipes",),
    "relational": ("sets",),
    "supervised": ("sets",),
}

#: Kinds of data sets, of `KINDS`, that each part of a section accepts if its family has several.
TAKES = {
    "distances": {"points": ("points",), "objects": ("sequences", "dissimilarities")},
    "records": {"recipes": ("recipe",)},
}

#: Entity types of the positions in each relation of a data set: for each parser, a function of the
#: options of the data set.
PLACES = {
    "count_tables": lambda options: [
        list(relation["columns"].values()) for relation in options["relations"].values()
    ],
    "generated_relations": lambda options: [
        list(relation["types"]) for relation in options["relations"].values()
    ],
    "generated_blocks": lambda options: [[options["rows"]["type"], options["columns"]["type"]]],
    "matlab_relation": lambda options: [list(options["types"])],
}

#: Key that distinguishes the kinds of models of a family, and the kind if the key is absent.
#: `ONLY_WITH` has the keys that affect only some of these kinds.
DECIDES = {
    "distances": ("likelihood", ""),
    "documents": ("kind", ""),
    "records": ("likelihood", "categorical"),
    "supervised": ("model", ""),
}
#: Models of references, by the name under which tables print the system.
SYSTEMS = {
    "SCDP-1": "scdp1",
    "SCDP-2": "scdp2",
    "SCDP-2x": "scdp2_exact",
    "SCDP-3": "scdp3_covariance",
    "SCDP-3p": "scdp3_precision",
    "CDP": "cdp",
}
WITH_TYPES = tuple(model for model in SYSTEMS.values() if model != "cdp")
ONLY_WITH = {
    "distances": {
        "exponent": ("distances",),
        "precision": ("distances",),
        "centre": ("similarities",),
    },
    "documents": {
        **dict.fromkeys(("prior", "beta", "split_merge", "anneal"), ("chains",)),
        **dict.fromkeys(("smoothing", "start", "tolerance"), ("em",)),
    },
    "records": {
        "per_field": ("categorical",),
        "bounded": ("categorical",),
        "marginals": ("categorical", "hitmiss"),
    },
    "supervised": {
        **dict.fromkeys(("types", "aux", "share", "held"), WITH_TYPES),
        "form": ("scdp1", "scdp2"),
        **dict.fromkeys(("precision", "sample_concentration"), ("cdp",)),
        "law": ("scdp2",),
        "pairs": tuple(model for model in WITH_TYPES if model != "scdp1"),
    },
}


def check_numbers(config: Mapping[str, Any]) -> None:
    """Raise a ConfigError for a number that is not finite or not positive where it has to be.

    The same holds for an interval that is empty or reversed, and for thinning that leaves no draws.

    Parameters
    ----------
    config : mapping
        The whole configuration.
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


def check_names(config: Mapping[str, Any], known: Collection[str]) -> None:
    """Raise a ConfigError for an entry whose name is not that of a data set.

    Parameters
    ----------
    config : mapping
        The whole configuration.
    known : collection of str
        Names of data sets.
    """
    for family, parts in NAMED.items():
        for part in parts:
            for name, entry in config.get(family, {}).get(part, {}).items():
                where = f"config, {family}.{part}.{name}"
                _check_name(where, name, known)
                if "instead_of" in entry:
                    _check_name(f"{where}.instead_of", entry["instead_of"], known)


def check_cells(section: Mapping[str, Any], known: Collection[str]) -> None:
    """Raise a ConfigError for a data set that has the name of the draws of a recipe.

    Parameters
    ----------
    section : mapping
        ``records`` of the configuration.
    known : collection of str
        Names of data sets.
    """
    for recipe in section["recipes"]:
        for delta in section["deltas"]:
            name = cell_name(recipe, delta)
            if name in known:
                raise ConfigError(
                    f"config, datasets.{name}: this is what the draws of {recipe!r} at delta "
                    f"{delta:g} are called; choose another name."
                )


def check_kinds(config: Mapping[str, Any], registry: Registry) -> None:
    """Raise a ConfigError for a data set of a kind that its entry does not accept.

    Parameters
    ----------
    config : mapping
        The whole configuration.
    registry : Registry
        Registry that contains the names of all entries.
    """
    for family, parts in TAKES.items():
        for part, kinds in parts.items():
            for name in config[family][part]:
                check_kind(f"config, {family}.{part}.{name}", registry, name, kinds)


def check_kind(where: str, registry: Registry, name: str, kinds: Sequence[str]) -> None:
    """Raise a ConfigError if a data set is of none of the given kinds.

    Parameters
    ----------
    where : str
        Where its name occurs, for the message.
    registry : Registry
    name : str
    kinds : sequence of str
        Keys of `reseat.datasets.parsers.KINDS`.
    """
    kind = PARSERS.kind_of(registry[name].parser)
    if kind not in kinds:
        found = "only files of other data sets" if kind is None else KINDS[kind].what
        wanted = " or ".join(KINDS[other].what for other in kinds)
        raise ConfigError(
            f"{where}: the data set {name!r} is {found}, not {wanted}; name it where these are "
            "asked for."
        )


def check_relations(section: Mapping[str, Any], scale: str, registry: Registry) -> None:
    """Raise a ConfigError for settings that do not match the entity types of a set of relations.

    A set needs one truncation for each of its types, and some parts of a scale take only sets with
    one relation between two different types.

    Parameters
    ----------
    section : mapping
        ``relational`` of the configuration.
    scale : str
    registry : Registry
    """
    places = {}
    for name, entry in section["sets"].items():
        dataset = registry[name]
        # Parsers of the user's own may have types that only the data reveal.
        if dataset.parser in PLACES:
            places[name] = _places(dataset)
            types = {kind for relation in places[name] for kind in relation}
            wrong = sorted(map(str, types ^ {*entry["truncation"]}))
            named = ", ".join(sorted(types))
            if wrong:
                raise ConfigError(
                    f"config, relational.sets.{name}.truncation: it must have one number for each "
                    f"of the types {named}; add or remove {', '.join(wrong)}."
                )
    for part in ("pairs", "gibbs"):
        for name in section["scales"][scale][part]["datasets"]:
            relations = places.get(name)
            if relations is not None and [len({*types}) for types in relations] != [2]:
                raise ConfigError(
                    f"config, relational.scales.{scale}.{part}.datasets has {name!r}, which is not "
                    "one relation between two different types; remove it."
                )
            if relations is not None and len(relations[0]) != 2:
                raise ConfigError(
                    f"config, relational.scales.{scale}.{part}.datasets has {name!r}, whose "
                    f"relation has {len(relations[0])} places; {part} takes pairs: remove it."
                )


def _places(dataset: Dataset) -> list[list[str]]:
    try:
        return PLACES[dataset.parser](dataset.options)
    except (KeyError, TypeError, AttributeError):
        raise ConfigError(
            f"data set {dataset.name!r}: its options do not say what types its relations are of; "
            f"see the parser {dataset.parser!r}."
        ) from None


def check_degrees(section: Mapping[str, Any], scale: str, registry: Registry) -> None:
    """Raise a ConfigError for a model that has no degrees of freedom left on a set of points.

    Parameters
    ----------
    section : mapping
        ``distances`` of the configuration.
    scale : str
    registry : Registry
    """
    for part, studies in section["scales"][scale].items():
        for number, study in enumerate(studies if isinstance(studies, list) else ()):
            for name, model in product(study["datasets"], study["models"]):
                lost = section["models"].get(model, {}).get("lost", 0)
                dim = registry[name].options.get("dim") if name in registry else None
                if isinstance(dim, int) and lost >= dim:
                    raise ConfigError(
                        f"config, distances.scales.{scale}.{part}[{number}].models has {model!r}, "
                        f"which loses {lost} degrees of freedom, but {name!r} has only "
                        f"{dim} dimensions; lower lost, or remove one of them."
                    )


def check_objects(objects: Mapping[str, Any], registry: Registry) -> None:
    """Raise a ConfigError for sequences without kappa, or other objects with it.

    Parameters
    ----------
    objects : mapping
        ``distances.objects`` of the configuration.
    registry : Registry
    """
    for name, entry in objects.items():
        aligned = PARSERS.kind_of(registry[name].parser) == "sequences"
        where = f"config, distances.objects.{name}"
        if aligned and "kappa" not in entry:
            raise ConfigError(f"{where}: sequences need kappa, which turns scores into distances.")
        if "kappa" in entry and not aligned:
            raise ConfigError(f"{where}.kappa: has an effect on sequences only; omit it.")


def _check_name(where: str, name: str, known: Collection[str]) -> None:
    if name not in known:
        hint = did_you_mean(name, known) or (
            "; add it under datasets in your configuration file, or omit the entry"
        )
        raise ConfigError(f"{where}: there is no data set {name!r}{hint}.")


def check_models(family: str, section: Mapping[str, Any]) -> None:
    """Raise a ConfigError for a key of a model without effect, or a finite prior without n_blocks.

    Parameters
    ----------
    family : str
    section : mapping
        Section of the family, with valid keys and values.
    """
    if family not in ONLY_WITH:
        return
    decides, default = DECIDES[family]
    needed = ONLY_WITH[family]
    if "prior" in needed:
        parameters = {name for prior in all_priors().values() for name in prior.parameters}
        needed = dict.fromkeys(parameters, needed["prior"]) | needed
    for name, model in section["models"].items():
        value = model.get(decides, default)
        for key in model:
            if value not in needed.get(key, (value,)):
                raise ConfigError(
                    f"config, {family}.models.{name}.{key}: has no effect with {decides} {value}, "
                    f"only with {' or '.join(needed[key])}; omit it."
                )
        prior = model.get("prior")
        if family in COUNTED and prior is not None:
            finite, counted = declared_prior(prior).finite, model.get("n_blocks") is not None
            if finite and not counted:
                raise ConfigError(
                    f"config, {family}.models.{name}: the prior {prior} needs n_blocks, the number "
                    "of its clusters; add it."
                )
            if counted and not finite:
                raise ConfigError(
                    f"config, {family}.models.{name}.n_blocks: has no effect with the prior "
                    f"{prior}, which has as many clusters as the data need; omit it."
                )


def check_supervised(section: Mapping[str, Any]) -> None:
    """Raise a ConfigError for a model with the name of another system, or an option it cannot use.

    Parameters
    ----------
    section : mapping
        ``supervised`` of the configuration.
    """
    for name, entry in section["models"].items():
        where, model = f"config, supervised.models.{name}", entry["model"]
        if model != SYSTEMS[entry["system"]]:
            raise ConfigError(
                f"{where}: the system {entry['system']} is the model {SYSTEMS[entry['system']]}, "
                f"not {model}; correct one of them."
            )
        explicit = model not in ("scdp1", "scdp2", "cdp") or entry.get("form") == "explicit"
        if "aux" in entry and not explicit:
            raise ConfigError(
                f"{where}.aux: has no effect, since the means are integrated out; omit it, or add "
                "form: explicit."
            )
        if entry.get("types") == "collapsed" and model == "scdp3_covariance":
            raise ConfigError(
                f"{where}.types: the precisions of {model} cannot be integrated out; omit it."
            )
        moves, starts = entry.get("moves"), entry.get("starts", ["singletons"])
        if moves == "split_merge" and explicit:
            raise ConfigError(
                f"{where}.moves: split_merge needs means that are integrated out, which those of "
                "this model are not; use joint."
            )
        if moves == "joint" and model == "cdp":
            raise ConfigError(f"{where}.moves: cdp has no types to move; use split_merge.")
        if entry.get("held") and (moves != "joint" or starts != ["truth"]):
            raise ConfigError(
                f"{where}.held: only the true publications are held; add moves: joint and starts: "
                "[truth]."
            )
        alone = {"learned", "scdp1"} & {*starts}
        if alone and model == "cdp":
            raise ConfigError(f"{where}.starts: cdp cannot start from {min(alone)}; leave it out.")


def check_records(section: Mapping[str, Any]) -> None:
    """Raise a ConfigError if a parameter starts above its bound, or its prior does not exist.

    Parameters
    ----------
    section : mapping
        ``records`` of the configuration.
    """
    for name in ("delta", "miss"):
        start, bound = (section[name][key] for key in ("start", "bound"))
        if start > bound:
            raise ConfigError(
                f"config, records.{name}.start: {start:g} is above the bound {bound:g}; lower it."
            )
    delta, miss = section["delta"], section["miss"]
    for name, law in (
        ("delta", lambda: GammaHyperprior(delta["shape"], delta["rate"], delta["bound"])),
        ("miss", lambda: BetaHyperprior.from_moments(miss["mean"], miss["sd"], miss["bound"])),
    ):
        try:
            law()
        except ConfigError as error:
            raise ConfigError(f"config, records.{name}: {error}") from error


def check_documents(section: Mapping[str, Any]) -> None:
    """Raise a ConfigError for lags that are missing or too long, and features that cannot be used.

    Parameters
    ----------
    section : mapping
        ``documents`` of the configuration.
    """
    for name, entry in section.get("datasets", {}).items():
        if entry["role"] == "enron" and "switching_lag" not in entry:
            raise ConfigError(
                f"config, documents.datasets.{name}: the role enron needs switching_lag, the "
                "number of sweeps between the two samples that Figure 3 compares; add it."
            )
        if entry.get("switching_lag", 0) >= entry["n_samples"]:
            raise ConfigError(
                f"config, documents.datasets.{name}.switching_lag: {entry['switching_lag']} must "
                f"be below n_samples, which is {entry['n_samples']}."
            )
    _check_features(section.get("features", {}), "config, documents.features")
    for name, reading in section.get("readings", {}).items():
        _check_features(reading["features"], f"config, documents.readings.{name}.features")


def check_own_features(entries: Mapping[str, Any]) -> None:
    """Raise a ConfigError for features of a data set of the user's own that cannot be used.

    Parameters
    ----------
    entries : mapping
        ``datasets`` of the configuration, with valid keys.
    """
    for name, entry in entries.items():
        _check_features(entry.get("features", {}), f"config, datasets.{name}.features")


def _check_features(options: Mapping[str, Any], where: str) -> None:
    try:
        FeatureOptions.from_config(options)
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from error


def _entries(value: Any, path: tuple) -> Iterator[tuple[tuple, Any]]:
    if path:
        yield path, value
    if isinstance(value, Mapping):
        for key, entry in value.items():
            yield from _entries(entry, (*path, key))
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for place, entry in enumerate(value):
            yield from _entries(entry, (*path, place))
