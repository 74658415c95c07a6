"""Hyperparameter updates against quadrature, and Geweke's joint test of the whole sweep."""

import math
from bisect import bisect
from functools import lru_cache
from itertools import accumulate

import exact
import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import gammaln

from reseat.chains import MixtureModel
from reseat.errors import ConfigError
from reseat.likelihoods import DirichletMultinomial
from reseat.moves import gibbs_sweep
from reseat.priors import (
    ESCD,
    ESCNB,
    NBNB,
    DirichletProcess,
    GammaHyperprior,
    PitmanYor,
    sample_concentration,
    slice_sample,
)


def quadrature(log_density, upper=400.0):
    """Return the mean and variance of a density on (0, upper) known up to a constant."""
    grid = np.linspace(1e-6, upper, 400_001)
    values = log_density(grid)
    weight = np.exp(values - values.max())
    total = integrate.simpson(weight, x=grid)
    mean = integrate.simpson(weight * grid, x=grid) / total
    second = integrate.simpson(weight * grid**2, x=grid) / total
    return mean, second - mean**2


@pytest.mark.parametrize(
    ("n", "k", "shape", "rate"),
    [
        ([40], [6], 1.0, 1.0),
        ([665], [5], 1.0, 0.01),
        ([5, 5, 5, 5], [1, 1, 1, 2], 1.0, 0.5),
        ([30, 12, 1], [4, 12, 1], 2.0, 0.1),
    ],
)
def test_concentration_agrees_with_quadrature(n, k, shape, rate, rng):
    def log_density(a):
        value = (shape - 1) * np.log(a) - rate * a
        for n_m, k_m in zip(n, k, strict=True):
            value = value + k_m * np.log(a) + gammaln(a) - gammaln(a + n_m)
        return value

    mean, variance = quadrature(log_density)
    draws = np.empty(40_000)
    alpha = mean
    for i in range(draws.size):
        alpha = sample_concentration(alpha, n, k, GammaHyperprior(shape, rate), rng)
        draws[i] = alpha
    # Batch means give the Monte Carlo error of correlated draws.
    error = draws.reshape(100, -1).mean(axis=1).std(ddof=1) / 10
    assert abs(draws.mean() - mean) < 4 * error
    assert draws.var() == pytest.approx(variance, rel=0.1)


@pytest.mark.parametrize(("n", "k"), [([50], [41]), ([30, 12, 1], [4, 12, 1])])
def test_a_bounded_concentration_agrees_with_quadrature(n, k, rng):
    law = GammaHyperprior(2.0, 0.5, upper=2.0)

    def log_density(a):
        value = np.log(a) - 0.5 * a
        for n_m, k_m in zip(n, k, strict=True):
            value = value + k_m * np.log(a) + gammaln(a) - gammaln(a + n_m)
        return value

    mean, variance = quadrature(log_density, 2.0)
    draws = np.empty(10_000)
    alpha = 1.0
    for i in range(draws.size):
        alpha = sample_concentration(alpha, n, k, law, rng)
        draws[i] = alpha
    assert draws.max() <= 2.0
    error = draws.reshape(100, -1).mean(axis=1).std(ddof=1) / 10
    assert abs(draws.mean() - mean) < 4 * error
    assert draws.var() == pytest.approx(variance, rel=0.15)
    with pytest.raises(ConfigError, match="rules out"):
        sample_concentration(2.5, n, k, law, rng)


def test_a_process_keeps_the_bound_of_its_concentration(rng):
    prior = DirichletProcess(1.0, GammaHyperprior(1.0, 1.0, upper=2.0))
    prior.prepare(50)
    for _ in range(20):
        prior.update(np.array([1] * 40 + [10]), rng)
        assert prior.concentration <= 2.0 and math.isfinite(prior.log_hyperprior())


