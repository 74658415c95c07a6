"""Directions of points, and places of objects, that Student-t components are fitted to."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_wine

from reseat.dissimilarities import landmark_scaling
from reseat.dissimilarities.embedding import principal_coordinates
from reseat.models.points import find_directions, n_directions, starts, whitened


def rng():
    return np.random.default_rng(1)


def coordinates(points, scale=False):
    found = find_directions(points, scale, rng())
    return found, found.placed(points, rng()).coordinates


def blobs(n=300, p=40):
    draw = rng()
    centres = 5 * draw.normal(size=(3, p))
    return centres[np.arange(n) % 3] + draw.normal(size=(n, p))


def test_coordinates_are_whitened_and_reproduce_mahalanobis_distances():
    points = rng().normal(size=(60, 5)) @ rng().normal(size=(5, 5)) + 7
    found, z = coordinates(points)
    assert found.share == 1.0 and z.shape == (60, 5)
    assert np.allclose(z.T @ z / 60, np.eye(5), atol=1e-5)
    inverse = np.linalg.inv(np.cov(points.T, bias=True))
    expected = cdist(points, points, "mahalanobis", VI=inverse)
    assert np.allclose(cdist(z, z), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("constant", [0, 1])
def test_columns_that_add_nothing_make_no_directions(constant):
    points = rng().normal(size=(50, 3))
    more = np.column_stack([points, points @ [1, 2, -1], np.full(50, constant)])
    assert np.allclose(np.abs(coordinates(more)[1]), np.abs(coordinates(points)[1]), atol=1e-4)


def test_directions_of_many_columns_are_those_that_stand_out_from_noise():
    found, z = coordinates(blobs())
    assert z.shape == (300, 2) and 0.5 < found.share < 1
    noise = rng().normal(size=(300, 40))
    assert coordinates(noise)[1].shape[1] <= 3


def test_scale_matters_only_where_directions_are_left_out():
    points = blobs()
    units = 10.0 ** (np.arange(40) % 5)
    (one, z), (_, other) = (coordinates(points * u, scale=True) for u in (1.0, units))
    assert np.allclose(z, other, atol=1e-4)
    assert abs(one.share - coordinates(points * units)[0].share) > 0.01


def test_more_columns_than_items_are_projected_as_the_items_are():
    points = blobs(n=60, p=500)
    found, z = coordinates(points)
    assert z.shape == (60, 2)
    again = found.placed(points[:7], rng()).coordinates
    assert np.allclose(again, z[:7], atol=1e-4)


def test_values_of_scores_are_spread_over_their_rounding_and_others_are_not():
    points = np.column_stack([rng().integers(1, 6, 200), rng().normal(size=200)]).astype(float)
    found, _ = coordinates(points)
    assert list(found.widths) == [1.0, 0.0]
    zeros = np.where(np.arange(200) % 2, 0.0, np.abs(points[:, 1]))
    found, z = coordinates(np.column_stack([zeros, points[:, 1]]))
    assert found.widths[0] == pytest.approx(zeros.std()) and found.tied[0] == 0
    assert np.unique(z[:, 0]).size == 200
    assert not coordinates(load_wine().data)[0].widths.any()


def test_number_of_directions():
    assert n_directions(np.full(12, 1.0), 100) == 12  # all
    assert n_directions(np.append([50.0, 30.0, 10.0], np.full(60, 1.0)), 1000) == 3
    assert n_directions(np.full(60, 1.0), 1000) == 2
    assert n_directions(np.append(np.full(30, 100.0), np.full(60, 1.0)), 10_000) == 20
    assert n_directions(np.full(12, 1.0), 30) == 2  # too few items


def test_objects_are_placed_by_their_distances_or_by_those_to_landmarks():
    points = rng().normal(size=(80, 3))
    squares = cdist(points, points, "sqeuclidean")
    z, share = whitened(principal_coordinates(squares))
    assert share == pytest.approx(1.0) and z.shape == (80, 3)
    landmarks = np.arange(0, 80, 2)
    far, _ = whitened(landmark_scaling(squares[:, landmarks], landmarks))
    inverse = np.linalg.inv(np.cov(points.T, bias=True))
    expected = cdist(points, points, "mahalanobis", VI=inverse)
    for found in (z, far):
        turned = cdist(found, found, "mahalanobis", VI=np.linalg.inv(np.cov(found.T, bias=True)))
        assert np.allclose(turned, expected, atol=1e-3)
    # The share of a matrix that is left out is said.
    squares = cdist(blobs(), blobs(), "sqeuclidean")
    z, share = whitened(principal_coordinates(squares))
    assert z.shape[1] == 2 and 0.5 < share < 1


def test_starts_take_turns_and_fit_the_items():
    assert starts(1000) == ("one", 30, 10, 20)
    assert starts(30) == ("one", 10, 10, 10)
    assert starts(2) == ("one", 1, 1, 1)
