"""A data set with a known parser is added in two files, registry and family, and removed again."""

import hashlib
import importlib.util

import pandas as pd
import pytest
import yaml
from workflow_runs import ROOT, configuration, copy_workflow, snakemake

from reseat.datasets import Card, Registry
from reseat.papers.run_plan import plan_run

TABLE = "id,who,town,born\n" + "".join(
    f"r{n},{n // 2},{'Ulm' if n % 4 < 2 else 'Aalen'},{1950 + n // 2}\n" for n in range(40)
)
ENTRY = f"""
  townsfolk:
    title: Townsfolk
    about: 40 records of 20 people
    family: records
    licence: none needed
    citation: made up for a test
    status: faithful
    parser: record_table
    options: {{record: id, entity: who, fields: [town, born]}}
    files:
      table:
        path: townsfolk/people.csv
        sha256: {hashlib.sha256(TABLE.encode()).hexdigest()}
        bytes: {len(TABLE)}
        origin: a test
"""
STUDY = "- datasets: [demo_survey]\n          models: [dp, "
WITH_IT = """- datasets: [townsfolk]
          models: [dp]
          first: {n_chains: 1, burn_in: 5, n_samples: 10, thin: 1}
        """


def planned(project, data):
    """Return the data sets of records of a run of a copy of the project."""
    section = yaml.safe_load((project / "config" / "records.yaml").read_text(encoding="utf-8"))
    whole = configuration({"scale": "demo", "data": data}) | section
    return plan_run(whole, project).families["records"].datasets


@pytest.mark.workflow
def test_a_data_set_is_added_in_two_files_and_taken_away(tmp_path, monkeypatch):
    project = tmp_path / "project"  # a copy of the workflow that can be edited
    project.mkdir()
    copy_workflow(project)
    registry, family = (project / "config" / f"{name}.yaml" for name in ("datasets", "records"))
    listing = registry.read_text(encoding="utf-8")
    studies = family.read_text(encoding="utf-8")
    assert studies.count(STUDY) == 1
    registry.write_text(listing + ENTRY, encoding="utf-8")
    family.write_text(studies.replace(STUDY, WITH_IT + STUDY), encoding="utf-8")
    (tmp_path / "mirror" / "townsfolk").mkdir(parents=True)
    (tmp_path / "mirror" / "townsfolk" / "people.csv").write_text(TABLE)
    mirrors = tmp_path / "mirrors.yaml"
    data = {"mirrors": [str(tmp_path / "mirror")]}
    mirrors.write_text(yaml.safe_dump({"scale": "demo", "data": data}))
    run, target = tmp_path / "run", "results/demo/records/townsfolk/summary.csv"
    run.mkdir()
    monkeypatch.chdir(run)
    arguments = {"folder": run, "snakefile": project / "Snakefile"}
    snakemake(target, "--configfile", mirrors, **arguments)
    card = Card.load(run / "data" / "processed" / "demo" / "records" / "townsfolk")
    assert (card.title, card.status) == ("Townsfolk", "faithful")
    assert (card.sizes["records"], card.sizes["entities"]) == (40, 20)
    summary = pd.read_csv(run / target)
    assert set(summary["dataset"]) == {"townsfolk"} and set(summary["model"]) == {"dp"}
    # Everything else that shows the data set takes it from these two files.
    assert "townsfolk" in planned(project, data)
    wanted = snakemake("page", "--configfile", mirrors, "--dry-run", **arguments).stdout
    assert "townsfolk" in wanted
    assert "| Townsfolk | made up for a test | none needed |" in table_of(Registry.load(registry))

    registry.write_text(listing, encoding="utf-8")
    family.write_text(studies, encoding="utf-8")
    assert "townsfolk" not in planned(project, data)


def table_of(registry):
    """Return THIRD_PARTY.md with the table of data sets that belongs to a registry."""
    path = ROOT / "tools" / "third_party.py"
    specification = importlib.util.spec_from_file_location("third_party", path)
    tool = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(tool)
    page = (ROOT / "THIRD_PARTY.md").read_text(encoding="utf-8")
    return tool.with_table(page, tool.listed(registry))


def test_the_table_of_data_sets_is_what_the_registry_says():
    page = (ROOT / "THIRD_PARTY.md").read_text(encoding="utf-8")
    listed = table_of(Registry.load(ROOT / "config" / "datasets.yaml"))
    assert page == listed, "run python tools/third_party.py"
