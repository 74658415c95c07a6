"""Slow, obvious versions of what the engine computes: the oracles of the tests."""

from __future__ import annotations

from collections import Counter
from math import lgamma, log

import numpy as np
from scipy.special import gammaln


def partitions(n):
    """Yield every partition of n items as a restricted growth string."""
    labels = [0] * n

    def extend(i, used):
        if i == n:
            yield tuple(labels)
            return
        for k in range(used + 1):
            labels[i] = k
            yield from extend(i + 1, max(used, k + 1))

    yield from extend(0, 0)


def canonical(labels):
    """Return the restricted growth string of the partition that `labels` stand for."""
    seen = {}
    return tuple(seen.setdefault(int(k), len(seen)) for k in labels)


def visits(step, labels, n, state=canonical):
    """Return how often each partition is the state after one of the `n` calls of `step`.

    `labels` returns the current labels, and `state` what is counted of them.
    """
    seen, counted = Counter(), Counter()
    for _ in range(n):
        step()
        seen[labels().tobytes()] += 1
    # There are few distinct labellings, so it is cheap to compute their states afterwards.
    dtype = labels().dtype
    for key, times in seen.items():
        counted[state(np.frombuffer(key, dtype))] += times
    return counted


def log_dirichlet_multinomial(counts, labels, beta):
    """Return the log marginal likelihood of bags of counts, block by block, by lgamma."""
    counts = np.asarray(counts)
    n_features = counts.shape[1]
    total = 0.0
    for k in set(labels):
        n = counts[np.asarray(labels) == k].sum(axis=0)
        total += lgamma(n_features * beta) - lgamma(n_features * beta + n.sum())
        total += sum(lgamma(beta + x) - lgamma(beta) for x in n)
    return total


def log_finite_dirichlet(labels, n_blocks, alpha):
    """Return the log probability under symmetric Dirichlet weights; alpha may be an array."""
    sizes = np.unique(labels, return_counts=True)[1]
    if sizes.size > n_blocks:
        return -np.inf
    value = gammaln(n_blocks * alpha) - gammaln(n_blocks * alpha + sizes.sum())
    value += sum(gammaln(alpha + s) - gammaln(alpha) for s in sizes)
    # The partition corresponds to this many labellings.
    return value + lgamma(n_blocks + 1) - lgamma(n_blocks - sizes.size + 1)


def log_pitman_yor(labels, concentration, discount):
    """Return the log probability of the partition, seating item after item in the restaurant."""
    sizes = []
    value = 0.0
    for i, k in enumerate(canonical(labels)):
        if k == len(sizes):
            weight = concentration + discount * len(sizes)
            sizes.append(1)
        else:
            weight = sizes[k] - discount
            sizes[k] += 1
        if i:
            value += log(weight) - log(concentration + i)
    return value


def normalise(log_weights):
    """Return the probabilities from log weights, both dicts of partition to number."""
    largest = max(log_weights.values())
    weights = {key: np.exp(value - largest) for key, value in log_weights.items()}
    total = sum(weights.values())
    return {key: weight / total for key, weight in weights.items()}


def total_variation(exact, counted):
    """Return the total variation distance between exact probabilities and counted states."""
    n = sum(counted.values())
    keys = exact.keys() | counted.keys()
    return 0.5 * sum(abs(exact.get(k, 0.0) - counted.get(k, 0) / n) for k in keys)


def size_types(n, largest=None):
    """Yield every multiset of positive integers that sum to n as a decreasing tuple."""
    if n == 0:
        yield ()
        return
    for first in range(min(n, largest or n), 0, -1):
        for rest in size_types(n - first, first):
            yield (first, *rest)


def log_n_partitions(sizes):
    """Return the log number of partitions of the items into blocks of these sizes."""
    value = lgamma(sum(sizes) + 1) - sum(lgamma(m + 1) for m in sizes)
    return value - sum(lgamma(sizes.count(m) + 1) for m in set(sizes))


def type_probabilities(n, log_prob):
    """Return the probability of each multiset of block sizes given n, by decreasing tuple."""
    return normalise({t: log_prob(t) + log_n_partitions(t) for t in size_types(n)})


def log_negative_binomial(m, shape, success):
    """Return the log probability of m = 1, 2, … under a zero-truncated negative binomial."""
    value = gammaln(m + shape) - gammaln(shape) - gammaln(m + 1)
    value = value + m * np.log(success) + shape * np.log1p(-success)
    return value - np.log1p(-np.exp(shape * np.log1p(-success)))


def log_kolchin(sizes, a, q, log_sizes):
    """Return the log probability of the number of items and of a partition, by construction.

    Numbered blocks are drawn and filled at random; then their numbers are dropped.
    """
    k = len(sizes)
    value = log_negative_binomial(k, a, q) + log_sizes
    value += sum(lgamma(m + 1) for m in sizes) - lgamma(sum(sizes) + 1)
    return value + lgamma(k + 1)


