"""What a run does by its configuration: the data sets, and a plan for each family."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from reseat.configuration import read_yaml, validate
from reseat.datasets import (
    Availability,
    DataSettings,
    Registry,
    check_available,
    check_paths,
)
from reseat.experiments.catalogue import CATALOGUE
from reseat.experiments.planning import StudyPlan
from reseat.experiments.schemas import read_schema, validate_family
from reseat.experiments.sense import check_documents, check_numbers
from reseat.runs import run_name

__all__ = ["RunPlan", "plan_run"]


@dataclass(frozen=True)
class RunPlan:
    """What a run is going to do.

    Attributes
    ----------
    run : str
        Its name.
    registry : Registry
    data : DataSettings
    available : Availability
    families : mapping of str to StudyPlan
        In the order in which their papers are listed in `reseat.experiments.catalogue`.
    """

    run: str
    registry: Registry
    data: DataSettings
    available: Availability
    families: Mapping[str, StudyPlan]


def plan_run(config: Mapping[str, Any], root: Path) -> RunPlan:
    """Check a configuration and settle which data sets can be used.

    Parameters
    ----------
    config : mapping
        That of the workflow, all of its files laid over each other.
    root : path
        Of the project: its schemas and its registry of data sets are used.

    Returns
    -------
    RunPlan

    Raises
    ------
    ConfigError
        One sentence on the first thing that is wrong with the configuration, a name or a path in
        ``data.paths`` that stands for nothing among them.
    DataError
        If data are missing and shall be left out or replaced, but cannot be.
    """
    schema = read_schema(root, "config")
    schema["properties"] |= dict.fromkeys(CATALOGUE.families, {"type": "object"})
    validate(dict(config), schema, "config")
    check_numbers(config)
    for family in CATALOGUE.families:
        validate_family(config[family], root, family)
    check_documents(config.get("documents", {}))
    registry = Registry.load(
        root / "config" / "datasets.yaml", root / "workflow" / "schemas" / "datasets.schema.yaml"
    )
    data = DataSettings.from_config(config["data"])
    check_paths(data, registry)
    scale, seed = config["scale"], config["seed"]
    plans = {
        family: import_module(f"reseat.experiments.{family}.plan").Plan
        for family in CATALOGUE.families
    }
    wanted = [
        name
        for family, plan in plans.items()
        for name in plan.wanted(config[family], scale, data.paths)
    ]
    if data.missing == "stop":
        available = Availability(tuple(wanted))  # looked for when a job needs them
    else:
        available = check_available(registry, wanted, data, config["documents"]["features"])
    return RunPlan(
        run_name(config, read_yaml(root / "config" / "config.yaml")["seed"]),
        registry,
        data,
        available,
        {
            family: plan(
                scale,
                seed,
                config[family],
                tuple(name for name in available.names if registry[name].family == family),
                available.replaced,
            )
            for family, plan in plans.items()
        },
    )
