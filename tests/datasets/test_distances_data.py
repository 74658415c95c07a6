"""Points, sequences, their alignment, and matrices: what is refused, read, drawn and computed."""

import logging
import threading

import numpy as np
import parasail
import pytest
from given_files import TINY
from real_data import REGISTRY
from scipy import stats
from scipy.spatial.distance import squareform

from reseat import datasets
from reseat.datasets import (
    AlignmentStopped,
    DataSettings,
    Dissimilarities,
    Points,
    Registry,
    align_sequences,
    alignment,
    draw_points,
    transform_scores,
)
from reseat.datasets.parsers.dissimilarity_matrix import parse_dissimilarity_matrix
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


POINTS = [name for name in REGISTRY if REGISTRY[name].parser == "generated_points"]


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


# ---- alignment ---------------------------------------------------------------------------

ALPHABET = "ARNDCQEGHILKMFPSTWYVBZX"


def of_texts(texts, labels=None):
    names, none = [f"s{number}" for number in range(len(texts))], [""] * len(texts)
    return sequences(names=names, sequences=texts, labels=labels or none, groups=none)


def random_texts(rng, n_items=7, longest=40):
    """Return random texts; two contain parts of others, so that scores differ and gaps occur."""
    texts = ["".join(rng.choice(list(ALPHABET), rng.integers(5, longest))) for _ in range(n_items)]
    return [*texts[:-2], texts[0][2:9] + texts[0][13:] + "A", texts[1] + texts[0]]


def align(made, tmp_path, **keys):
    align_sequences(made, tmp_path / "s.npy", tmp_path / "scratch", **keys)
    return np.load(tmp_path / "s.npy")


def smith_waterman(one, other, gap_open, gap_extend, score):
    """Return the best local score by Gotoh's recursion, cell by cell."""
    best = np.zeros((len(one) + 1, len(other) + 1))
    down, right = np.full_like(best, -np.inf), np.full_like(best, -np.inf)
    for i, a in enumerate(one, start=1):
        for j, b in enumerate(other, start=1):
            down[i, j] = max(best[i - 1, j] - gap_open, down[i - 1, j] - gap_extend)
            right[i, j] = max(best[i, j - 1] - gap_open, right[i, j - 1] - gap_extend)
            best[i, j] = max(0, best[i - 1, j - 1] + score(a, b), down[i, j], right[i, j])
    return best.max()


def blosum(a, b):
    return parasail.blosum62.matrix[ALPHABET.index(a), ALPHABET.index(b)]


@pytest.mark.parametrize(("gap_open", "gap_extend"), [(11, 1), (5, 2), (4, 3)])
def test_scores_are_those_of_smith_and_waterman(tmp_path, gap_open, gap_extend, rng):
    texts = random_texts(rng)
    scores = align(of_texts(texts), tmp_path, gap_open=gap_open, gap_extend=gap_extend)
    assert scores.dtype == np.int32 and (scores == scores.T).all()
    for i, one in enumerate(texts):
        for j in range(i, len(texts)):
            assert scores[i, j] == smith_waterman(one, texts[j], gap_open, gap_extend, blosum)


def test_known_scores(tmp_path):
    # From the published BLOSUM62: W-W 11, C-C 9, A-A 4, R-K 2; a gap of two letters costs 12.
    scores = align(of_texts(["WCWAWWW", "WCWAAAWWW", "RRR", "KKK"]), tmp_path)
    assert scores[0, 0] == 5 * 11 + 9 + 4 and scores[2, 3] == 6
    assert scores[0, 1] == scores[0, 0] - 12 and scores[0, 2] == 0
    # Scores may be larger than numbers of sixteen bits.
    made = of_texts(["W" * 3100, "W" * 3000, "A" * 10])
    assert align(made, tmp_path)[:2, :2].tolist() == [[34100, 33000], [33000, 33000]]


