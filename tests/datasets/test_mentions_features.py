"""Features of mentions (distances of strings, numbers, coauthors) against plain definitions."""

import numpy as np
import pytest
from given_files import TINY
from places import ROOT

from reseat.datasets import DataSettings, Mentions, Registry, build
from reseat.datasets.mentions import fold
from reseat.datasets.name_parts import abbreviation, split_authors
from reseat.datasets.pair_features import (
    MEASURES,
    CoauthorFeature,
    all_string_distances,
    mention_features,
    string_distances,
)


def mentions(kind, columns, test=None, **keys):
    n = len(next(iter(columns.values())))
    test = np.arange(n) >= n - 1 if test is None else np.asarray(test)
    values = {
        "kind": kind, "columns": columns, "entities": np.arange(n), "test": test,
        "groups": test.astype(int), "group_names": ("train", "test"),
        "item_ids": [f"i{number}" for number in range(n)], "identity": TINY,
    }  # fmt: skip
    return Mentions(**{**values, **keys})


def by_definition(one, two, measure):
    """Return a string distance from a textbook table, filled in cell by cell."""
    if not one and not two:
        return 0.0
    table = np.zeros((len(one) + 1, len(two) + 1), dtype=int)
    if measure == "edit":
        table[0], table[:, 0] = np.arange(len(two) + 1), np.arange(len(one) + 1)
    for i, a in enumerate(one, start=1):
        for j, b in enumerate(two, start=1):
            above, left, corner = table[i - 1, j], table[i, j - 1], table[i - 1, j - 1]
            table[i, j] = {
                "edit": min(above + 1, left + 1, corner + (a != b)),
                "subsequence": corner + 1 if a == b else max(above, left),
                "substring": corner + 1 if a == b else 0,
            }[measure]
    longer = max(len(one), len(two))
    if measure == "edit":
        return table[-1, -1] / longer
    return 1 - table.max() / longer


@pytest.mark.parametrize("measure", MEASURES)
def test_distances_of_strings_follow_their_definitions(measure, rng):
    letters = np.array(list("ab é𝒳語"))
    drawn = ["".join(rng.choice(letters, n)) for n in rng.integers(0, 20, 26)]
    strings = ["", "", "a", "語", *drawn]
    expected = np.array([[by_definition(a, b, measure) for b in strings] for a in strings])
    for threads in (1, 2):
        found = all_string_distances(strings, measure, threads)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, expected, atol=1e-7)
    i, j = np.divmod(rng.integers(0, len(strings) ** 2, 200), len(strings))
    one, two = [strings[n] for n in i], [strings[n] for n in j]
    np.testing.assert_allclose(string_distances(one, two, measure), expected[i, j], atol=1e-12)


def test_substrings_of_many_strings_come_out_in_any_number_of_parts(rng, monkeypatch):
    strings = ["".join(rng.choice(list("abc"), 8)) for _ in range(40)]
    whole = all_string_distances(strings, "substring")
    monkeypatch.setattr("reseat.datasets.pair_features.PAIRS", 90)
    np.testing.assert_array_equal(all_string_distances(strings, "substring", 2), whole)
    first, second = strings * 20, strings[::-1] * 20
    found = string_distances(first, second, "substring", 2)
    np.testing.assert_allclose(found[-40:], whole[np.arange(40), 39 - np.arange(40)], atol=1e-7)


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("George W. Bush", "GWB"), ("GWB", "GWB"), ("U.S.", "US"), ("IBM", "IBM"), ("Bush", "B"),
        ("United States of America", "USA"), ("bank of england", "BOE"), ("", ""), ("3M", "3M"),
        ("Jean-Paul Sartre", "JS"), ("Lincoln 's Inn", "LI"), ("École Normale", "ÉN"),
    ],
)  # fmt: skip
def test_abbreviations(name, short):
    assert abbreviation(name) == short


@pytest.mark.parametrize(
    ("text", "authors"),
    [
        ("Auer, P., Cesa-Bianchi, N., Freund, Y., & Schapire, R. E.",
         ["p auer", "n cesa-bianchi", "y freund", "r schapire"]),
        ("P. Auer and Robert Schapire,", ["p auer", "r schapire"]),
        ("Lewis, D.; Schapire, R.; and Papka, R.", ["d lewis", "r schapire", "r papka"]),
        ("Aha, D.W., D. Kibler & Albert M.K.", ["d aha", "d kibler", "m albert"]),
        ("M. Li, L.G. Valiant.", ["m li", "l valiant"]),
        ("Usama M. Fayyad, et al.", ["u fayyad"]),
        ("M. Kearns and M.", ["m kearns"]),
        ("Schapire, Robert E. and Freund, Y. (1990).", ["r schapire", "y freund"]),
        ("Freund, Y. and Schapire, R.E.:", ["y freund", "r schapire"]),
        ("Kautz, Henry; Kearns, Michael; and Selman, Bart", ["h kautz", "m kearns", "b selman"]),
        ("Freund Y and Schapire RE", ["y freund", "r schapire"]),
        ("Blum, Freund and Schapire", ["blum", "freund", "schapire"]),
        ("Fränzle", ["franzle"]), ("", []),
    ],
)  # fmt: skip
def test_authors_come_apart(text, authors):
    assert split_authors(text) == authors


