"""The registry: what it accepts, and the errors for what it does not."""

import copy
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from real_data import REGISTRY

from reseat.configuration import Place
from reseat.datasets import DataSettings, Registry, build, check_available, missing_report
from reseat.datasets.counting import stop_list_content, stop_list_role
from reseat.datasets.parsers import check_options
from reseat.errors import ConfigError

ENTRY = {
    "title": "Small", "about": "a small set", "family": "documents", "licence": "free",
    "citation": "nobody", "status": "stand-in", "stands_for": "the large set",
    "parser": "newsgroups",
    "files": {"archive": {"path": "small/a.tar", "sha256": "0" * 64, "bytes": 10}},
}  # fmt: skip


def load(tmp_path, datasets):
    path = tmp_path / "datasets.yaml"
    path.write_text(yaml.safe_dump({"datasets": datasets}))
    return Registry.load(path)


def changed(**keys):
    entry = copy.deepcopy(ENTRY)
    entry.update(keys)
    return {key: value for key, value in entry.items() if value is not None}


def with_file(**keys):
    return changed(files={"archive": {**ENTRY["files"]["archive"], **keys}})


def test_a_good_entry_is_read(tmp_path):
    registry = load(tmp_path, {"small": ENTRY})
    assert list(registry) == ["small"]
    assert registry["small"].files["archive"].path == "small/a.tar"
    identity = registry.identity("small")
    assert (identity.status, identity.stands_for) == ("stand-in", "the large set")
    assert identity.sha256 == {"small/a.tar": "0" * 64}
    with pytest.raises(ConfigError, match="'smal'.*did you mean 'small'"):
        registry["smal"]
    assert "smal" not in registry
    for replaced in ("", "the large set"):  # generated data may replace nothing
        entry = changed(status="generated", stands_for=replaced)
        assert load(tmp_path, {"small": entry}).identity("small").stands_for == replaced


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (changed(titel="x"), ["'small'", "'titel'", "did you mean 'title'?"]),
        (changed(licence=None), ["'small'", "'licence'", "missing"]),
        (changed(title=3), ["'small'", "'title'", "a text"]),
        (changed(status="real"), ["'small'", "'status'", "'real'", "faithful, stand-in"]),
        (changed(family="document"), ["'small'", "'family'", "'document'"]),
        (with_file(sha256="abc"), ["'files.archive.sha256'", "64 hexadecimal digits"]),
        (with_file(bytes="ten"), ["'files.archive.bytes'", "a whole number"]),
        (with_file(path="/etc/a"), ["'files.archive.path'", "below a mirror folder"]),
        (with_file(urls=["ftp://x/y"]), ["'files.archive.urls[0]'", "http"]),
        (with_file(size=3), ["'files.archive'", "'size'", "not known"]),
        (changed(parser="newsgroup"), ["'parser'", "did you mean 'newsgroups'?"]),
        (changed(options={"user": "x"}), ["'options.user'", "no such option"]),
        (changed(parser="mail_folders"), ["'small'", "needs the key 'options.user'"]),
        (changed(standins=["smal"]), ["'standins'", "'smal'", "did you mean 'small'?"]),
        (changed(standins=["small"]), ["is a stand-in for itself"]),
        (changed(status="faithful"), ["'stands_for'", "faithful"]),
    ],
)
def test_a_wrong_entry_is_one_sentence_naming_entry_and_key(tmp_path, entry, words):
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, {"small": entry})
    text = str(caught.value)
    assert "\n" not in text and text.startswith("datasets.yaml")
    for word in words:
        assert word in text


def test_circles_of_standins_wrong_names_and_broken_files_are_refused(tmp_path):
    with pytest.raises(ConfigError, match="itself"):
        load(tmp_path, {"a": changed(standins=["b"]), "b": changed(standins=["a"])})
    with pytest.raises(ConfigError, match="lower-case"):
        load(tmp_path, {"Small set": ENTRY})
    path = tmp_path / "other.yaml"
    for text, words in (
        ("dataset: {}\n", "'dataset'"),
        ("datasets:\n  a: {}\n  a: {}\n", "'a' is written twice"),
        ("datasets: [\n", "not valid YAML at line 2"),
    ):
        path.write_text(text)
        with pytest.raises(ConfigError, match=words):
            Registry.load(path)
    with pytest.raises(ConfigError, match="cannot be read"):
        Registry.load(tmp_path / "absent.yaml")


