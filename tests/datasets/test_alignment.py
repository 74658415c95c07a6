"""Alignment of all pairs against a short reference aligner, resuming, and the transform."""

import threading

import numpy as np
import parasail
import pytest
from given_files import TINY

from reseat.datasets import (
    AlignmentStopped,
    Sequences,
    align_sequences,
    alignment,
    transform_scores,
)
from reseat.errors import ConfigError, DataError

ALPHABET = "ARNDCQEGHILKMFPSTWYVBZX"


def sequences(texts, labels=None):
    names = [f"s{number}" for number in range(len(texts))]
    return Sequences(names, texts, labels or [""] * len(texts), [""] * len(texts), TINY)


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
    scores = align(sequences(texts), tmp_path, gap_open=gap_open, gap_extend=gap_extend)
    assert scores.dtype == np.int32 and (scores == scores.T).all()
    for i, one in enumerate(texts):
        for j in range(i, len(texts)):
            assert scores[i, j] == smith_waterman(one, texts[j], gap_open, gap_extend, blosum)


def test_known_scores(tmp_path):
    # From the published BLOSUM62: W-W 11, C-C 9, A-A 4, R-K 2; a gap of two letters costs 12.
    scores = align(sequences(["WCWAWWW", "WCWAAAWWW", "RRR", "KKK"]), tmp_path)
    assert scores[0, 0] == 5 * 11 + 9 + 4 and scores[2, 3] == 6
    assert scores[0, 1] == scores[0, 0] - 12 and scores[0, 2] == 0
    # Scores may be larger than numbers of sixteen bits.
    made = sequences(["W" * 3100, "W" * 3000, "A" * 10])
    assert align(made, tmp_path)[:2, :2].tolist() == [[34100, 33000], [33000, 33000]]


def test_blocks_threads_and_a_stop_do_not_change_the_scores(tmp_path, rng, monkeypatch):
    made = sequences(random_texts(rng, 9, 12))
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
    expected = align(sequences(other), tmp_path)
    monkeypatch.setattr(alignment.shutil, "rmtree", lambda *_, **__: None)
    align(sequences(texts), tmp_path)  # its blocks stay
    monkeypatch.undo()
    monkeypatch.setattr(alignment, "BLOCK", 2)
    assert (tmp_path / "scratch" / "rows-0.npy").exists()
    np.testing.assert_array_equal(align(sequences(other), tmp_path), expected)


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
        align(sequences(["AAA", "RRR", "NNN"]), tmp_path, **keys)


def test_the_transform_is_zero_for_equals_and_falls_with_the_score():
    scores = np.array([[16, 6, 0, 16], [6, 9, 3, 6], [0, 3, 25, 0], [16, 6, 0, 16]])
    made = sequences(["MKV", "MK", "RRRR", "MKV"], ["x", "", "y", "x"])
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
    made = sequences(["MKV", "MK", "XX"])
    for kappa in (0, -1, np.inf, np.nan, True, "1"):
        with pytest.raises(ConfigError, match="kappa"):
            transform_scores(np.eye(3), made, kappa)
    with pytest.raises(DataError, match=r"shape \(2, 2\) for 3 sequences"):
        transform_scores(np.eye(2), made)
    with pytest.raises(DataError, match="'s2' has the score -2 with itself"):
        transform_scores(np.diag([16, 9, -2]), made)