def test_slice_sampler_reaches_a_skewed_target(rng):
    target = stats.gamma(2.5, scale=1.7)
    x, draws = 1.0, []
    for i in range(60_000):
        x = slice_sample(lambda v: 1.5 * math.log(v) - v / 1.7 if v > 0 else -math.inf, x, rng)
        if i % 10 == 0:
            draws.append(x)
    # Thinned draws are nearly independent; the seed is fixed, and so is the outcome.
    assert stats.kstest(draws, target.cdf).pvalue > 0.001


def test_slice_sampler_refuses_a_start_outside_the_support(rng):
    with pytest.raises(ValueError, match="start value -1"):
        slice_sample(lambda v: -np.inf if v < 0 else -v, -1.0, rng)


@pytest.mark.parametrize("bad", [0.0, -1.0])
def test_hyperprior_must_be_proper(bad):
    with pytest.raises(ConfigError, match="must be positive"):
        GammaHyperprior(shape=bad)


def draw_prior(prior, n_items, rng):
    """Draw hyperparameters and a partition from a process prior."""
    prior.concentration = rng.gamma(prior.hyperprior.shape) / prior.hyperprior.rate
    discount = 0.0
    if isinstance(prior, PitmanYor):
        if prior.sample_discount:
            prior.discount = rng.uniform(0.0, 1.0)
        discount = prior.discount
    labels, sizes = [], []
    for _ in range(n_items):
        weights = [s - discount for s in sizes] + [prior.concentration + discount * len(sizes)]
        upto = list(accumulate(weights))
        k = bisect(upto, rng.random() * upto[-1])
        if k == len(sizes):
            sizes.append(0)
        sizes[k] += 1
        labels.append(k)
    return labels


def draw_counts(labels, lengths, n_features, beta, rng):
    """Draw bags of tokens given the partition."""
    theta = rng.dirichlet(np.full(n_features, beta), max(labels) + 1)
    return rng.multinomial(lengths, theta[labels]).astype(np.int32)


MAKE = {
    "dp": lambda: DirichletProcess(1.0, GammaHyperprior(2.0, 1.0)),
    "pitman-yor": lambda: PitmanYor(1.0, 0.3, GammaHyperprior(2.0, 1.0), sample_discount=True),
}


def statistics(labels, counts, prior):
    sizes = [labels.count(k) for k in set(labels)]
    return [
        len(sizes),
        max(sizes),
        float(labels[0] == labels[1]),
        np.log(prior.concentration),
        prior.hyperparameters.get("discount", 0.0),
        float(np.square(counts.sum(axis=0)).sum()),
    ]


@pytest.mark.parametrize("name", MAKE)
def test_geweke_joint_distribution(name):
    """Alternating data | state and state | data leaves prior × likelihood invariant.

    The marginal-conditional simulator draws afresh every time; the
    successive-conditional one continues from the state the sampler left.  A
    wrong conditional of partition or hyperparameters separates their means.
    """
    rng = np.random.default_rng(414)
    lengths, n_features, beta = [2, 1, 3, 2, 0, 2], 3, 0.8
    fresh = []
    # These draws are cheap, so there are many, and nearly all of the error is the chain's.
    for _ in range(20_000):
        prior = MAKE[name]()
        labels = draw_prior(prior, len(lengths), rng)
        counts = draw_counts(labels, lengths, n_features, beta, rng)
        fresh.append(statistics(labels, counts, prior))

    @lru_cache(None)
    def likelihood_of(cells):
        # The same few tables of counts occur again and again, and reading them takes most time.
        counts = np.frombuffer(cells, np.int32).reshape(len(lengths), n_features)
        return DirichletMultinomial(counts, beta)

    prior = MAKE[name]()
    labels = draw_prior(prior, len(lengths), rng)
    chained = []
    for _ in range(9_000):
        counts = draw_counts(labels, lengths, n_features, beta, rng)
        model = MixtureModel(prior, likelihood_of(counts.tobytes()))
        model.start(exact.canonical(labels))
        model.sweep(rng)
        labels = model.labels.tolist()
        chained.append(statistics(labels, counts, prior))

    fresh, chained = np.array(fresh), np.array(chained)
    batches = chained.reshape(60, -1, chained.shape[1]).mean(axis=1)
    error = np.hypot(
        fresh.std(axis=0, ddof=1) / np.sqrt(len(fresh)), batches.std(axis=0, ddof=1) / np.sqrt(60)
    )
    varying = fresh.std(axis=0) > 0
    z = (fresh.mean(axis=0) - chained.mean(axis=0))[varying] / error[varying]
    assert varying.sum() >= 5
    assert np.abs(z).max() < 3.5, z


