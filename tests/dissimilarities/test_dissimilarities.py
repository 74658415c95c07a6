"""Dissimilarities: what is refused, what is read, negative type, points, and linkage trees."""

import gzip
import logging

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
from sklearn.metrics import adjusted_rand_score

from reseat.baselines import LINKAGES, hierarchical_labels
from reseat.dissimilarities import (
    centred_similarities,
    check_dissimilarities,
    classical_scaling,
    from_similarities,
    kernel_pca,
    landmark_scaling,
    looks_unsquared,
    negative_mass,
    read_dissimilarities,
    read_named_dissimilarities,
    squared_distances,
    subtract_row_means,
    to_negative_type,
    warn_if_not_euclidean,
)
from reseat.errors import ConfigError, DataError


def euclidean(rng, n_items=12, dim=4):
    """Return the squared distances of random points, by scipy."""
    return squareform(pdist(rng.normal(size=(n_items, dim)), "sqeuclidean"))


def changed(values, *changes):
    values = np.array(values, dtype=float)
    for place, value in changes:
        values[place] = value
    return values


GOOD = [[0, 1, 4], [1, 0, 2], [4, 2, 0]]

# ---- checks ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (np.ones((3, 4)), "the matrix is 3 x 4, not square"),
        (np.ones(6), "the matrix is 6, not square"),
        (np.zeros((1, 1)), "of 1 object; .* at least 3"),
        (np.array([[0, 1], [1, 0]]), "of 2 objects; .* at least 3"),
        (np.zeros((0, 0)), "of 0 objects"),
        (np.array([["a"] * 3] * 3), "must contain real numbers"),
        (changed(GOOD, ((1, 2), np.nan)), "entry in row 2, column 3 is nan"),
        (changed(GOOD, ((2, 0), np.inf)), "entry in row 3, column 1 is inf"),
        (changed(GOOD, ((0, 1), -1), ((1, 0), -1)), "row 1, column 2 is -1; .* at least 0"),
        (changed(GOOD, ((1, 1), 0.1)), "diagonal entry of row 2 is 0.1; it must be 0"),
        (np.subtract(9, GOOD), "similarities, use 9 minus each"),
        (changed(GOOD, ((0, 2), 4.1)), "not symmetric: 4.1 in row 1, column 3, but 4 in row 3"),
        (np.array(changed(GOOD, ((0, 2), 3)), dtype=np.uint8), "not symmetric: 3 in row 1"),
        (np.zeros((3, 3)), "all entries are 0"),
        (from_similarities(np.array([[1.0, 2, 0], [2, 1, 0], [0, 0, 1]])), "row 1, column 2 is -2"),
    ],
)
def test_what_is_no_dissimilarities_is_refused_with_its_place(values, words):
    with pytest.raises(DataError, match=words) as caught:
        check_dissimilarities(values, "a.csv")
    assert "\n" not in str(caught.value) and str(caught.value).startswith("a.csv: ")


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint8])
def test_good_matrices_pass_and_rounding_is_forgiven(dtype):
    check_dissimilarities(np.array(GOOD, dtype=dtype))
    check_dissimilarities(changed(GOOD, ((0, 2), 4 + 1e-5), ((1, 1), 1e-6)))


