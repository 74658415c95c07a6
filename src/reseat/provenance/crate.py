"""A whole run as an RO-Crate: what it used, what it did, what it made.

Source: RO-Crate 1.1 and the profiles Workflow RO-Crate 1.0 and Process, Workflow and Provenance
Run Crate 0.5 (https://www.researchobject.org/workflow-run-crate/).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from reseat.provenance.background import add_data, add_licence, add_papers, add_software
from reseat.provenance.entities import Graph, ref
from reseat.provenance.facts import chain_groups, seeds_of
from reseat.provenance.history import History, Step
from reseat.provenance.record import record_path

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

COMPLETED = "http://schema.org/CompletedActionStatus"


@dataclass(frozen=True)
class CrateInputs:
    """What the records do not tell.

    Attributes
    ----------
    history : History
    outputs : sequence of str
        What the run was for; everything that led there goes into the crate.
    catalogue : Catalogue
        Of the artefacts.
    citation : mapping
        ``CITATION.cff``.
    workflow : str
        Path of the Snakefile.
    configuration : sequence of str
        Files of the configuration.
    environment : mapping of str to str
        Versions, from `reseat.report.environment`.
    """

    history: History
    outputs: Sequence[str]
    catalogue: Any
    citation: Mapping[str, Any]
    workflow: str
    configuration: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


def build_crate(inputs: CrateInputs) -> dict[str, Any]:
    """The crate as JSON-LD, for ``ro-crate-metadata.json`` in the folder of the run.

    Parameters
    ----------
    inputs : CrateInputs

    Returns
    -------
    dict
        `@context` and `@graph`. Files are named relative to the folder of the run; a workflow
        that lies elsewhere is named by the way there, and is then no part of the crate.
    """
    graph = Graph(inputs.history.root)
    steps = inputs.history.steps(inputs.outputs)
    licence = add_licence(graph, inputs.citation)
    add_software(graph, inputs, steps, licence)
    configuration = [graph.file(path, name="Configuration") for path in inputs.configuration]
    data = add_data(graph, steps)
    jobs = [_job(graph, step) for step in reversed(steps)]
    _chains(graph, steps)
    papers = add_papers(graph, inputs)
    made = _artefacts(graph, inputs, papers)
    run = _run(graph, inputs, steps, jobs, [*configuration, *data], made)
    for profile, name in (*RUN_PROFILES.items(), (WORKFLOW_PROFILE, "Workflow RO-Crate")):
        graph.add(profile, "CreativeWork", name=name, version=profile.rsplit("/", 1)[1])
    root = {
        "@id": "./",
        "@type": "Dataset",
        "conformsTo": [ref(profile) for profile in (*RUN_PROFILES, WORKFLOW_PROFILE)],
        "name": f"A run of reseat, scale {steps[0].record['scale'] if steps else 'unknown'}",
        "description": inputs.citation["abstract"],
        "datePublished": datetime.now(UTC).isoformat(timespec="seconds"),
        "license": licence,
        "mainEntity": ref(inputs.workflow),
        "author": graph.add(
            "#reseat-developers", "Organization", name=inputs.citation["authors"][0]["name"]
        ),
        "mentions": [run, *(action for _, action in jobs)],
        "hasPart": graph.data_entities(),
    }
    descriptor = {
        "@id": "ro-crate-metadata.json",
        "@type": "CreativeWork",
        "conformsTo": [ref(SPECIFICATION), ref(WORKFLOW_PROFILE)],
        "about": ref("./"),
    }
    return {"@context": CONTEXT, "@graph": [descriptor, root, *graph.entities()]}


def _job(graph, step: Step):
    record = step.record
    seeds = [
        graph.add(f"#seed-{entry['seed']}", "PropertyValue", name="seed", value=str(entry["seed"]))
        for entry in seeds_of([step])
    ]
    told = ", ".join(f"{key} {value}" for key, value in record["wildcards"].items())
    outputs = [graph.file(out["path"], out["sha256"], out["size"]) for out in record["outputs"]]
    taken = [
        graph.file(entry["path"], entry["sha256"], entry["size"]) for entry in record["inputs"]
    ]
    name = record["log"].removeprefix("logs/").removesuffix(".log")
    return step.rule, graph.add(
        f"#job-{name}",
        "CreateAction",
        name=f"{record['rule']}{f' ({told})' if told else ''}",
        description=f"The record {record_path(record['log']).as_posix()} tells its parameters.",
        instrument=ref(record["script"]["path"]),
        object=[*taken, *seeds],
        result=outputs,
        startTime=record["started"],
        endTime=record["ended"],
        actionStatus=COMPLETED,
    )


def _chains(graph, steps):
    """Folders of chains say whose they are, and from which streams of random numbers."""
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


def _artefacts(graph, inputs, papers):
    made = []
    for path in inputs.outputs:
        artefact = inputs.catalogue.artefacts.get(Path(path).stem)
        if artefact is None or not path.startswith(("reports/tables/", "reports/figures/")):
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


def _run(graph, inputs, steps, jobs, used, made):
    """The run, its steps and its jobs."""
    times = [step.record for step in steps]
    sources = [graph.file(entry["path"]) for entry in inputs.history.sources(steps)]
    unique = {entity["@id"]: entity for entity in (*used, *sources)}
    run = graph.add(
        "#run",
        "CreateAction",
        name="The run of the workflow",
        instrument=ref(inputs.workflow),
        object=list(unique.values()),
        result=made,
        startTime=min((record["started"] for record in times), default=None),
        endTime=max((record["ended"] for record in times), default=None),
        actionStatus=COMPLETED,
    )
    controls = [
        graph.add(
            f"#control-{rule}",
            "ControlAction",
            name=f"Jobs of the rule {rule}",
            instrument=ref(f"#step-{rule}"),
            object=[action for other, action in jobs if other == rule],
        )
        for rule in dict.fromkeys(rule for rule, _ in jobs)
    ]
    graph.add(
        "#orchestration",
        "OrganizeAction",
        name="Snakemake at work",
        instrument=ref("#snakemake-engine"),
        object=controls,
        result=run,
    )
    return run
