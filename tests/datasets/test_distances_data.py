"""Points, sequences and dissimilarities: what is refused, what is read back, what is drawn."""

import numpy as np
import pytest
from given_files import TINY
from scipy import stats

from reseat.datasets import (
    Dissimilarities,
    Points,
    Sequences,
    draw_points,
)
from reseat.dissimilarities import squared_distances
from reseat.errors import ConfigError, DataError

SETTINGS = {"n_items": 60, "n_blocks": 4, "dim": 8, "theta": 1.5}
GOOD = np.array([[0, 1, 4, 2.5], [1, 0, 2, 3], [4, 2, 0, 1], [2.5, 3, 1, 0]])


def points(**keys):
    return draw_points({**SETTINGS, **keys}, np.random.default_rng(1), "tiny", 2, 7, TINY)


def sequences(**keys):
    values = {
        "names": ("a", "b", "c"), "sequences": ("MKV", "mkvl", "AAR"),
        "labels": ("HBA", "", "HBA"), "groups": ("", "N", ""), "identity": TINY,
    }  # fmt: skip
    return Sequences(**{**values, **keys})


def dissimilarities(**keys):
    values = {
        "values": GOOD, "item_ids": ("a", "b", "c", "d"), "classes": np.array([1, -1, 0, 1]),
        "class_names": ("x", "y"), "groups": ("", "N", "", ""), "identity": TINY,
        "lengths": np.array([4, 5, 6, 7]),
    }  # fmt: skip
    return Dissimilarities(**{**values, **keys})


# ---- points ------------------------------------------------------------------------------


def test_a_draw_knows_what_it_is():
    made = points(mean=40)
    assert made.identity.name == "tiny_2" and made.identity.title == "Tiny, draw 2"
    assert made.identity.preprocessing["seed"] == 7
    assert made.settings["theta"] == 1.5 and made.settings["alpha"] == 2
    assert (made.n_items, made.dim, made.n_blocks) == (60, 8, 4)
    assert made.labels.dtype == np.int32 and made.summary()["items"] == 60
    again = points(mean=40)
    np.testing.assert_array_equal(made.values, again.values)
    plain = draw_points(SETTINGS, np.random.default_rng(1), "plain")
    assert plain.identity.name == "plain_0" and plain.identity.status == "generated"


def test_variances_within_and_between_blocks_are_those_of_the_model():
    alpha, theta, n_items, dim = 3.0, 0.5, 40, 4000
    made = points(n_items=n_items, dim=dim, alpha=alpha, theta=theta)
    covariance = made.values @ made.values.T / dim
    same = made.labels[:, None] == made.labels
    expected = alpha * (np.eye(n_items) + theta * same)
    # Each entry is a mean of dim products of variance at most 2 (alpha (1 + theta))^2.
    bound = 5 * alpha * (1 + theta) * np.sqrt(2 / dim)
    assert np.abs(covariance - expected).max() < bound
    for block in (made.values[made.labels == 0], made.values[made.labels == 1]):
        assert stats.kstest(
            block[:1].ravel(), stats.norm(scale=np.sqrt(alpha * (1 + theta))).cdf
        ).pvalue > 1e-4  # fmt: skip


def test_the_mean_is_one_number_a_point_in_all_columns():
    made = points(n_items=400, dim=5000, mean=40, mean_variance=9.0, theta=1e-9, alpha=0.01)
    means = made.values.mean(axis=1)
    assert abs(means.mean() - 40) < 5 * 3 / np.sqrt(400)
    assert abs(means.var(ddof=1) / 9 - 1) < 5 * np.sqrt(2 / 400)
    assert made.values.std(axis=1).max() < 0.12  # sqrt(alpha) = 0.1
    zero = points(mean=0, mean_variance=9.0, dim=5000)
    assert np.abs(zero.values.mean(axis=1)).max() < 6 * np.sqrt(2 * 2.5 / 5000)


def test_block_weights_are_uniform_on_the_simplex_or_equal():
    first, equal = [], []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        for kept, weights in ((first, "dirichlet"), (equal, "equal")):
            keys = {"n_items": 500, "n_blocks": 3, "dim": 1, "theta": 1.0, "weights": weights}
            kept.append(np.bincount(draw_points(keys, rng, "w").labels)[0] / 500)
    # The first of three weights, uniform on the simplex, is Beta(1, 2); the redrawing of draws
    # with empty blocks changes that only negligibly.
    assert stats.kstest(first, stats.beta(1, 2).cdf).pvalue > 1e-3
    assert abs(np.mean(equal) - 1 / 3) < 5 * np.sqrt(2 / 9 / 500 / 300)
    assert np.std(equal) < 0.03


