"""Points, sequences and matrices: what is refused, read, drawn, and said by the registry."""

import logging

import numpy as np
import pytest
from given_files import TINY
from places import ROOT
from scipy import stats
from scipy.spatial.distance import squareform

from reseat import datasets
from reseat.datasets import DataSettings, Dissimilarities, Points, Registry, draw_points
from reseat.datasets.parsers.dissimilarity_matrix import parse_dissimilarity_matrix
from reseat.datasets.parsers.generated_families import AMINO_ACIDS, parse_generated_families
from reseat.datasets.registry import Dataset
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
    return datasets.Sequences(**{**values, **keys})


def dissimilarities(**keys):
    values = {
        "values": GOOD, "item_ids": ("a", "b", "c", "d"), "classes": np.array([1, -1, 0, 1]),
        "class_names": ("x", "y"), "groups": ("", "N", "", ""), "identity": TINY,
        "lengths": np.array([4, 5, 6, 7]),
    }  # fmt: skip
    return Dissimilarities(**{**values, **keys})


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
        keys = {"n_items": 8, "n_blocks": 5, "dim": 1, "theta": 1.0}
        made = draw_points(keys, np.random.default_rng(seed), "f")
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


def three(**keys):
    values = {"values": [[0.0], [1], [2]], "labels": [0, 1, 1], "settings": {}, "identity": TINY}
    return Points(**{**values, **keys})


TWO = dict.fromkeys(("names", "sequences", "labels", "groups"), ("a", "b"))


@pytest.mark.parametrize(
    ("kind", "keys", "words"),
    [
        (three, {"values": np.ones((2, 3)), "labels": [0, 0]}, r"shape \(2, 3\); at least 3"),
        (three, {"values": np.ones((3, 0)), "labels": [0, 0, 0]}, "at least 1 dimension"),
        (three, {"values": [[0.0], [np.nan], [1]], "labels": [0, 0, 0]}, "point 1 has a coordina"),
        (three, {"labels": [0, 1, -1]}, "labels: entry 2 is -1"),
        (three, {"labels": [0, 2, 2]}, "block 1 has no points"),
        (sequences, {"sequences": ("MKV", "", "AAR")}, "'b' is empty"),
        (sequences, {"sequences": ("MKV", "MK-V", "AAR")}, "'b' contains characters other than le"),
        (sequences, TWO, "are 2 sequenc"),
        (dissimilarities, {"values": GOOD[:3]}, "not square"),
        (dissimilarities, {"values": -GOOD}, "at least 0"),
        (dissimilarities, {"item_ids": ("a", "b", "c")}, "item_ids has 3 entries for 4 objects"),
        (dissimilarities, {"item_ids": ("a", "b", "c", "a")}, "two objects are called 'a'"),
        (dissimilarities, {"classes": [0, 1, 2, -1]}, "entry 2 is 2; .* between -1 and 1"),
        (dissimilarities, {"classes": [0, 0, -1, -1]}, "no object belongs to the class 'y'"),
        (dissimilarities, {"lengths": np.array([1, 2])}, "lengths has 2 entries for 4 objects"),
    ],
)
def test_bad_parts_are_refused_in_one_sentence(kind, keys, words):
    with pytest.raises(DataError, match=words) as caught:
        kind(**keys)
    name = "points" if kind is three else kind.__name__
    assert "\n" not in str(caught.value) and str(caught.value).startswith(f"{name} 'tiny': ")


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


def test_a_large_matrix_is_mapped_when_it_is_loaded_and_named_if_it_is_gone(tmp_path):
    dissimilarities().save(tmp_path / "d.npz")
    found = Dissimilarities.load(tmp_path / "d.npz", memory_map_from=10)
    assert isinstance(found.values, np.memmap)
    np.testing.assert_array_equal(found.values, GOOD.astype(np.float32))
    (tmp_path / "d.values.npy").unlink()
    with pytest.raises(DataError, match="d.values.npy not found"):
        Dissimilarities.load(tmp_path / "d.npz")


REGISTRY = Registry.load(ROOT / "config" / "datasets.yaml")
POINTS = [name for name in REGISTRY if REGISTRY[name].parser == "generated_points"]
SIZES = [12, 10, 9, 8]


def families(**keys):
    return parse_generated_families({}, **{"seed": 3, "sizes": SIZES, "n_new": 2, **keys})


def test_families_have_the_sizes_and_labels_asked_for():
    raw = families()
    truth = [label or group for label, group in zip(raw.labels, raw.groups, strict=True)]
    names, counts = np.unique(truth, return_counts=True)
    assert names.tolist() == [f"family {k}" for k in range(1, 5)] and counts.tolist() == SIZES
    assert all(bool(a) != bool(b) for a, b in zip(raw.labels, raw.groups, strict=True))
    assert [raw.labels.count(name) for name in names] == [4, 3, 0, 0]  # 30 % of 12 and of 10
    assert set("".join(raw.sequences)) <= set(AMINO_ACIDS)
    assert len(set(raw.names)) == 39 and truth != sorted(truth)
    assert families().digest() == raw.digest() and families(seed=4).sequences != raw.sequences
    lengths = np.array([len(text) for text in raw.sequences])
    short = np.array(truth)[lengths < 100]
    assert short.tolist() == ["family 4"] * 4  # half of the last family
    assert all(families(unlabelled=1.0).labels.count(f"family {k}") == 1 for k in (1, 2))


