"""Kinds of fields inferred from values, fields that follow others, and generated customers."""

import numpy as np
import pytest
from similar import customers

from reseat.datasets.parsers.generated_customers import FIELDS, parse_generated_customers
from reseat.errors import ConfigError
from reseat.models.fields.columns import (
    FEW_VALUES,
    as_columns,
    compared_by_letters,
    fields_in_words,
    kind_of,
)
from reseat.models.fields.index import index_fields
from reseat.models.fields.matches import agreeing, followed_fields
from reseat.models.records import build, make_moves, make_pairs, together
from reseat.moves import ListedPairs, SimilarPairs


def test_values_are_told_apart_by_their_letters_and_digits_only():
    table = np.array([["Ann  Lee", 1.0, "-"], ["ann lee", np.nan, "(x)"], [None, 2.0, "X"]], object)
    assert as_columns(table) == [["ann lee", "ann lee", None], ["1", None, "2"], ["-", "x", "x"]]


def test_values_of_signs_only_differ():
    signs = np.array([["+"], ["-"], ["- "], [" "]], object)
    assert as_columns(signs) == [["+", "-", "-", None]]


@pytest.mark.parametrize("words", ["हिन्दी शब्द", "สวัสดี", "i\u0307stanbul", "نامه\u200cای", "கி"])
def test_marks_and_joiners_are_parts_of_words(words):
    assert as_columns(np.array([[f"({words.upper()})"]], object)) == [[words]]
    assert as_columns(np.array([["\u2764\ufe0f love"]], object)) == [["love"]]


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ([f"{k % FEW_VALUES}" for k in range(99)], "category"),
        ([f"{1900 + k}" for k in range(99)], "code"),
        ([f"name{k:04d}" for k in range(99)], "name"),
        ([f"the {k} bells" for k in range(99)], "phrase"),
        ([k / 8 for k in range(99)], "number"),
    ],
)
def test_kinds_are_told_from_the_values(values, name):
    kind = kind_of(as_columns(np.array(values, dtype=object)[:, None])[0])
    assert kind.name == name and (kind.similarity is None) == (name == "category")
    if name in ("code", "name"):
        # One value a letter away weighs as much as all others, which are equally frequent.
        excess = np.exp(kind.similarity.scale * (kind.similarity.reach - 1))
        assert excess == pytest.approx(99)


def test_a_city_follows_the_post_code_and_a_name_does_not():
    cells, _ = customers()
    columns = as_columns(cells)
    city, postcode, phone = (FIELDS.index(name) for name in ("city", "postcode", "phone"))
    assert followed_fields(columns) == {city: [postcode]}
    assert "city follows postcode" in fields_in_words(FIELDS, columns)
    # The city is left out where the post code is known, and only there.
    index, _ = index_fields(columns)
    n_known = sum(value is not None for column in columns for value in column)
    both = sum(
        a is not None and b is not None
        for a, b in zip(*(columns[k] for k in (city, postcode)), strict=True)
    )
    assert index.records.n_values == n_known - both
    rng = np.random.default_rng(1)
    shuffled = [list(rng.permutation(np.array(column, dtype=object))) for column in columns]
    assert followed_fields(shuffled) == {}
    assert compared_by_letters(columns) and not compared_by_letters([["a", "b"] * 30])


def test_a_start_joins_records_that_agree_in_enough_fields():
    rng = np.random.default_rng(5)
    columns = [[str(k) for k in rng.integers(0, n, 200)] for n in (2, 50, 90)]
    columns[2][7] = None
    labels = agreeing(columns)
    # By chance a record agrees with 200 / 90 / 50 others in two fields, which is few enough.
    for i in range(200):
        for j in range(i):
            same = 7 not in (i, j) and all(columns[k][i] == columns[k][j] for k in (1, 2))
            assert (labels[i] == labels[j]) == same
    assert 1 < 200 - labels.max() - 1 < 20


