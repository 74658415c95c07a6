"""Checks of the paper's formulas against enumeration.

The parameters are generic; in particular r is not 1, at which two wrong formulas would be right.
"""

from itertools import product

import numpy as np
import scipy
from scipy.special import gammaln, softmax

from reseat.papers.enumerated import first_appearance, partitions
from reseat.priors import NBD, NBNB

#: Number of items of the enumerated partitions.
N_ITEMS = 5

#: Parameters at which the formulas are evaluated, under the paper's symbols.
A, Q, R, P, ALPHA, BASE = 1.3, 0.8, 0.7, 0.4, 1.0, 0.5

#: Part of the range of t, p = 1 - exp(-t), over which the expected size is integrated.
TAIL = (40.0, 50.0)

#: Values of r and of p at which the two conditionals are compared with the joint.
R_GRID = np.geomspace(0.05, 20, 25)
P_GRID = np.linspace(0.02, 0.98, 25)


def joint_error():
    """Return the largest relative error of a partition's probability in equations 9, 12 and 19."""
    worst = 0.0
    for prior, urn in ((_nbnb(), _nbnb_urn), (NBD(A, Q, ALPHA, BASE), _nbd_urn)):
        for n in range(1, N_ITEMS + 1):
            prior.prepare(n)
            for labels, expected in _generated(n, urn).items():
                found = np.exp(prior.log_prob(np.bincount(labels)))
                worst = max(worst, abs(found / expected - 1))
    return worst


def conditional_error():
    """Return the range over partitions of the log ratio of equation 13 to 12, 0 if it is right."""
    prior = _nbnb()
    prior.prepare(N_ITEMS)
    log_zero = R * np.log1p(-P)
    log_beta = np.log(Q) + log_zero - np.log(-np.expm1(log_zero))
    ratios = []
    for labels in partitions(N_ITEMS):
        sizes = np.bincount(labels)
        k = len(sizes)
        log13 = gammaln(k + A) + k * log_beta + np.sum(gammaln(sizes + R) - gammaln(R))
        ratios.append(log13 - prior.log_prob(sizes))
    return float(np.ptp(ratios))


def reseating_error(reading):
    """Return the largest total variation of the weights from equation 12's conditionals."""
    prior = _nbnb(reading=reading)
    prior.prepare(N_ITEMS)
    log_join, log_open = prior.tables
    worst = 0.0
    for labels in partitions(N_ITEMS - 1):
        sizes = np.bincount(labels)
        k = len(sizes)
        weights = softmax([*log_join[sizes], log_open[k]])
        moved = [sizes + (np.arange(k) == c) for c in range(k)] + [np.append(sizes, 1)]
        exact = softmax([prior.log_prob(after) for after in moved])
        worst = max(worst, float(np.abs(weights - exact).sum() / 2))
    return worst


def r_conditional_error(shift):
    """Return the range over r of the log ratio of equation 17, with Gamma(|c| + r + shift)."""

    def log17(r, sizes):
        log_zero = r * np.log1p(-P)
        law = np.sum(gammaln(sizes + r + shift) - gammaln(r))
        # The paper's hyperprior is Gamma(1, 1), with log density -r.
        return -r + len(sizes) * (log_zero - np.log(-np.expm1(log_zero))) + law

    return _largest_range(lambda r, sizes: log17(r, sizes) - _log_joint(r, P, sizes), R_GRID)


def p_conditional_error():
    """Return the range over p of equation 18's log ratio to the joint of p and the partition."""

    def log18(p, sizes):
        n, k = np.sum(sizes), len(sizes)
        # The paper sets u_p = v_p = 2.
        log_zero = R * np.log1p(-p)
        return (n + 1) * np.log(p) + (R * k + 1) * np.log1p(-p) - k * np.log(-np.expm1(log_zero))

    return _largest_range(lambda p, sizes: log18(p, sizes) - _log_joint(R, p, sizes), P_GRID)


