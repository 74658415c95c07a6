"""Valleys between components, compared with the density on a fine grid of points."""

import numpy as np
import pytest
from scipy import stats

from reseat.summaries._valleys import valley_depths


def depth_by_grid(means, covariances, sizes, tails):
    """Return the depth along the ridge line of two components, from densities of SciPy."""
    inverse = [np.linalg.inv(c) for c in covariances]
    at = []
    for share in np.linspace(0, 1, 401):
        parts = [(1 - share) * inverse[0], share * inverse[1]]
        pull = sum(part @ mean for part, mean in zip(parts, means, strict=True))
        at.append(np.linalg.solve(sum(parts), pull))
    density = sum(
        size * stats.multivariate_t(mean, covariance, df=tails).pdf(at)
        for mean, covariance, size in zip(means, covariances, sizes, strict=True)
    )
    left, right = np.maximum.accumulate(density), np.maximum.accumulate(density[::-1])[::-1]
    return float(np.log(np.minimum(left, right) / density).max())


@pytest.mark.parametrize("seed", range(12))
def test_depths_are_those_of_the_density_along_the_ridge_line(seed):
    rng = np.random.default_rng(seed)
    q, tails = rng.integers(1, 5), rng.choice([2.0, 8.0, 1000.0])
    roots = rng.normal(size=(2, q, q)) + 2 * np.eye(q)
    covariances = roots @ np.swapaxes(roots, 1, 2)
    means = rng.normal(size=(2, q)) * 4
    sizes = rng.integers(5, 50, 2)
    found = valley_depths(means, np.linalg.inv(covariances), sizes, tails)
    expected = depth_by_grid(means, covariances, sizes, tails)
    assert np.array_equal(found, found.T) and not found.diagonal().any()
    assert found[0, 1] == pytest.approx(expected, abs=0.02 + 0.1 * expected)


def test_one_peak_has_no_valley_and_far_ones_a_deep_one():
    means = [[0.0, 0.0], [1.0, 0.0], [100.0, 0.0]]
    found = valley_depths(means, [np.eye(2)] * 3, [10, 10, 10], 1000.0)
    assert found[0, 1] == 0 and found[0, 2] > 100 and found[1, 2] > 100