def test_a_fault_is_found_in_every_tile(rng):
    values = squareform(rng.random(1500 * 1499 // 2).astype(np.float32))
    check_dissimilarities(values)
    for row, column in ((3, 1499), (1400, 1030), (1030, 5)):
        wrong = values.copy()
        wrong[row, column] += 0.5
        low, high = sorted((row, column))
        with pytest.raises(DataError, match=f"not symmetric: .* row {low + 1}, column {high + 1},"):
            check_dissimilarities(wrong)


# ---- reading -----------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [".npy", ".csv", ".csv.gz", ".tsv", ".txt.gz"])
@pytest.mark.parametrize("condensed", [False, True])
def test_every_form_gives_the_same_matrix(tmp_path, ending, condensed, rng):
    values = euclidean(rng)
    stored = squareform(values) if condensed else values
    path = tmp_path / f"d{ending}"
    if ending == ".npy":
        np.save(path, stored)
    else:
        np.savetxt(path, stored, delimiter=",", fmt="%.17g")  # condensed: one column
    np.testing.assert_allclose(read_dissimilarities(path), values, rtol=1e-15, atol=0)


def test_a_condensed_line_and_single_precision_are_read(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("1,4,2\n")
    np.testing.assert_array_equal(read_dissimilarities(path), GOOD)
    np.save(tmp_path / "d.npy", np.array([1, 4, 2], dtype=np.float32))
    found = read_dissimilarities(tmp_path / "d.npy")
    np.testing.assert_array_equal(found, GOOD)
    assert found.dtype == np.float32
    np.save(tmp_path / "d.npy", np.array(GOOD))
    assert read_dissimilarities(tmp_path / "d.npy").dtype == np.float64


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a,b,NA\n0,1,4\n1,0,2\n4,2,0\n", ["a", "b", "NA"]),
        (",a,b,NA\na,0,1,4\nb,1,0,2\nNA,4,2,0\n", ["a", "b", "NA"]),
        (",7,8,9\n7,0,1,4\n8,1,0,2\n9,4,2,0\n", ["7", "8", "9"]),
        ("id,7,8,9\n7,0,1,4\n8,1,0,2\n9,4,2,0\n", ["7", "8", "9"]),
        ("id,a,b,c\na,0,1,4\nb,1,0,2\nc,4,2,0\n", ["a", "b", "c"]),
        ("a, 0, 1, 4\nb, 1, 0, 2\nc, 4, 2, 0\n", ["a", "b", "c"]),
        ("0,1,4\n1,0,2\n4,2,0\n", None),
        (",7,8\n7,0,1\n8,1,0\n", ["7", "8"]),
        ("7,b\n0,1\n1,0\n", ["7", "b"]),
        ("0,1\n1,0\n", None),
        ("x,y,1;2\n0,1,4\n1,0,2\n4,2,0\n", ["x", "y", "1;2"]),
        ("0,1,2\n0,1,4\n1,0,2\n4,2,0\n", ["0", "1", "2"]),
        ("1,2,3\n0,1,4\n1,0,2\n4,2,0\n", ["1", "2", "3"]),
        ("distance 1\n1\n4\n2\n", None),
    ],
)
def test_names_of_the_objects_are_read(tmp_path, text, names):
    path = tmp_path / "d.csv"
    path.write_text(text)
    found, given = read_named_dissimilarities(path)
    n_objects = 3 if "4" in text else 2
    np.testing.assert_array_equal(found, np.array(GOOD)[:n_objects, :n_objects])
    assert given == names
    path.write_text("0,2\n0,1\n1,0\n")  # 0 and 2 are not the numbers of the columns
    assert read_named_dissimilarities(path)[0].shape == (3, 2)


def test_bad_files_are_refused(tmp_path):
    np.save(tmp_path / "whole.npy", np.ones((30, 30)))
    (tmp_path / "cut.npy").write_bytes((tmp_path / "whole.npy").read_bytes()[:500])
    (tmp_path / "cut.csv.gz").write_bytes(gzip.compress(b"1,2,3\n" * 50)[:20])
    np.save(tmp_path / "text.npy", np.array(["a", "b"]))
    np.save(tmp_path / "objects.npy", np.array([None]), allow_pickle=True)
    np.savez(tmp_path / "many.npz", a=1)
    (tmp_path / "many.npz").rename(tmp_path / "many.npy")
    for name, words in (
        ("cut.npy", "not a complete npy file"), ("cut.csv.gz", "cannot be read completely"),
        ("text.npy", "not numbers"), ("objects.npy", "contains Python objects, not numbers"),
        ("many.npy", "several arrays"), ("absent.npy", "not found"),
        ("a.dat", "one of the endings"),
    ):  # fmt: skip
        with pytest.raises(DataError, match=words):
            read_dissimilarities(tmp_path / name)


def test_a_large_matrix_stays_on_the_disk(tmp_path, rng):
    values = euclidean(rng).astype(np.float32)
    np.save(tmp_path / "d.npy", values)
    mapped = read_dissimilarities(tmp_path / "d.npy", memory_map_from=100)
    assert isinstance(mapped, np.memmap) and not mapped.flags.writeable
    check_dissimilarities(mapped)
    np.testing.assert_array_equal(mapped, values)
    assert not isinstance(read_dissimilarities(tmp_path / "d.npy"), np.memmap)


FOUR = [[0, 1, 4, 9], [1, 0, 2, 7], [4, 2, 0, 3], [9, 7, 3, 0]]
NAMES = ["a", "b", "c", "d"]
MEGA = "#mega\n!Title pairs;\n!Format DataType=Distance\n  DataFormat=%s;\n\n#a\n#b\n[3] #c\n#d\n\n"

FORMS = {
    "lower.csv": "0\n1,0\n4,2,0\n9,7,3,0\n",
    "bare.csv": "1\n4,2\n9,7,3\n",
    "padded.csv": "0,,,\n1,0,,\n4,2,0,\n9,7,3,0\n",
    "of R.csv": "0,NA,NA,NA\n1,0,NA,NA\n4,2,0,NA\n9,7,3,0\n",
    "named.csv": "a\nb,1\nc,4,2\nd,9,7,3\n",
    "headed.csv": ",a,b,c,d\na,0\nb,1,0\nc,4,2,0\nd,9,7,3,0\n",
    "corner.csv": ",a,b,c,d\na,,,,\nb,1,,,\nc,4,2,,\nd,9,7,3,\n",
    "above.csv": "a,b,c,d\n0\n1,0\n4,2,0\n9,7,3,0\n",
    "pairs.csv": "one,other,distance\na,b,1\na,c,4\na,d,9\nb,c,2\nb,d,7\nd,c,3\n",
    "both.tsv": "a\tb\t1\na\tc\t4\na\td\t9\nb\tc\t2\nb\td\t7\nc\td\t3\nd\tc\t3\na\ta\t0\n",
    "square.phy": "4\na 0 1 4 9\nb 1 0 2 7\nc 4 2 0 3\nd 9 7 3 0\n",
    "wrapped.phy": "   4\na     0 1\n  4 9\nb     1 0\n  2 7\nc     4 2\n  0 3\nd     9 7\n  3 0\n",
    "lower.phy": "4\na\nb 1\nc 4 2\nd 9 7 3\n",
    "diagonal.dist": "4\na 0\nb 1 0\nc 4 2 0\nd 9 7 3 0\n",
    "tabs.txt": "4\na\t0\t1\t4\t9\nb\t1\t0\t2\t7\nc\t4\t2\t0\t3\nd\t9\t7\t3\t0\n",
    "lower.meg": MEGA % "LowerLeft" + "[1]\n[2] 1\n[3] 4 2\n[4] 9 7 3\n",
    "upper.meg": MEGA % "UpperRight" + "1 4 9\n2 7\n3\n",
}


@pytest.mark.parametrize("name", FORMS)
def test_every_format_gives_the_same_matrix(tmp_path, name):
    path = tmp_path / name
    path.write_text(FORMS[name])
    found, names = read_named_dissimilarities(path)
    np.testing.assert_array_equal(found, FOUR)
    assert names == (None if name in ("lower.csv", "bare.csv", "padded.csv", "of R.csv") else NAMES)


def test_names_may_have_blanks_or_be_numbers(tmp_path):
    path = tmp_path / "d.phy"
    path.write_text("3\nhomo sapiens\npan 1\nfelis x. 4 2\n")
    assert read_named_dissimilarities(path)[1] == ["homo sapiens", "pan", "felis x."]
    path.write_text("3\n7 0 1 4\n8 1 0 2\n9 4 2 0\n")
    found, names = read_named_dissimilarities(path)
    assert names == ["7", "8", "9"] and found.tolist() == [[0, 1, 4], [1, 0, 2], [4, 2, 0]]
    rows = [f"{i},{j},{(i - j) ** 2}" for i in range(1, 5) for j in range(1, i)]
    path = tmp_path / "d.csv"
    path.write_text("\n".join(rows))
    found, names = read_named_dissimilarities(path)
    assert names == ["2", "1", "3", "4"] and found[0].tolist() == [0, 1, 1, 4]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("d.csv", "0\n1,0\n4,2,0\n9,7\n", "line 4: 2 cells, but the line above has 3, and"),
        ("d.csv", "0\n1,0\n4,x,0\n", "line 3, cell 2: 'x' is not a number"),
        ("d.csv", ",a,b\na,0\nc,1,0\n", "different names for rows and columns"),
        ("d.csv", "a,b,1\nb,c,2\nb,a,3\n", "line 3: 'b' and 'a' have another distance above"),
        ("d.csv", "a,b,1\nb,c,2\n", "lists 2 of the 3 pairs .* that of 'a' and 'c' is missing"),
        ("d.csv", "0,NA,4\nNA,0,2\n4,2,0\n", "line 1, cell 2: 'NA' is not a number; correct it or"),
        ("d.csv", "1,NA,2\n", "line 1, cell 2: 'NA' is not a number; correct it or"),
        (
            "d.csv",
            "1,2,3,4\n",
            "4 numbers in condensed form, but 3 objects have 3 pairs and 4 have 6",
        ),
        ("d.csv", "0,1,4\n1,zero,2\n4,2,0\n", "line 2, cell 2: 'zero' is not a number"),
        ("d.csv", "0,1,4\n1,,2\n4,2,0\n", "line 2, cell 2: an empty cell is not a number"),
        ("d.csv", "0,1,4\n1,0,2,3\n4,2,0\n", "d.csv, line 2"),
        ("d.csv", ",a,b,c\na,0,1,4\nc,1,0,2\nb,4,2,0\n", "different names for rows and columns"),
        ("d.csv", "", "is empty"),
        ("d.phy", "3\na 0 1\nb 1 0\n", "has 2 objects, but its first line says 3"),
        ("d.phy", "3\na 0 1 2\nb 1\nc 2 2 0\n", "neither a square matrix nor a lower triangle"),
        ("d.phy", "2\na 0 1\nb 1 x\n", "object 'b', cell 2: 'x' is not a number"),
        ("d.meg", MEGA % "LowerLeft" + "1\n4 2\n", "names 4 objects and has 3 distances"),
        ("d.meg", MEGA % "LowerLeft" + "1\n4 2\n9 ? 3\n", "'[?]' is not a number"),
    ],
)
def test_what_is_cut_or_mistyped_is_refused(tmp_path, name, text, words):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(DataError, match=words):
        read_named_dissimilarities(path)


