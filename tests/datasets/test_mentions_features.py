"""Features of mentions against plain definitions, and the points that are made of them."""

import logging

import numpy as np
import pytest
from given_files import TINY
from real_data import REGISTRY
from scipy import linalg
from scipy.spatial.distance import cdist

from reseat.datasets import DataSettings, EmbeddedMentions, Mentions, build, embed_mentions
from reseat.datasets.mentions import fold
from reseat.datasets.name_parts import abbreviation, split_authors
from reseat.datasets.pair_features import (
    MEASURES,
    CoauthorFeature,
    all_string_distances,
    mention_features,
    string_distances,
)
from reseat.dissimilarities import classical_scaling, kernel_pca
from reseat.errors import ConfigError, DataError


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


# ---- points ------------------------------------------------------------------------------


def drawn(kind="items", n=40, rng=None, **columns):
    """Return items of six entities, every third of which is a test item."""
    rng = rng or np.random.default_rng(5)
    columns = columns or {
        "text": ["".join(rng.choice(list("abcd"), 5)) for _ in range(n)],
        "year": rng.normal(1990, 5, n), "same": ["x"] * n,
    }  # fmt: skip
    return mentions(kind, columns, np.arange(n) % 3 == 0, entities=rng.integers(0, 6, n))


def odd_distances(rng, n=12):
    """Return distances that are symmetric, with a zero diagonal, and far from Euclidean."""
    values = rng.uniform(0.2, 1, (n, n))
    values = values + values.T
    np.fill_diagonal(values, 0)
    return values


def test_weights_are_multiplicities(rng):
    values = odd_distances(rng)
    times = rng.integers(1, 5, len(values))
    spread = np.repeat(np.arange(len(values)), times)
    whole = values[np.ix_(spread, spread)]
    found, expected = classical_scaling(values, times), classical_scaling(whole)
    np.testing.assert_allclose(found.points[spread], expected.points, atol=1e-9)
    np.testing.assert_allclose(expected.points, kernel_pca(whole**2), atol=2e-6)
    for key in ("positive_mass", "negative_mass"):
        assert getattr(found, key) == pytest.approx(getattr(expected, key))
    spectrum = np.linalg.eigvalsh(
        -0.5 * (whole**2 - (whole**2).mean(0) - (whole**2).mean(1)[:, None] + (whole**2).mean())
    ) / len(whole)  # fmt: skip
    assert found.positive_mass == pytest.approx(spectrum[spectrum > 0].sum())
    assert found.negative_mass == pytest.approx(-spectrum[spectrum < 0].sum())
    assert found.negative_mass > 0.05 * found.positive_mass


def test_fewest_coordinates_hold_the_mass(rng):
    values = odd_distances(rng, 30)
    everything = classical_scaling(values)
    shares = np.cumsum((everything.points**2).mean(axis=0)) / everything.positive_mass
    assert everything.share == pytest.approx(1) == shares[-1]
    found = classical_scaling(values, mass=0.6)
    kept = found.points.shape[1]
    assert shares[kept - 2] < 0.6 <= shares[kept - 1] == pytest.approx(found.share)
    np.testing.assert_allclose(found.points, everything.points[:, :kept], atol=1e-9)
    assert classical_scaling(values, mass=0.6, most=3).share == pytest.approx(shares[2])


def test_euclidean_distances_come_back_and_signs_are_fixed(rng):
    points = rng.normal(size=(25, 4)) * [4, 3, 2, 1]
    found = classical_scaling(cdist(points, points)).points
    assert found.shape == (25, 4)
    np.testing.assert_allclose(cdist(found, found), cdist(points, points), atol=1e-9)
    order = rng.permutation(25)
    moved = classical_scaling(cdist(points[order], points[order])).points
    np.testing.assert_allclose(np.abs(moved), np.abs(found[order]), atol=1e-9)
    for column in found.T:
        sizes = np.abs(column)
        assert column[(sizes >= (1 - 1e-6) * sizes.max()).argmax()] > 0
    line = classical_scaling(np.abs(np.subtract.outer([0.0, 2], [0.0, 2]))).points
    np.testing.assert_allclose(line, [[1], [-1]])


@pytest.mark.parametrize("most", [None, 4])
def test_equal_eigenvalues_have_the_same_coordinates_in_any_basis(rng, monkeypatch, most):
    # Seven objects that are equally far from one another, and three more that are far from them.
    distances = np.full((10, 10), 5.0)
    distances[:7, :7] = 1
    distances[7:, 7:] = [[0, 2, 3], [2, 0, 2.5], [3, 2.5, 0]]
    np.fill_diagonal(distances, 0)
    expected = classical_scaling(distances, most=most).points
    solve = linalg.eigh_tridiagonal

    def turned(*args, **keywords):
        values, vectors = solve(*args, **keywords)
        equal = np.isclose(values, 0.05)  # half the squared distance, divided by ten objects
        assert equal.sum() == 6
        turn = np.linalg.qr(rng.normal(size=(6, 6)))[0]
        vectors[:, equal] = vectors[:, equal] @ turn
        return values, vectors

    monkeypatch.setattr(linalg, "eigh_tridiagonal", turned)
    found = classical_scaling(distances, most=most).points
    np.testing.assert_allclose(found, expected, atol=1e-12)
    if most is None:
        np.testing.assert_allclose(cdist(found, found), distances, atol=1e-12)