def test_rank_statistics_are_uniform():
    """Simulation-based calibration of the whole chain under the DP."""
    rng = np.random.default_rng(99)
    lengths, n_features, beta = [3, 2, 2, 3, 2, 1, 2, 2], 4, 0.6
    n_draws, thin, ranks = 15, 4, []
    for _ in range(640):
        prior = MAKE["dp"]()
        labels = draw_prior(prior, len(lengths), rng)
        truth = np.log(prior.concentration), rng.random()
        counts = draw_counts(labels, lengths, n_features, beta, rng)
        together = sum(labels[i] == labels[j] for i in range(8) for j in range(i))
        likelihood = DirichletMultinomial(counts, beta)
        # Sweeps over the items are quick compared with a draw of the concentration.
        model = MixtureModel(MAKE["dp"](), likelihood, (gibbs_sweep,) * 3)
        model.start_at_random(3, rng)
        for _ in range(20):
            model.sweep(rng)
        alpha, pairs = [], []
        for _ in range(n_draws):
            for _ in range(thin):
                model.sweep(rng)
            z = model.labels
            alpha.append(np.log(model.prior.concentration))
            pairs.append(sum(z[i] == z[j] for i in range(8) for j in range(i)) + rng.random())
        ranks.append(
            [np.sum(np.array(alpha) < truth[0]), np.sum(np.array(pairs) < together + truth[1])]
        )
    for column in np.array(ranks).T:
        observed = np.bincount(column, minlength=n_draws + 1)
        assert stats.chisquare(observed).pvalue > 0.001, observed


@pytest.mark.parametrize("make", [NBNB, ESCNB, ESCD])
def test_sliding_draws_from_the_posterior_along_its_curve(make, rng):
    """Quantiles of r given (r + 1) p are uniform; the Jacobian is from finite differences."""
    sizes = np.array([1] * 14 + [2] * 5 + [3, 3, 5])
    model = make()
    model.prepare(int(sizes.sum()))
    model.enter(sizes)
    product = (model.r + 1) * model.p
    distinct, counts = np.unique(sizes, return_counts=True)

    def point(u, v):
        return np.exp(u), np.exp(v) / (np.exp(u) + 1)

    grid, step = np.linspace(-5, 3, 801), 1e-5
    log_density = []
    for u in grid:
        v = np.log(product)
        r, p = point(u, v)
        along = (np.array(point(u + step, v)) - point(u - step, v)) / (2 * step)
        across = (np.array(point(u, v + step)) - point(u, v - step)) / (2 * step)
        area = abs(np.linalg.det([along, across]))
        inside = 0 < p < 1
        log_density.append(
            model.log_joint_at(r, p, distinct, counts) + np.log(area) if inside else -np.inf
        )
    weights = np.exp(np.array(log_density) - max(log_density))
    below = np.cumsum(weights) / weights.sum()
    found = []
    for _ in range(600):
        model.slide(sizes, rng)
        found.append(np.log(model.r))
    assert (model.r + 1) * model.p == pytest.approx(product)
    places = np.interp(found[::3], grid, below)
    assert stats.kstest(places, "uniform").pvalue > 1e-3
    fixed = make(r_hyperprior=None)
    fixed.prepare(int(sizes.sum()))
    fixed.slide(sizes, rng)
    assert fixed.r == make().r
