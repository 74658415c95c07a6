"""Records: what is refused, read from tables, drawn from recipes, and said by the registry."""

import gzip

import numpy as np
import pytest
from given_files import TINY, put
from real_data import REGISTRY
from scipy import stats

from reseat.datasets import RecordRecipe, Records, draw_records, read_records
from reseat.datasets.identity import cell_name
from reseat.errors import ConfigError, DataError

MARGINALS = (np.array([0.5, 0.25, 0.25]), np.array([0.6, 0.4]))


def records(**keys):
    values = {
        "codes": np.array([[0, 1], [2, -1], [0, 0], [1, 1]]), "fields": ("town", "sex"),
        "levels": (("Aalen", "Bonn", "Köln"), ("f", "m")), "entities": np.array([7, 2, 7, 2]),
        "record_ids": np.array(["a", "b", "c", "d"]), "identity": TINY,
    }  # fmt: skip
    return Records(**{**values, **keys})


def recipe(marginals=MARGINALS, sizes=(30, 20), **keys):
    values = {
        "fields": tuple(f"f{i}" for i in range(len(marginals))),
        "levels": tuple(tuple(f"v{v}" for v in range(len(m))) for m in marginals),
        "marginals": marginals, "sizes": np.array(sizes), "identity": TINY,
    }  # fmt: skip
    return RecordRecipe(**{**values, **keys})


def test_entities_are_numbered_by_first_appearance():
    given = np.array([7, 2, 7, 2])
    made = records(entities=given)
    assert made.entities.tolist() == [0, 1, 0, 1] and made.entities.dtype == np.int32
    assert given.tolist() == [7, 2, 7, 2]
    assert records(entities=[5, 5, 0, 9]).entities.tolist() == [0, 0, 1, 2]
    assert records(entities=[5, 5, 0, 9]).entity_sizes().tolist() == [2, 1, 1]


def test_sizes_are_told():
    made = records()
    assert (made.n_records, made.n_fields, made.n_entities) == (4, 2, 2)
    assert made.n_levels == (3, 2) and made.codes.dtype == np.int32
    assert made.summary() == {
        "records": 4, "fields": 2, "levels": 5, "missing_values": 1, "entities": 2,
        "singletons": 0, "largest_entity": 2,
    }  # fmt: skip
    more = records(levels=(("Aalen", "Bonn", "Köln", "Ulm"), ("f", "m")))
    assert more.n_levels == (4, 2)  # a level that no record has stays
    unknown = records(entities=None)
    assert unknown.n_entities == 0 and unknown.summary()["entities"] == 0
    with pytest.raises(DataError, match="entities are not known"):
        unknown.entity_sizes()


