"""Kinds of fields inferred from values, fields that follow others, and generated customers."""

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, gammaln
from similar import customers

from reseat.command.main import main
from reseat.datasets.parsers.generated_customers import FIELDS, NICKNAMES, parse_generated_customers
from reseat.errors import ConfigError
from reseat.models.fields.addresses import columns_of
from reseat.models.fields.columns import (
    FEW_VALUES,
    Columns,
    as_columns,
    compared_by_letters,
    fields_in_words,
    in_place,
    kind_of,
    repeating_fields,
)
from reseat.models.fields.frequencies import correct_shares, frequencies, log_recurrence, recurrence
from reseat.models.fields.index import index_fields
from reseat.models.fields.matches import (
    MAX_COMBINED,
    agreeing,
    aliases,
    changing_fields,
    followed_fields,
    matches,
    telling_groups,
)
from reseat.models.records import build, make_moves, make_pairs, together
from reseat.moves import ListedPairs, SimilarPairs


def test_values_are_told_apart_by_their_letters_and_digits_only():
    """Whole numbers are compared as such, however a table writes them."""
    table = np.array([["Ann  Lee", 1.0, "-"], ["ann lee", np.nan, "(x)"], [None, 2.0, "X"]], object)
    assert as_columns(table) == [["ann lee", "ann lee", None], ["1", None, "2"], ["-", "x", "x"]]
    signs = np.array([["+"], ["-"], ["- "], [" "]], object)
    assert as_columns(signs) == [["+", "-", "-", None]]
    numbers = as_columns([["1951.0", "-5", "007"], ["1950", "5", "07"], [None, "+6", "7.0"]])
    expected = [["1951", "1950", None], ["-5", "5", "6"], ["007", "07", "7"]]
    assert [list(column) for column in numbers] == expected


def test_an_email_address_is_one_word():
    cells = np.array([["Ann.Lee_5@mail.example", 1], ["me @ home", 2.5], [None, "a-b"]], object)
    assert columns_of(cells) == [["annlee5mailexample", "me home", None], ["1", "2 5", "a b"]]
    assert columns_of(cells[1:]) == as_columns(cells[1:])


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
    known = [[value is not None for value in columns[k]] for k in (city, postcode)]
    both = np.logical_and(*known).sum()
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


def test_a_full_name_repeats_its_parts_and_an_address_does_not_repeat_its_town():
    rng = np.random.default_rng(4)
    parts = [[f"{letter}{k}" for k in rng.integers(0, 80, 500)] for letter in "fst"]
    first, last, town = parts
    parts[0][7] = None
    full = [f"{x or 'anne'} de {y}" for x, y in zip(first, last, strict=True)]
    address = [f"{k} hill road {z}" for k, z in enumerate(town)]
    columns = [full, first, last, address, town]
    assert repeating_fields(columns) == {0: [1, 2]}
    assert Columns(columns).followed == {0: [1, 2]}
    assert repeating_fields([first, last, first]) == {}  # the same words are not parts


def test_records_with_mistakes_are_no_strangers_because_a_full_name_repeats_them(rng):
    letters = np.array([*"abcdefghijklmnopqrstuvwxyz"])
    people = np.repeat(np.arange(40), 8)

    def written(mistakes):
        words = letters[rng.integers(26, size=(40, 7))][people]
        words[rng.random(people.size) < mistakes, 3] = "_"
        return ["".join(word) for word in words]

    first, last, town, born = map(written, (0.35, 0.35, 0.1, 0.1))
    columns = Columns(
        [[f"{x} {y}" for x, y in zip(first, last, strict=True)], first, last, town, born]
    )
    assert followed_fields(columns) and columns.following() == {}
    assert columns.followed == {0: [1, 2]}


def test_a_field_that_always_follows_is_left_out():
    rng = np.random.default_rng(2)
    street = rng.integers(0, 60, 900)
    columns = [[f"s{k}" for k in street], [f"t{k // 6}" for k in street]]
    columns.append([f"n{k:03d}" for k in rng.integers(0, 300, 900)])
    assert followed_fields(columns) == {1: [0]}
    assert index_fields(columns)[0].records.n_fields == 2


def test_wrong_options_of_customers_are_refused():
    for key, value in {"typos": 1.0, "n_records": 1, "empty": 3.0, "shares": [0.0]}.items():
        with pytest.raises(ConfigError, match=f"'{key}'"):
            parse_generated_customers({}, 1, **{"n_records": 10, key: value})


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


NONE = np.empty((0, 2), dtype=int)