# ---- points ------------------------------------------------------------------------------


def test_squared_distances_are_divided_by_the_dimension_and_exactly_symmetric(rng):
    points = rng.normal(size=(1100, 7))
    values = squared_distances(points)
    np.testing.assert_allclose(values, squareform(pdist(points, "sqeuclidean")) / 7, atol=1e-13)
    assert (values == values.T).all() and not np.diagonal(values).any()
    similarities = points @ points.T / 7
    np.testing.assert_allclose(from_similarities(similarities), values, atol=1e-13)
    far = squared_distances(points + 1e6)
    np.testing.assert_allclose(far, values, rtol=1e-6, atol=1e-8)
    assert squared_distances(points[:5], np.float32).dtype == np.float32


def test_kernel_pca_gives_points_with_these_distances(rng):
    values = euclidean(rng, 20, 3)
    points = kernel_pca(values)
    assert points.shape == (20, 3)
    np.testing.assert_allclose(squareform(pdist(points, "sqeuclidean")), values, atol=1e-4)
    np.testing.assert_allclose(squared_distances(points * np.sqrt(3)), values, atol=1e-4)
    np.testing.assert_allclose(points.mean(axis=0), 0, atol=1e-5)
    spread = (points**2).sum(axis=0)
    assert (np.diff(spread) < 0).all() and (points.max(axis=0) == np.abs(points).max(axis=0)).all()
    np.testing.assert_allclose(kernel_pca(values, 2), points[:, :2], atol=1e-12)
    assert kernel_pca(values, 40).shape == (20, 3)


