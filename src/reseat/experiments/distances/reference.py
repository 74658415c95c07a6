"""Conditionals computed as in the paper and in the naive way, to compare their cost."""

from __future__ import annotations

import numpy as np

__all__ = ["naive_conditional", "pair_sums", "secular_conditional", "secular_log_det"]

#: How often the interval of a root is halved, which is enough to reach rounding error.
BISECTIONS = 60


def _candidates(labels: np.ndarray, item: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the blocks of the other items, numbered from 0 (the item has -1), and their sizes."""
    others = np.delete(np.arange(labels.size), item)
    block = np.full(labels.size, -1)
    _, block[others], sizes = np.unique(labels[others], return_inverse=True, return_counts=True)
    return block, sizes


def naive_conditional(distances, labels, item, dim, theta, concentration):
    """Return the log weights of an object in every block, each from an n by n eigenproblem.

    They are those of the blocks without the object, in the order of their labels, and of a new
    block last, up to an additive constant. See Vogt et al. (2010), eq. 14 and 15, with the exponent
    (n - 1) d / 2.
    """
    block, sizes = _candidates(labels, item)
    n = labels.size
    weights = np.log(np.append(sizes, concentration))
    for candidate in range(sizes.size + 1):
        block[item] = candidate
        precision = np.eye(n)
        for b in range(sizes.size + 1):
            members = np.flatnonzero(block == b)
            precision[np.ix_(members, members)] -= theta / (1 + theta * members.size)
        row = precision.sum(axis=1)
        projected = precision - np.outer(row, row) / row.sum()
        log_det = np.log(np.linalg.eigvalsh(projected)[1:]).sum()
        s = -dim / 4 * np.vdot(projected, distances)
        weights[candidate] += dim / 2 * log_det - (n - 1) * dim / 2 * np.log(s)
    return weights


def secular_log_det(sizes, theta):
    """Return the log generalised determinant from the roots of the secular equation.

    The eigenvalues are the roots of ``1 / gamma + sum_b n_b l_b^2 / (y - l_b)`` except for the root
    0. Blocks of the same size share a pole, and every such block after the first adds the pole
    itself as an eigenvalue.
    """
    poles, repeats = np.unique(1 / (1 + theta * np.asarray(sizes)), return_counts=True)
    n = (1 / poles - 1) / theta
    strength = repeats * n * poles**2
    total = (repeats * n * poles).sum()
    low, high = poles[:-1].copy(), poles[1:].copy()
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        value = total + (strength / (middle[:, None] - poles)).sum(axis=1)
        above = value > 0  # the function decreases from one pole to the next
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return np.log((low + high) / 2).sum() + ((repeats - 1) * np.log(poles)).sum()


def secular_conditional(distances, labels, item, dim, theta, concentration, sums=None):
    """Return the log weights of an object in every block, finding the roots for each block.

    They are those of `naive_conditional`. `sums` has the sums of the distances over pairs of slots,
    with the object still in its own slot; the paper keeps them from object to object. See Vogt et
    al. (2010), section 3 and theorem 1.
    """
    if sums is None:
        sums = pair_sums(distances, labels)
    row = np.bincount(labels, distances[item], minlength=len(sums))  # O(n)
    left = sums.copy()
    left[labels[item]] -= row
    left[:, labels[item]] -= row
    sizes = np.bincount(labels, minlength=len(sums))
    sizes[labels[item]] -= 1
    kept = np.flatnonzero(sizes)
    left, row, sizes = left[np.ix_(kept, kept)], row[kept], sizes[kept]
    k, n = sizes.size, labels.size
    weights = np.log(np.append(sizes, concentration))
    for candidate in range(k + 1):
        joined = np.zeros((k + 1, k + 1))
        joined[:k, :k] = left
        joined[candidate, :k] += row
        joined[:k, candidate] += row
        grown = np.append(sizes, 0)
        grown[candidate] += 1
        eigenvalue = 1 / (1 + theta * grown)  # has no weight for an empty slot
        within = theta * eigenvalue @ joined.diagonal()
        between = eigenvalue @ joined @ eigenvalue
        s = dim / 4 * (within + between / (grown @ eigenvalue))
        log_det = secular_log_det(grown[grown > 0], theta)
        weights[candidate] += dim / 2 * log_det - (n - 1) * dim / 2 * np.log(s)
    return weights


def pair_sums(distances, labels):
    """Return the sums of the distances over pairs of slots."""
    member = np.zeros((labels.max() + 1, labels.size))
    member[labels, np.arange(labels.size)] = 1
    return member @ distances @ member.T
