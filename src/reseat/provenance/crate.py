"""All runs as an RO-Crate: their inputs, jobs and results.

Source: RO-Crate 1.3 and the profiles Workflow RO-Crate 1.1 and Process, Workflow and Provenance
Run Crate 0.6 (https://www.researchobject.org/workflow-run-crate/).
"""

import mimetypes
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import quote

from reseat.provenance.changes import changed_sources
from reseat.provenance.explain import chain_groups, data_sets, seeds_of
from reseat.provenance.records import History, Step
from reseat.provenance.runs import record_path

CONTEXT = [
    "https://w3id.org/ro/crate/1.3/context",
    "https://w3id.org/ro/terms/workflow-run/context",
]
SPECIFICATION = "https://w3id.org/ro/crate/1.3"
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.6": "Process Run Crate",
    "https://w3id.org/ro/wfrun/workflow/0.6": "Workflow Run Crate",
    "https://w3id.org/ro/wfrun/provenance/0.6": "Provenance Run Crate",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.1": "Workflow RO-Crate",
}

COMPLETED = "http://schema.org/CompletedActionStatus"


@dataclass(frozen=True)
class CrateInputs:
    """Records of the runs, contents of ``CITATION.cff``, path of the Snakefile, and versions."""

    history: History
    catalogue: Any
    citation: Mapping[str, Any]
    workflow: str
    environment: Mapping[str, str] = field(default_factory=dict)


def build_crate(inputs: CrateInputs) -> dict[str, Any]:
    """Return the crate as JSON-LD, with everything that led to the files in the reports."""
    graph = Graph(inputs.history.root)
    outputs = {run: _outputs(inputs.history, run) for run in inputs.history.runs}
    steps = inputs.history.steps(path for paths in outputs.values() for path in paths)
    spdx = inputs.citation["license"]
    licence = graph.add(f"https://spdx.org/licenses/{spdx}", "CreativeWork", name=spdx)
    add_software(graph, inputs, steps, licence)
    add_data(graph, steps)
    jobs = [_job(graph, inputs.history, step) for step in reversed(steps)]
    _chains(graph, steps)
    papers = add_papers(graph, inputs)
    runs = [_run(graph, inputs, papers, name, paths) for name, paths in outputs.items() if paths]
    for profile, name in PROFILES.items():
        kinds = ("CreativeWork", "Profile")
        graph.add(profile, kinds, name=name, version=profile.rsplit("/", 1)[1])
    root = {
        "@id": "./",
        "@type": "Dataset",
        "conformsTo": [ref(profile) for profile in PROFILES],
        "name": f"Runs of reseat: {', '.join(outputs)}",
        "description": inputs.citation["abstract"],
        "datePublished": datetime.now(UTC).isoformat(timespec="seconds"),
        "license": licence,
        "mainEntity": ref(inputs.workflow),
        "author": graph.add(
            "#reseat-developers", "Organization", name=inputs.citation["authors"][0]["name"]
        ),
        "mentions": [*runs, *jobs],
        "hasPart": [{"@id": name} for name in graph.data],
    }
    descriptor = {"@id": "ro-crate-metadata.json", "@type": "CreativeWork"}
    descriptor |= {"conformsTo": ref(SPECIFICATION), "about": ref("./")}
    return {"@context": CONTEXT, "@graph": [descriptor, root, *graph.entities()]}


def _job(graph, history, step: Step):
    record = step.record
    seeds = [
        graph.add(f"#seed-{entry['seed']}", "PropertyValue", name="seed", value=str(entry["seed"]))
        for entry in seeds_of([step])
    ]
    changed = changed_sources(history, record)
    values = ", ".join(f"{key} {value}" for key, value in record["wildcards"].items())
    made, taken = (
        [graph.file(entry["path"], entry["sha256"], entry["size"]) for entry in record[part]]
        for part in ("outputs", "inputs")
    )
    return graph.add(
        _name_of_job(step),
        "CreateAction",
        name=f"{record['rule']}{f' ({values})' if values else ''}",
        description=f"The record {record_path(record['log']).as_posix()} lists its parameters."
        + (f" Its code has changed since: {', '.join(changed)}." if changed else ""),
        instrument=ref(record["script"]["path"]),
        object=[*taken, *seeds],
        result=made,
        startTime=record["started"],
        endTime=record["ended"],
        actionStatus=COMPLETED,
    )


