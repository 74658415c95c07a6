"""Generated records and recipes, and the registry's data sets of the records family."""

import numpy as np
import pytest
from places import ROOT

from reseat.datasets import (
    Registry,
)
from reseat.datasets.parsers.generated_records import (
    SHAPES,
    parse_generated_recipe,
    parse_generated_records,
)
from reseat.errors import ConfigError

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


def test_data_beyond_the_paper_say_so_and_replace_nothing():
    records = [entry for entry in REGISTRY.values() if entry.family == "records"]
    real = {entry.name for entry in records if entry.status == "faithful"}
    beyond = {name for name in real if REGISTRY[name].note.startswith("Not in the paper")}
    assert real - beyond == {"italy", "nltcs5000"}
    assert REGISTRY["customers"].stands_for == ""
