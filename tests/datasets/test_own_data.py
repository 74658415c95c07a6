"""Files of the user's own: whether they exist, their hashes, and docs/howto/own-data.md."""

import os
import re
import shlex
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
import yaml
from given_files import put
from workflow_runs import CATALOGUE, ROOT, configuration, snakemake

from reseat.datasets import DataSettings, Registry, build, own_content, own_data, user_files
from reseat.datasets.parsers.topic_mail import parse_topic_mail
from reseat.datasets.user_files import HashRecord
from reseat.errors import ConfigError, DataError
from reseat.papers.run_plan import plan_run
from reseat.provenance.changes import _own_data


@pytest.fixture
def folder(tmp_path):
    """Return a folder of texts in two classes."""
    for name in ("a/1.txt", "a/2.txt", "b/1.txt"):
        put(tmp_path / "own" / name, name)
    return tmp_path / "own"


def content(path, tmp_path):
    return own_content(path, HashRecord(tmp_path / "raw"))


def test_the_content_of_a_folder_is_its_names_and_bytes(folder, tmp_path):
    before = content(folder, tmp_path)
    os.utime(folder / "a/1.txt", (1, 1))
    assert content(folder, tmp_path) == before
    (folder / "a/1.txt").write_text("a/9.txt")
    changed = content(folder, tmp_path)
    assert changed != before
    (folder / "a/1.txt").write_text("a/1.txt")
    assert content(folder, tmp_path) == before
    (folder / "b/1.txt").rename(folder / "a/3.txt")  # the same texts in another class
    assert content(folder, tmp_path) not in {before, changed}


def test_what_is_hashed_is_what_is_read(folder, tmp_path, caplog):
    """Links within the folder are followed; links out of it and hidden files are ignored."""
    elsewhere = folder / "b" / "elsewhere"
    for place in (elsewhere, tmp_path / "outside"):
        place.mkdir()
        (place / "4.txt").write_text("one")
    (folder / "c").symlink_to(elsewhere)
    (folder / "a" / "round").symlink_to(folder)  # a cycle
    before = content(folder, tmp_path)
    (folder / ".DS_Store").write_text("of a program")
    (folder / "d").symlink_to(tmp_path / "outside")
    (folder / "a" / "secret").symlink_to(tmp_path / "outside" / "4.txt")
    (folder / "a" / "lost").symlink_to(folder / "a" / "gone.txt")
    assert content(folder, tmp_path) == before
    (elsewhere / "4.txt").write_text("two")
    assert content(folder, tmp_path) != before
    assert not caplog.records
    read = parse_topic_mail({"user": folder}, encoding="utf-8")
    assert len(read.texts) == 5
    assert caplog.messages == [
        f"{folder}: 2 links that lead out of the folder are ignored; the first is 'a/secret'",
        f"{folder}: 1 links that lead nowhere are ignored; the first is 'a/lost'",
    ]


def test_a_file_is_read_again_only_when_it_has_changed(folder, tmp_path):
    """This holds if neither its size nor its time tells; the record is written once a folder."""
    with patch.object(user_files, "write_text", wraps=user_files.write_text) as writing:
        before = content(folder, tmp_path)
    assert writing.call_count == 1
    with patch.object(user_files, "sha256_of", side_effect=AssertionError):
        assert content(folder, tmp_path) == before
    file = folder / "a/1.txt"
    status = file.stat()
    file.write_text("a/9.txt")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    changed = content(folder, tmp_path)
    assert changed != before
    (folder / "a/1.new").write_text("a/8.txt")
    (folder / "a/1.new").replace(file)
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert content(folder, tmp_path) not in {before, changed}


def test_explaining_a_result_believes_no_remembered_hash(folder, tmp_path):
    """Not even one that fits the file's times and size: some file systems store fewer times."""
    path, record = folder / "a/1.txt", HashRecord(tmp_path / "data" / "raw")
    before = own_content(path, record)
    record_file = tmp_path / "data" / "raw" / "verified.json"
    stale = record_file.read_text().replace(before, "0" * 64)
    record_file.write_text(stale)
    job = {"own": {"path": "own/a/1.txt", "sha256": before}}
    history, step = SimpleNamespace(root=tmp_path), SimpleNamespace(record=job)
    assert [*_own_data(history, [step])] == []
    path.write_text("a/9.txt")
    assert [change.kind for change in _own_data(history, [step])] == ["changed"]


