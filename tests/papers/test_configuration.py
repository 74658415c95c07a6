"""Configurations: what is wrong with one is said in a sentence that names its key."""

import copy
from functools import cache
from importlib import import_module

import numpy as np
import pytest
import yaml
from places import ROOT
from test_bad_inputs import ODD
from workflow_runs import CATALOGUE, configuration

from reseat.checks import MAX_CHAINS, MAX_COUNT
from reseat.configuration import Place, read_yaml
from reseat.datasets import configured, registry_file
from reseat.errors import ConfigError, ReseatError
from reseat.papers.configuration import Configuration, Known, section_of
from reseat.papers.run_plan import plan_run
from reseat.priors import all_priors
from reseat.sections import MAX_SWEEPS, Count, Section, read_section

FAMILIES = tuple(CATALOGUE.families)
WRONG = yaml.safe_load((ROOT / "tests/papers/wrong_configurations.yaml").read_text("utf-8"))
READ = cache(read_yaml)
SECTIONS = {"config": Configuration, "datasets": registry_file.SECTION}
SECTIONS |= {family: section_of(family) for family in FAMILIES}


@pytest.fixture
def read_once(monkeypatch):
    """Read each file once for all tests, which takes most of the time of a plan."""
    read = "reseat.datasets.registry.read_yaml"
    monkeypatch.setattr(read, lambda path: copy.deepcopy(READ(path)))


def change_of(row):
    """Return the change of a row, which may give one value and its place."""
    if "at" not in row:
        return copy.deepcopy(row.get("change", {}))
    change = row["to"]
    for key in reversed(row["at"].split(".")):
        change = {key: change}
    return change


@pytest.mark.parametrize("row", WRONG["rows"], ids=lambda row: row.get("at", row["says"])[:60])
def test_what_is_wrong_is_said_in_a_sentence(row, read_once):
    config = configuration({"scale": "demo"} | change_of(row))
    if "without" in row:
        *parents, last = row["without"].split(".")
        part = config
        for key in parents:
            part = part[key]
        del part[last]
    with pytest.raises(ReseatError) as refused:
        plan_run(config, ROOT)
    said = " ".join(str(refused.value).split())
    assert said.startswith("config")
    says = f"{row['at']}: {row['says']}" if "at" in row else row["says"]
    for part in says.split(" … "):
        _, found, said = said.partition(part)
        assert found, (part, str(refused.value))


def test_texts_of_the_command_line_become_what_their_keys_hold():
    given = {
        "seed": "7",
        "run": None,
        "data": {"download": "false"},
        "chains": {"checkpoint_seconds": "1.5"},
        "records": {"models": {"pyp": {"discount": "0.5"}, "nbd_per_field": {"per_field": "true"}}},
    }
    config = configuration({"scale": "demo"} | given)
    plan_run(config, ROOT)
    assert config["seed"] == 7 and config["run"] == ""
    assert config["data"]["download"] is False
    assert config["chains"] == {"threads": 2, "checkpoint_seconds": 1.5}
    models = config["records"]["models"]
    assert models["pyp"]["discount"] == 0.5 and models["nbd_per_field"]["per_field"] is True


def places(value, path=()):
    """Yield the paths of all entries of a configuration."""
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for key, entry in entries:
        yield (*path, key)
        if isinstance(entry, dict | list):
            yield from places(entry, (*path, key))


def test_odd_values_are_accepted_or_refused_in_a_sentence():
    """200 sections, in each of which a value is replaced, left out or under another key."""
    rng = np.random.default_rng(155)
    whole = configuration({"scale": "demo"})
    known = Known("demo", configured(whole, ROOT)[0], {}, {})
    spots = {family: list(places(whole[family])) for family in FAMILIES}
    refused = 0
    for _ in range(200):
        family = FAMILIES[rng.integers(len(FAMILIES))]
        section = copy.deepcopy(whole[family])
        path = spots[family][rng.integers(len(spots[family]))]
        parent = section
        for key in path[:-1]:
            parent = parent[key]
        value, how = ODD[rng.integers(len(ODD))], rng.random()
        if how < 0.7:
            parent[path[-1]] = value
        elif isinstance(parent, dict):
            entry = parent.pop(path[-1])
            if how < 0.85:
                parent[f"{path[-1]}x"] = entry
        try:
            read_section(section_of(family), section, Place("config", (family,)), known)
        except ReseatError as error:
            assert str(error).startswith("config"), (path, value)
            refused += 1
        except Exception as error:
            raise AssertionError(f"{family} {path} = {value!r} ends in {error!r}") from error
    assert refused > 200 / 3


