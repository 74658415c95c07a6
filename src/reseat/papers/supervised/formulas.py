"""The paper's formulas and algorithms, compared with what they should give in small examples."""

from functools import cache
from itertools import product

import numpy as np
from scipy.special import gammaln, kve

from reseat.papers.enumerated import partitions

#: Two items, the values that a mean can have with their probabilities, and the concentration.
ITEMS = np.array([0.4, -0.3])
VALUES, WEIGHTS = np.array([-1.0, 0.2, 0.9]), np.array([0.3, 0.3, 0.4])
CONCENTRATION = 1.5
#: Numbers of candidates of Algorithm 8 that are tried.
CANDIDATES = (1, 2, 4)

#: Numbers of items and of clusters on which the concentration depends, and its gamma prior.
PAIR = (5, 2)
SHAPE, RATE = 1.0, 1.0
#: Nodes of the quadrature over the concentration and the auxiliary variable, and iterations of the
#: sampler, which forgets its start within a few of them.
N_NODES, N_ITERATIONS = 300, 60

#: The references of the regression values, with one feature; all hyperparameters are 1.
REFERENCES = np.array([0.3, 0.5, -1.2])
#: Grid of means; sums over it equal the integrals to at least four digits.
GRID = np.linspace(-5.4, 5.4, 73)
#: Weight of the inverse precision below which the distribution is a gamma one to all digits.
NO_WEIGHT = 1e-14


def neal_candidates(n_candidates, alone):
    """Return how many candidates are drawn, and how many there are with one's own (Neal 2000)."""
    return n_candidates - alone, n_candidates


def printed_candidates(n_candidates, alone):
    """Return what `neal_candidates` does, by the paper's rule: one more if alone."""
    return n_candidates, n_candidates + alone


def seating_error(rule, n_candidates):
    """Return the total variation from the posterior to which sweeps of Algorithm 8 lead.

    The probabilities that the two items share a cluster, as reached and exact, come with it.
    """
    from scipy.stats import norm  # slow to import, and the report imports this module

    states = [(v,) for v in range(VALUES.size)] + [*product(range(VALUES.size), repeat=2)]
    place = {state: number for number, state in enumerate(states)}
    fit = norm.pdf(ITEMS[:, None], VALUES)
    posterior = np.array([_weight(state, fit) for state in states])
    posterior /= posterior.sum()
    sweep = np.eye(len(states))
    for item in range(ITEMS.size):
        step = np.zeros((len(states), len(states)))
        for state in states:
            for after, probability in _reseated(state, item, fit, rule, n_candidates):
                step[place[state], place[after]] += probability
        sweep = sweep @ step
    # Then all means are drawn given the partition.
    size = np.array([len(state) for state in states])
    drawn = np.where(size[:, None] == size, posterior, 0)
    sweep = sweep @ (drawn / drawn.sum(axis=1, keepdims=True))
    # The left eigenvector of the eigenvalue 1.
    balance = np.vstack([sweep.T - np.eye(len(states)), np.ones(len(states))])
    reached = np.linalg.lstsq(balance, np.r_[np.zeros(len(states)), 1.0], rcond=None)[0]
    together = size == 1
    distance = float(np.abs(reached - posterior).sum() / 2)
    return distance, float(reached[together].sum()), float(posterior[together].sum())


def _weight(state, fit):
    """Return the joint probability, up to a factor, of the means of one cluster or of two."""
    if len(state) == 1:
        return WEIGHTS[state[0]] * fit[0, state[0]] * fit[1, state[0]]
    return CONCENTRATION * np.prod([WEIGHTS[v] * fit[item, v] for item, v in enumerate(state)])


def _reseated(state, item, fit, rule, n_candidates):
    """Yield the states to which reseating an item leads, with their probabilities."""
    alone = len(state) == 2
    other = state[1 - item] if alone else state[0]
    n_drawn, n_all = rule(n_candidates, alone)
    own = (state[item],) if alone else ()
    for drawn in product(range(VALUES.size), repeat=n_drawn):
        candidates = [*own, *drawn]
        weights = np.array(
            [fit[item, other], *(CONCENTRATION / n_all * fit[item, v] for v in candidates)]
        )
        weights *= np.prod(WEIGHTS[list(drawn)]) / weights.sum()
        yield (other,), weights[0]
        for value, weight in zip(candidates, weights[1:], strict=True):
            yield ((value, other) if item == 0 else (other, value)), weight


