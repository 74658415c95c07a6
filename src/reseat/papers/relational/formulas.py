"""Brute-force checks of formulas of Kurihara et al. (2006), exact up to rounding."""

from itertools import product

import numpy as np
from scipy.special import betaln, psi

from reseat.papers.enumerated import partitions

#: Frequencies of the pairs of a table small enough to enumerate, and whether each pair occurs.
COUNTS = np.array([[5, 0, 1, 0], [3, 2, 0, 0], [0, 0, 4, 1]])
LINKS = (COUNTS > 0).astype(int)

#: Both parameters of the Beta prior of a link.
BETA = 0.1

#: Concentration of the process of each type.
CONCENTRATION = 1.0

#: Sizes of the clusters of one type, among them a single cluster with all items and equal clusters.
SIZES = ((12, 0, 0, 0), (6, 3, 2, 1), (9, 2, 1, 0), (3, 3, 3, 3), (1, 2, 3, 6))


def firm_observations(counts):
    """Return D' of eq. 8 as (row, column, linked): pairs as seen, unseen ones once without link."""
    return [
        (*pair, int(count > 0))
        for pair, count in np.ndenumerate(np.asarray(counts))
        for pair in [pair] * max(1, int(count))
    ]


def firm_log_likelihood(counts, row_labels, column_labels):
    """Return the log probability of the observations D', with link probabilities integrated out."""
    seen = {}
    for row, column, linked in firm_observations(counts):
        cell = seen.setdefault((row_labels[row], column_labels[column]), [0, 0])
        cell[linked] += 1
    return sum(betaln(BETA + ones, BETA + zeros) - betaln(BETA, BETA) for zeros, ones in
               seen.values())  # fmt: skip


def irm_log_likelihood(links, row_labels, column_labels):
    """Return the same for a binary table, summed over pairs of clusters (Kemp et al. 2006)."""
    total = 0.0
    for row, column in product(set(row_labels), set(column_labels)):
        block = links[np.equal(row_labels, row)][:, np.equal(column_labels, column)]
        ones, zeros = block.sum(), block.size - block.sum()
        total += betaln(BETA + ones, BETA + zeros) - betaln(BETA, BETA)
    return total


def largest_difference(counts):
    """Return the largest difference (nats) of the log likelihoods, and the number of pairs."""
    pairs = list(product(*(partitions(size) for size in counts.shape)))
    gaps = [
        abs(firm_log_likelihood(counts, *labels) - irm_log_likelihood(counts > 0, *labels))
        for labels in pairs
    ]
    return float(max(gaps)), len(pairs)


def stick_bound(sizes, parameters):
    """Return the part of the ELBO, in nats, of q(v_t) = Beta(parameters[:, t]) of one type."""
    first, second = parameters
    total = psi(first + second)
    log_v, log_rest = psi(first) - total, psi(second) - total
    log_weights = np.append(log_v, 0.0)
    log_weights[1:] += np.cumsum(log_rest)
    divergence = (first - 1) * log_v + (second - CONCENTRATION) * log_rest
    divergence = divergence - betaln(first, second) + betaln(1.0, CONCENTRATION)
    return float(np.dot(sizes, log_weights) - divergence.sum())


def stick_parameters(sizes, printed):
    """Return gamma of q(v); gamma_2 adds up the later sizes or, as it is printed, all sizes."""
    sizes = np.asarray(sizes, dtype=float)
    later = np.cumsum(sizes[::-1])[::-1][1:]
    second = np.full(len(later), sizes.sum()) if printed else later
    return np.stack([1.0 + sizes[:-1], CONCENTRATION + second])


def log_probability(sizes):
    """Return the log probability of assignments with these sizes, with sticks integrated out."""
    first, second = stick_parameters(sizes, printed=False)
    return float((betaln(first, second) - betaln(1.0, CONCENTRATION)).sum())


def stick_losses(printed):
    """Return how far the bound is below the log probability for each of :data:`SIZES`, in nats."""
    losses = [
        log_probability(sizes) - stick_bound(sizes, stick_parameters(sizes, printed))
        for sizes in SIZES
    ]
    return np.array(losses)
