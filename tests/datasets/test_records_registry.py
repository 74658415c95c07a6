"""Generated records and recipes, and the registry's data sets of the records family."""

import numpy as np
import pytest
import yaml
from places import ROOT

from reseat.datasets import (
    DataSettings,
    Registry,
    build,
    check_available,
    draw_records,
    missing_report,
)
from reseat.datasets.counting import stop_list_role
from reseat.datasets.parsers.generated_records import (
    SHAPES,
    parse_generated_recipe,
    parse_generated_records,
)
from reseat.errors import ConfigError, DataError

REGISTRY = Registry.load(ROOT / "config" / "datasets.yaml")

# ---- generated ---------------------------------------------------------------------------


def test_generated_records_err_and_lack_as_often_as_asked():
    fields = {"a": {"levels": 50, "shape": "even"}, "b": {"levels": 2, "shape": "even"}}
    raw = parse_generated_records({}, 5, [0, 4000], fields, distortion=0.2, missing=0.1)
    absent = raw.cells.isna().to_numpy().mean()
    assert abs(absent - 0.1) < 4.5 * np.sqrt(0.09 / 16000)
    pairs = raw.cells.assign(e=raw.entities).dropna(subset="a").groupby("e")["a"]
    both = pairs.filter(lambda shown: len(shown) == 2)
    same = both.groupby(np.array(raw.entities)[both.index]).nunique() == 1
    p = 1 - (1 - 0.8**2) * (1 - 1 / 50)
    assert abs(same.mean() - p) < 4.5 * np.sqrt(p * (1 - p) / len(same))


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"sizes": [1, -1]}, "'sizes'"),
        ({"fields": {"a": {"levels": 3}}}, "'fields.a' must have the keys levels and shape"),
        ({"fields": {"a": {"levels": 1, "shape": "even"}}}, "'fields.a.levels'"),
        ({"fields": {"a": {"levels": 3, "shape": "hmp"}}}, "did you mean 'hump'"),
        ({"missing": 1.0}, "'missing'"),
        ({"distortion": -0.1}, "'distortion'"),
    ],
)
def test_wrong_options_of_generated_sets_are_refused(keys, words):
    good = {"sizes": [3, 2], "fields": {"a": {"levels": 3, "shape": "even"}}}
    with pytest.raises(ConfigError, match=words):
        parse_generated_records({}, 1, **{**good, **keys})


def test_shapes_are_what_they_are_called():
    assert SHAPES["even"](3).tolist() == [1, 1, 1]
    assert SHAPES["falling"](2).tolist() == [1, 0.5]
    assert SHAPES["hump"](3).tolist() == [3, 4, 3]
    raw = parse_generated_recipe({}, [1, 1], {"a": {"levels": 3, "shape": "hump"}})
    assert raw.levels == (("1", "2", "3"),) and raw.marginals[0].tolist() == [0.3, 0.4, 0.3]


# ---- the registry ------------------------------------------------------------------------

NOWHERE = DataSettings(mirrors=(), raw="nowhere", download=False)
FAMILY = [name for name in REGISTRY if REGISTRY[name].family == "records"]
RECIPES = [name for name in FAMILY if REGISTRY[name].parser.endswith("recipe")]


@pytest.mark.parametrize("name", [name for name in FAMILY if name.startswith("demo_")])
def test_the_demo_sets_need_no_file(name):
    if name in RECIPES:
        source = build(REGISTRY, name, NOWHERE, kind="recipe")
        made = draw_records(source, 0.1, np.random.default_rng(1))
        assert made.identity.name == f"{name}_d10_0" and made.identity.status == "generated"
        assert {str(source.n_records), str(source.n_entities)} <= set(REGISTRY[name].about.split())
    else:
        made = build(REGISTRY, name, NOWHERE, kind="records")
        n_entities = {"demo_survey": 99, "demo_customers": 149}[name]
        assert (made.n_entities, made.n_fields) == (n_entities, 6)
        assert {str(made.n_records), str(n_entities)} <= set(REGISTRY[name].about.split())
        assert 0 < made.summary()["missing_values"] < made.n_records
        again = build(REGISTRY, name, NOWHERE, kind="records")
        np.testing.assert_array_equal(made.codes, again.codes)
        assert made.identity == again.identity
    assert 120 <= made.n_records <= 240
    assert not missing_report(REGISTRY, [name], NOWHERE)


def test_everything_has_a_demo_in_its_place_and_no_stop_list():
    for name in FAMILY:
        assert stop_list_role(REGISTRY[name]) is None
        if REGISTRY[name].status != "generated":
            (standin,) = REGISTRY[name].standins
            assert (name in RECIPES) == (standin in RECIPES)
    settings = DataSettings(mirrors=(), raw="nowhere", download=False, missing="standin")
    found = check_available(REGISTRY, ["italy", "febrl4", "demo_survey"], settings)
    assert found.names == ("demo_italy", "demo_survey")
    assert {row.dataset for row in missing_report(REGISTRY, FAMILY, NOWHERE)} == {
        name for name in FAMILY if REGISTRY[name].status != "generated"
    }


TABLE = "id,who,town,age\nr1,x,Ulm,10\nr2,y,Aalen,9\nr3,x,,10\nr4,z,Ulm,NA\n"


@pytest.mark.parametrize("folder", [False, True])
def test_records_of_the_users_own_enter_by_the_registry(tmp_path, folder):
    entry = {
        "title": "Mine", "about": "mine", "family": "records", "licence": "mine",
        "citation": "none", "status": "faithful", "parser": "record_table",
        "user_path": "a table", "options": {"record": "id", "fields": ["town", "age"]},
    }  # fmt: skip
    if not folder:
        entry["options"]["entity"] = "who"
    config = tmp_path / "datasets.yaml"
    config.write_text(yaml.safe_dump({"datasets": {"mine": entry}}))
    registry = Registry.load(config)
    path = tmp_path / "f" / "records.csv"
    path.parent.mkdir()
    path.write_text(TABLE)
    (path.parent / "truth.csv").write_text("record,person\nr1,b\nr2,a\nr3,a\nr4,b\n")
    mine = DataSettings(paths={"mine": path.parent if folder else path}, raw=tmp_path / "raw")
    made = build(registry, "mine", mine, kind="records")
    assert made.entities.tolist() == ([0, 1, 1, 0] if folder else [0, 1, 0, 2])
    assert made.identity.name == "mine" and list(made.identity.sha256) == ["data as read"]
    path.write_text(TABLE.replace("Aalen", "Bonn"))
    other = build(registry, "mine", mine, kind="records")
    assert other.identity.sha256 != made.identity.sha256
    path.write_text(TABLE.replace("town", "city"))
    with pytest.raises(DataError, match="data set 'mine': .*records.csv has no column 'town'"):
        build(registry, "mine", mine, kind="records")


def test_data_beyond_the_paper_say_so_and_replace_nothing():
    records = [entry for entry in REGISTRY.values() if entry.family == "records"]
    real = {entry.name for entry in records if entry.status == "faithful"}
    beyond = {name for name in real if REGISTRY[name].note.startswith("Not in the paper")}
    assert real - beyond == {"italy", "nltcs5000"}
    assert REGISTRY["customers"].stands_for == ""
