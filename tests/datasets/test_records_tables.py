"""Records from tables of the user's own, generated ones, and what the registry says of others."""

import gzip

import numpy as np
import pytest
from given_files import put
from places import ROOT

from reseat.datasets import Records, Registry, read_records
from reseat.datasets.parsers.generated_records import (
    SHAPES,
    parse_generated_recipe,
    parse_generated_records,
)
from reseat.errors import ConfigError

TABLE = "id,who,town,age\nr1,x,Ulm,10\nr2, y ,Aalen, 9 \nr3,x,,10\nr4,z,Ulm,NA\n"


# ---- the user's own table ----------------------------------------------------------------


def test_a_table_is_read(tmp_path):
    made = read_records(put(tmp_path / "mine.csv", TABLE), entity="who", id="id")
    assert made.fields == ("town", "age") and made.record_ids.tolist() == ["r1", "r2", "r3", "r4"]
    assert made.levels == (("Aalen", "Ulm"), ("9", "10"))  # numbers by value
    assert made.codes.tolist() == [[1, 1], [0, 0], [-1, 1], [1, -1]]
    assert made.entities.tolist() == [0, 1, 0, 2] and made.marginals is None
    assert made.identity.name == "mine.csv" and list(made.identity.sha256) == ["mine.csv"]
    made.save(tmp_path / "r.npz")
    assert Records.load(tmp_path / "r.npz").identity == made.identity


def test_packed_files_and_other_choices(tmp_path):
    path = put(tmp_path / "mine.csv.gz", gzip.compress(b"\xef\xbb\xbf" + TABLE.encode()))
    made = read_records(path, fields=["age"], missing=("NA",))
    assert made.fields == ("age",) and made.entities is None
    assert made.record_ids.tolist() == ["1", "2", "3", "4"]
    rules = {"start": {"column": "town", "plain": True, "pattern": "^(.)"}, "age": None}
    made = read_records(path, fields=rules, entity="who")
    assert made.fields == ("start", "age") and made.levels[0] == ("a", "u")
    assert read_records(path, fields=["town", "age"], missing=()).n_levels == (2, 3)


def test_a_table_of_the_truth(tmp_path):
    path = put(tmp_path / "mine.csv", TABLE)
    truth = put(tmp_path / "truth.csv", "record,person\nr4,b\nr2,a\nr1,b\nr3,a\n")
    made = read_records(path, id="id", truth=truth, fields=["town", "age"])
    assert made.entities.tolist() == [0, 1, 1, 0]
    assert set(made.identity.sha256) == {"mine.csv", "truth.csv"}


# ---- parsers -----------------------------------------------------------------------------


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


def test_data_beyond_the_paper_say_so_and_replace_nothing():
    registry = Registry.load(ROOT / "config" / "datasets.yaml")
    records = [entry for entry in registry.values() if entry.family == "records"]
    real = {entry.name for entry in records if entry.status == "faithful"}
    beyond = {name for name in real if registry[name].note.startswith("Not in the paper")}
    assert real - beyond == {"italy", "nltcs5000"}
    assert registry["customers"].stands_for == ""
