"""From mentions to points: classical scaling, the coordinates that are kept, and their scale."""

import logging

import numpy as np
import pytest
from given_files import TINY
from scipy import linalg
from scipy.spatial.distance import cdist

from reseat.datasets import EmbeddedMentions, Mentions, embed_mentions
from reseat.datasets.pair_features import mention_features
from reseat.datasets.raw import SIDES
from reseat.dissimilarities import classical_scaling, kernel_pca
from reseat.errors import ConfigError, DataError


def mentions(kind="items", n=40, rng=None, **columns):
    rng = rng or np.random.default_rng(5)
    test = np.arange(n) % 3 == 0
    columns = columns or {
        "text": ["".join(rng.choice(list("abcd"), 5)) for _ in range(n)],
        "year": rng.normal(1990, 5, n), "same": ["x"] * n,
    }  # fmt: skip
    return Mentions(
        kind, columns, rng.integers(0, 6, n), test, test.astype(int), SIDES,
        tuple(map(str, range(n))), TINY,
    )  # fmt: skip


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
    made = mentions()
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
    made = mentions(text=texts, n=21)
    found = embed_mentions(made).coordinates
    other = Mentions(
        made.kind, made.columns, np.arange(21), made.test, made.groups, SIDES, made.item_ids,
        TINY,
    )  # fmt: skip
    np.testing.assert_array_equal(found, embed_mentions(other).coordinates)
    np.testing.assert_array_equal(found[:7], found[7:14])


def test_centroids_have_the_squared_distances_of_footnote_5(rng):
    """If the items are points, the pairwise distances alone give the distance to a mean."""
    points = rng.normal(size=(20, 6))
    values = cdist(points, points)
    made = mentions("pairs", n=20, rng=rng, far=values)
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
    made = mentions(n=80)
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
    found = embed_mentions(mentions("digits", n=30, pixels=pixels))
    assert found.notes["dropped"] == ["pixel 2,2", "pixel 2,3"]
    np.testing.assert_array_equal(found.feature_of, np.arange(14))


def test_what_cannot_be_embedded_is_named():
    with pytest.raises(ConfigError, match="the embedding is 'mdss'; did you mean 'mds'"):
        embed_mentions(mentions(), "mdss")
    with pytest.raises(ConfigError, match="share is 0; it must"):
        embed_mentions(mentions(), share=0)
    with pytest.raises(DataError, match=r"no feature varies among the training items \(text\)"):
        embed_mentions(mentions(text=["x"] * 40))


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