def test_blocks_threads_and_a_stop_do_not_change_the_scores(tmp_path, rng, monkeypatch):
    made = of_texts(random_texts(rng, 9, 12))
    expected = align(made, tmp_path)
    assert not (tmp_path / "scratch").exists()
    monkeypatch.setattr(alignment, "BLOCK", 2)
    for threads in (1, 3):
        np.testing.assert_array_equal(align(made, tmp_path, threads=threads), expected)
    (tmp_path / "s.npy").unlink()
    rows, stop, row_of = [], threading.Event(), alignment._row

    def counted(texts, row, *rest):
        rows.append(row)
        if row == 4:
            stop.set()
        return row_of(texts, row, *rest)

    monkeypatch.setattr(alignment, "_row", counted)
    with pytest.raises(AlignmentStopped, match="sequence 5 of 9"):
        align(made, tmp_path, stop=stop)
    assert not (tmp_path / "s.npy").exists()
    assert sorted(path.name for path in (tmp_path / "scratch").glob("rows*")) == [
        "rows-0.npy", "rows-2.npy",
    ]  # fmt: skip
    rows.clear()
    np.testing.assert_array_equal(align(made, tmp_path, stop=threading.Event()), expected)
    assert rows[0] == 4 and not (tmp_path / "scratch").exists()


def test_what_another_alignment_left_is_not_taken(tmp_path, rng, monkeypatch):
    monkeypatch.setattr(alignment, "BLOCK", 2)
    texts = random_texts(rng, 6, 12)
    other = [text[::-1] for text in texts]
    expected = align(of_texts(other), tmp_path)
    monkeypatch.setattr(alignment.shutil, "rmtree", lambda *_, **__: None)
    align(of_texts(texts), tmp_path)  # its blocks stay
    monkeypatch.undo()
    monkeypatch.setattr(alignment, "BLOCK", 2)
    assert (tmp_path / "scratch" / "rows-0.npy").exists()
    np.testing.assert_array_equal(align(of_texts(other), tmp_path), expected)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"gap_open": True}, "gap_open is True"),
        ({"gap_open": -1}, "gap_open is -1"),
        ({"gap_extend": 0.5}, "gap_extend is 0.5"),
        ({"gap_open": 3, "gap_extend": 3}, "must cost more than"),
        ({"threads": 0}, "threads is 0"),
        ({"matrix": "blosum"}, "unknown substitution matrix 'blosum'"),
        ({"matrix": "sw_striped_32"}, "unknown substitution matrix"),
    ],
)
def test_wrong_settings_of_alignment_are_refused(tmp_path, keys, words):
    with pytest.raises(ConfigError, match=words):
        align(of_texts(["AAA", "RRR", "NNN"]), tmp_path, **keys)


def test_the_transform_is_zero_for_equals_and_falls_with_the_score():
    scores = np.array([[16, 6, 0, 16], [6, 9, 3, 6], [0, 3, 25, 0], [16, 6, 0, 16]])
    made = of_texts(["MKV", "MK", "RRRR", "MKV"], ["x", "", "y", "x"])
    found = transform_scores(scores, made, kappa=2.0)
    expected = np.exp(-2 * scores / np.sqrt(np.outer([4, 3, 5, 4], [4, 3, 5, 4]) ** 2)) - np.exp(-2)
    np.testing.assert_allclose(found.values, expected, atol=1e-7)
    assert found.values[0, 3] == 0 and found.values[0, 2] == found.values.max()
    assert found.classes.tolist() == [0, -1, 1, 0] and found.class_names == ("x", "y")
    assert found.groups is None and found.lengths.tolist() == [3, 2, 4, 3]
    assert found.item_ids == made.names and found.identity.preprocessing["kappa"] == 2
    higher = scores.copy()
    higher[0, 1] = higher[1, 0] = 13  # more than with themselves, as unknown letters may cause
    assert transform_scores(higher, made).values[0, 1] == 0


def test_the_transform_refuses_what_it_cannot_use():
    made = of_texts(["MKV", "MK", "XX"])
    for kappa in (0, -1, np.inf, np.nan, True, "1"):
        with pytest.raises(ConfigError, match="kappa"):
            transform_scores(np.eye(3), made, kappa)
    with pytest.raises(DataError, match=r"shape \(2, 2\) for 3 sequences"):
        transform_scores(np.eye(2), made)
    with pytest.raises(DataError, match="'s2' has the score -2 with itself"):
        transform_scores(np.diag([16, 9, -2]), made)