def uniform_p_error():
    """Return the relative error of the growth of a cluster's expected size, if p is uniform."""

    def gain(t):
        # The mean size is r p / ((1 - p) (1 - (1 - p)^r)), with p = 1 - exp(-t).
        return -R * np.expm1(-t) / -np.expm1(-R * t)

    found, _error = scipy.integrate.quad(gain, *TAIL)
    return float(abs(found / (R * (TAIL[1] - TAIL[0])) - 1))


class LargestBlock:
    """The law of the largest block given the number of items, under NBNB with a = 1 as in Figure 1.

    The weights of all partitions of n items into blocks of at most m follow the recursion
    ``u_n = sum_j q mu_j u_(n - j)``, j up to m; a factor ``tilt**n`` keeps them near 1.
    """

    #: Weight of a block, from which on larger ones are left out.
    LEAST = 1e-20

    def __init__(self, n_items: int, q: float = 0.5, r: float = 1.0, p: float = 0.5):
        sizes = np.arange(1, min(n_items, 1000) + 1)
        log_weights = np.log(q * _truncated(r, p, sizes))
        tilt = scipy.optimize.brentq(
            lambda log: np.logaddexp.reduce(log_weights + log * sizes), 0, 5
        )
        weights = np.exp(log_weights + tilt * sizes)
        weights = weights[weights > self.LEAST]
        impulse = scipy.signal.unit_impulse(n_items + 1)
        #: Weight of n items in blocks of at most m: column n of row m - 1.
        self.weights = np.empty((weights.size, n_items + 1))
        for row in range(weights.size):
            law = [1.0, *-weights[: row + 1]]
            self.weights[row] = scipy.signal.lfilter([1.0], law, impulse)

    def cdf(self, n_items: int) -> np.ndarray:
        """Return the probability of a largest block of at most 1, 2, … items."""
        return self.weights[:, n_items] / self.weights[-1, n_items]

    def interval(self, n_items: int, level: float) -> tuple[float, int, int]:
        """Return the mean, and the ends of the central interval of a level."""
        cdf = self.cdf(n_items)
        low, high = np.searchsorted(cdf, [0.5 - level / 2, 0.5 + level / 2]) + 1
        return 1 + float(np.sum(1 - cdf)), int(low), int(high)


def _nbnb(r=R, p=P, reading="derived"):
    return NBNB(A, Q, r, p, r_hyperprior=None, p_hyperprior=None, reading=reading)


def _log_joint(r, p, sizes):
    """Return the log density of r, p and a partition, by the prior and the paper's hyperpriors."""
    prior = _nbnb(r, p)
    hyperprior = scipy.stats.gamma.logpdf(r, 1) + scipy.stats.beta.logpdf(p, 2, 2)
    return prior.log_prob(sizes) + hyperprior


def _largest_range(log_ratio, grid):
    shapes = {tuple(sorted(np.bincount(labels))) for labels in partitions(N_ITEMS)}
    return max(
        float(np.ptp([log_ratio(value, np.array(sizes)) for value in grid])) for sizes in shapes
    )


def _truncated(shape, success, m):
    """Return P(m) of NegBin(shape, success) on 1, 2, …; scipy counts the other outcome."""
    return scipy.stats.nbinom.pmf(m, shape, 1 - success) / (1 - (1 - success) ** shape)


def _nbnb_urn(sizes):
    return float(np.prod(_truncated(R, P, np.array(sizes))))


def _nbd_urn(sizes):
    """Return the probability of sizes, each drawn from the base law or equal to an earlier one."""
    probability = 1.0
    for place, size in enumerate(sizes):
        base = BASE * (1 - BASE) ** (size - 1)
        probability *= (ALPHA * base + sizes[:place].count(size)) / (ALPHA + place)
    return probability


def _generated(n, urn):
    """Return the probability of every partition of n items under the generative process."""
    factorial = np.cumprod([1, *range(1, n + 1)])
    found = {}
    for k in range(1, n + 1):
        number = _truncated(A, Q, k)
        for labels in product(range(k), repeat=n):
            sizes = np.bincount(labels, minlength=k).tolist()
            if 0 in sizes:
                continue
            deals = factorial[n] / np.prod(factorial[sizes])
            partition = first_appearance(labels)
            found[partition] = found.get(partition, 0.0) + number * urn(sizes) / deals
    return found
