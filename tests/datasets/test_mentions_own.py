"""Items and distances of the user's own: what is read, and the errors for wrong files."""

import logging

import numpy as np
import pytest
from mention_files import write

from reseat.datasets.parsers.labelled_items import parse_item_pairs, parse_labelled_items
from reseat.errors import DataError

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


def test_items_of_the_users_own(tmp_path):
    path = write(tmp_path, items=ITEMS) / "items.csv"
    for given in (path, tmp_path):
        raw = parse_labelled_items({"user": given})
        assert (raw.kind, raw.item_ids, raw.test) == (
            "items",
            ["a", "b", "c"],
            [False, False, True],
        )
        assert raw.columns.keys() == {"text", "size"} and raw.entities == ["x", "y", "z"]
        np.testing.assert_array_equal(raw.columns["size"], [1, np.nan, 2.5])
        assert raw.columns["text"] == ["new york", "rome", "oslo"]
    assert parse_labelled_items({"user": path}, texts=["size"]).columns["size"][0] == "1"
    grouped = parse_labelled_items({"user": path}, group="size")
    assert grouped.documents == ["1", "NA", "2.5"] and set(grouped.columns) == {"text"}


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
    write(tmp_path, groups="doc\n1")
    with pytest.raises(DataError, match="items of '2', which is not listed in .*groups.csv"):
        parse_labelled_items({"user": tmp_path}, group="doc")
    for text, words in (
        ("c 2 test\na 1 train\nb 0 train\nd 0 test", "labels.csv names item 'd', which"),
        ("c 2 test\na 1 train", "items.csv names item 'b', which is not in .*labels.csv"),
        ("c 2 test\na 1 train\nb 0 train\na 1 test", "labels.csv marks item 'a' as both train and"),
    ):
        write(tmp_path, labels=f"id entity split\n{text}")
        with pytest.raises(DataError, match=words):
            parse_labelled_items({"user": tmp_path})


@pytest.mark.parametrize(
    ("items", "words"),
    [
        (ITEMS + "a test x rome 1", "items.csv marks item 'a' as both train and test"),
        (ITEMS + "a train x rome 1", "items.csv names item 'a' twice"),
        (ITEMS.replace("b train", "b dev"), "item 'b' is marked 'dev'"),
        (ITEMS.replace("train y", "train NA"), "item 'b' has no entity; every item needs one"),
        (ITEMS.replace("entity", "person"), "has no column 'entity'"),
        ("id split entity text", "no lines below the column names"),
    ],
)
def test_wrong_items_are_named(tmp_path, items, words):
    with pytest.raises(DataError, match=words):
        parse_labelled_items({"user": write(tmp_path, items=items) / "items.csv"})


def test_distances_of_the_users_own(tmp_path):
    write(tmp_path, items=ITEMS, pairs=PAIRS)
    raw = parse_item_pairs({"user": tmp_path})
    assert raw.kind == "pairs" and list(raw.columns) == ["near", "far"]
    np.testing.assert_array_equal(raw.columns["near"], [[0, 1, 2], [1, 0, 0], [2, 0, 0]])
    write(tmp_path, pairs=PAIRS.replace("b c 0 0.25\n", ""))
    raw = parse_item_pairs({"user": tmp_path}, absent=9)
    np.testing.assert_array_equal(raw.columns["far"], [[0, 0.5, 0], [0.5, 0, 9], [0, 9, 0]])


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        (PAIRS + "a d 1 1", "pairs.csv names item 'd', which is not in .*items.csv"),
        (PAIRS + "c c 1 1", "the pair 'c', 'c' contains the same item twice"),
        (PAIRS + "b a 1 1", "the pair 'b', 'a' occurs twice"),
        (PAIRS.replace("b c 0 0.25\n", ""), "lacks 1 pairs, such as 'b', 'c'; add them"),
        (
            PAIRS.replace("0.5", "-0.5"),
            "'far' of 'a', 'b' is '-0.5'; it must be a number of at least 0",
        ),
        (PAIRS.replace("0.5", "NA"), "'far' of 'a', 'b' is 'NA'"),
        (PAIRS.replace("0.5", "far"), "'far' in the column 'far' is not a number"),
        ("id1 id2\na b\na c\nb c", "no column of distances"),
    ],
)
def test_wrong_distances_are_named(tmp_path, pairs, words):
    write(tmp_path, items=ITEMS, pairs=pairs)
    with pytest.raises(DataError, match=words):
        parse_item_pairs({"user": tmp_path})


def test_distances_need_their_table(tmp_path):
    with pytest.raises(DataError, match="does not contain the table of distances pairs.csv"):
        parse_item_pairs({"user": write(tmp_path, items=ITEMS)})
