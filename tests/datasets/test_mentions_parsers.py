"""Mentions: what is refused, what rules say of them, and what is read from files or drawn."""

import logging

import numpy as np
import pytest
from given_files import TINY, write
from real_data import REGISTRY

from reseat.datasets import DataSettings, Mentions, build, embed_mentions
from reseat.datasets.mentions import KINDS
from reseat.datasets.parsers.items import draw_sides
from reseat.datasets.parsers.labelled_items import parse_labelled_items
from reseat.datasets.parsers.name_references import parse_name_references
from reseat.datasets.parsers.proper_names import parse_proper_names
from reseat.datasets.raw import SIDES, number_entities
from reseat.errors import ConfigError, DataError

NAMES = {
    "first_name": ("Robert E.", "R.", "René", "Rosa", "rene"),
    "last_name": ("Schapire", "schapire", "Müller", "MÜLLER", "Li"),
    "year": np.array([1990.0, np.nan, 1991, 1992, 1993]),
}


def mentions(**keys):
    values = {
        "kind": "identity", "columns": NAMES, "entities": [0, 1, 1, 2, 2],
        "test": [False, False, False, True, True], "groups": [0, 0, 0, 1, 1],
        "group_names": SIDES, "item_ids": tuple("abcde"), "identity": TINY,
    }  # fmt: skip
    return Mentions(**{**values, **keys})


def test_sizes_of_the_whole_and_of_the_test_items():
    made = mentions(entities=[0, 0, 1, 2, 3], test=[False, False, False, True, True])
    assert (made.n_items, made.n_test, made.n_entities, made.n_train_entities) == (5, 2, 4, 2)
    assert made.role == "identity" and made.n_groups == 2
    made = mentions(entities=[0, 1, 2, 2, 3], test=[0, 0, 1, 1, 1], groups=[0, 0, 1, 1, 1])
    found = made.summary()
    assert found["pair_share"] == pytest.approx(1 / 3) and found["largest"] == 2
    assert found["entropy"] == pytest.approx(np.log(3) - 2 / 3 * np.log(2))
    assert (found["train"], found["test"], found["test_entities"]) == (2, 3, 2)
    assert set(KINDS.values()) == {"digits", "identity", "coref", "refmatch", "items"}


def test_entities_are_numbered_in_the_order_of_first_appearance():
    found = number_entities(["z", "a", "z", "m", "a"])
    assert found.tolist() == [0, 1, 0, 2, 1] and found.dtype == np.int32
    assert number_entities([(1, "a"), (0, "a"), (1, "a")]).tolist() == [0, 1, 0]
    made = mentions(entities=[7.0, 3, 3, 9, 9])
    assert made.entities.tolist() == [0, 1, 1, 2, 2] and made.entities.dtype == np.int32


def test_names_match_by_last_name_and_first_initial():
    (labels,) = mentions().rules().values()
    assert labels.tolist() == [0, 0, 1, 1, 2] and labels.dtype == np.int32


def test_heads_match_within_a_document():
    columns = {"name": ("A Bush", "Bush", "BUSH", "Bush", "Rome"), "head": ("Bush", "Bush", "BUSH",
               "Bush", "Rome")}  # fmt: skip
    keys = {"groups": [0, 0, 1, 2, 2], "group_names": ("x", "y", "z")}
    made = mentions(kind="names", columns=columns, **keys)
    assert made.rules()["SameHead"].tolist() == [0, 0, 1, 2, 3]
    assert mentions(kind="items").rules() == {}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"kind": "identiy"}, "no kind 'identiy'; did you mean 'identity'"),
        ({"kind": "digits"}, "of the kind 'digits' need the column 'pixels'"),
        ({"kind": "items", "columns": {}}, "no columns by which to compare the items"),
        ({"entities": [0, 1, 2]}, "entities has 3 entries for 5 items"),
        ({"entities": [0, 1.5, 1, 2, 2]}, "entities: entry 1 is 1.5; all entries must be whole"),
        ({"columns": {**NAMES, "venue": ("x",)}}, "the column 'venue' has 1 entries for 5 items"),
        ({"columns": {**NAMES, "x": np.array([1, 2, np.inf, 4, 5])}}, "'x' of item 'c' contains"),
        ({"test": [False] * 5}, "no item is marked test"),
        ({"test": [True] * 5, "groups": [0] * 5}, "there are no training items; at least two"),
        ({"entities": [0, 0, 0, 1, 2]}, "the training items all belong to one entity"),
        ({"groups": [0, 0, 1, 1, 1]}, "'test' contains both training and test items"),
        ({"groups": [0, 0, 0, 2, 2]}, "groups must be numbered from 0 to 1"),
    ],
)
def test_unsound_mentions_are_refused(changed, words):
    with pytest.raises(DataError, match=rf"mentions 'tiny': .*{words}"):
        mentions(**changed)