def test_row_means_are_subtracted(rng):
    points = rng.normal(size=(5, 9))
    shifted = subtract_row_means(points + rng.normal(size=(5, 1)))
    np.testing.assert_allclose(shifted, subtract_row_means(points), atol=1e-14)
    np.testing.assert_allclose(shifted.sum(axis=1), 0, atol=1e-13)


# ---- negative type -----------------------------------------------------------------------


def test_centred_similarities_are_those_of_centred_points(rng):
    points = rng.normal(size=(9, 4))
    points -= points.mean(axis=0)
    values = squareform(pdist(points, "sqeuclidean"))
    np.testing.assert_allclose(centred_similarities(values), points @ points.T, atol=1e-13)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize(
    "use",
    [
        *(centred_similarities, kernel_pca, negative_mass, looks_unsquared, to_negative_type),
        classical_scaling,
        lambda d: warn_if_not_euclidean(d, "data"),
        lambda d: to_negative_type(d, 2, "randomised", np.random.default_rng(0)),
        lambda d: landmark_scaling(d[:, [0, 1, 2]], np.array([0, 1, 2])),
    ],
)
def test_what_is_not_finite_is_refused(use, bad, rng):
    values = euclidean(rng)
    use(values)
    values[1, 3] = values[3, 1] = bad
    with pytest.raises(DataError, match="row [13] contains a non-finite value; every pair"):
        use(values)


