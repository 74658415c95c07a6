"""Relations: what is refused, how they are cut, and what is read from files or generated."""

import gzip
import io
import logging
import lzma

import numpy as np
import pytest
import scipy.sparse as sp
from given_files import TINY, packed, put
from real_data import REGISTRY
from scipy.io import savemat

from reseat.datasets import Relations, cut_relations
from reseat.datasets.parsers.count_tables import parse_count_tables
from reseat.datasets.parsers.generated_relations import (
    parse_generated_blocks,
    parse_generated_relations,
)
from reseat.datasets.parsers.matlab_relation import parse_matlab_relation
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


# ---- parsers -----------------------------------------------------------------------------

GOOD = (
    "adjective\tkind\tnoun\tcount\n"
    "大きい\ti\t声\t3\n大きい\tna\t声\t4\n古い\ti\t家\t2\n\n古い\ti\t声\t5\n新しい\ti\t家\t9\n"
)
COLUMNS = {"adjective": "adjective", "noun": "noun"}
RULE = {"columns": COLUMNS, "summed_over": ["kind"]}


def read(tmp_path, text=GOOD, rule=RULE, pack=bytes, **options):
    path = tmp_path / "pairs.tsv"
    path.write_bytes(pack(text if isinstance(text, bytes) else text.encode()))
    return parse_count_tables({"pairs": path}, {"pairs": rule}, **options)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress])
def test_a_table_is_summed_and_ordered(tmp_path, caplog, pack):
    with caplog.at_level(logging.WARNING, "reseat"):
        raw = read(tmp_path, pack=pack)
    assert not caplog.records  # rows that differ in a column summed over are not repetitions
    # 9, 7 and 7 tokens, and 12 and 11; ties are broken by code point.
    assert list(raw.entities["adjective"]) == ["新しい", "古い", "大きい"]
    assert list(raw.entities["noun"]) == ["声", "家"]
    (found,) = raw.relations
    assert found.coordinates.tolist() == [[0, 1], [1, 0], [1, 1], [2, 0]]
    assert found.counts.tolist() == [9, 5, 2, 7] and found.types == ("adjective", "noun")
    with_an_empty_row = read(tmp_path, GOOD + "赤い\ti\t家\t0\n", min_partners=1)
    assert "赤い" not in with_an_empty_row.entities["adjective"]


def test_lines_given_twice_are_summed_and_named(tmp_path, caplog):
    with caplog.at_level(logging.WARNING, "reseat"):
        raw = read(tmp_path, GOOD + "古い\ti\t声\t30\n")
    assert raw.relations[0].counts.sum() == 53
    said = "1 lines repeat an earlier one and are summed; the first of them is line 8 (古い, 声)"
    assert said in caplog.text


def test_relations_share_their_types(tmp_path):
    for name, text in (("of", "adj\tnoun\tcount\nold\tman\t2\n"), ("does", "noun\tverb\tcount\n"
                       "man\tsee\t1\nsea\trise\t5\n")):  # fmt: skip
        (tmp_path / name).write_text(text)
    raw = parse_count_tables(
        {name: tmp_path / name for name in ("of", "does")},
        {"of": {"columns": {"adj": "adj", "noun": "noun"}},
         "does": {"columns": {"noun": "noun", "verb": "verb"}}},
    )  # fmt: skip
    assert {k: list(v) for k, v in raw.entities.items()} == {
        "adj": ["old"], "noun": ["sea", "man"], "verb": ["rise", "see"],
    }  # fmt: skip
    assert raw.relations[1].coordinates.tolist() == [[0, 0], [1, 1]]


LINKS = np.array([[[1, 0], [np.nan, 0]], [[0, 2], [0, 1]]])
OPTIONS = {
    "member": "m.mat", "variable": "R", "relation": "holds", "types": ["p", "p", "r"],
    "names": {"r": "labels"}, "classes": {"p": "kinds"},
}  # fmt: skip


VARIABLES = {
    "R": LINKS, "labels": np.array(["likes", "sees"], dtype=object), "kinds": np.array([[3, 1]]),
    "sparse": sp.csc_array(np.eye(2)), "complex": 1j * np.eye(2), "structure": {"x": 1.0},
}  # fmt: skip