def concentration_error(shift):
    """Return the total variation from the posterior of a sampler of alpha, and the means of both.

    It draws x from Beta(alpha + 1, n), and alpha from a mixture of gamma distributions of shapes A
    = a + k - 1 and A + 1 and rate b - log x, with odds (A - shift) / (n (b - log x)): West (1992)
    has the shift 0, equations 6 and 8 have 1.
    """
    from scipy.stats import beta, gamma  # slow to import

    n, k = PAIR
    shape = SHAPE + k - 1
    nodes, weights = np.polynomial.legendre.leggauss(N_NODES)
    x, by_x = (nodes + 1) / 2, weights / 2
    alpha, by_alpha = x / (1 - x), by_x / (1 - x) ** 2
    rate = RATE - np.log(x)
    odds = (shape - shift) / (n * rate)
    first, second = (gamma.pdf(alpha, s, scale=1 / rate[:, None]) for s in (shape, shape + 1))
    mixture = (first + odds[:, None] * second) / (1 + odds[:, None])
    kernel = (beta.pdf(x, alpha[:, None] + 1, n) * by_x) @ mixture * by_alpha
    log_density = (SHAPE - 1 + k) * np.log(alpha) - RATE * alpha + gammaln(alpha)
    posterior = np.exp(log_density - gammaln(alpha + n)) * by_alpha
    posterior /= posterior.sum()
    reached = posterior
    for _ in range(N_ITERATIONS):
        reached = reached @ kernel
        reached = reached / reached.sum()
    distance = float(np.abs(reached - posterior).sum() / 2)
    return distance, float(reached @ alpha), float(posterior @ alpha)


def expected_clusters(law):
    """Return the posterior mean of the number of clusters of three items."""
    return sum((max(c) + 1) * weight for (c, _d), weight in pair_probabilities(law).items())


@cache
def pair_probabilities(law: str) -> dict[tuple, float]:
    """Return the posterior probability of each pair of partitions, of publications and of types.

    Precisions are integrated out in closed form given the means, and these by a sum over a grid.
    """
    states = partitions(REFERENCES.size)
    log_weight = {}
    for c in states:
        K = max(c) + 1
        means = np.stack(np.meshgrid(*[GRID] * K, indexing="ij"), axis=-1).reshape(-1, K)
        log_mean = -(means**2).sum(axis=1) / 2 - K * np.log(2 * np.pi) / 2
        parameters = _law(law, means)
        empty = log_normaliser(*parameters)
        residuals = (REFERENCES - means[:, c]) ** 2
        log_block = {
            members: _log_block(parameters, residuals[:, members]) - empty
            for d in states
            for members in _blocks(d)
        }
        for d in states:
            log_density = log_mean + sum(log_block[members] for members in _blocks(d))
            integral = np.logaddexp.reduce(log_density) + K * np.log(GRID[1] - GRID[0])
            log_weight[c, d] = integral + _log_process(c) + _log_process(d)
    total = np.logaddexp.reduce(list(log_weight.values()))
    return {pair: float(np.exp(value - total)) for pair, value in log_weight.items()}


def _blocks(labels: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [tuple(np.flatnonzero(np.equal(labels, k)).tolist()) for k in range(max(labels) + 1)]


def _log_block(parameters: tuple, residuals: np.ndarray) -> np.ndarray:
    """Return the log of the integral over the precision of a type with these residuals."""
    shape, rate, chi = parameters
    return log_normaliser(shape + residuals.shape[1] / 2, rate + residuals.sum(axis=1) / 2, chi)


def _law(law: str, means: np.ndarray) -> tuple:
    """Return shape, rate and weight of the inverse precision, for each row of means."""
    K = means.shape[1]
    j, k = np.tril_indices(K, -1)
    squares = np.ascontiguousarray((means[:, j] - means[:, k]) ** 2)
    zero, one, total = np.zeros(len(means)), np.ones(len(means)), squares.sum(axis=1)
    if law == "covariance":
        return one, one, total
    if law == "precision":
        return one, 1 + total, zero
    if law == "between" and K >= 3:
        mean, variance = squares.mean(axis=1), squares.var(axis=1)
        known = variance > 1e-12 * mean**2
        variance = np.where(known, variance, 1.0)
        shape = np.where(known, mean**2 / (4 * variance), 1.0)
        return shape, np.where(known, mean / (2 * variance), 1.0), zero
    return one, one, zero


def log_normaliser(shape, rate, chi):
    """Return the log integral of ``t^(shape-1) exp(-rate t - chi / t)``; `chi` may be 0."""
    shape, rate, chi = np.broadcast_arrays(shape, rate, chi)
    values = gammaln(shape) - shape * np.log(rate)
    some = chi > NO_WEIGHT
    if some.any():
        a, b, c = shape[some], rate[some], chi[some]
        z = 2 * np.sqrt(b * c)
        values[some] = np.log(2 * kve(a, z)) - z + a / 2 * np.log(c / b)
    return values


def _log_process(labels: tuple[int, ...]) -> float:
    """Return the log weight of a partition under a Dirichlet process of concentration 1."""
    return float(gammaln(np.bincount(labels)).sum())