@pytest.mark.parametrize("weight", [0.0, -1.0, np.nan, np.inf])
def test_weights_of_classical_scaling_are_positive(weight, rng):
    values = np.sqrt(euclidean(rng, 4))
    with pytest.raises(DataError, match="weights must be 4 positive and finite numbers"):
        classical_scaling(values, [1.0, weight, 1.0, 1.0])
    with pytest.raises(DataError, match="one per object"):
        classical_scaling(values, [1.0, 1.0])


def test_negative_mass_is_the_share_of_the_spectrum(rng):
    assert negative_mass(euclidean(rng)) < 1e-14
    assert negative_mass(np.zeros((4, 4))) == 0
    values = squareform(rng.random(66))
    q = np.eye(12) - 1 / 12
    spectrum = np.linalg.eigvals(-q @ values @ q / 2).real
    assert negative_mass(values) == pytest.approx(
        -spectrum[spectrum < 0].sum() / np.abs(spectrum).sum()
    )


def test_a_matrix_far_from_negative_type_is_told_of(rng, caplog):
    far = squareform(rng.random(66))
    with caplog.at_level(logging.WARNING, "reseat"):
        assert warn_if_not_euclidean(euclidean(rng), "mine") < 1e-14
        assert not caplog.records
        share = warn_if_not_euclidean(far, "mine")
    (said,) = caplog.messages
    assert said.startswith("mine: far from") and f"{share:.1%}" in said
    assert "to_negative_type" in said and "tested on" not in said
    caplog.clear()
    share = warn_if_not_euclidean(far, "mine", 0.0, n_tested=6)
    chosen = np.linspace(0, 11, 6).astype(int)
    assert share == negative_mass(far[np.ix_(chosen, chosen)])
    assert "tested on 6 of 12 objects" in caplog.messages[0]


def test_euclidean_dissimilarities_do_not_change_and_others_become_so(rng):
    values = euclidean(rng, 15, 4)
    np.testing.assert_allclose(to_negative_type(values), values, atol=1e-4)
    np.testing.assert_allclose(to_negative_type(values, rank=4), values, atol=1e-4)
    far = squareform(rng.random(15 * 7))
    near = to_negative_type(far)
    check_dissimilarities(near)
    assert negative_mass(near) < 1e-14 and (near == near.T).all()
    np.testing.assert_allclose(to_negative_type(near), near, atol=1e-5)
    assert to_negative_type(far.astype(np.float32)).dtype == np.float32
    assert kernel_pca(to_negative_type(far, rank=3)).shape == (15, 3)


def test_a_low_rank_keeps_the_largest_eigenvalues(rng):
    values = squareform(rng.random(15 * 7))
    spectrum, vectors = np.linalg.eigh(centred_similarities(values))
    kept = vectors[:, -3:] * spectrum[-3:] @ vectors[:, -3:].T
    np.testing.assert_allclose(to_negative_type(values, rank=3), from_similarities(kept), atol=1e-5)