MATRIX = "0,1,4\n1,0,2\n4,2,0\n"


def matrix(tmp_path, text=MATRIX, labels=None, **options):
    paths = {"matrix": tmp_path / "d.csv"}
    paths["matrix"].write_text(text)
    if labels is not None:
        paths["labels"] = tmp_path / "l.csv"
        paths["labels"].write_text(labels)
    return parse_dissimilarity_matrix(paths, **options)


def test_a_matrix_is_read_with_its_labels(tmp_path):
    raw = matrix(tmp_path, labels="object,class\n3,b\n1,a\n2,NA\n")
    assert raw.item_ids == ("1", "2", "3") and raw.classes.tolist() == [0, -1, 1]
    assert raw.class_names == ("a", "b")
    named = ",u,v,w\nu,0,1,4\nv,1,0,2\nw,4,2,0\n"
    raw = matrix(tmp_path, named, "n,kind,who\n1,x,w\n", item="who", label="kind")
    assert raw.item_ids == ("u", "v", "w") and raw.classes.tolist() == [-1, -1, 0]
    assert raw.class_names == ("x",)
    assert matrix(tmp_path).classes.tolist() == [-1, -1, -1]
    raw = matrix(tmp_path, "0,1,4\n1,0,2.00001\n4,2,1e-7\n")
    assert (raw.values == raw.values.T).all() and raw.values[2, 2] == 0


def test_similarities_become_dissimilarities(tmp_path):
    raw = matrix(tmp_path, "5,1,0\n1,3,1\n0,1,2\n", similarities=True)
    np.testing.assert_array_equal(raw.values, [[0, 6, 7], [6, 0, 3], [7, 3, 0]])
    large = np.eye(1100)  # of which only the part above the diagonal is converted
    for value, words in ((np.nan, "row 1100, column 1 is nan"), (0.5, "matrix is not symmetric")):
        large[1099, 0] = value
        np.save(tmp_path / "large.npy", large)
        with pytest.raises(DataError, match=words):
            parse_dissimilarity_matrix({"user": tmp_path / "large.npy"}, similarities=True)


def of_the_user(tmp_path, path, **options):
    entry = Dataset(
        "mine", "Mine", "mine", "distances", "mine", "none", "faithful", user_path="a matrix",
        parser="dissimilarity_matrix", options=options,
    )  # fmt: skip
    settings = DataSettings(paths={"mine": path}, raw=tmp_path / "raw")
    return datasets.build(Registry({"mine": entry}), "mine", settings, kind="dissimilarities")


def test_a_matrix_of_the_users_own_enters_by_the_registry(tmp_path, rng, caplog):
    folder = tmp_path / "f"
    folder.mkdir()
    points = rng.normal(size=(9, 3))
    values = ((points[:, None] - points) ** 2).sum(axis=2).astype(np.float32)
    np.save(folder / "dissimilarities.npy", squareform(values, checks=False))
    (folder / "labels.csv").write_text("object,class\n1,a\n9,b\n")
    with caplog.at_level(logging.WARNING, "reseat"):
        found = of_the_user(tmp_path, folder)
    assert not caplog.records
    assert found.classes.tolist() == [0, *[-1] * 7, 1] and found.class_names == ("a", "b")
    assert list(found.identity.sha256) == ["data as read"]
    np.save(tmp_path / "d.npy", values)
    alone = of_the_user(tmp_path, tmp_path / "d.npy", memory_map_from=1)
    assert isinstance(alone.values, np.memmap) and alone.class_names == ()
    np.testing.assert_array_equal(alone.values, found.values)
    assert alone.identity.sha256 != found.identity.sha256  # other labels
    (folder / "labels.csv").write_text("object,class\n12,a\n")
    with pytest.raises(DataError, match="data set 'mine': .*names object '12'"):
        of_the_user(tmp_path, folder)


def test_a_matrix_far_from_euclidean_is_taken_with_a_warning(tmp_path, rng, caplog):
    np.save(tmp_path / "d.npy", rng.random(45))
    with caplog.at_level(logging.WARNING, "reseat"):
        found = of_the_user(tmp_path, tmp_path / "d.npy")
    assert found.n_items == 10
    assert "d.npy: far from squared Euclidean" in caplog.text


@pytest.mark.parametrize("name", POINTS)
def test_points_are_drawn_as_their_entry_says(name):
    source = datasets.build(REGISTRY, name, kind="points")
    made = source.draw(np.random.default_rng(1), number=3, seed=5)
    entry = REGISTRY[name]
    assert made.identity.name == f"{name}_3"
    assert made.identity.status == ("generated" if name.startswith("demo_") else "faithful")
    assert made.settings.items() >= entry.options.items()
    words = entry.about.replace(",", "").split()
    assert {str(made.n_items), str(made.n_blocks), str(made.dim)} <= set(words)
    assert made.n_blocks == entry.options["n_blocks"]
    if "means" in name:
        _, ratio, dim, mean = name.removeprefix("demo_").split("_")
        assert f"d{made.dim}" == dim and f"mu{made.settings['mean']}" == mean
        assert f"c{made.settings['theta'] * made.dim:.0f}" == ratio


def test_every_small_set_of_points_is_that_of_a_large_one():
    large = {name for name in POINTS if not name.startswith("demo_")}
    small = set(POINTS) - large
    assert (len(large), len(small)) == (11, 7)
    assert {name.removeprefix("demo_") for name in small} <= large
