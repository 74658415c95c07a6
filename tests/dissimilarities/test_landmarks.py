"""Objects that are placed by their distances to landmarks, and their clusters."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, pairwise_distances

from reseat import WishartDirichlet
from reseat.command.main import main
from reseat.dissimilarities import landmark_scaling, squared_distances
from reseat.errors import ConfigError
from reseat.estimators.sampling import data_hash
from reseat.files.packed import is_whole_file

TRUTH = np.arange(120) % 3


@pytest.fixture
def points(rng):
    return rng.normal(size=(120, 6)) + 8 * np.eye(3, 6)[TRUTH]


def fitted(X, **settings):
    defaults = {"n_chains": 2, "n_burn_in": 30, "n_samples": 30, "random_state": 1}
    return WishartDirichlet(**defaults | settings).fit(X)


def test_points_are_recovered_if_the_landmarks_span_their_space(points):
    distances = 6 * squared_distances(points)
    landmarks = np.array([3, 10, 11, 40, 47, 80, 99, 118])
    placed = landmark_scaling(distances[:, landmarks], landmarks)
    assert placed.shape == (120, 6)
    np.testing.assert_allclose(6 * squared_distances(placed), distances, atol=1e-3)
    leading = landmark_scaling(distances[:, landmarks], landmarks, 2)
    np.testing.assert_allclose(leading, placed[:, :2], atol=1e-9)


def test_an_object_outside_their_space_is_projected(points):
    # Landmarks on a line determine only the position of a point along it.
    flat = np.where(np.arange(6) == 0, points, 0.0)
    landmarks = np.arange(10)
    flat[20] += 5.0 * np.eye(6)[3]
    placed = landmark_scaling(6 * squared_distances(flat)[:, landmarks], landmarks)
    centred = flat[:, 0] - flat[landmarks, 0].mean()
    np.testing.assert_allclose(np.abs(placed[:20, 0]), np.abs(centred[:20]), atol=1e-5)
    np.testing.assert_allclose(np.abs(placed[21:, 0]), np.abs(centred[21:]), atol=1e-5)


def test_clusters_are_those_of_all_distances(points, tmp_path):
    """Only the rows of the landmarks are read, and few objects need none."""
    distances = squared_distances(points)
    np.save(tmp_path / "matrix.npy", distances.astype(np.float32))
    for X in (distances, np.load(tmp_path / "matrix.npy", mmap_mode="r")):
        found = fitted(X, landmarks=30)
        assert found.landmarks_.shape == (30,) and np.all(np.diff(found.landmarks_) > 0)
        assert adjusted_rand_score(TRUTH, found.labels_) == 1
    blank = np.zeros_like(distances)
    blank[found.landmarks_] = distances[found.landmarks_]
    np.testing.assert_array_equal(fitted(blank, landmarks=30).labels_, found.labels_)
    of_all = fitted(distances, landmarks=120)
    assert of_all.landmarks_ is None
    np.testing.assert_array_equal(of_all.labels_, fitted(distances).labels_)


def test_a_part_of_a_file_is_not_mistaken_for_another_part(points, tmp_path):
    np.save(tmp_path / "matrix.npy", points)
    mapped = np.load(tmp_path / "matrix.npy", mmap_mode="r")
    assert is_whole_file(mapped) and not is_whole_file(mapped[:50])
    assert data_hash(mapped) == data_hash(np.load(tmp_path / "matrix.npy", mmap_mode="r"))
    assert data_hash(mapped[:50]) == data_hash(points[:50]) != data_hash(mapped[50:100])
    for view in (np.s_[::-1], np.s_[:, ::-1]):
        assert data_hash(mapped[view]) == data_hash(points[view]) != data_hash(mapped)


def test_objects_under_another_metric_and_new_ones(points):
    found = fitted(points, metric="cityblock", square=True, landmarks=30)
    assert adjusted_rand_score(TRUTH, found.labels_) == 1
    new = points[:9] + 0.1
    assert (found.predict(new) == found.labels_[:9]).all()


def test_refusals(points, monkeypatch):
    distances = squared_distances(points)
    with pytest.raises(ConfigError, match="landmarks is 2; it must be a whole number, at least 3"):
        fitted(distances, landmarks=2)
    with pytest.raises(ConfigError, match="need no landmarks"):
        fitted(points, metric="euclidean", landmarks=30)
    with pytest.warns(UserWarning, match="looks like plain distances"):
        fitted(np.sqrt(pairwise_distances(points, metric="sqeuclidean")), landmarks=30)
    memory = SimpleNamespace(total=100_000, available=100_000)
    monkeypatch.setattr("psutil.virtual_memory", lambda: memory)
    with pytest.raises(ConfigError, match="set landmarks=1000"):
        fitted(distances)
    assert fitted(distances, landmarks=30).n_clusters_ == 3


def test_the_command_says_that_landmarks_are_used(points, tmp_path, monkeypatch, capsys, only_svg):
    monkeypatch.chdir(tmp_path)
    np.save("matrix.npy", squared_distances(points))
    common = ["cluster", "distances", "matrix.npy", "--burn-in", "20", "--samples", "20", "-o"]
    assert main([*common, "out", "--landmarks", "30"]) == 0
    assert "only those to 30 landmarks are used" in capsys.readouterr().err
    labels = np.loadtxt("out/labels.csv", delimiter=",", skiprows=1, usecols=1, dtype=int)
    assert adjusted_rand_score(TRUTH, labels) == 1
