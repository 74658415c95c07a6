"""Distances between points, without a matrix of them."""

import numpy as np
import pytest

from reseat import WishartDirichlet
from reseat.chains import MixtureModel
from reseat.errors import DataError
from reseat.estimators import distances
from reseat.likelihoods import PointSums, WishartDistances
from reseat.moves import SplitMerge, gibbs_sweep
from reseat.priors import DirichletProcess


def squared(points):
    return ((points[:, None] - points) ** 2).sum(axis=2)


@pytest.fixture
def points(rng):
    return rng.normal(size=(60, 4)) + 5 * rng.integers(0, 3, 60)[:, None] + 1000


def test_the_likelihood_is_that_of_the_matrix(points, rng):
    dense = WishartDistances(squared(points), 4, dtype=np.float64)
    sparse = WishartDistances(PointSums(points), 4)
    for n_blocks in (1, 2, 7, 60):
        labels = rng.integers(0, n_blocks, 60)
        for likelihood in (dense, sparse):
            likelihood.assign(labels, 60)
        at = [0.01, 1.0, 100.0]
        np.testing.assert_allclose(sparse.log_marginal_at(at), dense.log_marginal_at(at), rtol=1e-9)


def test_chains_of_points_and_of_the_matrix_are_one(points):
    """Scores that agree to nine digits move every item to the same block."""
    ends = []
    for data in (PointSums(points), squared(points)):
        likelihood = WishartDistances(data, 4, dtype=np.float64)
        moves = (SplitMerge(n_proposals=1), gibbs_sweep)
        model = MixtureModel(DirichletProcess(1.0), likelihood, moves)
        rng = np.random.default_rng(4)
        model.start_at_random(9, rng)
        draws = []
        for _ in range(30):
            model.sweep(rng)
            draws.append(model.labels)
        ends.append(draws)
    np.testing.assert_array_equal(*ends)


def test_sums_do_not_depend_on_the_moves_that_led_here(points):
    model = MixtureModel(DirichletProcess(1.0), WishartDistances(PointSums(points), 4))
    rng = np.random.default_rng(1)
    model.start_at_random(5, rng)
    for _ in range(20):
        model.sweep(rng)
    moved = model.log_joint()
    model.start(model.labels)
    assert model.likelihood.log_marginal() == pytest.approx(moved - model.log_prior(), abs=1e-9)
    again = PointSums(points)
    again.assign(model.labels, model.likelihood.blocks.capacity)
    np.testing.assert_array_equal(again.pair_sums, model.likelihood.blocks.pair_sums)


def test_pair_sums_are_those_of_the_distances(points, rng):
    labels = rng.integers(0, 4, 60)
    sums = PointSums(points)
    sums.assign(labels, 6)
    sums.grow(8)
    member = np.eye(8)[labels]
    np.testing.assert_allclose(sums.pair_sums, member.T @ squared(points) @ member, rtol=1e-9)
    np.testing.assert_allclose(sums.matrix, squared(points), rtol=1e-9)


@pytest.mark.parametrize("wrong", [np.ones((3, 2)), np.ones(3), [[1.0, np.nan], [0, 1]]])
def test_points_that_are_none(wrong):
    with pytest.raises(DataError):
        PointSums(wrong)


def test_estimators_need_no_matrix_of_many_points(points, monkeypatch):
    short = {"n_chains": 2, "n_burn_in": 10, "n_samples": 10, "thin": 2, "random_state": 1}
    dense = WishartDirichlet(metric="euclidean", **short).fit(points)
    monkeypatch.setattr(distances, "DOUBLE_UP_TO", 10)
    monkeypatch.setattr(distances, "squared_distances", None)
    sparse = WishartDirichlet(metric="euclidean", **short).fit(points)
    np.testing.assert_array_equal(sparse.draws_, dense.draws_)
    assert sparse.predict(points[:3]).shape == (3,)
