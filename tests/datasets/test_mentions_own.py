"""Items and distances of the user's own: what is read, and the errors for wrong files."""

import logging

import numpy as np
from mention_files import write

from reseat.datasets.parsers.labelled_items import parse_item_pairs, parse_labelled_items

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
