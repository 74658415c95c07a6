"""Relations: what is refused, what is read back, and how they are cut."""

import numpy as np
import pytest
from given_files import TINY

from reseat.datasets import Relations, cut_relations
from reseat.errors import ConfigError, DataError
from reseat.relation_tables import RelationTable

CELLS = np.array([[2, 0], [0, 1], [0, 0], [1, 1]])
COUNTS = np.array([1, 4, 2, 7])


def table(**keys):
    values = {"name": "pairs", "types": ("a", "n"), "coordinates": CELLS, "counts": COUNTS}
    return RelationTable(**{**values, **keys})


def relations(**keys):
    values = {
        "entities": {"a": ("x", "y", "ない"), "n": ("u", "v")}, "relations": (table(),),
        "classes": {"a": ("1", "", "2")}, "identity": TINY,
    }  # fmt: skip
    return Relations(**{**values, **keys})


def test_cells_are_sorted_and_those_without_a_count_left_out():
    made = table(coordinates=np.vstack([CELLS, [[1, 0]]]), counts=np.r_[COUNTS, 0].astype(float))
    np.testing.assert_array_equal(made.coordinates, [[0, 0], [0, 1], [1, 1], [2, 0]])
    assert made.coordinates.dtype == np.int32 and made.counts.dtype == np.int64
    assert made.counts.tolist() == [2, 4, 7, 1] and made.missing.shape == (0, 2)
    assert table(counts=COUNTS > 1).counts.tolist() == [1, 1, 1]


def test_repeated_cells_are_summed_with_a_warning():
    with pytest.warns(UserWarning, match="relation 'pairs': 2 rows repeat a cell"):
        made = table(coordinates=np.vstack([CELLS, CELLS[:2]]), counts=np.r_[COUNTS, 10, 20])
    assert made.counts.tolist() == [2, 24, 7, 11]


def test_cells_beyond_any_table_are_sorted_and_summed_all_the_same(rng):
    cells = rng.choice([0, 1, 2**31 - 2], (300, 3))
    with pytest.warns(UserWarning, match="rows repeat a cell"):
        made = table(types="abc", coordinates=cells, counts=np.ones(300))
    expected, counts = np.unique(cells, axis=0, return_counts=True)
    np.testing.assert_array_equal(made.coordinates, expected)
    np.testing.assert_array_equal(made.counts, counts)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"counts": [1, -4, 2, 7]}, r"row 1, the cell \(0, 1\), has the count -4"),
        ({"counts": [1, 4, 2.5, 7]}, r"row 2, the cell \(0, 0\), has the count 2.5"),
        ({"counts": [1, 4, 2, np.nan]}, r"row 3, the cell \(1, 1\), has the count nan"),
        ({"counts": [np.inf, 4, 2, 1]}, "row 0, .* has the count inf"),
        ({"counts": [1, 4, 2]}, "counts must be 4 numbers"),
        ({"counts": [0, 0, 0, 0]}, "no cell has a count above 0"),
        ({"coordinates": CELLS * 1.5}, "coordinates must be whole numbers in 2 columns"),
        ({"coordinates": CELLS[:, :1]}, r"has the shape \(4, 1\)"),
        ({"coordinates": CELLS - 1}, r"row 0 of coordinates is \(1, -1\)"),
        ({"types": ("a",)}, "has 1 places; a relation needs at least two"),
        ({"missing": [[1, 0], [1, 1]]}, "1 missing cells have a count"),
    ],
)
def test_wrong_relations_are_refused(keys, words):
    with pytest.raises(DataError, match=f"relation 'pairs'.*{words}") as caught:
        table(**keys)
    assert "\n" not in str(caught.value)


def test_relations_know_their_sizes():
    made = relations()
    np.testing.assert_array_equal(made.matrix().toarray(), [[2, 4], [0, 7], [1, 0]])
    np.testing.assert_array_equal(made.matrix("pairs").toarray(), made.matrix().toarray())
    assert made.totals("a").tolist() == [6, 7, 1]
    assert made.totals("n", weighted=False).tolist() == [2, 2]
    assert made.classes == {"a": ("1", "", "2"), "n": None}
    assert made.types == ("a", "n") and made.n_entities == {"a": 3, "n": 2}
    assert made.summary() == {
        "types": 2, "entities": 5, "shape": "3 x 2", "cells": 6, "observed": 4, "missing": 0,
        "tokens": 14, "once": 1, "largest": 7,
    }  # fmt: skip


