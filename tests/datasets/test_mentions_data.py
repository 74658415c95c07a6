"""Mentions: what is refused, what is read back, and the labels that simple rules give."""

import numpy as np
import pytest
from given_files import TINY

from reseat.datasets import Mentions
from reseat.datasets.mentions import KINDS
from reseat.datasets.raw import SIDES, number_entities
from reseat.errors import DataError

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
    found = mentions(
        entities=[0, 1, 2, 2, 3], test=[0, 0, 1, 1, 1], groups=[0, 0, 1, 1, 1]
    ).summary()
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
    made = mentions(
        kind="names", columns=columns, groups=[0, 0, 1, 2, 2], group_names=("x", "y", "z")
    )
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