def test_every_block_has_a_point_or_there_is_a_sentence():
    for seed in range(20):
        made = draw_points(
            {"n_items": 8, "n_blocks": 5, "dim": 1, "theta": 1.0}, np.random.default_rng(seed), "f"
        )
        assert np.bincount(made.labels, minlength=5).min() >= 1
    with pytest.raises(ConfigError, match="at least one of the 60 blocks was empty"):
        points(n_blocks=60)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"dim": 0}, "dim is 0; it must be a whole number, at least 1"),
        ({"n_items": 2}, "n_items is 2; .* at least 3"),
        ({"n_blocks": 0}, "n_blocks is 0"),
        ({"n_blocks": 61}, "n_blocks is 61, but there are only 60"),
        ({"theta": 0}, "theta is 0; it must be positive"),
        ({"theta": np.nan}, "theta is nan; it must be positive and finite"),
        ({"mean": "40"}, "mean is '40'"),
        ({"mean_variance": -0.1}, "mean_variance is -0.1; it must be finite and at least 0"),
        ({"weights": "even"}, "weights is 'even'"),
        ({"tetha": 1}, "unknown key 'tetha'; did you mean 'theta'"),
    ],
)
def test_wrong_settings_of_points_are_refused(keys, words):
    with pytest.raises(ConfigError, match=words):
        points(**keys)
    with pytest.raises(ConfigError, match="'theta' is missing"):
        draw_points({"n_items": 5, "n_blocks": 2, "dim": 1}, np.random.default_rng(1), "f")


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"values": np.ones((2, 3)), "labels": [0, 0]}, r"shape \(2, 3\); at least 3"),
        ({"values": np.ones((3, 0)), "labels": [0, 0, 0]}, "at least 1 dimension"),
        ({"values": [[0.0], [np.nan], [1]], "labels": [0, 0, 0]}, "point 1 has a coordinate"),
        ({"labels": [0, 1, -1]}, "labels: entry 2 is -1"),
        ({"labels": [0, 2, 2]}, "block 1 has no points"),
    ],
)
def test_bad_points_are_refused(keys, words):
    values = {"values": [[0.0], [1], [2]], "labels": [0, 1, 1], "settings": {}}
    with pytest.raises(DataError, match=words) as caught:
        Points(**{**values, **keys}, identity=TINY)
    assert str(caught.value).startswith("points 'tiny': ")


# ---- sequences ---------------------------------------------------------------------------


def test_sequences_know_their_sizes():
    made = sequences()
    assert made.sequences == ("MKV", "MKVL", "AAR") and made.lengths.tolist() == [3, 4, 3]
    assert made.class_names == ("HBA",)
    assert made.summary() == {
        "items": 3, "labelled": 2, "classes": 1, "groups": 1, "shortest": 3, "median_length": 3.0,
        "longest": 4,
    }  # fmt: skip
    aligned, unlabelled = ("names", "sequences"), sequences(labels=("", "", ""))
    assert made.digest(*aligned) == unlabelled.digest(*aligned)
    assert made.digest() != unlabelled.digest()
    assert made.digest() != sequences(sequences=("MKVM", "KVL", "AAR")).digest()


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"sequences": ("MKV", "", "AAR")}, "'b' is empty"),
        ({"sequences": ("MKV", "MK-V", "AAR")}, "'b' contains characters other than letters"),
        ({key: ("a", "b") for key in ("names", "sequences", "labels", "groups")}, "are 2 sequenc"),
    ],
)
def test_bad_sequences_are_refused(keys, words):
    with pytest.raises(DataError, match=words) as caught:
        sequences(**keys)
    assert str(caught.value).startswith("sequences 'tiny': ")


# ---- dissimilarities ---------------------------------------------------------------------


def test_dissimilarities_know_their_sizes():
    made = dissimilarities()
    assert made.values.dtype == np.float32 and made.classes.dtype == np.int32
    assert (made.n_items, made.n_classes) == (4, 2)
    assert made.summary() == {
        "items": 4, "labelled": 3, "classes": 2, "groups": 1, "largest": 4.0,
    }  # fmt: skip
    half = made.replace_values(GOOD / 2, rank=3)
    assert half.values[0, 2] == 2 and half.item_ids == made.item_ids
    assert half.identity.preprocessing == TINY.preprocessing | {"rank": 3}


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"values": GOOD[:3]}, "not square"),
        ({"values": -GOOD}, "at least 0"),
        ({"item_ids": ("a", "b", "c")}, "item_ids has 3 entries for 4 objects"),
        ({"item_ids": ("a", "b", "c", "a")}, "two objects are called 'a'"),
        ({"classes": [0, 1, 2, -1]}, "classes: entry 2 is 2; .* between -1 and 1"),
        ({"classes": [0, 0, -1, -1]}, "no object belongs to the class 'y'"),
        ({"lengths": np.array([1, 2])}, "lengths has 2 entries for 4 objects"),
    ],
)
def test_bad_dissimilarities_are_refused(keys, words):
    with pytest.raises(DataError, match=words) as caught:
        dissimilarities(**keys)
    assert "\n" not in str(caught.value) and str(caught.value).startswith("dissimilarities 'tiny'")


# ---- files -------------------------------------------------------------------------------


def test_a_large_matrix_is_mapped_when_it_is_loaded(tmp_path):
    dissimilarities().save(tmp_path / "d.npz")
    found = Dissimilarities.load(tmp_path / "d.npz", memory_map_from=10)
    assert isinstance(found.values, np.memmap)
    np.testing.assert_array_equal(found.values, GOOD.astype(np.float32))


def test_a_matrix_that_is_gone_is_named(tmp_path):
    dissimilarities().save(tmp_path / "d.npz")
    (tmp_path / "d.values.npy").unlink()
    with pytest.raises(DataError, match="d.values.npy not found"):
        Dissimilarities.load(tmp_path / "d.npz")


def test_points_and_their_distances_fit_together():
    made = points()
    values = squared_distances(made.values)
    same = made.labels[:, None] == made.labels
    off = ~np.eye(60, dtype=bool)
    # 2 alpha within blocks, 2 alpha (1 + theta) between them.
    assert values[same & off].mean() == pytest.approx(4, rel=0.15)
    assert values[~same].mean() == pytest.approx(10, rel=0.5)
