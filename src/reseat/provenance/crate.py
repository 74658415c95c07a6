"""All runs as an RO-Crate: their inputs, jobs and results.

Source: RO-Crate 1.1 and the profiles Workflow RO-Crate 1.0 and Process, Workflow and Provenance
Run Crate 0.5 (https://www.researchobject.org/workflow-run-crate/).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from reseat.provenance.background import add_data, add_licence, add_papers, add_software
from reseat.provenance.changes import changed_code
from reseat.provenance.entities import Graph, ref
from reseat.provenance.facts import chain_groups, data_sets, seeds_of
from reseat.provenance.history import History, Step
from reseat.runs import record_path

__all__ = ["CrateInputs", "build_crate"]

CONTEXT = [
    "https://w3id.org/ro/crate/1.1/context",
    "https://w3id.org/ro/terms/workflow-run/context",
]
SPECIFICATION = "https://w3id.org/ro/crate/1.1"
WORKFLOW_PROFILE = "https://w3id.org/workflowhub/workflow-ro-crate/1.0"
RUN_PROFILES = {
    f"https://w3id.org/ro/wfrun/{name}/0.5": f"{name.capitalize()} Run Crate"
    for name in ("process", "workflow", "provenance")
}

#: File in which a run writes its configuration, beside its report.
CONFIGURATION = "configuration.yaml"

COMPLETED = "http://schema.org/CompletedActionStatus"


@dataclass(frozen=True)
class CrateInputs:
    """Records of the runs, and facts that the records do not contain."""

    history: History
    #: Catalogue of the artefacts.
    catalogue: Any
    #: Contents of ``CITATION.cff``.
    citation: Mapping[str, Any]
    #: Path of the Snakefile.
    workflow: str
    #: Versions of the software, from `reseat.report.machine`.
    environment: Mapping[str, str] = field(default_factory=dict)


def build_crate(inputs: CrateInputs) -> dict[str, Any]:
    """Return the crate as JSON-LD, for ``ro-crate-metadata.json`` in the folder of the project.

    It contains everything that led to the files in the report of a run. Paths are relative to the
    folder of the project. A workflow that lies elsewhere is described by its relative path, but is
    not part of the crate.
    """
    graph = Graph(inputs.history.root)
    outputs = {run: _outputs(inputs.history, run) for run in inputs.history.runs}
    steps = inputs.history.steps(path for paths in outputs.values() for path in paths)
    licence = add_licence(graph, inputs.citation)
    add_software(graph, inputs, steps, licence)
    add_data(graph, steps)
    jobs = [_job(graph, inputs.history, step) for step in reversed(steps)]
    _chains(graph, steps)
    papers = add_papers(graph, inputs)
    runs = [
        _run(graph, inputs, name, paths, _artefacts(graph, inputs, papers, paths))
        for name, paths in outputs.items()
        if paths
    ]
    for profile, name in (*RUN_PROFILES.items(), (WORKFLOW_PROFILE, "Workflow RO-Crate")):
        graph.add(profile, "CreativeWork", name=name, version=profile.rsplit("/", 1)[1])
    root = {
        "@id": "./",
        "@type": "Dataset",
        "conformsTo": [ref(profile) for profile in (*RUN_PROFILES, WORKFLOW_PROFILE)],
        "name": f"Runs of reseat: {', '.join(outputs)}",
        "description": inputs.citation["abstract"],
        "datePublished": datetime.now(UTC).isoformat(timespec="seconds"),
        "license": licence,
        "mainEntity": ref(inputs.workflow),
        "author": graph.add(
            "#reseat-developers", "Organization", name=inputs.citation["authors"][0]["name"]
        ),
        "mentions": [*runs, *jobs],
        "hasPart": graph.data_entities(),
    }
    descriptor = {
        "@id": "ro-crate-metadata.json",
        "@type": "CreativeWork",
        "conformsTo": [ref(SPECIFICATION), ref(WORKFLOW_PROFILE)],
        "about": ref("./"),
    }
    return {"@context": CONTEXT, "@graph": [descriptor, root, *graph.entities()]}


def _job(graph, history, step: Step):
    record = step.record
    seeds = [
        graph.add(f"#seed-{entry['seed']}", "PropertyValue", name="seed", value=str(entry["seed"]))
        for entry in seeds_of([step])
    ]
    changed = [path for _, path in changed_code(history, record)]
    told = ", ".join(f"{key} {value}" for key, value in record["wildcards"].items())
    outputs = [graph.file(out["path"], out["sha256"], out["size"]) for out in record["outputs"]]
    taken = [
        graph.file(entry["path"], entry["sha256"], entry["size"]) for entry in record["inputs"]
    ]
    return graph.add(
        _name_of_job(step),
        "CreateAction",
        name=f"{record['rule']}{f' ({told})' if told else ''}",
        description=f"The record {record_path(record['log']).as_posix()} lists its parameters."
        + (f" Its code has changed since: {', '.join(changed)}." if changed else ""),
        instrument=ref(record["script"]["path"]),
        object=[*taken, *seeds],
        result=outputs,
        startTime=record["started"],
        endTime=record["ended"],
        actionStatus=COMPLETED,
    )


def _chains(graph, steps):
    """Describe folders of chains by their models, lengths, seeds and streams of random numbers."""
    told: dict[str, list[str]] = {}
    for group in chain_groups(steps):
        streams = ["/".join(map(str, stream)) for stream in group["streams"]]
        told.setdefault(group["output"], []).append(
            f"{group['n_chains']} of {group['model']}: {group['burn_in']} + {group['n_samples']} "
            f"sweeps, seed {group['seed']}, streams {', '.join(streams)}, "
            f"chains {', '.join(map(str, group['chains']))}"
        )
    for path, groups in told.items():
        graph.file(path, description="Chains. " + "; ".join(groups) + ".")


def _artefacts(graph, inputs, papers, outputs):
    made = []
    for path in outputs:
        artefact = inputs.catalogue.artefacts.get(Path(path).stem)
        if artefact is None or Path(path).parent.name not in {"tables", "figures"}:
            made.append(graph.file(path))
            continue
        label = artefact.published or artefact.name
        made.append(
            graph.file(
                path,
                name=f"{label}, after {artefact.paper.short}",
                description=artefact.shows,
                citation=papers[artefact.paper.key],
            )
        )
    return made


def _run(graph, inputs, name, outputs, made):
    """Add a run with its steps and jobs."""
    steps = inputs.history.steps(outputs)
    times = [step.record for step in steps]
    configuration = Path("reports", name, CONFIGURATION)
    used = [graph.file(entry["path"]) for entry in inputs.history.sources(steps)]
    if (inputs.history.root / configuration).is_file():
        used.append(graph.file(configuration.as_posix(), name=f"Configuration of {name}"))
    used += [ref(f"#data-{entry['name']}") for entry in data_sets(steps)]
    run = graph.add(
        f"#run-{name}",
        "CreateAction",
        name=f"The run {name} of the workflow, scale {times[0]['scale']}",
        instrument=ref(inputs.workflow),
        object=list({entity["@id"]: entity for entity in used}.values()),
        result=made,
        startTime=min(record["started"] for record in times),
        endTime=max(record["ended"] for record in times),
        actionStatus=COMPLETED,
    )
    controls = [
        graph.add(
            f"#control-{name}-{rule}",
            "ControlAction",
            name=f"Jobs of the rule {rule}",
            instrument=ref(f"#step-{rule}"),
            object=[ref(_name_of_job(step)) for step in steps if step.rule == rule],
        )
        for rule in dict.fromkeys(step.rule for step in steps)
    ]
    graph.add(
        f"#orchestration-{name}",
        "OrganizeAction",
        name="Snakemake at work",
        instrument=ref("#snakemake-engine"),
        object=controls,
        result=run,
    )
    return run


def _outputs(history, run):
    """Return the existing outputs in the report of a run, which are its results."""
    made = {
        entry["path"]: None
        for record in history.records
        for entry in record["outputs"]
        if entry["path"].startswith(f"reports/{run}/")
    }
    return [path for path in made if (history.root / path).exists()]


def _name_of_job(step):
    return f"#job-{step.record['log'].removeprefix('logs/').removesuffix('.log')}"