def field_of(counts):
    """Return a field whose values have these counts, each record being its own entity."""
    return np.repeat(np.arange(len(counts)), counts)[:, None]


@pytest.mark.parametrize("shape", [-0.9, -0.3, 0.0, 0.7, 40.0])
@pytest.mark.parametrize("least", [1, 2])
def test_numbers_of_occurrences_are_normalised(shape, least):
    """The closed form of the sum is compared with the sum itself."""
    logit = 1.3
    terms = np.arange(least, 3000)
    weights = gammaln(terms + (shape or 1e-5)) - gammaln(terms + 1) + terms * np.log(expit(logit))
    weights -= np.logaddexp.reduce(weights)
    assert log_recurrence(terms[:9], shape, logit, least) == pytest.approx(weights[:9], abs=1e-8)


@pytest.mark.parametrize(("shape", "mean"), [(2.0, 1.0), (0.5, 3.0), (60.0, 4.0)])
def test_what_is_to_be_expected_is_found(rng, shape, mean):
    """Counts are Poisson, and their means have a gamma law; counts of zero are not seen."""
    means = rng.gamma(shape, mean / shape, 20_000)
    counts = rng.poisson(means)
    fitted, ratio = recurrence(counts[counts > 0], [])
    for count in (1, 2, 4):
        expected = means[counts == count].mean()
        assert ratio * (count + fitted) == pytest.approx(expected, rel=0.05)


def test_the_law_is_the_same_if_half_of_what_was_seen_once_is_not_known(rng):
    means = rng.gamma(1.0, 1.5, 20_000)
    counts = rng.poisson(means)
    one, other = counts[:10_000], counts[10_000:]
    shape, ratio = recurrence(one[one > 0], other[other > 1])
    assert [ratio * (count + shape) for count in (1, 3)] == pytest.approx([1.2, 2.4], rel=0.05)


def test_a_thing_counts_once():
    one = np.array([[0, 1, 0], [0, 2, -1]])
    codes = np.concatenate([one, one + 5])[:, [0, 1]]
    linked = frequencies(codes, np.array([[0, 1], [2, 3]]))
    apart = frequencies(np.array([[0, 1], [5, 6], [-1, 2], [-1, 7]]), NONE)
    for found, law in zip(linked, apart, strict=True):
        assert found.seen == pytest.approx(law.seen)
        assert law.seen.sum() + law.unseen.sum() == pytest.approx(1)


def test_a_value_of_one_thing_is_rarer_than_one_in_as_many():
    counts = [1] * 20 + [2] * 4 + [5] * 6
    law = frequencies(field_of(counts), NONE)[0]
    seen = law.seen * sum(counts)
    assert 0 < seen[0] < 0.8 < seen[-1] < 4
    assert np.ptp(law.unseen) == 0 < law.unseen[0]
    # If two entities with a value may be one, the value of the second is no evidence.
    shape, ratio = recurrence(counts, [])
    assert seen[[0, 20, 24]] == pytest.approx(ratio * (np.array([1, 1, 4]) + shape))


def test_unseen_values_are_near_frequent_ones_as_often_as_values_are_near_those_of_others():
    """Of 40 surnames, ten are near a frequent one, and two near another name of their bearer."""
    names = np.append(np.repeat([0, 1], [30, 10]), np.arange(2, 42))
    near = [(np.array([*[0] * 10, 20, 21]), np.array([*range(2, 12), 30, 31]), np.full(12, 1.5))]
    near[0][2][-1] = 0.5  # differs in two letters
    same = np.array([np.flatnonzero(np.isin(names, pair)) for pair in ([20, 30], [21, 31])])
    law = frequencies(names[:, None], same, near)[0]
    assert law.beside.sum() * len(names) == pytest.approx(10)
    assert law.beside / law.beside.sum() == pytest.approx(law.seen / law.seen.sum())
    assert law.log_gain == 1.5
    assert frequencies(names[:, None], same)[0].beside.sum() == 0


def test_values_that_are_equally_frequent_are_told(rng):
    """As with years of birth, only chance decides how many have each value."""
    counts = np.bincount(rng.integers(0, 70, 400), minlength=70)
    seen = frequencies(field_of(counts[counts > 1]), NONE)[0].seen * counts[counts > 1].sum()
    assert seen == pytest.approx(400 / 70, rel=0.25)
    assert np.ptp(counts) > 6