def test_the_registry_of_the_project_is_sound():
    # A rule for a table may be empty.
    check_options("sequence_tables", {"tables": {"user": None}}, Place("mine.yaml", ("datasets",)))
    assert {"newsgroups20", "enron_ldc", "enron_kaminski", "delicious_mulan"} <= set(REGISTRY)
    for name, entry in REGISTRY.items():
        for file in entry.files.values():
            assert file.origin, f"{name}: nobody could say where {file.path} is from"
            for form in file.forms:
                # Pinned to a commit: a branch would change under the hash.
                assert all(any(len(part) == 40 for part in url.split("/")) for url in form.urls)
        if entry.status == "generated":
            assert not entry.files and entry.parser.startswith("generated")
        if entry.user_path or not entry.obtainable:
            assert entry.origin and entry.standins


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("globins", "points", "is not a set of points; these are: separated"),
        ("large", "sequences", "is not a set of sequences; .* globins"),
        ("globins", "dissimilarities", "is not a set of dissimilarities; these are: protein213"),
        ("large", "relations", "is not a set of relations; these are: mainichi"),
        ("umls", "mentions", "is not a set of mentions; these are: usps_digi"),
        ("demo_italy", "records", "is not a set of records; these are: .*cora"),
        ("demo_survey", "recipe", "is not a recipe .* these are: italy, nltcs"),
        *((n, "documents", "is not a set of documents; these are: newsgr")
          for n in ("large", "umls", "gum_names", "demo_survey")),
    ],
)  # fmt: skip
def test_the_wrong_kind_of_data_set_is_named(name, kind, words):
    with pytest.raises(ConfigError, match=f"'{name}' {words}"):
        build(REGISTRY, name, kind=kind)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"mirror": ["x"]}, "config, data: the key 'mirror' is not known; did you mean 'mirrors'"),
        ({"mirrors": "x"}, "config, data.mirrors: must be a list, not 'x'"),
        ({"missing": "ignore"}, "data.missing: 'ignore' must be one of stop, skip, standin"),
        ({"paths": ["x"]}, "data.paths: must be a mapping"),
        ({"download": "perhaps"}, "data.download: must be true or false"),
    ],
)
def test_wrong_data_settings_name_the_key(data, words):
    with pytest.raises(ConfigError, match=words):
        DataSettings.from_config(data)


def test_data_settings_read_from_a_config():
    settings = DataSettings.from_config({"mirrors": ["a", "b"], "paths": {"x": None, "y": "z"}})
    assert settings.mirrors == (Path("a"), Path("b"))
    assert settings.paths == {"y": Path("z")}
    assert DataSettings.from_config(None) == DataSettings()


NOWHERE = DataSettings(mirrors=(), raw="nowhere", download=False)


@pytest.mark.parametrize(
    ("family", "wanted", "found"),
    [
        ("distances", ["globins", "separated"], ["demo_families", "separated"]),
        ("records", ["italy", "febrl4", "demo_survey"], ["demo_italy", "demo_survey"]),
        ("relational", ["aozora_svo", "umls"], ["demo_triples", "demo_network"]),
        ("supervised", ["usps_digits", "researchers_dblp", "ace2004_names", "cora_numbers"],
         ["uci_digits", "demo_identity", "demo_names", "demo_citations"]),
    ],
)  # fmt: skip
def test_what_is_missing_of_a_family_has_something_in_its_place(family, wanted, found):
    names = [name for name in REGISTRY if REGISTRY[name].family == family]
    assert {stop_list_role(REGISTRY[name]) for name in names} == {None}
    made = ("generated", "bundled")
    gone = {name for name in names if not (REGISTRY[name].parser or "").startswith(made)}
    assert {row.dataset for row in missing_report(REGISTRY, names, NOWHERE)} == gone
    if family != "distances":  # of which data sets of points are drawn in any case
        assert all(REGISTRY[name].standins for name in gone)
    settings = replace(NOWHERE, missing="standin")
    assert list(check_available(REGISTRY, wanted, settings).names) == found


#: Sizes that the descriptions of generated sets state, besides those of relations.
SAID = {
    **dict.fromkeys(("demo_survey", "demo_customers"), ("records", "entities")),
    **dict.fromkeys(("demo_identity", "demo_citations"), ("items", "entities")),
    **{"demo_families": ("items", "classes"), "demo_names": ("items", "groups")},
    **{"uci_digits": ("test",), "toy_blocks": (), "demo_pairs": (), "demo_triples": ()},
    **{"demo_words": (), "demo_network": ()},
}


@pytest.mark.parametrize(("name", "sizes"), SAID.items())
def test_sets_without_files_are_what_they_say(name, sizes):
    made, again, other = (build(REGISTRY, name, NOWHERE, seed=seed) for seed in (4, 4, 5))
    assert made.identity == again.identity and list(made.identity.sha256) == ["data as read"]
    # Generated sets have a seed of their own; images are drawn with the seed of the run.
    assert (other.identity == made.identity) == (name != "uci_digits")
    words = REGISTRY[name].about.replace(",", "").split()
    assert {str(made.summary()[key]) for key in sizes} <= set(words)
    if REGISTRY[name].family == "relational":
        clusters = {len(set(found)) for found in made.classes.values()}
        tokens = {rule["tokens"] for rule in REGISTRY[name].options.get("relations", {}).values()}
        assert set(map(str, {*made.n_entities.values(), *clusters, *tokens})) <= set(words)


def test_counts_depend_on_the_hash_of_the_stop_list_that_they_use():
    ((role, forms),) = stop_list_content(REGISTRY, "newsgroups20", {"stop_list": "lucene"}).items()
    assert forms == REGISTRY["stoplists"].content["files"][role]
    assert all(len(form["sha256"]) == 64 for form in forms)
    assert stop_list_content(REGISTRY, "newsgroups20", {"stop_list": "sklearn"}) == {}
    assert stop_list_content(REGISTRY, "italy") == {}
