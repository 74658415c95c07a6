"""The run as an RO-Crate."""

import importlib
import io
import json
import re
import shutil

import pytest
import requests
import urllib3
import yaml
from provenance_tree import RAW, make_run

from reseat.papers.catalogue import CATALOGUE
from reseat.provenance.crate import CrateInputs, build_crate
from reseat.provenance.records import History

OUTPUTS = ("tables/tiwd_fig4.csv", "figures/tiwd_fig4.png", "claims.csv")


@pytest.fixture(scope="module")
def run(tmp_path_factory, request):
    folder = tmp_path_factory.mktemp("run")
    citation = (request.config.rootpath / "CITATION.cff").read_text(encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        make_run()
    inputs = CrateInputs(
        history=History(folder),
        catalogue=CATALOGUE,
        citation=yaml.safe_load(citation),
        workflow="Snakefile",
        environment={"numpy": "2.0.0", "snakemake": "9.3", "system": "6.1 kernel"}
        | {"processor": "12th generation", "cores": "2"},
    )
    return folder, json.loads(json.dumps(build_crate(inputs)))


@pytest.fixture
def entities(run):
    graph = run[1]["@graph"]
    names = [entity["@id"] for entity in graph]
    assert len(names) == len(set(names))
    return dict(zip(names, graph, strict=True))


def listed(value):
    return value if isinstance(value, list) else [value]


def test_every_reference_leads_to_an_entity(run, entities):
    assert run[1]["@context"][0] == "https://w3id.org/ro/crate/1.3/context"
    outside = {"https://w3id.org/ro/crate/1.3", "https://snakemake.github.io"}
    for entity in entities.values():
        referred = re.findall(r'\{"@id": "([^"]*)"\}', json.dumps(entity, ensure_ascii=False))
        assert set(referred) - outside <= entities.keys(), entity["@id"]
    # Machines are no software.
    software = {name for name in entities if name.startswith("#software-")}
    assert software == {"#software-numpy", "#software-snakemake"}


def test_all_artefacts_that_were_made_come_with_job_and_paper(run, entities):
    folder, _ = run
    names = [n for n in CATALOGUE.artefacts if (folder / f"reports/demo/tables/{n}.csv").exists()]
    assert names == ["tiwd_fig4"]
    for name in names:
        entity = entities[f"reports/demo/tables/{name}.csv"]
        assert entity["description"] == CATALOGUE.artefacts[name].shows
        paper = entities[entity["isBasedOn"]["@id"]]
        assert paper["name"] == CATALOGUE.artefacts[name].paper.title
        assert len(listed(paper["author"])) == 4
        (action,) = [
            a for a in entities.values()
            if a["@type"] == "CreateAction" and a["@id"] != "#run-demo"
            and {"@id": entity["@id"]} in listed(a.get("result"))
        ]  # fmt: skip
        assert action["instrument"] == {"@id": f"workflow/scripts/{name}.py"}
        assert {"@id": "results/demo/notes/scores.csv"} in listed(action["object"])


def test_data_have_licence_hash_and_what_was_made_of_them(entities):
    data = entities["#data-notes"]
    assert entities[data["license"]["@id"]]["name"] == "CC BY 4.0"
    assert "It stands for: letters of 1850." in data["description"]
    assert entities[data["hasPart"]["@id"]]["sha256"] == RAW
    processed = entities["data/processed/demo/documents/notes.npz"]
    assert processed["isBasedOn"] == {"@id": "#data-notes"}


def test_chains_tell_seed_and_stream(entities):
    chains = entities["results/demo/notes/chains/"]
    said = "2 of dp: 3 + 4 sweeps, seed 7, streams paper/notes/dp, chains 0, 1"
    assert chains["@type"] == "Dataset" and said in chains["description"]


def test_workflow_run_steps_and_jobs_hang_together(entities):
    workflow = entities[entities["./"]["mainEntity"]["@id"]]
    assert {"File", "ComputationalWorkflow"} <= set(workflow["@type"])
    steps = {step["@id"] for step in workflow["step"]}
    engine = entities["#orchestration-demo"]
    controls = [entities[ref["@id"]] for ref in engine["object"]]
    assert engine["result"] == {"@id": "#run-demo"}
    assert {control["instrument"]["@id"] for control in controls} == steps and len(steps) == 6
    run = entities["#run-demo"]
    assert run["startTime"] < run["endTime"]
    assert {ref["@id"] for ref in run["result"]} == {f"reports/demo/{name}" for name in OUTPUTS}


#: Terms that the contexts of RO-Crate 1.3 do not take from schema.org.
TERMS = {
    "File": "http://schema.org/MediaObject",
    "Profile": "http://www.w3.org/ns/dx/prof/Profile",
    "conformsTo": "http://purl.org/dc/terms/conformsTo",
    "ComputationalWorkflow": "https://bioschemas.org/terms/ComputationalWorkflow",
}
#: What is different in version 0.5 of the profiles of runs, the last one that the validator knows.
BEFORE = {
    "bioschemas.org/terms/": "bioschemas.org/",
    "ro/crate/1.3": "ro/crate/1.1",
    "workflow-ro-crate/1.1": "workflow-ro-crate/1.0",
    "/0.6": "/0.5",
}


def parsing_once(processor):
    """Return a method that answers queries and parses each only once, as it takes longest."""
    answer, parsed = processor.SPARQLProcessor.query, {}

    def query(self, text, bindings, names):
        key = text, *sorted(names.items())
        if key not in parsed:
            parsed[key] = processor.prepareQuery(text, names)
        return answer(self, parsed[key], bindings)

    return query


@pytest.mark.parametrize("profile", ["ro-crate-1.3", "provenance-run-crate"])
def test_the_validator_of_crates_finds_nothing(profile, run, tmp_path, monkeypatch):
    validator = pytest.importorskip("rocrate_validator.services", reason="needs roc-validator")
    processor = importlib.import_module("rdflib.plugins.sparql.processor")
    monkeypatch.setattr(processor.SPARQLProcessor, "query", parsing_once(processor))
    folder = tmp_path / "crate"
    shutil.copytree(run[0], folder)
    names = {kind for entity in run[1]["@graph"] for kind in (*entity, *listed(entity["@type"]))}
    terms = {name: f"http://schema.org/{name}" for name in names if name[0] != "@"} | TERMS
    texts = [json.dumps(run[1]), json.dumps({"@context": terms})]
    if profile == "provenance-run-crate":
        for now, before in BEFORE.items():
            texts = [text.replace(now, before) for text in texts]
    (folder / "ro-crate-metadata.json").write_text(texts[0], encoding="utf-8")

    def answer(self, request, **_):  # in place of the network
        assert request.url in json.loads(texts[0])["@context"]
        body, kind = io.BytesIO(texts[1].encode()), {"Content-Type": "application/ld+json"}
        answered = urllib3.HTTPResponse(body, kind, status=200, preload_content=False)
        return self.build_response(request, answered)

    monkeypatch.setattr(requests.adapters.HTTPAdapter, "send", answer)
    settings = {"rocrate_uri": folder, "profile_identifier": profile, "no_cache": True}
    found = validator.validate({**settings, "requirement_severity": "REQUIRED"}).get_issues()
    assert [(issue.check.identifier, issue.message) for issue in found] == []