def test_mistakes_do_not_make_other_values_rarer():
    """Sixty values seen once and near others may be mistakes; nothing is learned from them."""
    counts = [1] * 20 + [2] * 14 + [5] * 6
    many = np.concatenate([counts, np.ones(60, dtype=int)])
    near = [(np.arange(10, 30).repeat(3), np.arange(40, 100), np.ones(60))]
    shape, ratio = recurrence(counts[:10] + counts[30:], counts[20:30])
    seen = frequencies(field_of(many), NONE, near)[0].seen * many.sum()
    assert seen[0] == pytest.approx(ratio * (1 + shape))
    assert seen[35] == pytest.approx(ratio * (4 + shape))
    assert seen[50] == pytest.approx(min(seen[0], 2 * (14 + 1) / 80))


@pytest.mark.parametrize("typos", [0.0, 0.05, 0.1])
def test_shares_of_correct_values_are_those_by_which_mistakes_were_made(typos, monkeypatch):
    """Surname and post code have the true share; no share of mistakes is overestimated."""
    found = []

    def noted(*given):
        found.append(correct_shares(*given))
        return found[-1]

    monkeypatch.setattr("reseat.models.fields.index.correct_shares", noted)
    index_fields(as_columns(customers(3000, typos=typos, nicknames=0.0, moves=0.0)[0]))
    shares = found[-1]
    assert shares[[1, 2]] == pytest.approx([1 - typos] * 2, abs=0.05)
    assert (shares > 1 - typos - 0.02).all()
    assert typos or (shares == 1).all()


def shares_of_surnames(names, pairs):
    """Return the share of correct surnames, 0 and 1 being near, with two identifying fields."""
    who = np.arange(len(names))
    for one, other in pairs:
        who[other] = who[one]
    near = [(np.array([0]), np.array([1]), np.ones(1)), None, None]
    return correct_shares(np.column_stack([names, who, who]), np.array(pairs), near)[0]


def test_a_value_that_others_have_is_no_mistake_of_ones_own():
    pairs = [[0, 1], [2, 3], [4, 5]]
    rest = [0] * 30
    assert shares_of_surnames([0, 1, 0, 0, 0, 0, *rest], pairs) == pytest.approx(1 - 1 / 34)
    assert shares_of_surnames([0, 1, 0, 1, 0, 0, *rest], pairs) == 1
    # Another share is estimated from values near those of others; the lower one is taken.
    others = [2, 2, 3, 3, 4, 4]
    pairs = [[30, 31], [32, 33], [34, 35]]
    assert shares_of_surnames([*rest, *others, 1], pairs) == 1  # alone
    assert shares_of_surnames([*rest, 0, 1, *others[:4]], pairs) == pytest.approx(1 - 1 / 34)
    assert shares_of_surnames([1, 0, *[3] * 30], [[0, 1]]) == 1  # near nobody else's
    assert shares_of_surnames([1, *[0] * 10, *[3] * 30], [[0, 1]]) == pytest.approx(1 - 1 / 41)


MOVED = tuple(FIELDS.index(name) for name in ("postcode", "city", "phone"))


@cache
def learned(**options):
    return index_fields(as_columns(customers(5000, **options)[0]))[1]


def test_a_field_that_only_new_records_show_to_follow_is_in_no_group_that_changes():
    """The city follows from the post code wherever there is one; few records do not show it."""
    cells = customers(5000)[0]
    postcode, city, phone = MOVED
    cells = cells[[row[postcode] is not None for row in cells]]
    groups = [(city, phone), (postcode, city), (postcode, city, phone)]
    assert index_fields(as_columns(cells), groups)[1].changing == [(postcode, phone)]


def test_where_nobody_moves_or_has_a_nickname_none_is_found():
    postcode, city, _phone = MOVED
    found = learned(moves=0.0, nicknames=0.0)
    assert not [group for group in found.changing if {postcode, city} & {*group}]
    assert sum(map(len, found.aliases.values())) <= 2


def pairs_of(rng, n_people=300):
    """Return two records per person: a number that identifies it, and four other fields."""
    who = np.repeat(np.arange(n_people), 2)
    return np.column_stack([who, rng.integers(0, 30, (n_people, 4))[who]])


def test_what_changes_in_one_pair_is_taken_together(rng):
    codes = pairs_of(rng)
    codes[:40:2, 1:3] = (codes[:40:2, 1:3] + 5) % 30
    codes[100:130:2, 3] = (codes[100:130:2, 3] + 5) % 30  # changes alone
    pairs = matches(codes)
    near = [None] * 5
    log_odds = np.where(pairs[:, 0] + 1 == pairs[:, 1], 3.0, -3.0)
    assert changing_fields(codes, near, pairs, lambda groups: log_odds) == [(1, 2)]
    # Nothing is learned from pairs that are unlikely duplicates, or that may be typing errors.
    assert changing_fields(codes, near, pairs, lambda groups: log_odds - 6.0) == []
    x, y = np.triu_indices(30, 1)
    near[1] = (x, y, np.ones(x.size))
    assert changing_fields(codes, near, pairs, lambda groups: log_odds) == []