def test_a_number_is_itself_up_to_sign_and_one_point_is_nowhere(rng):
    values = rng.integers(0, 9, 30).astype(float)
    found = classical_scaling(np.abs(values[:, None] - values)).points
    assert found.shape == (30, 1)
    centred = values - values.mean()
    np.testing.assert_allclose(found[:, 0] * np.sign(found[0, 0] * centred[0]), centred, atol=1e-9)
    assert classical_scaling(np.zeros((1, 1))).points.shape == (1, 0)
    assert classical_scaling(np.zeros((4, 4))).points.shape == (4, 0)


def test_features_have_unit_variance_over_the_training_items(caplog):
    made = drawn()
    with caplog.at_level(logging.WARNING, "reseat"):
        found = embed_mentions(made)
    assert "1 features do not vary among the training items and are dropped: same" in caplog.text
    assert found.features == ("text", "year") and found.notes["dropped"] == ["same"]
    train = found.coordinates[~made.test]
    np.testing.assert_allclose(train.mean(axis=0), 0, atol=2e-6)
    variances = np.bincount(found.feature_of, train.var(axis=0))
    np.testing.assert_allclose(variances, 1, atol=1e-5)
    year = made.columns["year"]
    mean, deviation = year[~made.test].mean(), year[~made.test].std()
    np.testing.assert_allclose(found.coordinates[:, -1], (year - mean) / deviation, atol=2e-6)
    kept = found.notes["features"]["text"]
    assert kept["coordinates"] == found.n_coordinates - 1 <= 10
    text = mention_features(made)["text"]
    distances = text.matrix()[np.ix_(text.codes, text.codes)]
    expected = classical_scaling(distances, mass=0.9, most=10)
    ratio = found.coordinates[:, :-1].std(axis=0) / expected.points.std(axis=0)
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-5)
    assert kept["share"] == pytest.approx(expected.share, rel=1e-5)


def test_labels_are_not_used_and_equal_texts_are_one_point():
    texts = ["ab", "abc", "xyz", "ab", "abd", "xyz", "q"] * 3
    made = drawn(text=texts, n=21)
    found = embed_mentions(made).coordinates
    other = mentions("items", {"text": texts}, made.test)  # each item is an entity
    np.testing.assert_array_equal(found, embed_mentions(other).coordinates)
    np.testing.assert_array_equal(found[:7], found[7:14])


def test_centroids_have_the_squared_distances_of_footnote_5(rng):
    """If the items are points, the pairwise distances alone give the distance to a mean."""
    points = rng.normal(size=(20, 6))
    values = cdist(points, points)
    made = drawn("pairs", n=20, rng=rng, far=values)
    found = embed_mentions(made, "centroids")
    train = ~made.test
    scale = np.sqrt((values[np.ix_(train, train)] ** 2).mean() / 2)
    values = values / scale
    block = np.arange(4, 11)
    within = (values[np.ix_(block, block)] ** 2).mean() / 2
    to_mean = (values[:, block] ** 2).mean(axis=1) - within
    gaps = found.coordinates - found.coordinates[block].mean(axis=0)
    np.testing.assert_allclose((gaps**2).sum(axis=1), to_mean, atol=1e-4)


def test_centroids_keep_more_than_the_usual_embedding():
    made = drawn(n=80)
    kept = embed_mentions(made, "centroids").notes["features"]["text"]
    assert kept["coordinates"] == 30 and 0 < kept["share"] < 1 and kept["negative"] > 0
    assert embed_mentions(made).notes["features"]["text"]["share"] < kept["share"]
    assert embed_mentions(made, share=0.2).n_coordinates < 8
    assert embed_mentions(made, largest=2).n_coordinates == 3


def test_pixels_are_features_of_their_own(rng):
    pixels = rng.integers(0, 16, (30, 16)).astype(float)
    pixels[:, 5] = 7.1
    pixels[::3, 6] = 0  # the test items
    pixels[1::3, 6] = pixels[2::3, 6] = 3
    found = embed_mentions(drawn("digits", n=30, pixels=pixels))
    assert found.notes["dropped"] == ["pixel 2,2", "pixel 2,3"]
    np.testing.assert_array_equal(found.feature_of, np.arange(14))


def test_what_cannot_be_embedded_is_named():
    with pytest.raises(ConfigError, match="the embedding is 'mdss'; did you mean 'mds'"):
        embed_mentions(drawn(), "mdss")
    with pytest.raises(ConfigError, match="share is 0; it must"):
        embed_mentions(drawn(), share=0)
    with pytest.raises(DataError, match=r"no feature varies among the training items \(text\)"):
        embed_mentions(drawn(text=["x"] * 40))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"feature_of": [0, 0]}, "shape"),
        ({"feature_of": [0, 2, 2]}, "must increase from 0 to 1 without gaps"),
        ({"coordinates": np.full((4, 3), np.nan)}, "coordinate of item 'a' is not finite"),
        ({"item_ids": "abc"}, "item_ids has 3 entries for 4 items"),
    ],
)
def test_unsound_references_are_refused(changed, words):
    values = {
        "coordinates": np.ones((4, 3)), "feature_of": [0, 0, 1], "features": ("f", "g"),
        "entities": [0, 1, 1, 0], "test": [0, 0, 1, 1], "groups": [0, 0, 1, 1],
        "item_ids": "abcd", "identity": TINY,
    }  # fmt: skip
    assert EmbeddedMentions(**values).summary()["coordinates"] == 3
    with pytest.raises(DataError, match=words):
        EmbeddedMentions(**{**values, **changed})