def test_texts_are_folded():
    assert fold("  (“Über  the HILL”),") == "uber the hill"
    assert fold("...") == "" and fold("U.S.") == "u.s"


def of_all(feature):
    """Return the distances of all pairs of items; several items may share one value."""
    return feature.matrix()[np.ix_(feature.codes, feature.codes)]


def test_numbers_are_measured_in_deviations_of_the_training_items():
    values = np.array([1.0, 3.0, np.nan, 5.0, 11.0])
    made = mentions("items", {"x": values}, [False, False, False, False, True])
    deviation = np.std([1, 3, 3, 5])
    feature = mention_features(made)["x"]
    found = feature.pairs(np.array([0, 0, 1, 3]), np.array([1, 4, 2, 4]), 1)
    np.testing.assert_allclose(found, np.array([2, 10, 0, 6]) / deviation)
    np.testing.assert_allclose(of_all(feature)[0, 4], 10 / deviation, rtol=1e-6)


def test_counts_are_of_publications_of_a_year_and_of_a_venue():
    made = mentions("identity", {
        "first_name": "abcde", "last_name": "vwxyz", "venue": ("ICML", "icml.", "", "COLT", "ICML"),
        "year": np.array([1990.0, 1990, 1990, 1991, np.nan]),
        "publication": ("p", "p", "q", "r", "s"),
    })  # fmt: skip
    features = mention_features(made)
    assert list(features) == ["first_name", "last_name", "year", "year_count", "venue",
                              "venue_count"]  # fmt: skip
    years, venues = (features[key].scaled for key in ("year_count", "venue_count"))
    # Two publications of 1990, one of 1991; the item without a year is at the mean.
    np.testing.assert_allclose(years[:3], years[0])
    assert years[3] < 0 < years[0] and years[4] == pytest.approx(0)
    # p and s are at ICML, r is at COLT; the item without a venue is at the mean.
    assert venues[0] == venues[1] == venues[4] > 0 > venues[3] and venues[2] == pytest.approx(0)


def test_coauthors_are_counted_by_close_spellings():
    lists = [("robert schapire", "yoav freund"), ("robert schapire",), ("robert shapire", ""), (),
             ("yoav freund", "robert schapire"), ("", ""), ("mary li", "mary le")]  # fmt: skip
    feature = CoauthorFeature(lists)
    # One letter of fifteen is wrong in the third list; "mary li" and "mary le" are not close.
    expected = 1 / (1 + np.array([
        [2, 1, 1, 0, 2, 0, 0], [1, 1, 1, 0, 1, 0, 0], [1, 1, 1, 0, 1, 0, 0], [0] * 7,
        [2, 1, 1, 0, 2, 0, 0], [0] * 7, [0, 0, 0, 0, 0, 0, 2],
    ]))  # fmt: skip
    expected[np.arange(7), np.arange(7)] = 0
    expected[[0, 4, 3, 5], [4, 0, 5, 3]] = 0  # the same lists
    codes = feature.codes
    np.testing.assert_allclose(feature.matrix()[np.ix_(codes, codes)], expected, rtol=1e-6)
    i, j = np.divmod(np.arange(49), 7)
    np.testing.assert_allclose(feature.pairs(i, j), expected.ravel())
    assert CoauthorFeature([(), ()]).matrix().tolist() == [[0]]


REGISTRY = Registry.load(ROOT / "config" / "datasets.yaml")
NAMES = {
    "demo_identity": "first_name last_name full_name year year_count venue venue_count coauthors",
    "demo_names": "name head substring subsequence abbreviation",
    "demo_citations": "title first_author authors year year_count venue venue_count coauthors",
}


@pytest.mark.parametrize("name", NAMES)
def test_pairs_agree_with_all_distances(name, rng):
    made = build(REGISTRY, name, DataSettings(mirrors=(), download=False), kind="mentions")
    features = mention_features(made)
    assert list(features) == NAMES[name].split()
    first, second = rng.integers(0, made.n_items, (2, 300))
    found = np.column_stack([feature.pairs(first, second, 1) for feature in features.values()])
    for column, feature in enumerate(features.values()):
        values = of_all(feature)
        assert values.shape == 2 * (made.n_items,)
        np.testing.assert_array_equal(values, values.T)
        assert not np.diagonal(values).any()
        np.testing.assert_allclose(found[:, column], values[first, second], atol=1e-6)
    same = made.entities[first] == made.entities[second]
    assert (found[same].mean(axis=0) < found[~same].mean(axis=0)).mean() > 0.7
