"""Files of mentions: what is read, what is drawn, and the errors for wrong files."""

import gzip
import logging
from collections import Counter

import numpy as np
import pytest
from given_files import write
from places import ROOT

from reseat.datasets import DataSettings, Registry, build, embed_mentions
from reseat.datasets.parsers.citation_table import parse_citation_table
from reseat.datasets.parsers.digit_images import parse_digit_images
from reseat.datasets.parsers.generated_mentions import parse_generated_mentions
from reseat.datasets.parsers.items import draw_sides
from reseat.datasets.parsers.labelled_items import parse_item_pairs, parse_labelled_items
from reseat.datasets.parsers.name_references import parse_name_references
from reseat.datasets.parsers.proper_names import parse_proper_names
from reseat.errors import ConfigError, DataError

# ---- sides -------------------------------------------------------------------------------


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


# ---- digits ------------------------------------------------------------------------------

DRAW = {"train_digits": [1, 3], "test_digits": [0, 2], "test_sizes": [3, 5], "train_sizes": [2, 4]}


@pytest.fixture
def images(tmp_path, rng):
    for name, size in (("train", 30), ("test", 10)):
        pixels = np.column_stack([np.arange(size) % 4, rng.integers(-9, 9, (size, 256)) / 10])
        with gzip.open(tmp_path / f"zip.{name}.gz", "wt") as file:
            np.savetxt(file, pixels, fmt="%g")
    return {name: tmp_path / f"zip.{name}.gz" for name in ("train", "test")}


def test_images_are_reduced_and_drawn_from_both_files(images):
    raw = parse_digit_images(images, **DRAW, seed=2)
    sizes = Counter(raw.entities)
    assert sorted(sizes[d] for d in "02") == [3, 5] and all(2 <= sizes[d] <= 4 for d in "13")
    assert raw.notes["drawn"] == {digit: sizes[digit] for digit in "1302"}
    assert [entity in "02" for entity in raw.entities] == raw.test == sorted(raw.test)
    assert len(set(raw.item_ids)) == len(raw.item_ids)
    name, line = raw.item_ids[-1].rsplit(":", 1)
    with gzip.open(images[name.removeprefix("zip.")]) as file:
        row = np.loadtxt(file)[int(line) - 1]
    assert int(row[0]) == int(raw.entities[-1])
    image = row[1:].reshape(16, 16)
    assert raw.columns["pixels"][-1][9] == pytest.approx(image[2:4, 2:4].mean())
    again, other = (parse_digit_images(images, **DRAW, seed=s) for s in (2, 3))
    assert raw.item_ids == again.item_ids != other.item_ids
    drawn = {tuple(parse_digit_images(images, **DRAW, seed=s).notes["drawn"].values())
             for s in range(12)}  # fmt: skip
    assert {sizes[2:] for sizes in drawn} == {(3, 5), (5, 3)}
    assert {sizes[0] for sizes in drawn} == {2, 3, 4}


def test_a_damaged_table_of_images_is_named(images):
    images["test"].write_text("1 0.5 0.5\n")
    with pytest.raises(DataError, match="zip.test.gz: every line must contain a digit and 256"):
        parse_digit_images(images, **DRAW)
    images["test"].write_bytes(images["train"].read_bytes()[:-30])
    with pytest.raises(DataError, match="zip.test.gz cannot be read"):
        parse_digit_images(images, **DRAW)


# ---- names, documents, citations ---------------------------------------------------------

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


CITED = """
id key author title date journal book roy
1 x A.~Roy~and~B.~Lee T (1991). J - 1
2 x Roy;~A. T. 91 - - 1
3 x C.~Li T 1991 - - 0
4 y C.~Li U 1885-90 - B 0
5 y A.~Roy U in~1890 - B 1
"""


def test_publications_are_for_testing_if_most_references_say_so(tmp_path):
    path = write(tmp_path, refs=CITED) / "refs.csv"
    path.write_text(path.read_text().replace("-,", ",").replace(",-", ","))
    options = {"item": "id", "entity": "key", "year": "date", "venue": ["journal", "book"]}
    raw = parse_citation_table({"references": path}, test={"roy": "1"}, **options)
    assert raw.test == [True, True, True, False, False]  # two of three, and one of two
    np.testing.assert_array_equal(raw.columns["year"], [1991, np.nan, 1991, 1885, 1890])
    assert raw.columns["venue"] == ["J", "", "", "B", "B"]
    assert raw.columns["first_author"][0] == "a roy" and raw.columns["coauthors"][0] == "b lee"


# ---- items and distances of the user's own ---------------------------------------------------

ITEMS = """
id split entity text size
a train x new~york 1
b train y rome NA
c test z oslo 2.5
"""
PAIRS = """
id1 id2 near far
a b 1 0.5
c a 2 0
b c 0 0.25
"""


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


def test_distances_of_the_users_own(tmp_path):
    write(tmp_path, items=ITEMS, pairs=PAIRS)
    raw = parse_item_pairs({"user": tmp_path})
    assert raw.kind == "pairs" and list(raw.columns) == ["near", "far"]
    np.testing.assert_array_equal(raw.columns["near"], [[0, 1, 2], [1, 0, 0], [2, 0, 0]])
    write(tmp_path, pairs=PAIRS.replace("b c 0 0.25\n", ""))
    raw = parse_item_pairs({"user": tmp_path}, absent=9)
    np.testing.assert_array_equal(raw.columns["far"], [[0, 0.5, 0], [0.5, 0, 9], [0, 9, 0]])


def test_the_hand_laid_table_of_ace_is_read(tmp_path, caplog):
    path = tmp_path / "ace.csv"
    path.write_text(
        "doc_id,mention_id,name,head,entity_id,partition\n"
        "d1,1,George W. Bush,Bush,e1,train\nd1,2,Bush,Bush,e1,train\nd2,1,Rome,Rome,e1,train\n"
        "d3,1,IBM,IBM,e7,test\nd3,2,International Business Machines,Machines,e7,test\n"
    )
    settings = DataSettings(paths={"ace2004_names": path}, raw=tmp_path / "raw")
    made = build(
        Registry.load(ROOT / "config" / "datasets.yaml"), "ace2004_names", settings, kind="mentions"
    )
    assert made.group_names == ("d1", "d2", "d3") and made.groups.tolist() == [0, 0, 1, 2, 2]
    assert made.entities.tolist() == [0, 0, 1, 2, 2]  # an id is valid within its document only
    assert made.test.tolist() == [False, False, False, True, True] and not caplog.records
    assert embed_mentions(made).n_features == 5


# ---- generated mentions ------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["identity", "names", "citations"])
def test_generated_mentions_repeat_and_differ_by_seed(kind):
    options = {"kind": kind, "train": [9, 50], "test": [4, 20]}
    one, again, other = (parse_generated_mentions({}, seed, **options) for seed in (1, 1, 2))
    assert one.entities == again.entities and one.columns.keys() == again.columns.keys()
    for key, values in one.columns.items():
        np.testing.assert_array_equal(values, again.columns[key])
    assert any(list(v) != list(other.columns[k]) for k, v in one.columns.items())
    assert sum(one.test) == 20 and len(one.test) == 70
    wholes = one.documents or one.entities
    assert len({w for w, t in zip(wholes, one.test, strict=True) if t}) == 4
    assert not {w for w, t in zip(wholes, one.test, strict=True) if t} & {
        w for w, t in zip(wholes, one.test, strict=True) if not t
    }