def test_wholes_stay_together_and_the_share_is_met(rng):
    wholes = rng.integers(0, 60, 900).astype(str).tolist()
    entities = [f"{whole}.{rng.integers(3)}" for whole in wholes]
    entities[wholes.index("3")] = entities[wholes.index("5")]  # one entity with two names
    test = draw_sides(wholes, entities, 0.73, 1)
    sides = {(name, bool(side)) for name, side in zip(wholes + entities, [*test, *test],
                                                       strict=True)}  # fmt: skip
    assert len(sides) == len({name for name, _ in sides})
    assert abs((~test).mean() - 0.73) < 0.03
    np.testing.assert_array_equal(test, draw_sides(wholes, entities, 0.73, 1))
    assert (test != draw_sides(wholes, entities, 0.73, 2)).any()
    with pytest.raises(DataError, match="all items are connected"):
        draw_sides(["a", "b"], ["x", "x"], 0.5, 0)
    with pytest.raises(ConfigError, match="'train_share' is 1"):
        draw_sides(wholes, entities, 1, 0)


AUTHORS = """
ref_id block mention first_name last_name year venue coauthors title entity_id pub_id
1 lee A~Lee A Lee 1990 ICML X~Y;Z t lee#1 7
2 lee A~Lee A Lee 1991 COLT X~Y t lee#2 8
3 roy B~Roy B Roy 1990 ICML Z t roy#1 7
"""


def test_name_references_take_the_split_or_draw_one(tmp_path):
    write(tmp_path, refs=AUTHORS, split="ref_id split\n3 test\n1 train")
    paths = {"references": tmp_path / "refs.csv", "split": tmp_path / "split.csv"}
    raw = parse_name_references(paths)
    assert raw.item_ids == ["1", "3"] and raw.test == [False, True]
    assert raw.columns["publication"] == ["7", "7"] and raw.columns["full_name"][1] == "B Roy"
    drawn = parse_name_references({"references": paths["references"]}, 0.5)
    assert drawn.test[0] == drawn.test[1] != drawn.test[2]


MENTIONS = """
doc_id mention_id name head etype partition entity_id
a 1 John~Roy Roy person train 1
a 2 Roy Roy person train 1
b 1 Rome Rome place test 1
c 1 May May time test 1
d 1 Oslo Oslo place dev 1
"""


def test_names_are_of_one_document_and_those_without_are_left_out(tmp_path):
    path = write(tmp_path, names=MENTIONS) / "names.csv"
    sides = {"train": ["train"], "test": ["test"]}
    raw = parse_proper_names({"mentions": path}, ["person", "place"], None, sides)
    assert raw.documents == ["a", "a", "b"] and raw.test == [False, False, True]
    assert raw.entities == ["a#1", "a#1", "b#1"] and raw.item_ids == ["a:1", "a:2", "b:1"]
    assert raw.notes == {"documents_without_mentions": 1}
    drawn = parse_proper_names({"user": path}, train_share=0.6, seed=4)
    assert len(drawn.test) == 5 and drawn.test[0] == drawn.test[1]
    with pytest.raises(DataError, match="names.csv: no names are left"):
        parse_proper_names({"user": path}, ["time"], None, {"train": ["train"], "test": ["dev"]})


def test_labels_and_groups_may_stand_beside_the_items(tmp_path, caplog):
    write(
        tmp_path, items="id doc text\na 1 x\nb 1 y\nc 2 z", groups="doc\n1\n2\n3",
        labels="id entity split\nc 2 test\na 1 train\nb 0 train",
    )  # fmt: skip
    with caplog.at_level(logging.WARNING, "reseat"):
        raw = parse_labelled_items({"user": tmp_path}, group="doc")
    assert raw.entities == ["1", "0", "2"] and raw.test == [False, False, True]
    assert raw.notes == {"documents_without_mentions": 1}
    assert "groups.csv: 1 groups have no items and are ignored; the first is '3'" in caplog.text


def test_the_hand_laid_table_of_ace_is_read(tmp_path, caplog):
    path = tmp_path / "ace.csv"
    path.write_text(
        "doc_id,mention_id,name,head,entity_id,partition\n"
        "d1,1,George W. Bush,Bush,e1,train\nd1,2,Bush,Bush,e1,train\nd2,1,Rome,Rome,e1,train\n"
        "d3,1,IBM,IBM,e7,test\nd3,2,International Business Machines,Machines,e7,test\n"
    )
    settings = DataSettings(paths={"ace2004_names": path}, raw=tmp_path / "raw")
    made = build(REGISTRY, "ace2004_names", settings, kind="mentions")
    assert made.group_names == ("d1", "d2", "d3") and made.groups.tolist() == [0, 0, 1, 2, 2]
    assert made.entities.tolist() == [0, 0, 1, 2, 2]  # an id is valid within its document only
    assert made.test.tolist() == [False, False, False, True, True] and not caplog.records
    assert embed_mentions(made).n_features == 5