def parts_of(schema, path=()):
    """Yield every part of a JSON schema that is a mapping, after its place."""
    if isinstance(schema, dict):
        yield ".".join(path), schema
    entries = schema.items() if isinstance(schema, dict) else enumerate(schema)
    for key, part in entries:
        if isinstance(part, dict | list):
            yield from parts_of(part, (*path, str(key)))


#: Keys of the configuration whose own keys other code checks.
CHECKED_ELSEWHERE = {"datasets", "features", "options"}
#: Whole numbers that may be arbitrarily large.
UNBOUNDED = {"seed", "bytes", "at_most"}


@pytest.mark.parametrize("name", SECTIONS)
def test_sections_bound_whole_numbers_and_refuse_unknown_keys_and_names_twice(name):
    parts = list(parts_of(SECTIONS[name].model_json_schema()))
    assert {path.stem for path in (ROOT / "config").glob("*.yaml")} == SECTIONS.keys()
    for place, part in parts:
        key = place.split(".")[-1]
        if part.get("type") == "integer":
            assert "maximum" in part or key in UNBOUNDED, place
        if part.get("type") == "array" and key in ("datasets", "models", "names", "starts"):
            assert part.get("uniqueItems") or "$ref" in part["items"], place
        if part.get("type") == "object" and key not in CHECKED_ELSEWHERE:
            model = "prior" in part.get("properties", {}) and name != "supervised"
            assert model or part["additionalProperties"] is not True, place


def test_numbers_of_chains_and_sweeps_are_those_that_the_library_accepts():
    class Bounds(Section):
        n_chains: Count

    schema = Bounds.model_json_schema()["properties"]["n_chains"]
    assert schema["maximum"] == MAX_CHAINS and 3 * MAX_SWEEPS <= MAX_COUNT


@pytest.mark.parametrize("family", FAMILIES)
def test_no_parameter_of_a_prior_is_a_setting_of_models(family):
    model = getattr(import_module(f"reseat.papers.{family}.config"), "Model", Section)
    parameters = {name for prior in all_priors().values() for name in prior.parameters}
    assert family in ("supervised", "relational") or not parameters & model.model_fields.keys()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\n? [b, c]\n: 2\n", "line 2: a key is a list or a mapping"),
        ("a:\n  - 2026-02-30\n", "line 2: '2026-02-30' is no timestamp"),
        ("a: 2026-01-01 25:00:00\n", "line 1: '2026-01-01 25:00:00' is no timestamp"),
        ("a: 1\nb: !!int abc\n", "line 2: 'abc' is no int"),
        ("a: !!bool perhaps\n", "line 1: 'perhaps' is no bool"),
        ("a: 0x_\n", "line 1: '0x_' is no int"),
        ("a: 1\na: 2\n", "line 2: the key 'a' is written twice"),
        ("a: 010\n", "line 1: 010 means 8 in YAML; write 8, or '010' for a text"),
        ("a: 12:30:45\n", "line 1: 12:30:45 means 45045 in YAML; write 45045, or"),
    ],
)
def test_what_yaml_cannot_make_a_value_of_is_named_with_its_line(tmp_path, text, said):
    path = tmp_path / "config.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match="config.yaml is not valid YAML at ") as refused:
        read_yaml(path)
    assert f"at {said}" in str(refused.value) and "; fix or restore it." in str(refused.value)


def test_a_file_in_which_snakemake_would_run_code_is_refused(tmp_path):
    path = tmp_path / "config.yaml"
    path.write_text("__use_yte__: true\n")
    with pytest.raises(ConfigError, match="__use_yte__ lets Snakemake run code in this file; remo"):
        read_yaml(path)
