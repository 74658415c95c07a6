"""The basis of a run as entities of an RO-Crate: software, data, papers."""

from __future__ import annotations

from pathlib import Path

from reseat.provenance.entities import ref
from reseat.provenance.facts import data_sets

__all__ = ["add_data", "add_licence", "add_papers", "add_software"]


def add_licence(graph, citation):
    """Add the licence of the project, identified by its SPDX address."""
    spdx = citation["license"]
    return graph.add(f"https://spdx.org/licenses/{spdx}", "CreativeWork", name=spdx)


def add_software(graph, inputs, steps, licence):
    """Add the workflow with a step and a script for each rule, the library and its packages."""
    packages = [
        graph.add(f"#software-{name}", "SoftwareApplication", name=name, softwareVersion=version)
        for name, version in inputs.environment.items()
        if version[:1].isdigit() and name not in {"cores", "processor", "reseat", "system"}
    ]
    code = steps[0].record["code"] if steps else {}
    library = graph.add(
        "#reseat",
        "SoftwareApplication",
        name="reseat",
        softwareVersion=code.get("version", ""),
        description=f"SHA-256 of its sources {code.get('sources', '')}; "
        f"commit {code.get('commit', 'unknown')}",
        softwareRequirements=packages,
    )
    version = inputs.environment.get("snakemake", "")
    language = graph.add(
        "#snakemake",
        "ComputerLanguage",
        name="Snakemake",
        identifier=ref("https://snakemake.github.io"),
        url=ref("https://snakemake.github.io"),
        version=version,
    )
    graph.add("#snakemake-engine", "SoftwareApplication", name="Snakemake", softwareVersion=version)
    rules = dict(sorted({step.rule: step.record["script"] for step in reversed(steps)}.items()))
    tools = {}
    for rule, script in rules.items():
        tools[rule] = graph.file(
            script["path"],
            script["sha256"],
            kind="SoftwareSourceCode",
            name=Path(script["path"]).name,
            version=str(inputs.citation["version"]),
            programmingLanguage=graph.add("#python", "ComputerLanguage", name="Python"),
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


def add_data(graph, steps):
    """Add data sets with licence and raw files, and the files that jobs made from them."""
    found = []
    for data in data_sets(steps):
        licence = graph.text("licence", data["licence"]) if data["licence"] else None
        raw = [
            graph.add(
                f"#raw-{value}",
                "DigitalDocument",
                name=name,
                sha256=value,
                url=data["urls"].get(name) or None,
                license=licence,
            )
            for name, value in data["sha256"].items()
        ]
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
        found.append(entity)
    return found


def add_papers(graph, inputs):
    """Add the articles, and return a mapping from keys of the catalogue to their entities."""
    known = {entry["title"].casefold(): entry for entry in inputs.citation.get("references", ())}
    found = {}
    for key, paper in inputs.catalogue.papers.items():
        entry = known.get(paper.title.casefold(), {})
        authors = [
            f"{author['given-names']} {author['family-names']}"
            for author in entry.get("authors", ())
        ]
        found[key] = graph.add(
            f"https://doi.org/{entry['doi']}" if "doi" in entry else f"#paper-{key}",
            "ScholarlyArticle",
            name=paper.title,
            author=[graph.text("person", name, "Person") for name in authors or [paper.authors]],
            datePublished=str(paper.year),
            isPartOf=graph.text("venue", paper.venue),
        )
    return found
