"""What a run says about own files that may mean something else than what they are read as."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from reseat.datasets import DataSettings, Registry
from reseat.datasets.build import build
from reseat.datasets.features import ANY_LETTERS, FeatureOptions, count_features, remarks_on_words
from reseat.datasets.pair_features import NumberFeature
from reseat.datasets.registry import Dataset
from reseat.reading.rows import remarks_on_total, without_key
from reseat.reading.warnings_on_data import (
    remarks_on_cells,
    remarks_on_spelling,
)


def said(tmp_path, caplog, parser, text, name="t.csv", **options):
    """Return what the log says when a data set of the user's own is built, and the data set."""
    file = tmp_path / name
    file.write_text(text)
    entry = Dataset(
        "mine", "Mine", "mine", "records", "mine", "none", "own", user_path="a table",
        parser=parser, options=options,
    )  # fmt: skip
    settings = DataSettings(mirrors=(), raw=tmp_path / "raw", paths={"mine": file})
    made = build(Registry({"mine": entry}), "mine", settings)
    assert all(message.startswith(f"{file}: ") for message in caplog.messages)
    return " ".join(caplog.messages), made


RECORDS = "\n".join(["town,name", *(f"t{n % 3},n{n % 5}" for n in range(12))])
ITEMS = "\n".join(
    ["id,split,entity,size", *(f"i{n},{'train' if n < 8 else 'test'},e{n // 2},{n * 1.5}"
                               for n in range(12))]
)  # fmt: skip


@pytest.mark.parametrize(
    ("change", "options", "sentence"),
    [
        (lambda text: text, {}, ""),
        (lambda text: text.partition("\n")[2], {}, "the first line is read as column names"),
        (lambda text: text.replace("t1,n1", "?,n1"), {}, "contain '?', which is treated as"),
        (lambda text: text.replace("n1", "-1"), {"entity": "name"}, "contain '-1', which is"),
        (
            lambda text: "\n".join(
                f"{n or ''},{line}" for n, line in enumerate(text.split("\n"))
            ),
            {},
            "a column without a name numbers the rows",
        ),
    ],
)  # fmt: skip
def test_tables_of_records_are_remarked_on(tmp_path, caplog, change, options, sentence):
    found, _ = said(tmp_path, caplog, "record_table", change(RECORDS), **options)
    assert sentence in found and bool(sentence) == bool(found)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda text: text, ""),
        (lambda text: text.replace(".0\n", " kg\n").replace(".5\n", " kg\n"), "look like numbers"),
        (lambda text: text.replace("e3,", "unknown,"), "contain 'unknown', which is treated as an"),
        (lambda text: text.replace(",0.0", ","), "empty cells of the column 'size': 1"),
    ],
)
def test_tables_of_items_are_remarked_on(tmp_path, caplog, change, sentence):
    found, _ = said(tmp_path, caplog, "labelled_items", change(ITEMS + "\n"))
    assert sentence in found and bool(sentence) == bool(found)


@pytest.mark.parametrize("cell", ["-9", "-9.0", "-9.00"])
def test_a_number_means_a_missing_value_however_it_is_written(tmp_path, caplog, cell):
    text = RECORDS.replace("t1,n1", f"{cell},n1")
    _, found = said(tmp_path, caplog, "record_table", text, missing=[-9])
    assert (found.codes[:, 0] < 0).sum() == 1 and cell not in found.levels[0]


@pytest.mark.parametrize("name", ["", "id"])
def test_columns_that_number_the_rows_are_remarked_on(name):
    table = pd.DataFrame({name: ["2", "1", "3"], "year": ["1999", "2001", "2004"]})
    (remark,) = remarks_on_cells(table)
    assert "numbers the rows" in remark and (not name or repr(name) in remark)