def test_a_field_that_always_follows_is_left_out():
    rng = np.random.default_rng(2)
    street = rng.integers(0, 60, 900)
    columns = [[f"s{k}" for k in street], [f"t{k // 6}" for k in street]]
    columns.append([f"n{k:03d}" for k in rng.integers(0, 300, 900)])
    assert followed_fields(columns) == {1: [0]}
    assert index_fields(columns)[0].records.n_fields == 2


def test_customers_err_and_lack_as_often_as_asked():
    cells, entities = customers(6000, empty=0.0, nicknames=0.0, moves=0.0)
    assert (cells != None).all()  # noqa: E711
    born = cells[:, FIELDS.index("birth_year")]
    first, second = (
        np.flatnonzero(np.bincount(entities)[entities] == 2)[
            np.argsort(entities[np.bincount(entities)[entities] == 2], kind="stable")
        ]
        .reshape(-1, 2)
        .T
    )
    share = np.mean(born[first] == born[second])
    # A digit is sometimes replaced by itself.
    assert 0.8 < share < 0.86
    again, _ = customers(6000, empty=0.0, nicknames=0.0, moves=0.0)
    assert (again == cells).all()
    absent = np.mean(customers(6000)[0] == None)  # noqa: E711
    assert absent == pytest.approx(0.14, abs=0.01)


@pytest.mark.parametrize(
    "options", [{"typos": 1.0}, {"n_records": 1}, {"empty": 3.0}, {"shares": [0.0]}]
)
def test_wrong_options_of_customers_are_refused(options):
    with pytest.raises(ConfigError, match=f"'{next(iter(options))}'"):
        parse_generated_customers({}, 1, **{"n_records": 10, **options})


def test_likely_pairs_hold_nearly_all_duplicates(rng):
    cells, entities = customers(800)
    columns = as_columns(cells)
    index, _ = index_fields(columns)
    codes = np.column_stack([np.unique(np.array(c, str), return_inverse=True)[1] for c in columns])
    settings = {"prior": "nbnb", "likelihood": "similar", "similar": {"n_subsets": 5}}
    pairs = make_pairs(settings, codes, rng, columns, index)
    assert isinstance(pairs, ListedPairs) and isinstance(pairs.others, SimilarPairs)
    drawn, times = np.unique(np.sort(pairs.sample(rng, 60_000), axis=1), axis=0, return_counts=True)
    listed = drawn[times > 10]
    duplicates = np.triu(entities[:, None] == entities, 1)
    assert len(listed) < 3 * len(cells)
    assert duplicates[tuple(listed.T)].sum() > 0.95 * duplicates.sum()

    # The doubt rules out all pairs, some of them, and none.
    none, some, every = (together(pairs, doubt, rng) for doubt in (1e3, 1.0, -1e3))
    assert none.max() + 1 == len(cells) > some.max() + 1 > every.max() + 1
    one, other = pairs.pairs.T
    assert (every[one] == every[other]).all()
    right = np.abs(len(np.unique(entities)) - (together(pairs, 0.0, rng).max() + 1))
    assert right < 0.1 * len(cells)

    model = build(settings, index, rng, "singletons", make_moves(settings, pairs))
    labels, r = model.labels.copy(), {model.prior.r}
    for _ in range(5):
        assert model.moves[-1](model.partition, model.prior, model.likelihood, rng) == 0
        r.add(model.prior.r)
    assert len(r) == 6
    np.testing.assert_array_equal(model.labels, labels)
    # Without an index, chaperones are drawn as in the paper's chains.
    assert type(make_pairs(settings, codes, rng, columns)) is SimilarPairs


def test_whole_numbers_are_compared_as_such_however_a_table_writes_them():
    cells = [["1951.0", "-5", "007"], ["1950", "5", "07"], ["", "+6", "7.0"]]
    columns = as_columns([[cell or None for cell in row] for row in cells])
    assert [list(column) for column in columns] == [
        ["1951", "1950", None], ["-5", "5", "6"], ["007", "07", "7"]
    ]  # fmt: skip
