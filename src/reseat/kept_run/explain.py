"""What the published run says about one of its tables, figures or claims, without its results."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reseat.configuration import did_you_mean
from reseat.errors import DataError
from reseat.files.atomic import sha256_of
from reseat.kept_run.costs import ARTEFACT_COSTS, read_costs
from reseat.kept_run.numbers import PublishedRun
from reseat.provenance.explain import SHORT, columns, heading
from reseat.report.numbers import duration
from reseat.vocabulary import split_claim


def explain_published(run: PublishedRun, name: str, artefacts: Mapping[str, Any]) -> dict[str, Any]:
    """Explain a table, a figure or a claim of the published run."""
    rows = run.table("claims").to_dict("records")
    claim = [row for row in rows if split_claim(row["claim"])[0].casefold() == name.casefold()]
    artefact = name if name in artefacts else Path(name).name.partition(".")[0]
    if not claim and artefact not in run.names():
        hint = did_you_mean(name, artefacts) or "."
        raise DataError(f"{name} is no table, figure or claim of the run in {run.folder}{hint}")
    key = split_claim(claim[0]["claim"])[0] if claim else ""
    names = [artefact]
    if key:
        names = [each for each, known in artefacts.items() if key in known.claims]
    tables = [run.table(each) for each in names if each in run.names()]
    sets = {cell for table in tables if "dataset" in table for cell in table["dataset"]}
    families = {artefacts[each].family for each in names if each in artefacts}
    chains = [chain for chain in run.manifest["chains"] if chain["family"] in families]
    facts, costs = run.manifest, read_costs(run.folder / ARTEFACT_COSTS)
    return {
        "target": name,
        "claim": claim,
        "artefact": "" if claim else artefact,
        "outputs": [],
        "run": {key: facts[key] for key in ("run", "scale", "settings")},
        "files": [
            {"path": path, "changed": sha256_of(run.folder / path) != entry["sha256"], **entry}
            for path, entry in facts["files"].items()
            if Path(path).name.partition(".")[0] in (names or ["claims"])
            and path.startswith(("tables/", "figures/", "claims"))
        ],
        "costs": {each: cost for each, cost in costs.items() if each in names},
        "chains": [chain for chain in chains if chain["dataset"] in sets],
        "data": [data for data in facts["data"] if data["name"] in sets],
        "code": facts["code"],
    }


def render_published(facts: dict[str, Any], folder: Path, artefact: Any | None = None) -> str:
    """Render an explanation as text."""
    run = facts["run"]
    chains = [
        (chain["dataset"], f"{chain['chains']} of {chain['model']}", f"{chain['sweeps']} sweeps")
        for chain in facts["chains"]
    ]
    costs = [
        (name, f"{cost['jobs']} jobs", duration(float(cost["seconds"])))
        for name, cost in facts["costs"].items()
    ]
    code = [
        (f"reseat {entry['version']}", f"commit {entry['commit'] or 'unknown'}")
        for entry in facts["code"]
    ]
    parts = [
        list(heading(facts, artefact)),
        [
            f"From the published run {run['run']}",
            f"  scale {run['scale']}, seed {run['settings']['seed']}",
            *columns([_file(folder, entry) for entry in facts["files"]]),
        ],
        ["Time in jobs", *columns(costs)],
        ["Chains on its data sets, and sweeps of the longest", *(columns(chains) or ["  none"])],
        ["Data", *(columns([_data(entry) for entry in facts["data"]]) or ["  none"])],
        ["Code of the jobs of the run", *columns(code)],
        [
            "Hashes of all chains are in chains.csv.gz there. To make the run yourself, with a "
            "record of each job:",
            f"  make all SCALE={run['scale']}",
        ],
    ]
    return "\n\n".join("\n".join(part) for part in parts if len(part) > 1) + "\n"


def _file(folder, entry):
    commit = f"commit {entry['commit']}" if entry.get("commit") else ""
    changed = "CHANGED since it was published" if entry["changed"] else ""
    return (folder / entry["path"]).as_posix(), f"sha256 {entry['sha256'][:SHORT]}", commit, changed


def _data(entry):
    stands = f" for {entry['stands_for']}" if entry["stands_for"] else ""
    hashes = ", ".join(value[:SHORT] for value in entry["sha256"].values())
    return entry["name"], f"{entry['title']} ({entry['status']}{stands})", f"sha256 {hashes}"