def matlab(tmp_path, content=None, **options):
    stored = io.BytesIO()
    savemat(stored, VARIABLES)
    content = stored.getvalue() if content is None else content
    archive = put(tmp_path / "d.tar.gz", packed({"folder/m.mat": content}))
    return parse_matlab_relation({"archive": archive}, **{**OPTIONS, **options})


def test_a_matlab_array_is_read_with_what_is_missing(tmp_path):
    raw = matlab(tmp_path)
    (found,) = raw.relations
    assert raw.entities == {"p": ("p 1", "p 2"), "r": ("likes", "sees")}
    assert raw.classes == {"p": ("3", "1"), "r": None} and found.types == ("p", "p", "r")
    assert found.coordinates.tolist() == [[0, 0, 0], [1, 0, 1], [1, 1, 1]]
    assert found.counts.tolist() == [1, 2, 1] and found.missing.tolist() == [[0, 1, 0]]


TYPES = {
    "a": {"entities": 40, "clusters": 4, "activity": 2.0}, "n": {"entities": 60, "clusters": 6},
}  # fmt: skip
LINKED_RULE = {"types": ["a", "n"], "tokens": 40000, "linked": 0.2, "contrast": 50}


def drawn(rule=LINKED_RULE, types=TYPES, seed=5):
    return parse_generated_relations({}, seed, types, {"pairs": rule})


def test_generated_relations_repeat_and_leave_nobody_out():
    one, again, other = drawn(), drawn(), drawn(seed=6)
    np.testing.assert_array_equal(one.relations[0].coordinates, again.relations[0].coordinates)
    assert one.classes == again.classes != other.classes
    few = drawn({**LINKED_RULE, "tokens": 5})
    assert Relations(few.entities, few.relations, few.classes, TINY).totals("n").min() >= 1
    net = drawn({"types": ["a", "a"], "tokens": 3, "contrast": 2}, {"a": TYPES["a"]})
    assert Relations(net.entities, net.relations, {}, TINY).totals("a").min() >= 1


@pytest.mark.parametrize(
    ("rule", "types", "words"),
    [
        ({"types": ["a"]}, {}, "'relations.pairs.types' is .*; it must list two or more of a, n"),
        ({"types": ["a", "b"]}, {}, "'relations.pairs.types'"),
        ({"tokens": 0}, {}, "'relations.pairs.tokens' is 0"),
        ({"contrast": -1}, {}, "'relations.pairs.contrast' is -1"),
        ({"linked": None}, {}, "'relations.pairs.linked' is None"),
        ({"linked": 1.5}, {}, "'relations.pairs.linked' is 1.5; it must lie in .0, 1."),
        ({}, {"entities": 2.5}, "'types.a.entities' is 2.5"),
        ({}, {"entities": 3}, "'types.a' has 4 clusters but only 3 entities"),
        ({}, {"activity": 0}, "'types.a.activity' is 0"),
    ],
)
def test_wrong_options_of_generated_relations_are_refused(rule, types, words):
    with pytest.raises(ConfigError, match=words):
        drawn({**LINKED_RULE, **rule}, {**TYPES, "a": {**TYPES["a"], **types}})


def test_blocks_follow_their_pattern():
    options = {**REGISTRY["toy_blocks"].options, "pattern": [[1, 0, 0], [0, 1, 0], [1, 0, 1]]}
    raw = parse_generated_blocks({}, **options)
    made = Relations(raw.entities, raw.relations, raw.classes, TINY)
    people, beasts = (np.array(found, dtype=int) - 1 for found in made.classes.values())
    np.testing.assert_array_equal(
        made.matrix().toarray(), np.array(options["pattern"])[np.ix_(people, beasts)]
    )
    assert np.bincount(people).tolist() == [4, 3, 3] and (np.diff(people) < 0).any()
    for keys, words in (
        ({"pattern": [[1, 0]]}, "'pattern' is 1 x 2"),
        ({"pattern": np.full((3, 3), 1.5)}, "probabilities"),
        ({"rows": {**options["rows"], "sizes": [4, 4, 3]}}, "'rows.sizes' adds up to 11"),
        ({"rows": {**options["rows"], "type": options["columns"]["type"]}}, "they must differ"),
    ):
        with pytest.raises(ConfigError, match=words):
            parse_generated_blocks({}, **{**options, **keys})