ONE = {"codes": [[0, 1]], "record_ids": ["a"], "entities": [0]}


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        (ONE, "there is 1 record; at least two are needed"),
        ({**ONE, "codes": np.empty((0, 2), int), "record_ids": [], "entities": []}, "no record"),
        ({"codes": [[0, 1]] * 4}, "field 'town' is 'Aalen' in all records.*remove the field"),
        ({"codes": [[0, 1], [1, 1], [2, -1], [0, 1]]}, "field 'sex' is 'm' in all .*remove the f"),
        ({"codes": [[0, -1], [1, -1], [2, -1], [0, -1]]}, "field 'sex' is missing in all .*remove"),
        ({"codes": [[0, 1]] * 4, "marginals": MARGINALS}, "all 4 records are identical"),
        ({"codes": [[0, 1], [2, -1], [0, 0], [3, 1]]}, "codes of 'town': entry 3 is 3"),
        ({"codes": [[0, 1, 1]] * 4}, r"codes has the shape \(4, 3\), but .* 4 record ids and 2 fi"),
        ({"record_ids": ["a", "b", "c", "b"]}, "two records have the id 'b'"),
        ({"fields": ("sex", "sex")}, "two fields are called 'sex'"),
        ({"fields": (), "levels": (), "codes": np.empty((4, 0), int)}, "there are no fields"),
        ({"levels": (("x", "y", "z"),)}, "1 lists of levels for 2 fields"),
        ({"levels": (("x", "y", "x"), ("f", "m"))}, "field 'town' has the level 'x' twice"),
        ({"entities": [0, 1, 2]}, "entities has 3 entries for 4 records"),
        ({"marginals": MARGINALS[:1]}, "1 marginals for 2 fields"),
        ({"marginals": (MARGINALS[0], [0.5, 0.4])}, "marginal of field 'sex' adds up to 0.9,"),
        ({"marginals": (MARGINALS[0], [1.5, -0.5])}, "level 'm' of field 'sex' has .* -0.5"),
        ({"marginals": (MARGINALS[0], [1.0])}, r"field 'sex' has the shape \(1,\) for 2 levels"),
        ({"marginals": (MARGINALS[0], ["much", "little"])}, "field 'sex' must consist of numbers"),
        ({"marginals": ([0.5, 0.5, 0.0], MARGINALS[1])}, "level 'Köln' of field 'town' occurs in 1 "
         "records but has probability 0"),
    ],
)  # fmt: skip
def test_bad_parts_are_refused_in_one_sentence_naming_them(keys, words):
    with pytest.raises(DataError, match=words) as caught:
        records(**keys)
    assert "\n" not in str(caught.value) and str(caught.value).startswith("records 'tiny': ")


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"marginals": ([0.5, 0.5], [0.5, 0.6])}, "field 'f1' adds up to 1.1, not to 1"),
        ({"marginals": ([0.5, 0.5], [1.0, 0.0])}, "field 'f1' has one level .*remove the field"),
        ({"sizes": [3, -1]}, "sizes must be whole numbers of at least 0"),
        ({"sizes": [2.5]}, "sizes must be whole numbers of at least 0"),
        ({"sizes": [1]}, "its sizes add up to 1 records; at least two are needed"),
        ({"sizes": []}, "sizes"),
    ],
)
def test_a_bad_recipe_is_refused(keys, words):
    with pytest.raises(DataError, match=words) as caught:
        recipe(**keys)
    assert str(caught.value).startswith("recipe 'tiny': ")


@pytest.mark.parametrize("delta", [0, -0.1, np.nan, np.inf, True, "0.02", 0.025, 0.001])
def test_a_delta_that_cannot_be_is_refused(delta, rng):
    with pytest.raises(ConfigError, match="delta"):
        draw_records(recipe(), delta, rng)


def test_draws_are_named_by_recipe_delta_and_number(rng):
    cells = [cell_name("italy", delta) for delta in (0.02, 0.05, 0.1, 0.29, 1, 2.5)]
    assert [cell[6:] for cell in cells] == ["d02", "d05", "d10", "d29", "d100", "d250"]
    made = draw_records(recipe(), 0.1, rng, number=3, seed=[1, 2])
    assert made.identity.name == "tiny_d10_3" and made.identity.title == "Tiny, δ = 0.1, draw 3"
    assert made.identity.preprocessing == TINY.preprocessing | {
        "recipe": "tiny", "delta": 0.1, "draw": 3, "seed": [1, 2],
        "rule": "Polya urn, rows shuffled",
    }  # fmt: skip
    assert made.identity.status == "generated"
    assert draw_records(recipe(), 0.05, rng).identity.title == "Tiny, δ = 0.05"


def test_a_draw_has_the_sizes_and_levels_of_its_recipe(rng):
    for sizes in ([30, 20], [0, 0, 4], [5, 0, 0, 0, 0, 0, 2], [0] * 39 + [1]):
        source = recipe(marginals=(*MARGINALS, np.full(5000, 1 / 5000)), sizes=sizes)
        made = draw_records(source, 0.5, rng)
        assert (made.n_records, made.n_entities) == (source.n_records, source.n_entities)
        counted = np.bincount(made.entity_sizes(), minlength=len(sizes) + 1)[1:]
        assert counted.tolist() == list(sizes)
        assert made.levels == source.levels and len(made.levels[2]) == 5000
        np.testing.assert_array_equal(made.marginals[2], source.marginals[2])


def of_each_entity(made, number):
    """Return the codes of each entity's first records, shape (n_entities, number, n_fields)."""
    order = np.argsort(made.entities, kind="stable")
    return made.codes[order].reshape(made.n_entities, -1, made.n_fields)[:, :number]