def test_a_field_changes_with_the_one_that_it_follows(rng):
    codes = pairs_of(rng)
    codes[:40:2, 1:3] = (codes[:40:2, 1:3] + 5) % 30
    codes[60:100, 3] = -1
    pairs = matches(codes)
    tried = []

    def log_odds(groups):
        tried.append(groups)
        return np.full(len(pairs), 3.0)

    assert changing_fields(codes, [None] * 5, pairs, log_odds, [(3, 1)]) == [(1, 2, 3)]
    assert tried == [[(1, 2, 3)]]  # the odds allow for changes of the candidates


@pytest.mark.parametrize(
    ("n_changed", "fields", "found"),
    [
        (20, [1, 2], [(1, 2)]),
        (120, [1, 2], []),  # in two pairs of five: two people of one household
        (20, [1, 2, 3, 4], []),  # a number that people may share does not tell who they are
    ],
)
def test_what_tells_people_apart_does_not_change(rng, n_changed, fields, found):
    codes = pairs_of(rng)
    rows = 2 * np.arange(n_changed)[:, None]
    codes[rows, fields] = (codes[rows, fields] + 5) % 30
    pairs = np.arange(600).reshape(300, 2)
    near = [None] * 5
    assert changing_fields(codes, near, pairs, lambda groups: np.full(300, 3.0)) == found


def test_new_records_are_compared_by_the_groups_that_were_learned():
    cells, _ = customers(1500)
    columns = as_columns(cells[:900])
    learned = index_fields(columns)[1]
    index, again = index_fields(as_columns(cells), learned.changing)
    assert learned.changing == again.changing and len(index.changing) == len(learned.changing)
    assert index_fields(columns, [])[0].changing == ()


SHORT = {(a.casefold(), b.casefold()) for a, b in NICKNAMES.items()}


def test_people_who_move_and_nicknames_are_found_and_little_else():
    """The city is used only where the post code is missing, because it follows from it."""
    assert learned().changing[0] == MOVED
    found = learned().aliases
    firsts = found[FIELDS.index("first_name")]
    names = {tuple(sorted(pair, key=len, reverse=True)) for pair in firsts}
    assert len(names & SHORT) >= 15
    assert len(names - SHORT) <= 2 and sum(map(len, found.values())) - len(names) <= 2


@pytest.mark.usefixtures("no_pictures")
def test_the_command_writes_them_and_says_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(customers(1500)[0], columns=FIELDS).to_csv("customers.csv", index=False)
    short = ["--chains", "1", "--burn-in", "2", "--samples", "4"]
    assert main(["cluster", "records", "customers.csv", "-o", "out", *short]) == 0
    found = pd.read_csv("out/aliases.csv")
    assert list(found) == ["field", "value", "other"]
    assert ("first_name", "alex", "alexander") in set(found.itertuples(index=False, name=None))
    page = Path("out/index.html").read_text("utf-8")
    assert "stand for each other" in page and 'href="aliases.csv"' in page


def people(n_people: int, rng: np.random.Generator) -> np.ndarray:
    """Return three records per person: one of twelve names, and two numbers that identify it."""
    who = np.repeat(np.arange(n_people), 3)
    return np.stack([rng.integers(0, 12, n_people)[who], who, who[::-1]], axis=1)


def test_one_odd_record_beside_two_is_one_mistake(rng):
    codes = people(200, rng)
    place = 3 * np.flatnonzero(codes[::3, 0] == 4)[0]
    codes[place, 0] = 5
    assert not any(len(pairs[0]) for pairs in aliases(codes, [None] * 3, matches(codes)))
    codes[:, 1:] = -1  # missing values agree with nothing
    assert not any(len(pairs[0]) for pairs in aliases(codes, [None] * 3, matches(codes)))