def _chains(graph, steps):
    """Describe folders of chains by their models, lengths, seeds and streams of random numbers."""
    described: dict[str, list[str]] = {}
    for group in chain_groups(steps):
        streams = ["/".join(map(str, stream)) for stream in group["streams"]]
        described.setdefault(group["output"], []).append(
            f"{group['n_chains']} of {group['model']}: {group['burn_in']} + {group['n_samples']} "
            f"sweeps, seed {group['seed']}, streams {', '.join(streams)}, "
            f"chains {', '.join(map(str, group['chains']))}"
        )
    for path, groups in described.items():
        graph.file(path, description="Chains. " + "; ".join(groups) + ".")


def _artefacts(graph, inputs, papers, outputs):
    made = []
    for path in outputs:
        artefact, facts = inputs.catalogue.artefacts.get(Path(path).stem), {}
        if artefact is not None and Path(path).parent.name in {"tables", "figures"}:
            facts["name"] = f"{artefact.published or artefact.name}, after {artefact.paper.short}"
            facts["description"] = artefact.shows
            facts["isBasedOn"] = papers[artefact.paper.key]
        made.append(graph.file(path, **facts))
    return made


def _run(graph, inputs, papers, name, outputs):
    """Add a run with its steps and jobs."""
    made = _artefacts(graph, inputs, papers, outputs)
    steps = inputs.history.steps(outputs)
    times = [step.record for step in steps]
    configuration = Path("reports", name, "configuration.yaml")
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
    made = [entry["path"] for record in history.records for entry in record["outputs"]]
    own = dict.fromkeys(path for path in made if path.startswith(f"reports/{run}/"))
    return [path for path in own if (history.root / path).exists()]


def _name_of_job(step):
    return f"#job-{step.record['log'].removeprefix('logs/').removesuffix('.log')}"


def add_software(graph, inputs, steps, licence):
    """Add the workflow with a step and a script for each rule, the library and its packages."""
    packages = []
    for name, version in inputs.environment.items():
        if version[:1].isdigit() and name not in {"cores", "processor", "reseat", "system"}:
            facts = {"name": name, "version": version, "url": _page_of(name)}
            packages.append(graph.add(f"#software-{name}", "SoftwareApplication", **facts))
    code = steps[0].record["code"] if steps else {}
    library = graph.add(
        "#reseat",
        "SoftwareApplication",
        name="reseat",
        version=code.get("version", ""),
        url=inputs.citation["repository-code"],
        description=f"SHA-256 of its sources {code.get('sources', '')}; "
        f"commit {code.get('commit', 'unknown')}",
        softwareRequirements=packages,
    )
    name, page = "Snakemake", "https://snakemake.github.io"
    version, home = inputs.environment.get("snakemake", ""), ref(page)
    language = graph.add(
        "#snakemake", "ComputerLanguage", name=name, identifier=home, url=home, version=version
    )
    graph.add("#snakemake-engine", "SoftwareApplication", name=name, version=version, url=page)
    name, page, version = "Python", "https://www.python.org", inputs.environment.get("Python", "")
    python = graph.add("#python", "ComputerLanguage", name=name, url=page, version=version)
    rules = {step.rule: step.record["script"] for step in reversed(steps)}
    tools = {}
    for rule, script in sorted(rules.items()):
        tools[rule] = graph.file(
            script["path"],
            script["sha256"],
            kind="SoftwareSourceCode",
            name=Path(script["path"]).name,
            version=str(inputs.citation["version"]),
            programmingLanguage=python,
            softwareRequirements=library,
        )
    how = [
        graph.add(f"#step-{rule}", "HowToStep", name=rule, workExample=tool, position=str(position))
        for position, (rule, tool) in enumerate(tools.items(), start=1)
    ]
    graph.file(
        inputs.workflow,
        kind=("SoftwareSourceCode", "ComputationalWorkflow", "HowTo"),
        name=inputs.citation["title"],
        programmingLanguage=language,
        license=licence,
        version=str(inputs.citation["version"]),
        step=how,
        hasPart=[ref(i) for i in dict.fromkeys(tool["@id"] for tool in tools.values())],
        softwareRequirements=library,
    )


def _page_of(package):
    """Return the address of an installed package, as its metadata give it."""
    try:
        facts = metadata.metadata(package)
    except metadata.PackageNotFoundError:
        return None
    pages = (link.partition(", ") for link in facts.get_all("Project-URL", ()))
    return {name.lower(): page for name, _, page in pages}.get("homepage", facts["Home-page"])


