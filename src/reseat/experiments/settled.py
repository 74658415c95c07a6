"""A configuration, checked, and what it settles: the data sets and a plan for each family."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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
from reseat.experiments.distances.plan import Plan as DistancesPlan
from reseat.experiments.documents.plan import Plan as DocumentsPlan
from reseat.experiments.records.plan import Plan as RecordsPlan
from reseat.experiments.relational.plan import Plan as RelationalPlan
from reseat.experiments.schemas import read_schema, validate_family
from reseat.experiments.sense import check_documents, check_numbers
from reseat.experiments.supervised.plan import Plan as SupervisedPlan
from reseat.runs import run_name

__all__ = ["FAMILIES", "Settled", "settle"]

FAMILIES = ("documents", "records", "distances", "relational", "supervised")


@dataclass(frozen=True)
class Settled:
    """What a run is going to do."""

    run: str
    registry: Registry
    data: DataSettings
    available: Availability
    documents: DocumentsPlan
    records: RecordsPlan
    distances: DistancesPlan
    relational: RelationalPlan
    supervised: SupervisedPlan

    @property
    def plans(self) -> tuple:
        """The plans of all families, in the order of `FAMILIES`."""
        return tuple(getattr(self, family) for family in FAMILIES)


def settle(config: Mapping[str, Any], root: Path) -> Settled:
    """Check a configuration and settle which data sets can be used.

    Parameters
    ----------
    config : mapping
        That of the workflow, all of its files laid over each other.
    root : path
        Of the project: its schemas and its registry of data sets are used.

    Returns
    -------
    Settled

    Raises
    ------
    ConfigError
        One sentence on the first thing that is wrong with the configuration, a name or a path in
        ``data.paths`` that stands for nothing among them.
    DataError
        If data are missing and shall be left out or replaced, but cannot be.
    """
    validate(dict(config), read_schema(root, "config"), "config")
    check_numbers(config)
    for family in FAMILIES:
        validate_family(config[family], root, family)
    check_documents(config["documents"])
    registry = Registry.load(
        root / "config" / "datasets.yaml", root / "workflow" / "schemas" / "datasets.schema.yaml"
    )
    data = DataSettings.from_config(config["data"])
    check_paths(data, registry)
    scale, seed = config["scale"], config["seed"]
    wanted = (
        *DocumentsPlan.wanted(config["documents"], scale, data.paths),
        *RecordsPlan.wanted(config["records"], scale),
        *DistancesPlan.wanted(config["distances"], scale),
        *RelationalPlan.wanted(config["relational"], scale),
        *SupervisedPlan.wanted(config["supervised"], scale),
    )
    if data.missing == "stop":
        available = Availability(wanted)  # looked for when a job needs them
    else:
        available = check_available(registry, wanted, data, config["documents"]["features"])
    of = {
        family: tuple(name for name in available.names if registry[name].family == family)
        for family in FAMILIES
    }
    replaced = available.replaced
    shipped = read_yaml(root / "config" / "config.yaml")
    return Settled(
        run_name(config, shipped["seed"]),
        registry,
        data,
        available,
        DocumentsPlan(scale, seed, config["documents"], of["documents"]),
        RecordsPlan(scale, seed, config["records"], of["records"], replaced),
        DistancesPlan(scale, seed, config["distances"], of["distances"], replaced),
        RelationalPlan(scale, seed, config["relational"], of["relational"], replaced),
        SupervisedPlan(scale, seed, config["supervised"], of["supervised"], replaced),
    )
