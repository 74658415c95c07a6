"""A configuration, checked, and what it settles: the data sets and a plan for each family."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from reseat.configuration import read_yaml, validate
from reseat.datasets import (
    Availability,
    DataSettings,
    Registry,
    check_available,
    check_paths,
    configured,
    without_unreachable,
)
from reseat.experiments.distances.plan import Plan as DistancesPlan
from reseat.experiments.documents.plan import Plan as DocumentsPlan
from reseat.experiments.records.plan import Plan as RecordsPlan
from reseat.experiments.relational.plan import Plan as RelationalPlan
from reseat.experiments.schemas import read_schema, validate_family
from reseat.experiments.supervised.plan import Plan as SupervisedPlan
from reseat.runs import run_name

__all__ = ["FAMILIES", "Settled", "settle"]

FAMILIES = ("documents", "records", "distances", "relational", "supervised")


@dataclass(frozen=True)
class Settled:
    """What a run is going to do.

    Attributes
    ----------
    run : str
    registry : Registry
    data : DataSettings
    wanted : tuple of str
        Data sets that the configuration asks for.
    available : Availability
        Which of them can be used.
    documents, records, distances, relational, supervised
        Plans of the families with what is available.
    config : mapping
        What was settled.
    """

    run: str
    registry: Registry
    data: DataSettings
    wanted: tuple[str, ...]
    available: Availability
    documents: DocumentsPlan
    records: RecordsPlan
    distances: DistancesPlan
    relational: RelationalPlan
    supervised: SupervisedPlan
    config: Mapping[str, Any]

    @property
    def plans(self) -> tuple:
        """The plans of all families, in the order of `FAMILIES`."""
        return tuple(getattr(self, family) for family in FAMILIES)

    def plans_with(self, names: Sequence[str]) -> SimpleNamespace:
        """The plans, by family, if these data sets could be used."""
        return SimpleNamespace(**_plans(self.config, self.registry, Availability(tuple(names))))


def settle(config: Mapping[str, Any], root: Path, probe: bool | None = None) -> Settled:
    """Check a configuration and settle which data sets can be used.

    Parameters
    ----------
    config : mapping
        That of the workflow, all of its files laid over each other.
    root : path
        Of the project: its schemas and its registry of data sets are used.
    probe : bool, optional
        Whether hosts are asked if they answer, before the files there count as available; if
        False, what was found when they were last asked. By default they are taken to answer.

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
    for family in FAMILIES:
        validate_family(config[family], root, family)
    registry, data = configured(config, root)
    check_paths(data, registry)
    scale = config["scale"]
    wanted = (
        *DocumentsPlan.wanted(config["documents"], scale, data.paths),
        *RecordsPlan.wanted(config["records"], scale),
        *DistancesPlan.wanted(config["distances"], scale),
        *RelationalPlan.wanted(config["relational"], scale),
        *SupervisedPlan.wanted(config["supervised"], scale),
    )
    features = config["documents"]["features"]
    if probe is not None:
        data = without_unreachable(registry, wanted, data, features, probe)
    if data.missing == "stop":
        available = Availability(wanted)  # looked for when a job needs them
    else:
        available = check_available(registry, wanted, data, features)
    shipped = read_yaml(root / "config" / "config.yaml")
    return Settled(
        run=run_name(config, shipped["seed"]),
        registry=registry,
        data=data,
        wanted=wanted,
        available=available,
        **_plans(config, registry, available),
        config=config,
    )


def _plans(config: Mapping[str, Any], registry: Registry, available: Availability) -> dict:
    """The plan of each family with what is available."""
    scale, seed, replaced = config["scale"], config["seed"], available.replaced
    of = {
        family: tuple(name for name in available.names if registry[name].family == family)
        for family in FAMILIES
    }
    return {
        "documents": DocumentsPlan(scale, seed, config["documents"], of["documents"]),
        "records": RecordsPlan(scale, seed, config["records"], of["records"], replaced),
        "distances": DistancesPlan(scale, seed, config["distances"], of["distances"], replaced),
        "relational": RelationalPlan(scale, seed, config["relational"], of["relational"], replaced),
        "supervised": SupervisedPlan(scale, seed, config["supervised"], of["supervised"], replaced),
    }
