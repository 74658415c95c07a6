"""Parsers of relations (tables of counts, Matlab files), and generated relations."""

import gzip
import io
import logging
import lzma

import numpy as np
import pytest
import scipy.sparse as sp
from given_files import packed, put
from places import ROOT
from scipy.io import savemat

from reseat.datasets import Registry, Relations
from reseat.datasets.parsers.count_tables import parse_count_tables
from reseat.datasets.parsers.generated_relations import (
    parse_generated_blocks,
    parse_generated_relations,
)
from reseat.datasets.parsers.matlab_relation import parse_matlab_relation
from reseat.errors import ConfigError, DataError

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


def test_a_word_with_an_empty_row_is_named(tmp_path):
    text = GOOD + "赤い\ti\t家\t0\n"
    with pytest.raises(DataError, match="the adjective '赤い' has an empty row"):
        read(tmp_path, text)
    assert "赤い" not in read(tmp_path, text, min_partners=1).entities["adjective"]


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


REGISTRY = Registry.load(ROOT / "config" / "datasets.yaml")
IDENTITY = REGISTRY.identity("demo_pairs")

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
    assert Relations(few.entities, few.relations, few.classes, IDENTITY).totals("n").min() >= 1
    net = drawn({"types": ["a", "a"], "tokens": 3, "contrast": 2}, {"a": TYPES["a"]})
    assert Relations(net.entities, net.relations, {}, IDENTITY).totals("a").min() >= 1


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
    made = Relations(raw.entities, raw.relations, raw.classes, IDENTITY)
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
