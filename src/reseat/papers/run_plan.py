"""Plan of a run from its configuration, and what cannot be made because data are missing."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reseat.configuration import MERGED, Place
from reseat.datasets import (
    Availability,
    DataSettings,
    Registry,
    check_available,
    check_paths,
    configured,
    format_missing,
    without_unreachable,
)
from reseat.datasets.missing import missing_report
from reseat.errors import DataError
from reseat.papers.catalogue import CATALOGUE
from reseat.papers.configuration import Configuration, Known, section_of
from reseat.papers.declare import Artefact
from reseat.papers.plan import StudyPlan
from reseat.provenance.runs import run_name
from reseat.sections import read_section

# ---- Plan of a run from its configuration: the data sets, and a plan for each family ---------


@dataclass(frozen=True)
class RunPlan:
    """Everything that a run is going to do."""

    run: str
    registry: Registry
    data: DataSettings
    #: Data sets that the configuration asks for.
    wanted: tuple[str, ...]
    available: Availability
    #: In the order in which their papers are listed in `reseat.papers.catalogue`.
    families: Mapping[str, StudyPlan]
    config: Mapping[str, Any]

    def families_with(self, names: Sequence[str]) -> dict[str, StudyPlan]:
        """Return the plans of the families if these data sets could be used."""
        return _families(self.config, self.registry, Availability(tuple(names)))


def plan_run(config: Mapping[str, Any], root: Path, probe: bool | None = None) -> RunPlan:
    """Check a configuration and determine which data sets can be used.

    `probe`: whether hosts are asked for files that are not here, or their last answers are used.
    """
    read_section(Configuration.with_families(), config, Place(MERGED))
    registry, data = configured(config, root)
    check_paths(data, registry)
    known = Known(config["scale"], registry, config.get("datasets", {}), data.paths)
    for family in CATALOGUE.families:
        read_section(section_of(family), config[family], Place(MERGED, (family,)), known)
    wanted = tuple(
        name
        for family in CATALOGUE.families
        for name in section_of(family).PLAN.wanted(config[family], config["scale"], data.paths)
    )
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


def _families(
    config: Mapping[str, Any], registry: Registry, available: Availability
) -> dict[str, StudyPlan]:
    plans = {}
    for family in CATALOGUE.families:
        own = tuple(name for name in available.names if registry[name].family == family)
        given = (config["scale"], config["seed"], config[family], own, available.replaced)
        plans[family] = section_of(family).PLAN(*given)
    return plans


# ---- Tables and figures that a run cannot make, or only in part, because data are missing ----

WIDTH = 100


@dataclass(frozen=True)
class Shortfall:
    """Effect of missing data on the tables and figures of a run."""

    #: Artefacts that are not made, or from fewer data sets, mapped to those that they lack.
    left_out: dict[str, tuple[str, ...]]
    in_part: dict[str, tuple[str, ...]]
    #: Artefacts that could be made if nothing were missing.
    n_artefacts: int

    def sentence(self, missing: Iterable[str]) -> str:
        """Return a sentence on how many artefacts can be made without the data sets `missing`."""
        gone = list(dict.fromkeys(missing))
        made = self.n_artefacts - len(self.left_out)
        sets = "1 data set is" if len(gone) == 1 else f"{len(gone)} data sets are"
        return (
            f"{sets} missing: {made} of {self.n_artefacts} tables and figures can be made, "
            f"{len(self.in_part)} of them only in part."
        )


def shortfall(plan: RunPlan, products: Mapping[str, Any]) -> Shortfall:
    """Determine which artefacts would be made from other files if no data were missing."""
    artefacts = {name: made for name, made in products.items() if isinstance(made, Artefact)}
    whole = _files(plan.families_with(plan.wanted), artefacts)
    if not plan.available.skipped:
        return Shortfall({}, {}, len(whole))
    found = _files(plan.families, artefacts)
    changed = [name for name in whole if found.get(name) != whole[name]]
    lacking: dict[str, tuple[str, ...]] = dict.fromkeys(changed, ())
    for gone in plan.available.skipped:
        others = [name for name in plan.wanted if name != gone]
        without = _files(plan.families_with(others), {name: artefacts[name] for name in changed})
        for name in changed:
            if without.get(name) != whole[name]:
                lacking[name] += (gone,)
    left_out = {name: names for name, names in lacking.items() if name not in found}
    in_part = {name: names for name, names in lacking.items() if name in found}
    return Shortfall(left_out, in_part, len(whole))


def _files(plans: Mapping[str, Any], artefacts: Mapping[str, Artefact]) -> dict[str, Any]:
    """Return the files of each artefact that can be made, with names in place of folders."""
    folders = {name: name for name in ("processed", "tables", "published")}
    return {
        name: artefact.files(plans, lambda family: {"results": family, **folders})
        for name, artefact in artefacts.items()
        if artefact.can_be_made(plans)
    }


def shortfall_table(plan: RunPlan, products: Mapping[str, Any]) -> str:
    """Return a table of the missing data, as if they were skipped, and the artefacts affected."""
    plan = _as_skipping(plan)
    rows = plan.available.missing
    found = shortfall(plan, products)
    if not rows:
        return f"No data are missing: all {found.n_artefacts} tables and figures can be made."
    lacking = found.left_out | {f"{name}*": names for name, names in found.in_part.items()}
    needs: dict[str, list[str]] = {}
    for artefact, names in lacking.items():
        for name in names:
            needs.setdefault(name, []).append(artefact)
    uses = {name: f"needed by: {', '.join(artefacts)}" for name, artefacts in needs.items()}
    note = "* made in part, from the available data sets"
    table = format_missing(rows, plan.data, WIDTH, uses, note)
    return f"{found.sentence(row.dataset for row in rows)}\n\n{table}"


def _as_skipping(plan: RunPlan) -> RunPlan:
    """Return the plan of the same run if it left out the missing data sets."""
    if plan.data.missing != "stop":
        return plan
    features = plan.config["documents"]["features"]
    data = replace(plan.data, missing="skip")
    try:
        available = check_available(plan.registry, plan.wanted, data, features)
    except DataError:  # nothing at all is left
        rows = missing_report(plan.registry, plan.wanted, data, features)
        gone = tuple(dict.fromkeys(row.dataset for row in rows))
        names = tuple(name for name in plan.wanted if name not in gone)
        available = replace(plan.available, names=names, skipped=gone, missing=tuple(rows))
    families = plan.families_with(available.names)
    return replace(plan, data=data, available=available, families=families)