def log_nbnb(sizes, a, q, r, p):
    """Return `log_kolchin` for negative binomial sizes; r and p may be arrays."""
    return log_kolchin(sizes, a, q, sum(log_negative_binomial(m, r, p) for m in sizes))


def log_nbd(sizes, a, q, alpha, base):
    """Return `log_kolchin` for sizes of an unknown law, drawn one after the other from an urn."""
    value = 0.0
    for i, m in enumerate(sizes):
        parameter = alpha * base * (1 - base) ** (m - 1)
        value += log((parameter + list(sizes[:i]).count(m)) / (alpha + i))
    return log_kolchin(sizes, a, q, value)


def log_sequence(sizes, log_sizes):
    """Return the log probability that an infinite sequence starts with blocks of these sizes.

    The blocks may be in any order, and the items are assigned to them at random.  The event that
    the first sizes of the sequence sum to the number of items is included.
    """
    items = sum(lgamma(m + 1) for m in sizes) - lgamma(sum(sizes) + 1)
    return lgamma(len(sizes) + 1) + items + log_sizes


def log_esc_nb(sizes, r, p):
    """Return `log_sequence` for negative binomial sizes; r and p may be arrays."""
    return log_sequence(sizes, sum(log_negative_binomial(m, r, p) for m in sizes))


def log_esc_d(sizes, alpha, r, p):
    """Return `log_sequence` for sizes from an urn over a negative binomial law."""
    value = 0.0
    for i, m in enumerate(sizes):
        parameter = alpha * np.exp(log_negative_binomial(m, r, p))
        with np.errstate(divide="ignore"):  # the probability of a large size may underflow
            value = value + np.log((parameter + list(sizes[:i]).count(m)) / (alpha + i))
    return log_sequence(sizes, value)


def marginals(codes):
    """Return the relative frequencies of the levels of each field, without missing values."""
    counts = [np.bincount(column[column >= 0]) for column in np.asarray(codes).T]
    return [count / count.sum() for count in counts]


def record_blocks(codes, labels):
    """Yield the field and the counts of its levels for each field and block of records."""
    codes, labels = np.asarray(codes), np.asarray(labels)
    for field, column in enumerate(codes.T):
        for k in set(labels.tolist()):
            here = column[(labels == k) & (column >= 0)]
            yield field, np.bincount(here, minlength=column.max() + 1)


def log_categorical(codes, labels, delta, gamma=None):
    """Return the log marginal likelihood of categorical records, by gamma functions.

    `delta` is one number or one per field.
    """
    gamma = marginals(codes) if gamma is None else gamma
    delta = np.broadcast_to(delta, len(gamma))
    value = 0.0
    for field, counts in record_blocks(codes, labels):
        seen = np.flatnonzero(counts)
        mass = delta[field] * np.asarray(gamma[field])[seen]
        value += gammaln(delta[field]) - gammaln(delta[field] + counts.sum())
        value += (gammaln(mass + counts[seen]) - gammaln(mass)).sum()
    return float(value)


def log_hit_miss(codes, labels, beta, gamma=None):
    """Return the log marginal likelihood of hit-miss records, summed over the latent levels."""
    gamma = marginals(codes) if gamma is None else gamma
    beta = np.broadcast_to(beta, len(gamma))
    value = 0.0
    for field, counts in record_blocks(codes, labels):
        b, g = beta[field], np.asarray(gamma[field])
        counts = np.append(counts, np.zeros(g.size - counts.size, dtype=int))
        g, counts = g[g > 0], counts[g > 0]
        missed = counts * np.log(b * g)
        hit = counts * np.log(b * g + 1 - b)
        value += np.logaddexp.reduce(np.log(g) + missed.sum() - missed + hit)
    return float(value)


def chaperones_law(labels, i, j, log_joint, n_scans=1):
    """Return the law of the partition after the items of the blocks of chaperones i and j move.

    The cases of the move are written out.  `log_joint` returns the log joint probability of a
    partition up to a constant.
    """
    union = [n for n in range(len(labels)) if labels[n] in (labels[i], labels[j])]
    law = {canonical(labels): 1.0}
    for item in union * n_scans:
        after = {}
        for z, probability in law.items():
            alone = z.count(z[item]) == 1
            if item not in (i, j):
                choices = {z[i], z[j]}
            elif z[i] == z[j]:
                choices = {z[item], max(z) + 1}
            else:
                choices = {z[i], z[j]} if alone else {z[item]}
            moved = {canonical((*z[:item], k, *z[item + 1 :])): 0.0 for k in choices}
            for y, share in normalise({y: log_joint(y) for y in moved}).items():
                after[y] = after.get(y, 0.0) + probability * share
        law = after
    return law