def test_the_randomised_correction_is_close_to_the_exact_one(rng):
    values = euclidean(rng, 80, 5) + squareform(rng.random(80 * 79 // 2)) * 0.2
    exact = to_negative_type(values, rank=5)
    found = to_negative_type(values, rank=5, method="randomised", rng=rng)
    assert np.abs(found - exact).max() < 1e-3 * exact.max()
    assert negative_mass(found) < 1e-14
    flat = squareform(rng.random(80 * 79 // 2))  # no gap in the spectrum: power iterations matter
    exact = to_negative_type(flat, rank=5)
    errors = [
        np.mean([
            np.linalg.norm(
                to_negative_type(flat, 5, "randomised", np.random.default_rng(s), 0, n) - exact
            )
            for s in range(5)
        ])
        for n in (0, 4)
    ]  # fmt: skip
    assert errors[1] < 0.8 * errors[0]


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        *[({"rank": 0}, "rank is 0"), ({"rank": 12}, "from 1 to 11")],
        *[({"rank": 2.0}, "rank is 2.0"), ({"rank": True}, "rank is True")],
        ({"method": "quick"}, "method is 'quick'"),
        ({"method": "randomised", "rank": 2}, "needs a rank and rng"),
        ({"method": "randomised"}, "needs a rank and rng"),
    ],
)
def test_wrong_settings_of_the_correction_are_refused(keys, words, rng):
    with pytest.raises(ConfigError, match=words):
        to_negative_type(euclidean(rng), **keys)


# ---- hierarchical baselines --------------------------------------------------------------


@pytest.mark.parametrize("linkage", LINKAGES)
def test_separated_blocks_are_found_by_every_linkage(linkage, rng):
    truth = np.repeat([0, 1, 2], [20, 8, 12])
    values = squared_distances(rng.normal(size=(40, 5)) + 20 * np.eye(5)[truth])
    labels = hierarchical_labels(values, 3, linkage)
    assert labels.dtype == np.int32 and labels.tolist() == truth.tolist()
    order = rng.permutation(40)
    moved = hierarchical_labels(values[np.ix_(order, order)], 3, linkage)
    assert adjusted_rand_score(truth[order], moved) == 1


def test_ward_merges_what_adds_least_to_the_squares(rng):
    points = rng.normal(size=(7, 3))
    blocks = [[i] for i in range(7)]

    def scatter(block):
        return ((points[block] - points[block].mean(axis=0)) ** 2).sum()

    while len(blocks) > 3:
        pairs = [(a, b) for a in range(len(blocks)) for b in range(a)]
        a, b = min(
            pairs,
            key=lambda p: (
                scatter(blocks[p[0]] + blocks[p[1]]) - scatter(blocks[p[0]]) - scatter(blocks[p[1]])
            ),
        )
        blocks[b] = blocks[b] + blocks.pop(a)
    truth = np.empty(7, dtype=int)
    for number, block in enumerate(blocks):
        truth[block] = number
    found = hierarchical_labels(squared_distances(points), 3, "ward")
    assert adjusted_rand_score(truth, found) == 1


@pytest.mark.parametrize("linkage", LINKAGES)
def test_the_number_of_clusters_is_exact_also_among_ties(linkage):
    for n_clusters in range(1, 9):
        labels = hierarchical_labels(1.0 - np.eye(8), n_clusters, linkage)
        assert len(set(labels.tolist())) == n_clusters and labels[0] == 0


def test_wrong_settings_of_the_trees_are_refused():
    with pytest.raises(ConfigError, match="linkage is 'wards'"):
        hierarchical_labels(np.array(GOOD), 2, "wards")
    for n_clusters in (0, 4, 2.0, True):
        with pytest.raises(ConfigError, match="from 1 to 3"):
            hierarchical_labels(np.array(GOOD), n_clusters, "ward")
    with pytest.raises(DataError, match="not symmetric"):
        hierarchical_labels(changed(GOOD, ((0, 2), 9)), 2, "ward")