def test_how_much_likelier_is_as_often_as_seen_over_expected(rng):
    codes = people(200, rng)
    names = codes[::3, 0].copy()
    # Ten people with the first name have the second in one record; others err once.
    for name, other, times in [(0, 1, 10), *((k, (k + 3) % 10 + 2, 1) for k in range(2, 12))]:
        codes[3 * np.flatnonzero(names == name)[:times], 0] = other
    (first, second, log_gain), *others = aliases(codes, [None] * 3, matches(codes))
    assert (first.tolist(), second.tolist()) == ([0], [1])
    share = np.bincount(codes[:, 0]) / len(codes)
    expected = 20 * 2 * share[0] * share[1] / (1 - np.sum(share**2))
    assert log_gain[0] == pytest.approx(np.log((10 + 0.1) / (expected + 0.1)))
    assert not any(len(pairs[0]) for pairs in others)
    # Values with similar letters are left to the measure of letters.
    near = (np.array([0]), np.array([1]), np.array([2.0]))
    assert not len(aliases(codes, [near, None, None], matches(codes))[0][0])


def test_the_groups_of_a_wide_table_are_those_of_its_most_varied_fields(rng):
    """All groups of up to four of 300 fields would be 300 million."""
    n_items = 400
    wide = rng.integers(0, 2, size=(n_items, 300))
    names = rng.integers(0, 250, size=n_items)
    number = rng.permutation(n_items)
    number[1], names[1] = number[0], names[0]
    codes = np.column_stack([wide[:, :150], names, wide[:, 150:], number])
    groups = telling_groups(codes)
    assert groups[0] == [150, 301] and not any({150, 301} <= {*group} for group in groups[1:])
    assert np.unique(np.concatenate(groups)).size <= MAX_COMBINED
    assert [0, 1] in matches(codes).tolist()
    # A narrow table has all groups.
    codes = rng.integers(0, 12, size=(200, MAX_COMBINED // 4))
    groups = telling_groups(codes)
    assert {len(group) for group in groups} == {4} and len(groups) == 60


def exchanged(first, last, rows):
    """Return two columns in which the values of some rows have changed places."""
    columns = [[*first], [*last]]
    for row in rows:
        columns[0][row], columns[1][row] = last[row], first[row]
    return columns


def test_exchanged_names_are_put_back_and_others_left():
    rng = np.random.default_rng(4)
    first = [f"ann{chr(97 + k)}" for k in rng.integers(0, 20, 300)]
    last = [f"bol{chr(97 + k)}" for k in rng.integers(0, 20, 300)]
    born = [str(k) for k in rng.integers(1900, 2000, 300)]
    given = [*exchanged(first, last, range(0, 300, 20)), born]
    given[0][7], given[1][8] = None, None
    put_back, found = in_place(given)
    assert found == {(0, 1): 15} and put_back[0][::20] == first[::20]
    assert put_back[0][7] is None and put_back[1][8] is None and put_back[2] == born
    # Two columns with the same words say nothing on what is the right way round.
    alike = [first, [first[k] for k in rng.permutation(300)]]
    assert in_place(alike) == (alike, {})
    # Very few are taken for people with rare names.
    assert in_place(exchanged(first, last, [0]))[1] == {}


def test_names_are_put_back_until_there_are_no_more():
    first, last = (
        [f"{name}{chr(97 + k % n // 9)}{chr(97 + k % n % 9)}" for k in range(300)]
        for name, n in (("ann", 75), ("bol", 60))
    )
    others = [0, 60]  # these two share a surname: by itself, it tells little
    given = exchanged(first, last, [*range(1, 26), *others])
    assert in_place(given) == ([first, last], {(0, 1): 27})
    assert in_place(exchanged(first, last, others))[1] == {}


def test_a_pair_of_words_that_stands_both_ways_is_put_one_way_round():
    first, last = ([f"{name}{k // 2}" for k in range(200)] for name in ("ann", "bol"))
    first, last = ([*map(spelt, names)] for names in (first, last))
    # Each of the two words stands once in either column.
    (one, other), found = in_place(exchanged(first, last, range(0, 200, 10)))
    assert found == {(0, 1): 20}
    assert one[::2] == one[1::2] and other[::2] == other[1::2]


def test_columns_that_share_words_are_left():
    rng = np.random.default_rng(4)
    surnames, towns = ([f"{name}{k}" for k in range(40)] for name in ("bol", "oak"))
    surnames, towns = ([*map(spelt, names)] for names in (surnames, towns))
    last = rng.choice([*surnames, *towns], 300, p=[0.9 / 40] * 40 + [0.1 / 40] * 40).tolist()
    town = rng.choice([*towns, *surnames], 300, p=[0.9 / 40] * 40 + [0.1 / 40] * 40).tolist()
    assert in_place([last, town]) == ([last, town], {})


def spelt(word):
    return word.translate(str.maketrans("0123456789", "abcdefghij"))