def test_a_type_may_take_part_twice_and_in_several_relations():
    twice = table(name="net", types=("a", "a"), coordinates=[[0, 2], [2, 2]], counts=[3, 1])
    made = relations(relations=(table(), twice))
    assert made.totals("a").tolist() == [6 + 3, 7, 1 + 3 + 2]
    np.testing.assert_array_equal(made.matrix("net").toarray()[:, 2], [3, 0, 1])
    with pytest.raises(ConfigError, match="unknown relation None; there are pairs, net"):
        made.matrix()
    triple = table(types=("a", "n", "a"), coordinates=[[0, 1, 1], [2, 0, 0]], counts=[1, 1])
    with pytest.raises(ConfigError, match="'pairs' has 3 places, so it is not a matrix"):
        relations(relations=(triple,)).matrix()


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"entities": {"a": ("x", "y", "z", "w"), "n": ("u", "v")}, "classes": {}},
         "the a 'w' has an empty row: it was never observed \\(1 of 4"),
        ({"entities": {"a": tuple("xyx"), "n": tuple("uv")}}, "two entities of type .a. are"),
        ({"entities": {"a": ("x", "y"), "n": ("u", "v")}, "classes": {}}, "from 0 to 1"),
        ({"entities": {"a": ("x", "y", "z"), "m": ("u", "v")}}, "type 'n', which has no entities"),
        ({"relations": (table(), table())}, "two relations are called 'pairs'"),
        ({"relations": ()}, "there are no relations"),
        ({"classes": {"b": ()}}, "classes of 'b', which is not a known type"),
        ({"classes": {"a": ("1",)}}, "1 classes for the 3 entities of type 'a'"),
    ],
)  # fmt: skip
def test_relations_that_do_not_fit_are_refused(keys, words):
    with pytest.raises(DataError, match=f"relations 'tiny': .*{words}") as caught:
        relations(**keys)
    assert "\n" not in str(caught.value)


def wide(rng, shape=(12, 15)):
    counts = rng.poisson(0.8, shape)
    counts[rng.integers(12, size=15), np.arange(15)] += 1
    counts[np.arange(12), rng.integers(15, size=12)] += 1
    cells = np.argwhere(counts)
    entities = {"a": [f"a{k:02d}" for k in range(12)], "n": [f"n{k:02d}" for k in range(15)]}
    found = table(coordinates=cells, counts=counts[tuple(cells.T)])
    classes = {"n": [f"class of {name}" for name in entities["n"]]}
    return counts, Relations(entities, (found,), classes, TINY)


def test_a_cut_keeps_the_most_frequent_in_order(rng):
    counts, made = wide(rng)
    cut = cut_relations(made, {"a": 5, "n": 6}, min_partners=0)
    rows = sorted(range(12), key=lambda r: (-counts[r].sum(), r))[:5]
    columns = sorted(range(15), key=lambda c: (-counts[:, c].sum(), c))[:6]
    assert cut.entities == {
        "a": tuple(f"a{r:02d}" for r in rows), "n": tuple(f"n{c:02d}" for c in columns),
    }  # fmt: skip
    np.testing.assert_array_equal(cut.matrix().toarray(), counts[np.ix_(rows, columns)])
    assert cut.classes["n"] == tuple(f"class of {name}" for name in cut.entities["n"])
    how = {"cut": {"a": 5, "n": 6}, "min_partners": 0}
    assert cut.identity.preprocessing == TINY.preprocessing | how
    assert cut_relations(made, {"a": 99, "n": 99}, 0).summary() == made.summary()


def test_ties_of_a_cut_go_by_code_point():
    made = relations(relations=(table(counts=[6, 4, 2, 6]),), classes={})
    assert cut_relations(made, {"a": 3, "n": 2}, 0).entities["a"] == ("x", "y", "ない")
    assert cut_relations(made, {"a": 2, "n": 2}, 0).entities == {"a": ("x", "y"), "n": ("v", "u")}


def test_words_with_few_partners_go_until_none_is_left(rng):
    counts, made = wide(rng)
    rows, columns = np.arange(12), np.arange(15)
    while True:
        kept = counts[np.ix_(rows, columns)] > 0
        few = (kept.sum(axis=1) < 6, kept.sum(axis=0) < 6)
        if not (few[0].any() or few[1].any()):
            break
        rows, columns = rows[~few[0]], columns[~few[1]]
    assert 0 < len(rows) < 12 and len(columns) < 15
    cut = cut_relations(made, {}, min_partners=6)
    np.testing.assert_array_equal(cut.matrix().toarray(), counts[np.ix_(rows, columns)])
    with pytest.raises(DataError, match="no . with at least 11 partners is left"):
        cut_relations(made, {}, 11)
    cut = cut_relations(made, {"a": 4, "n": 5})
    assert min(cut.totals("n", weighted=False)) >= 2


def test_a_cut_renumbers_every_place_of_a_type_and_missing_cells():
    net = table(types=("a", "a"), coordinates=[[0, 2], [2, 2], [1, 0], [2, 0]], counts=[3, 1, 1, 9],
                missing=[[2, 1], [0, 0]])  # fmt: skip
    made = relations(entities={"a": ("x", "y", "z")}, relations=(net,))
    cut = cut_relations(made, {"a": 2}, 0)
    assert cut.entities == {"a": ("z", "x")} and cut.classes == {"a": ("2", "1")}
    np.testing.assert_array_equal(cut.matrix().toarray(), [[1, 9], [3, 0]])
    assert cut.relations[0].missing.tolist() == [[1, 1]]
    for n_kept, words in (({"b": 2}, "unknown type 'b'"), ({"a": 0}, "is 0; it must be a whole")):
        with pytest.raises(ConfigError, match=words):
            cut_relations(made, n_kept)
