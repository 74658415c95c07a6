"""The examples of docs/howto/own-data.md, as they are printed, on small data of the user's own."""

import re
import shlex

import numpy as np
import pandas as pd
import pytest
import yaml
from workflow_runs import CATALOGUE, ROOT, configuration, snakemake

from reseat.datasets import Registry, build
from reseat.errors import ConfigError
from reseat.papers.run_plan import plan_run

PAGE = (ROOT / "docs" / "howto" / "own-data.md").read_text(encoding="utf-8")
EXAMPLES = {
    name: (block, shlex.split(command))
    for block, name, command in re.findall(
        r"^```yaml\n(# (\w+\.yaml)\n.*?)^```\n\n    (snakemake [^\n]*)$", PAGE, re.M | re.S
    )
}
TABLES = {
    "firm_restarts": "relational",
    "docs_table2": "documents",
    "micro_real": "records",
    "tiwd_labelled": "distances",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return the folder in which the examples run, with small data of each kind."""
    place = tmp_path_factory.mktemp("own")
    own, rng = place / "own", np.random.default_rng(5)
    for topic, words in {"gas": "pipe flow", "law": "court case", "trips": "hotel bus"}.items():
        (own / "reports" / topic).mkdir(parents=True)
        for number in range(6):
            text = " ".join(rng.choice([*words.split(), "meeting"], 20))
            (own / "reports" / topic / f"{number}.txt").write_text(text)
    person = np.arange(30) // 2
    pd.DataFrame(
        {"number": range(30), "person": person, "first_name": person % 7,
         "town": [f"t{n % 5}" for n in person], "year": 1950 + person}
    ).to_csv(own / "clients.csv", index=False)  # fmt: skip
    points = rng.normal(size=(40, 5)) + 4 * (np.arange(40) % 2)[:, None]
    squares = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    np.savetxt(own / "matrix.csv", squares, delimiter=",")
    pairs = [(f"c{r}", f"p{c}", 1 + (r + c) % 3) for r in range(6) for c in range(8)]
    pd.DataFrame(pairs, columns=["customer", "product", "count"]).to_csv(
        own / "purchases.tsv", sep="\t", index=False
    )
    items = pd.DataFrame(rng.normal(size=(40, 3)), columns=["length", "width", "weight"])
    items.insert(0, "id", range(40))
    items.insert(1, "split", ["train", "test"] * 20)
    # Each entity is on one side of the split only.
    items.insert(2, "entity", [f"{n % 2}-{n % 8}" for n in range(40)])
    items.to_csv(own / "parts.csv", index=False)
    for name, (block, _command) in EXAMPLES.items():
        (place / name).write_text(block)
    return place


def test_there_is_an_example_for_every_family():
    families = ("documents", "records", "distances", "relational", "supervised")
    assert list(EXAMPLES) == [f"{family}.yaml" for family in families]


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_a_plan_for_its_target_and_reads_the_data(name, folder, monkeypatch):
    monkeypatch.chdir(folder)
    block, command = EXAMPLES[name]
    given, family = yaml.safe_load(block), name.removesuffix(".yaml")
    assert command[-2:] == ["--configfile", name]
    given["data"] |= {"download": False}
    plan = plan_run(configuration(given), ROOT)
    ((own, entry),) = given["datasets"].items()
    assert own in plan.families[family].datasets
    target = command[3]
    if "/" in target:
        assert target.split("/")[:4] == ["results", given["run"], family, own]
    else:
        assert TABLES[target] == family
        assert CATALOGUE.products[target].can_be_made(plan.families)
    options = (
        {"features": plan.families["documents"].features(own)} if family == "documents" else {}
    )
    found = build(plan.registry, own, plan.data, **options)
    assert (found.identity.status, found.identity.title) == ("own", entry["title"])
    assert (found.identity.licence, found.identity.citation) == ("not stated", "none")


@pytest.mark.workflow
def test_an_example_runs_with_fewer_sweeps(folder):
    _block, command = EXAMPLES["distances.yaml"]
    target = command[3]
    shorter = folder / "shorter.yaml"
    length = {"n_chains": 2, "burn_in": 10, "n_samples": 20, "thin": 1}
    study = {"datasets": ["proteins"], "models": ["tiwd_free"], "length": length}
    scales = {"standard": {"labelled": [study]}}
    shorter.write_text(yaml.safe_dump({"distances": {"scales": scales}}))
    snakemake(target, "labels", "--configfile", folder / command[-1], shorter, folder=folder)
    found = folder / "reports" / "proteins" / "own" / "distances" / "proteins" / "tiwd_free"
    labels = pd.read_csv(found / "labels.csv")
    assert list(labels["item"]) == [*range(1, 41)] and labels["cluster"].min() == 1
    assert "proteins by tiwd_free" in (found / "index.html").read_text()
    table = pd.read_csv(folder / "reports" / "proteins" / "tables" / f"{target}.csv")
    assert set(table["dataset"]) == {"proteins"} and set(table["status"]) == {"own"}


def test_a_name_of_the_registry_cannot_be_taken():
    entry = {"title": "A", "about": "B", "family": "documents"}
    path = ROOT / "config" / "datasets.yaml"
    with pytest.raises(ConfigError, match="'reuters52': .* of this name; choose another"):
        Registry.load(path, own={"reuters52": entry}, check_parsers=False)
    with pytest.raises(ConfigError, match="^config: data set 'mine'.* 'titel'"):
        Registry.load(path, own={"mine": entry | {"titel": "C"}}, check_parsers=False)
    with pytest.raises(ConfigError, match="'stands_for': it must be empty for a faithful data set"):
        Registry.load(path, own={"mine": entry | {"stands_for": "x"}}, check_parsers=False)
    own = entry | {"user_path": "texts", "parser": "topic_mial"}
    with pytest.raises(ConfigError, match="^config: data set 'mine', key 'parser'"):
        Registry.load(path, own={"mine": own})
    with pytest.raises(ConfigError, match="'user_path': generated reads no file of yours"):
        Registry.load(path, own={"mine": own | {"parser": "generated"}})
