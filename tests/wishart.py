"""Slow, obvious versions of the Wishart likelihoods: dense matrices, as the paper writes them."""

from __future__ import annotations

from math import lgamma

import numpy as np


def squared_distances(points):
    """Return the squared distances divided by the number of columns."""
    points = np.asarray(points, dtype=float)
    return ((points[:, None] - points[None]) ** 2).sum(-1) / points.shape[1]


def precision(labels, theta):
    """Return the matrix W of eq. 7, by inversion."""
    labels = np.asarray(labels)
    return np.linalg.inv(np.eye(labels.size) + theta * (labels[:, None] == labels))


def log_distances(distances, labels, dim, theta, r0=0.0, s0=0.0, exponent="derived"):
    """Return the log likelihood of eq. 14 and 15.

    It follows from the eigenvalues of W - W 1 1' W / (1' W 1) and its trace with the distances.
    """
    n = len(labels)
    w = precision(labels, theta)
    row = w.sum(axis=1)
    projected = w - np.outer(row, row) / row.sum()
    eigenvalues = np.linalg.eigvalsh(projected)[1:]  # the first is zero
    s = -dim / 4 * np.trace(projected @ distances)
    power = (n - 1 if exponent == "derived" else n) * dim / 2 + r0
    return dim / 2 * np.log(eigenvalues).sum() - power * np.log(s + s0)


def log_similarities(similarities, labels, dim, theta, r0=0.0, s0=0.0):
    """Return the log likelihood of eq. 10 and 12."""
    w = precision(labels, theta)
    s = dim / 2 * np.trace(w @ similarities)
    return dim / 2 * np.linalg.slogdet(w)[1] - (len(labels) * dim / 2 + r0) * np.log(s + s0)


def log_ewens(labels, concentration):
    """Return the log probability of a partition under the Ewens prior."""
    sizes = np.unique(labels, return_counts=True)[1]
    value = lgamma(concentration) - lgamma(concentration + len(labels))
    return value + sum(np.log(concentration) + lgamma(n) for n in sizes)