@pytest.mark.parametrize("size", [1, 2, 4])
def test_marginal_frequencies_are_those_of_the_recipe(size, rng):
    laws = (*MARGINALS, np.array([0.5, 0.0, 0.5]))
    source = recipe(laws, sizes=[0] * (size - 1) + [4000])
    first = of_each_entity(draw_records(source, 0.7, rng), 1)[:, 0]
    for field, marginal in enumerate(source.marginals):
        counted = np.bincount(first[:, field], minlength=len(marginal))
        kept = marginal > 0
        assert counted[~kept].sum() == 0
        assert stats.chisquare(counted[kept], 4000 * marginal[kept]).pvalue > 1e-4


@pytest.mark.parametrize("delta", [0.05, 0.4, 3.0])
@pytest.mark.parametrize("size", [2, 3, 5])
def test_records_of_an_entity_agree_as_often_as_the_likelihood_says(delta, size, rng):
    n_entities = 6000
    source = recipe(sizes=[0] * (size - 1) + [n_entities])
    shown = of_each_entity(draw_records(source, delta, rng), 3)
    two = shown[:, 0] == shown[:, 1]
    chance = np.array([1 - delta / (1 + delta) * (1 - (m**2).sum()) for m in MARGINALS])

    def near(found, p):
        return abs(found - p) < 4.5 * np.sqrt(p * (1 - p) / n_entities)

    for field in range(2):
        assert near(two[:, field].mean(), chance[field])
    assert near(two.all(axis=1).mean(), chance.prod())  # fields are independent
    if size > 2:
        # Three in a row of Polya's urn: sum over v of g (d g + 1) (d g + 2) / ((d + 1) (d + 2)).
        three = (shown == shown[:, :1]).all(axis=1)
        for field, g in enumerate(MARGINALS):
            p = (g * (delta * g + 1) * (delta * g + 2)).sum() / ((delta + 1) * (delta + 2))
            assert near(three[:, field].mean(), p)


def test_entities_are_independent(rng):
    shown = of_each_entity(draw_records(recipe(sizes=[0, 6000]), 0.05, rng), 1)[:, 0, 0]
    same = (shown[::2] == shown[1::2]).mean()
    p = (MARGINALS[0] ** 2).sum()
    assert abs(same - p) < 4.5 * np.sqrt(p * (1 - p) / 3000)


TABLE = "id,who,town,age\nr1,x,Ulm,10\nr2, y ,Aalen, 9 \nr3,x,,10\nr4,z,Ulm,NA\n"


def test_a_table_is_read(tmp_path):
    made = read_records(put(tmp_path / "mine.csv", TABLE), entity="who", id="id")
    assert made.fields == ("town", "age") and made.record_ids.tolist() == ["r1", "r2", "r3", "r4"]
    assert made.levels == (("Aalen", "Ulm"), ("9", "10"))  # numbers by value
    assert made.codes.tolist() == [[1, 1], [0, 0], [-1, 1], [1, -1]]
    assert made.entities.tolist() == [0, 1, 0, 2] and made.marginals is None
    assert made.identity.name == "mine.csv" and list(made.identity.sha256) == ["mine.csv"]


def test_packed_files_and_other_choices_and_a_table_of_the_truth(tmp_path):
    path = put(tmp_path / "mine.csv.gz", gzip.compress(b"\xef\xbb\xbf" + TABLE.encode()))
    made = read_records(path, fields=["age"], missing=("NA",))
    assert made.fields == ("age",) and made.entities is None
    assert made.record_ids.tolist() == ["1", "2", "3", "4"]
    rules = {"start": {"column": "town", "plain": True, "pattern": "^(.)"}, "age": None}
    made = read_records(path, fields=rules, entity="who")
    assert made.fields == ("start", "age") and made.levels[0] == ("a", "u")
    assert read_records(path, fields=["town", "age"], missing=()).n_levels == (2, 3)
    truth = put(tmp_path / "truth.csv", "record,person\nr4,b\nr2,a\nr1,b\nr3,a\n")
    made = read_records(path, id="id", truth=truth, fields=["town", "age"])
    assert made.entities.tolist() == [0, 1, 1, 0]
    assert set(made.identity.sha256) == {"mine.csv.gz", "truth.csv"}


def test_data_beyond_the_paper_say_so_and_replace_nothing():
    records = [entry for entry in REGISTRY.values() if entry.family == "records"]
    real = {entry.name for entry in records if entry.status == "faithful"}
    beyond = {name for name in real if REGISTRY[name].note.startswith("Not in the paper")}
    assert real - beyond == {"italy", "nltcs5000"}
    assert REGISTRY["customers"].stands_for == ""
