"""Slow, obvious versions of the densities of references: item by item, pair by pair."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np
from scipy import stats
from scipy.integrate import quad
from scipy.special import gammaln

from reseat.likelihoods._variates import draw_precisions

EXACT = {  # P(publications) of three references, in the order 000, 001, 010, 011, 012
    "scdp1": (0.30555, 0.22267, 0.15214, 0.13789, 0.18176),
    "scdp3_covariance": (0.2126, 0.3025, 0.1318, 0.1088, 0.2443),
    "scdp3_precision": (0.41727, 0.17488, 0.15817, 0.15321, 0.09648),
}


def features(feature_of):
    """Return the coordinates of each feature."""
    return [np.flatnonzero(feature_of == f) for f in range(feature_of[-1] + 1)]


def law(kind, means, groups, feature_of, pairs="sum", strength=1.0, shape=1.0, rate=1.0):
    """Return (a, b, chi) of each feature from all pairs of means, whose groups are `groups`."""
    found = []
    for columns in features(feature_of):
        squares = [
            ((means[j] - means[k])[columns] ** 2).sum()
            for j, k in combinations(range(len(means)), 2)
            if pairs != "within_block" or groups[j] == groups[k]
        ]
        total = sum(squares)
        if pairs == "mean" and squares:
            total /= len(squares)
        if kind == "covariance":
            found.append((shape, rate, strength * total))
        elif kind == "precision":
            found.append((shape, rate + strength * total, 0.0))
        elif kind == "between" and len(means) > 2:
            m, v = np.mean(squares), np.var(squares)
            found.append((m**2 / 4 / v, m / 2 / v, 0.0))
        else:
            found.append((1.0, 1.0, 0.0) if kind == "between" else (shape, rate, 0.0))
    return found


@cache
def log_integral(a, b, chi):
    """Return the log integral of t^(a-1) exp(-b t - chi / t), by quadrature on the log scale."""
    mode = ((a - 1) + np.sqrt((a - 1) ** 2 + 4 * b * chi)) / (2 * b) if chi else a / b

    def log_density(x):
        t = mode * np.exp(x)
        return a * np.log(t) - b * t - chi / t

    peak = log_density(0.0)
    value = quad(lambda x: np.exp(log_density(x) - peak), -60, 12, points=[0.0], limit=500)[0]
    return np.log(value) + peak


def log_precisions(precisions, laws):
    """Return the log density of the precisions of some types, one row each."""
    total = 0.0
    for column, (a, b, chi) in zip(np.transpose(precisions), laws, strict=True):
        total += ((a - 1) * np.log(column) - b * column - chi / column).sum()
        total -= len(column) * (log_integral(a, b, chi) if chi else gammaln(a) - a * np.log(b))
    return total


def log_items(points, means, precisions, feature_of):
    """Return the log density of each item given its own mean and precisions, one row each."""
    scale = 1 / np.sqrt(precisions[:, feature_of])
    return stats.norm.logpdf(points, means, scale).sum(axis=1)


def log_collapsed(points, labels, precisions, feature_of, sigma):
    """Return the log density of all items given their precisions, by dense normals.

    The means are integrated out.
    """
    same = np.equal.outer(labels, labels) * sigma
    return sum(
        stats.multivariate_normal.logpdf(
            points[:, d], cov=same + np.diag(1 / precisions[:, feature_of[d]])
        )
        for d in range(points.shape[1])
    )


def log_types(residuals, labels, laws, feature_of):
    """Return the log density of residuals (items x coordinates), with precisions integrated out."""
    total = -residuals.size * np.log(2 * np.pi) / 2
    for columns, (a, b, chi) in zip(features(feature_of), laws, strict=True):
        for k in set(np.asarray(labels).tolist()):
            block = residuals[np.asarray(labels) == k][:, columns]
            total += log_integral(a + block.size / 2, b + (block**2).sum() / 2, chi)
            total -= log_integral(a, b, chi)
    return total


def restaurant(n, rng):
    """Draw a partition from the Chinese restaurant process of concentration 1."""
    labels = [0]
    for i in range(1, n):
        other = int(rng.integers(0, i + 1))
        labels.append(max(labels) + 1 if other == i else labels[other])
    return np.array(labels)


def from_the_prior(kind, n, feature_of, rng, **parameters):
    """Draw partitions, means and precisions; `draw_precisions` is tested elsewhere."""
    c, d = restaurant(n, rng), restaurant(n, rng)
    means = rng.normal(size=(c.max() + 1, feature_of.size))
    laws = law(kind, means, None, feature_of, **parameters)
    t = np.empty((d.max() + 1, len(laws)))
    for f, (a, b, chi) in enumerate(laws):
        t[:, f] = draw_precisions(np.full(len(t), a), b, chi, rng)
    return c, d, means, t


def publication_probabilities():
    """Return P(publications) of the three references under SCDP-1, by quadrature of precisions."""
    import exact

    points = np.array([0.3, 0.5, -1.2])
    nodes, weights = np.polynomial.laguerre.laggauss(24)
    found = {}
    for c in exact.partitions(3):
        total = 0.0
        for d in exact.partitions(3):
            grid = np.stack(np.meshgrid(*[nodes] * (max(d) + 1), indexing="ij"), -1)
            weight = np.prod(np.meshgrid(*[weights] * (max(d) + 1), indexing="ij"), axis=0)
            variance = 1 / grid.reshape(-1, max(d) + 1)[:, d]
            covariance = np.equal.outer(c, c) + variance[:, :, None] * np.eye(3)
            solved = np.linalg.solve(
                covariance, np.broadcast_to(points[:, None], (len(variance), 3, 1))
            )
            density = np.exp(-(points @ solved[:, :, 0].T) / 2)
            density /= np.sqrt(np.linalg.det(covariance))
            total += density @ weight.ravel() * np.exp(exact.log_pitman_yor(d, 1.0, 0.0))
        found[c] = np.log(total) + exact.log_pitman_yor(c, 1.0, 0.0)
    return exact.normalise(found)
