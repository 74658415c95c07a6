"""Parsers of relations: tables of counts, and Matlab files."""

import gzip
import io
import logging
import lzma

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from given_files import packed, put
from scipy.io import savemat

from reseat.datasets.parsers.count_tables import parse_count_tables
from reseat.datasets.parsers.matlab_relation import parse_matlab_relation
from reseat.errors import DataError

# ---- tables of counts --------------------------------------------------------------------

HEADER = "adjective\tkind\tnoun\tcount\n"
GOOD = (
    HEADER
    + "大きい\ti\t声\t3\n大きい\tna\t声\t4\n古い\ti\t家\t2\n\n古い\ti\t声\t5\n新しい\ti\t家\t9\n"
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


def test_the_order_of_lines_does_not_matter(tmp_path):
    head, *lines = GOOD.splitlines()
    one, other = read(tmp_path), read(tmp_path, "\r\n".join([head, *lines[::-1]]))
    assert one.entities == other.entities
    np.testing.assert_array_equal(one.relations[0].coordinates, other.relations[0].coordinates)
    np.testing.assert_array_equal(one.relations[0].counts, other.relations[0].counts)


def test_lines_given_twice_are_summed_and_named(tmp_path, caplog):
    with caplog.at_level(logging.WARNING, "reseat"):
        raw = read(tmp_path, GOOD + "古い\ti\t声\t30\n")
    assert raw.relations[0].counts.sum() == 53
    assert (
        "1 lines repeat an earlier one and are summed; the first of them is line 8 (古い, 声)"
        in (caplog.text)
    )


def test_many_words_are_counted_as_pandas_does(tmp_path, rng):
    made = pd.DataFrame(
        {"a": rng.integers(40, size=3000), "b": rng.integers(60, size=3000),
         "n": rng.integers(1, 9, size=3000)}
    )  # fmt: skip
    made = made.drop_duplicates(["a", "b"])
    text = made.to_csv(sep="\t", index=False)
    raw = read(tmp_path, text, {"columns": {"b": "y", "a": "x"}, "count": "n"}, keep={"x": 9})
    totals = made.groupby("a")["n"].sum()
    order = sorted(totals.index, key=lambda a: (-totals[a], str(a)))[:9]
    assert raw.entities["x"] == tuple(str(a) for a in order) and len(raw.entities["y"]) == 60
    assert raw.relations[0].counts.sum() == totals[order].sum()


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
    with pytest.raises(DataError, match="the adjective '赤い' has an empty row"):
        read(tmp_path, GOOD + "赤い\ti\t家\t0\n")
    assert (
        "赤い"
        not in read(tmp_path, GOOD + "赤い\ti\t家\t0\n", min_partners=1).entities["adjective"]
    )


# ---- Matlab ------------------------------------------------------------------------------

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