def add_data(graph, steps):
    """Add data sets with licence and raw files, and the files that jobs made from them."""
    for data in data_sets(steps):
        licence = graph.text("licence", data["licence"]) if data["licence"] else None
        raw = []
        for name, value in data["sha256"].items():
            facts = {"name": name, "sha256": value, "url": data["urls"].get(name) or None}
            raw.append(graph.add(f"#raw-{value}", "DigitalDocument", **facts, license=licence))
        stands = f" It stands for: {data['stands_for']}." if data["stands_for"] else ""
        entity = graph.add(
            f"#data-{data['name']}",
            "CreativeWork",
            name=data["title"],
            description=f"Status: {data['status']}.{stands} {data['note']}".strip(),
            license=licence,
            citation=data["citation"],
            hasPart=raw,
        )
        for made in data["processed"]:
            graph.file(made["path"], made["sha256"], isBasedOn=[entity], license=licence)


def add_papers(graph, inputs):
    """Add the articles, and return a mapping from keys of the catalogue to their entities."""
    known = {entry["title"].casefold(): entry for entry in inputs.citation.get("references", ())}
    found = {}
    for key, paper in inputs.catalogue.papers.items():
        entry = known.get(paper.title.casefold(), {})
        people = entry.get("authors", ())
        authors = [f"{person['given-names']} {person['family-names']}" for person in people]
        found[key] = graph.add(
            f"https://doi.org/{entry['doi']}" if "doi" in entry else f"#paper-{key}",
            "ScholarlyArticle",
            name=paper.title,
            author=[graph.text("person", name, "Person") for name in authors or [paper.authors]],
            datePublished=str(paper.year),
            isPartOf=graph.text("venue", paper.venue),
        )
    return found


#: Media types that the standard library does not know, or not on all systems.
_FORMATS = {
    ".csv": "text/csv",
    ".npz": "application/zip",
    ".npy": "application/octet-stream",
    ".nc": "application/x-netcdf",
    ".py": "text/x-python",
    ".svg": "image/svg+xml",
    ".yaml": "application/yaml",
}


def ref(name: str) -> dict[str, str]:
    """Return a reference to an entity."""
    return {"@id": name if "://" in name or name.startswith("#") else quote(name)}


class Graph:
    """The entities of a crate."""

    def __init__(self, root: Path):
        self._root = Path(root)
        self._entities: dict[str, dict[str, Any]] = {}
        self.data: dict[str, None] = {}

    def add(self, name: str, kind: Any, /, **properties: Any) -> dict[str, str]:
        """Add an entity, or properties (not None) to an existing one; return a reference to it."""
        reference = ref(name)
        entity = self._entities.setdefault(reference["@id"], {**reference, "@type": kind})
        entity.update({key: value for key, value in properties.items() if value is not None})
        return reference

    def text(self, group: str, words: str, kind: str = "CreativeWork") -> dict[str, str]:
        """Add an entity that is known only by its name, such as a licence or a person."""
        bare = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode().lower()
        return self.add(f"#{group}-{re.sub(r'[^a-z0-9]+', '-', bare).strip('-')}", kind, name=words)

    def file(
        self,
        path: str,
        sha256: str | None = None,
        size: int | None = None,
        kind: Any = (),
        **properties: Any,
    ) -> dict[str, str]:
        """Add a file or folder; one outside the folder of the crate is only described."""
        folder = (self._root / path).is_dir()
        kinds = [kind] if isinstance(kind, str) else list(kind)
        inside = not path.startswith(("../", "/"))
        name = f"{path}/" if folder else path
        kinds = (["Dataset" if folder else "File"] if inside or kinds else ["CreativeWork"]) + kinds
        form = _FORMATS.get(Path(path).suffix) or mimetypes.guess_type(path)[0]
        if ref(name)["@id"] not in self._entities:
            properties = {"name": path} | properties
        reference = self.add(
            name,
            kinds[0] if len(kinds) == 1 else kinds,
            sha256=sha256,
            contentSize=None if size is None else str(size),
            encodingFormat=None if folder else form or "application/octet-stream",
            **properties,
        )
        if inside:
            self.data[reference["@id"]] = None
        return reference

    def entities(self) -> list[dict[str, Any]]:
        """Return all entities in the order of addition, with lists of one value as that value."""
        return [
            {
                key: value[0] if isinstance(value, list) and len(value) == 1 else value
                for key, value in entity.items()
                if value != []
            }
            for entity in self._entities.values()
        ]
