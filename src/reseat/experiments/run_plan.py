"""Plan of a run from its configuration: the data sets, and a plan for each family."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from reseat.configuration import did_you_mean, read_texts, validate
from reseat.datasets import (
    Availability,
    DataSettings,
    Registry,
    check_available,
    check_paths,
    configured,
    without_unreachable,
)
from reseat.errors import ConfigError
from reseat.experiments.catalogue import CATALOGUE
from reseat.experiments.configuration_checks import (
    check_kinds,
    check_models,
    check_names,
    check_numbers,
    rules_of,
)
from reseat.experiments.planning import StudyPlan
from reseat.experiments.schemas import read_schema, validate_family
from reseat.runs import run_name

__all__ = ["RunPlan", "plan_run"]


@dataclass(frozen=True)
class RunPlan:
    """Everything that a run is going to do."""

    #: Name of the run.
    run: str
    registry: Registry
    data: DataSettings
    #: Data sets that the configuration asks for.
    wanted: tuple[str, ...]
    #: Which of them can be used.
    available: Availability
    #: In the order in which their papers are listed in `reseat.experiments.catalogue`.
    families: Mapping[str, StudyPlan]
    #: The configuration from which the plan was made.
    config: Mapping[str, Any]

    def families_with(self, names: Sequence[str]) -> dict[str, StudyPlan]:
        """Return the plans of the families if these data sets could be used."""
        return _families(self.config, self.registry, Availability(tuple(names)))


def plan_run(config: Mapping[str, Any], root: Path, probe: bool | None = None) -> RunPlan:
    """Check a configuration and determine which data sets can be used.

    `probe`: if True, hosts are asked whether they have the files that are not on this machine,
        before these count as available; if False, the answers of the last time are used. By default
        the hosts are assumed to have them.
    """
    schema = read_schema(root, "config")
    schema["properties"] |= dict.fromkeys(CATALOGUE.families, {"type": "object"})
    read_texts(config, schema)
    validate(dict(config), schema, "config")
    check_numbers(config)
    _check_run(config, schema)
    for family in CATALOGUE.families:
        validate_family(config[family], root, family)
        check_models(family, config[family])
        if rules_of(family).check_section is not None:
            rules_of(family).check_section(config[family])
    registry, data = configured(config, root)
    _check_data(config, registry)
    check_paths(data, registry)
    wanted = tuple(
        name
        for family, plan in _plan_classes().items()
        for name in plan.wanted(config[family], config["scale"], data.paths)
    )
    _check_families(config, registry, data)
    features, run = config["documents"]["features"], run_name(config)
    if probe is not None:
        data = without_unreachable(registry, wanted, data, features, probe, run)
    if data.missing == "stop":
        available = Availability(wanted)  # files are looked for when a job needs them
    else:
        available = check_available(registry, wanted, data, features)
    families = _families(config, registry, available)
    if data.missing != "stop":
        for source, options in families["documents"].reading_features():
            check_available(registry, [source], data, options)
    return RunPlan(run, registry, data, wanted, available, families, config)


def _check_run(config: Mapping[str, Any], schema: Mapping[str, Any]) -> None:
    """Raise a ConfigError if a run would write into the folders of another scale or seed."""
    run, scales = config.get("run"), schema["properties"]["scale"]["enum"]
    automatic = re.fullmatch(rf"({'|'.join(scales)})(-seed\d+)?", run or "")
    if automatic and run != run_name({**config, "run": None}):
        raise ConfigError(
            f"config, run: {run!r} is what runs of another scale or seed are called (the scale is "
            f"{config['scale']!r}, the seed {config['seed']}); choose another name."
        )


def _check_data(config: Mapping[str, Any], registry: Registry) -> None:
    """Raise a ConfigError for a data set that the section of a family cannot use."""
    own = config.get("datasets") or {}
    for family in CATALOGUE.families:
        check_names(family, config[family], registry)
        check_kinds(family, config[family], registry)
    for family in CATALOGUE.families:
        if rules_of(family).check_data is not None:
            rules_of(family).check_data(config[family], config["scale"], registry, own)


def _check_families(config: Mapping[str, Any], registry: Registry, data: DataSettings) -> None:
    """Raise a ConfigError if a family is to run on a data set of another family, or on none.

    Scales that are not run now are checked as well, since a setting may be meant for this one.
    """
    named = [
        (family, scale, name)
        for family, plan in _plan_classes().items()
        for scale in (config["scale"], *config[family]["scales"])
        for name in plan.wanted(config[family], scale, data.paths)
    ]
    for family, scale, name in named:
        if name not in registry:
            raise ConfigError(
                f"config, {family}: the scale {scale!r} names the data set {name!r}, "
                "which is neither in config/datasets.yaml nor under datasets in your "
                "configuration file" + did_you_mean(name, registry)
            )
        if registry[name].family != family:
            raise ConfigError(
                f"config, {family}: the scale {scale!r} names the data set {name!r}, "
                f"which is of the family {registry[name].family!r}; name it there, or say "
                f"family: {family} in its entry."
            )


def _plan_classes() -> dict[str, type[StudyPlan]]:
    return {
        family: import_module(f"reseat.experiments.{family}.plan").Plan
        for family in CATALOGUE.families
    }


def _families(
    config: Mapping[str, Any], registry: Registry, available: Availability
) -> dict[str, StudyPlan]:
    """Return the plan of each family for the data sets that are available."""
    return {
        family: plan(
            config["scale"],
            config["seed"],
            config[family],
            tuple(name for name in available.names if registry[name].family == family),
            available.replaced,
        )
        for family, plan in _plan_classes().items()
    }
