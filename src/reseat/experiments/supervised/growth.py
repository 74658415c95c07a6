"""Number of clusters against number of items: Figure 3, in closed form.

The concentration is its posterior mean given the labelled data (appendix B), and the curve of the
data is for items sampled without replacement. The paper's Dirichlet process is compared with the
two-parameter family, because of its misfit on digits in Figure 3.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import scipy
from scipy.special import expit, gammaln

from reseat.numerics import rounded

__all__ = [
    "cluster_growth",
    "fit_pitman_yor",
    "growth_frames",
    "mean_concentration",
    "sampled_growth",
]

#: Ends of the range of the log concentration in which its posterior is searched for.
ENDS = (-20.0, 25.0)
#: Binary digits of fitted parameters; rounding may enter the others.
DIGITS = 18


def growth_frames(references, hyperprior, identity=None):
    """Return the expected and empirical number of clusters of n items, n = 1, 2, ….

    `references` may be any object with `entities`, `test` and `groups` of all items, training and
    test. If the training items and the test items are the only groups, they are pooled, because
    Figure 3 draws from all items. Otherwise each group is a document with its own partition. For
    documents, the empirical curve is that of a random document with at least n items. Its variance
    is the mean of the variances of such documents plus the variance of their means.
    """
    sizes = _partitions(*(np.asarray(getattr(references, name))
                          for name in ("entities", "test", "groups")))  # fmt: skip
    n_items = np.array([part.sum() for part in sizes])
    alpha = mean_concentration(n_items, [len(part) for part in sizes], **hyperprior)
    concentration, discount = fit_pitman_yor(sizes)
    most = int(n_items.max())
    growth = {"n": np.arange(1, most + 1)}
    growth["dp_mean"], growth["dp_sd"] = cluster_growth(most, alpha)
    growth["empirical_mean"], growth["empirical_sd"] = _over_groups(sizes, most)
    growth["pyp_mean"], growth["pyp_sd"] = cluster_growth(most, concentration, discount)
    growth["n_groups"] = (n_items[:, None] >= growth["n"]).sum(axis=0)
    fit = {"alpha": alpha, "pyp_concentration": concentration, "pyp_discount": discount}
    front = dict(identity or {})
    return pd.DataFrame(front | growth), pd.DataFrame([front | fit])


def _partitions(entities, test, groups):
    """Return the cluster sizes of each group, or of all items if train and test are the groups."""
    kinds = set(zip(groups.tolist(), test.tolist(), strict=True))
    if len(kinds) == len(set(test.tolist())):
        groups = np.zeros(len(entities), dtype=int)
    return [
        np.unique(entities[groups == group], return_counts=True)[1] for group in np.unique(groups)
    ]


def mean_concentration(n_items, n_clusters, shape, rate):
    """Return the posterior mean of the concentration that several partitions share, by quadrature.

    See Daumé and Marcu (2005), appendix B; the second parameter of their gamma prior is a rate.
    """
    distinct, counts = np.unique(np.asarray(n_items, dtype=float), return_counts=True)
    total = float(np.sum(n_clusters))

    def log_density(log_alpha):
        """Return the log density of the log concentration, up to a constant."""
        alpha = np.exp(log_alpha)
        drop = gammaln(alpha) - gammaln(alpha + distinct[:, None])
        return (shape + total) * log_alpha - rate * alpha + counts @ drop

    grid = np.linspace(*ENDS, 4001)
    density = log_density(grid)
    inside = grid[density > density.max() - 60]
    grid = np.linspace(inside[0], inside[-1], 8001)
    density = log_density(grid)
    weight = np.exp(density - density.max())
    return float(weight @ np.exp(grid) / weight.sum())


def cluster_growth(n_items, concentration, discount=0.0):
    """Return the mean and standard deviation of the number of clusters of 1, 2, …, n items.

    The next item opens a cluster with probability (theta + d K) / (theta + n), which gives a
    recursion over items for both moments.

    `discount`: 0 is the Dirichlet process; a negative one makes at most -concentration / discount
        clusters, as a finite symmetric Dirichlet does.
    """
    mean, square = np.ones(n_items), np.ones(n_items)
    for n in range(1, n_items):
        total = concentration + n
        a, b = concentration / total, discount / total
        mean[n] = mean[n - 1] * (1 + b) + a
        square[n] = square[n - 1] * (1 + 2 * b) + mean[n - 1] * (2 * a + b) + a
    return mean, np.sqrt(np.clip(square - mean**2, 0.0, None))


def sampled_growth(sizes):
    """Return mean and variance of the number of clusters of n items drawn without replacement.

    A cluster of s items is absent with probability prod_{i<s} (N - n - i)/(N - i), and two clusters
    of s and t items are both absent with the probability for s + t items. Only distinct sums of
    sizes matter, and one running product over i goes through all of them.
    """
    sizes = np.asarray(sizes, dtype=np.int64)
    total = int(sizes.sum())
    singles = np.bincount(sizes).astype(float)
    # Number of ordered pairs of different clusters, by the sum of their sizes.
    distinct = np.flatnonzero(singles)
    pairs = np.zeros(2 * len(singles))
    sums = distinct[:, None] + distinct
    np.add.at(pairs, sums, np.outer(singles[distinct], singles[distinct]))
    np.add.at(pairs, 2 * distinct, -singles[distinct])
    singles = np.pad(singles, (0, len(pairs) - len(singles)))
    n = np.arange(1, total + 1)
    absent, both, chance = np.zeros(total), np.zeros(total), np.ones(total)
    for size in range(1, int(np.flatnonzero(singles + pairs)[-1]) + 1):
        chance *= np.clip(total - n - (size - 1), 0, None) / (total - (size - 1))
        absent += singles[size] * chance
        both += pairs[size] * chance
    return len(sizes) - absent, np.clip(both + absent - absent**2, 0.0, None)


def _over_groups(sizes, most):
    """Return mean and standard deviation over groups of at least n items, all equally likely."""
    count, first, second = np.zeros(most), np.zeros(most), np.zeros(most)
    for part in sizes:
        mean, variance = sampled_growth(part)
        reach = slice(0, len(mean))
        count[reach] += 1
        first[reach] += mean
        second[reach] += variance + mean**2
    first, second = first / count, second / count
    return first, np.sqrt(np.clip(second - first**2, 0.0, None))


def fit_pitman_yor(sizes):
    """Return the concentration and discount of highest likelihood, shared by several partitions.

    Discounts are in [0, 1), or negative with concentration = -m discount for a whole number m of
    possible clusters: the two halves of the family (Pitman 2006, section 3.2).
    """
    parts = [np.asarray(part, dtype=float) for part in sizes]
    fitted = [_fit_positive(parts), _fit_negative(parts)]
    return max(fitted, key=lambda found: found[0])[1:]


def _log_likelihood(parts, concentration, discount):
    sizes, times = np.unique(np.concatenate(parts), return_counts=True)
    within = times @ (gammaln(sizes - discount) - gammaln(1 - discount))
    n = np.array([part.sum() for part in parts])
    rising = np.sum(gammaln(concentration + n) - gammaln(concentration + 1))
    most = max(len(part) for part in parts)
    opened = np.cumsum(np.log(concentration + discount * np.arange(1, most))) if most > 1 else []
    opening = np.append(0.0, opened)[[len(part) - 1 for part in parts]].sum()
    return float(opening - rising + within)


def _fit_positive(parts):
    def loss(x):
        discount = expit(x[1])
        return -_log_likelihood(parts, np.exp(x[0]) - discount, discount)

    starts = [(np.log(scale), slope) for scale in (1.0, 30.0) for slope in (-4.0, 0.0)]
    bounds = [(-10.0, 20.0), (-25.0, 8.0)]
    found = min(
        (scipy.optimize.minimize(loss, start, bounds=bounds) for start in starts),
        key=lambda f: f.fun,
    )
    # A search without gradients goes on to the last digits that the function determines.
    exact = {"xatol": 1e-9, "fatol": 1e-12, "maxiter": 2000}
    found = scipy.optimize.minimize(
        loss, found.x, method="Nelder-Mead", bounds=bounds, options=exact
    )
    log_scale, slope = rounded(found.x, DIGITS).tolist()
    discount = float(expit(slope))
    if discount < 1e-6:
        discount = 0.0  # the search stopped at the end of the range
    return -found.fun, float(np.exp(log_scale) - discount), discount


def _fit_negative(parts):
    """Fit the finite Dirichlet: number m of possible clusters on a grid, -discount by search."""
    least = max(len(part) for part in parts)
    grid = least + np.unique(np.append(np.arange(6), np.geomspace(6, 20 * least + 6, 25).round()))
    best = (-np.inf, np.nan, np.nan)
    for m in grid[grid > 1]:
        found = scipy.optimize.minimize_scalar(
            lambda x, m=m: -_log_likelihood(parts, m * np.exp(x), -np.exp(x)),
            bounds=(-15.0, 8.0),
            method="bounded",
            options={"xatol": 1e-9},
        )
        scale = float(np.exp(rounded(found.x, DIGITS)))
        best = max(best, (-float(found.fun), float(m * scale), -scale))
    return best
