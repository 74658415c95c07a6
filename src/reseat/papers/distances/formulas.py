"""The paper's formulas against dense matrices, quadrature and sums over all partitions."""

import numpy as np
from scipy import integrate, optimize
from scipy.special import gammaln, softmax

from reseat.papers.enumerated import partitions

#: Number of objects, replications d, concentration of the prior, and seed of the points.
N_ITEMS, DIM, CONCENTRATION, SEED = 6, 20, 1.3, 2010

#: Ratios theta of the between-block to the within-block scale, and that of the posteriors.
THETAS, THETA = (0.05, 0.4, 3.0, 30.0), 0.4


def precision(labels, theta):
    """Return W~ = W - W11'W / 1'W1 of section 3.3, where W = (I + theta B)^-1 of equation 7."""
    labels = np.asarray(labels)
    same = (labels[:, None] == labels).astype(float)
    within = np.linalg.inv(np.eye(len(labels)) + theta * same)
    rows = within.sum(axis=1)
    return within - np.outer(rows, rows) / rows.sum()


def log_determinant(labels, theta):
    """Return the log of the product of the nonzero eigenvalues of W~, from an eigenproblem."""
    return float(np.log(np.linalg.eigvalsh(precision(labels, theta))[1:]).sum())


def log_determinant_closed(labels, theta):
    """Return log n + sum log lambda_b - log sum n_b lambda_b, which is `log_determinant`."""
    sizes = np.bincount(labels)
    shrunk = 1 / (1 + theta * sizes)
    return float(np.log(sizes.sum()) + np.log(shrunk).sum() - np.log(sizes @ shrunk))


def log_determinant_secular(labels, theta):
    """Return `log_determinant` from the roots of the secular equation, as in theorem 1's proof.

    One eigenvalue of W moves into each gap between neighbouring distinct lambda_b and one to 0; of
    several equal lambda_b, all but one stay where they are.
    """
    sizes = np.bincount(labels)
    shrunk = 1 / (1 + theta * sizes)
    weights, total = sizes * shrunk**2, sizes @ shrunk
    poles, place = np.unique(np.round(shrunk, 14), return_inverse=True)
    strength = np.bincount(place, weights)
    kept = np.repeat(poles, np.bincount(place) - 1)

    def secular(y):
        return total + np.sum(strength / (y - poles))

    roots = []
    for low, high in zip(poles[:-1], poles[1:], strict=True):
        gap = (high - low) * 1e-13
        roots.append(optimize.brentq(secular, low + gap, high - gap, xtol=1e-16, rtol=1e-14))
    return float(np.log(np.concatenate([kept, roots])).sum())


def determinant_error(formula):
    """Return the largest error of a log determinant over all partitions and all :data:`THETAS`."""
    return max(
        abs(formula(labels, theta) - log_determinant(labels, theta))
        for labels in partitions(N_ITEMS)
        for theta in THETAS
    )


def exponent_error(exponent):
    """Return the total variation of equation 15, for r0 = s0 = 0, from the law by quadrature."""
    points = np.random.default_rng(SEED).normal(size=(N_ITEMS, DIM))
    points[: N_ITEMS // 2] += np.random.default_rng(SEED + 1).normal(size=DIM)
    distances = ((points[:, None] - points) ** 2).sum(axis=2) / DIM
    found, exact = [], []
    for labels in partitions(N_ITEMS):
        trace = -DIM / 4 * np.sum(precision(labels, THETA) * distances)
        common = log_prior(labels) + DIM / 2 * log_determinant(labels, THETA)
        found.append(common - exponent * np.log(trace))
        exact.append(common + _log_integral(trace))
    return float(np.abs(softmax(found) - softmax(exact)).sum() / 2)


def log_prior(labels, concentration=CONCENTRATION):
    """Return the log of the prior of equation 1 in the limit of many clusters (Ewens)."""
    sizes = np.bincount(labels)
    terms = len(sizes) * np.log(concentration) + gammaln(sizes).sum()
    return float(terms + gammaln(concentration) - gammaln(concentration + sizes.sum()))


def pair_error():
    """Return the error of 1/(1 + lambda) of section 3.4, or of the sum of the prior, if larger."""
    worst = 0.0
    for concentration in (0.1, CONCENTRATION, 10.0):
        law = {z: np.exp(log_prior(z, concentration)) for z in partitions(N_ITEMS)}
        together = sum(p for z, p in law.items() if z[0] == z[1])
        worst = max(worst, abs(together - 1 / (1 + concentration)), abs(sum(law.values()) - 1))
    return float(worst)


def _log_integral(trace):
    """Return the log integral of alpha^{-(n-1)d/2} exp(-s/alpha) / alpha, over log alpha."""
    power = (N_ITEMS - 1) * DIM / 2
    peak = np.log(trace / power)

    def log_integrand(log_alpha):
        return -power * log_alpha - trace * np.exp(-log_alpha)

    top = log_integrand(peak)
    span = 12 / np.sqrt(power)
    area, _error = integrate.quad(
        lambda x: np.exp(log_integrand(x) - top), peak - span, peak + span, epsabs=0, epsrel=1e-12
    )
    return top + np.log(area)