def test_own_data_are_told_by_the_end_of_the_path_and_the_content(folder, tmp_path):
    settings = DataSettings(raw=tmp_path / "raw", paths={"mine": folder})
    assert own_data("mine", settings) == {"name": "own", "sha256": content(folder, tmp_path)}
    assert own_data("another", settings) == {}
    settings = DataSettings(raw=tmp_path / "raw", paths={"mine": tmp_path / "gone.csv"})
    with pytest.raises(DataError, match=r"data.paths.mine: .*gone.csv cannot be read"):
        own_data("mine", settings)


@pytest.mark.parametrize(
    ("paths", "sentence"),
    [
        ({"enron_ldd": "."}, r"data.paths.enron_ldd: .* did you mean 'enron_ldc'"),
        ({"enron_ldc": "FOLDER/onw/a"}, "enron_ldc: .*/onw/a does not exist; did you mean"),
        ({"enron_ldc": "FOLDER/own/a/3.txt"}, "does not exist; did you mean .*/own/a/"),
        ({"demo_newsgroups": "."}, "data.paths.demo_newsgroups: this has no effect, since"),
        ({"enron_ldc": "no/such"}, "no/such does not exist in /"),
        ({"enron_ldc": "/dev/null"}, "enron_ldc: /dev/null is a pipe or a device; write it to"),
        ({"enron_ldc": "/nowhere/at/all"}, "config, data.paths.enron_ldc: /nowhere/at/all does"),
    ],
)
def test_names_and_paths_that_stand_for_nothing_stop_the_run(folder, paths, sentence):
    given = {name: path.replace("FOLDER", str(folder.parent)) for name, path in paths.items()}
    for missing in ("stop", "skip", "standin"):
        with pytest.raises(ConfigError, match=sentence):
            plan_run(configuration({"data": {"paths": given, "missing": missing}}), ROOT)


@pytest.mark.parametrize(
    ("given", "content_of_it", "beside"),
    [("topics.tsv", "path\ttopic\n1.txt\tgas\n", "1.txt"), ("t.tar", "texts", "stop_words.txt")],
)
def test_what_is_read_beside_a_file_is_part_of_its_content(tmp_path, given, content_of_it, beside):
    """The files that a table of topics names, and a stop list beside an archive."""
    path = put(tmp_path / "mine" / given, content_of_it)
    found = []
    for text in ("before", "behind!"):
        put(tmp_path / "mine" / beside, text)
        found.append(content(path, tmp_path))
    (tmp_path / "mine" / beside).unlink()
    assert len({*found, content(path, tmp_path)}) == 3


PAGE = (ROOT / "docs" / "howto" / "own-data.md").read_text(encoding="utf-8")
EXAMPLES = {
    name: (block, shlex.split(command))
    for block, name, command in re.findall(
        r"^```yaml\n(# (\w+\.yaml)\n.*?)^```\n\n    (snakemake [^\n]*)$", PAGE, re.M | re.S
    )
}
TABLES = {
    "firm_restarts": "relational", "docs_table2": "documents", "micro_real": "records",
    "tiwd_labelled": "distances",
}  # fmt: skip


@pytest.fixture(scope="module")
def examples(tmp_path_factory):
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
    purchases = pd.DataFrame(pairs, columns=["customer", "product", "count"])
    purchases.to_csv(own / "purchases.tsv", sep="\t", index=False)
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
def test_an_example_is_a_plan_for_its_target_and_reads_the_data(name, examples, monkeypatch):
    monkeypatch.chdir(examples)
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
    features = plan.families[family].features(own) if family == "documents" else None
    options = {"features": features} if features else {}
    found = build(plan.registry, own, plan.data, **options)
    assert (found.identity.status, found.identity.title) == ("own", entry["title"])
    assert (found.identity.licence, found.identity.citation) == ("not stated", "none")


@pytest.mark.workflow
def test_an_example_runs_with_fewer_sweeps(examples):
    _block, command = EXAMPLES["distances.yaml"]
    target = command[3]
    shorter = examples / "shorter.yaml"
    length = {"n_chains": 2, "burn_in": 10, "n_samples": 20, "thin": 1}
    study = {"datasets": ["proteins"], "models": ["tiwd_free"], "length": length}
    scales = {"standard": {"labelled": [study]}}
    shorter.write_text(yaml.safe_dump({"distances": {"scales": scales}}))
    snakemake(target, "labels", "--configfile", examples / command[-1], shorter, folder=examples)
    found = examples / "reports" / "proteins" / "own" / "distances" / "proteins" / "tiwd_free"
    labels = pd.read_csv(found / "labels.csv")
    assert list(labels["item"]) == [*range(1, 41)] and labels["cluster"].min() == 1
    assert "proteins by tiwd_free" in (found / "index.html").read_text()
    table = pd.read_csv(examples / "reports" / "proteins" / "tables" / f"{target}.csv")
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