@pytest.mark.parametrize(
    ("name", "cells", "n_left"),
    [
        ("nr", range(7, 27), 1),
        ("", range(20), 1),
        ("customer_id", [f"C{97 * k % 89}" for k in range(20)], 1),
        ("paid", [f"C{97 * k % 89}" for k in range(20)], 2),
        ("id", [*range(19), 18], 2),
        ("year", [97 * k % 89 for k in range(20)], 2),
    ],
)
def test_a_first_column_that_only_names_the_rows_is_left_out(name, cells, n_left):
    table = pd.DataFrame({name: [*map(str, cells)], "town": [*"abcde"] * 4})
    left, said = without_key(table)
    assert left.shape[1] == n_left and len(said) == 2 - n_left
    turned = table[table.columns[::-1]]
    for other in (table.head(5), table[[name]], turned):
        assert without_key(other)[0] is other


@pytest.mark.parametrize("form", [np.array, csr_array])
def test_a_total_of_all_rows_is_remarked_on(form):
    counts = np.array([[1, 0, 2], [4, 1, 0], [0, 3, 3], [5, 4, 5]])
    names = ["ann", "bob", "cleo", "all"]
    assert remarks_on_total(form(counts[:3]), names[:3]) == []
    assert remarks_on_total(form(counts + np.eye(4, 3, dtype=int)), names) == []
    (said,) = remarks_on_total(form(counts), names)
    assert said == "'all' is the sum of all others; leave it out if it is their total."


def test_columns_that_blanks_separate_are_remarked_on():
    cells = ["Ann 3 Rome", "Bob 4  Oslo", "Eve 5 Bonn"]
    (remark,) = remarks_on_cells(pd.DataFrame({"name age city": cells}))
    assert "the only column is called 'name age city', and all of its cells have 3 words" in remark
    for name, others in (("name", cells), ("name age city", [*cells, "Jo 6"])):
        assert remarks_on_cells(pd.DataFrame({name: others})) == []


def test_texts_that_differ_only_in_capitals_are_remarked_on():
    (remark,) = remarks_on_spelling("rows", ["ann", "ANN", "bob", 3, None])
    assert remark.startswith("rows that differ only in capitals: 1, such as 'ANN' and 'ann';")
    assert remarks_on_spelling("rows", ["ann", "bob"]) == []


@pytest.mark.parametrize(
    ("texts", "many"),
    [
        (["これは日本語で書かれた文章です", "東京の冬は寒いですね今年も"], True),
        (["ไปโรงเรียนทุกวันกับเพื่อนๆ", "อากาศร้อนมากในเดือนเมษายน"], True),
        (["これ は 日本語 の 文章 です", "東京 の 冬 は 寒い"], False),
        (["bread flour oven", "Rindfleischetikettierungsüberwachungsgesetz und mehr"], False),
    ],
)
def test_sentences_without_spaces_are_remarked_on(texts, many):
    options = FeatureOptions(headers="all", token_pattern=ANY_LETTERS, stop_list="none")
    _, words = count_features(texts, options, frozenset())
    assert bool(remarks_on_words(words)) == many


@pytest.mark.parametrize("scale", [1e-300, 1e-20, 1e-13, 1.0, 1e10, 1e200])
def test_numbers_of_any_size_are_compared_alike(scale):
    numbers = np.array([1.0, 2.0, np.nan, 4.0, 9.0])
    train = np.array([True, True, True, True, False])
    expected = NumberFeature(numbers, train).scaled
    np.testing.assert_allclose(NumberFeature(scale * numbers, train).scaled, expected, rtol=1e-9)


def test_small_steps_count_and_rounding_does_not():
    steps = NumberFeature(1e10 + 1e-3 * np.arange(6), np.ones(6, dtype=bool))
    assert steps.n_values == 6 and np.std(steps.scaled) == pytest.approx(1)
    rounded = NumberFeature(np.array([0.3, 0.1 + 0.2, 0.3]), np.ones(3, dtype=bool))
    assert rounded.n_values == 1 and not rounded.scaled.any()
