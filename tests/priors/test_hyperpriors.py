"""Laws of hyperparameters and their updates, compared with scipy and quadrature."""

import math
from bisect import bisect
from functools import lru_cache
from itertools import accumulate

import exact
import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import expit

from reseat.chains import MixtureModel
from reseat.errors import ConfigError
from reseat.likelihoods import CategoricalRecords, DirichletMultinomial, HitMissRecords
from reseat.moves import gibbs_sweep
from reseat.priors import ESCD, ESCNB, NBNB, DirichletProcess, FiniteDirichlet, PitmanYor
from reseat.priors.hyperpriors import (
    BetaHyperprior,
    GammaHyperprior,
    draw_hyperparameter,
    slice_sample,
)

RNG = np.random.default_rng(3)
CODES = RNG.integers(0, 3, (24, 3))
CODES[RNG.random(CODES.shape) < 0.2] = -1
CODES[:, 0] = np.abs(CODES[:, 0])
LABELS = np.repeat(np.arange(10), [5, 4, 3, 3, 2, 2, 2, 1, 1, 1])
CODES[:5, 1] = 2
CODES[5:9, 2] = 0


@pytest.mark.parametrize(
    ("law", "untruncated", "lower", "upper"),
    [
        (GammaHyperprior(1.7, 2.5), stats.gamma(1.7, scale=0.4), 0, math.inf),
        (GammaHyperprior(1.0, 1.0, 0.1), stats.gamma(1.0), 0, 0.1),
        (GammaHyperprior(0.3, 4.0, 2.0), stats.gamma(0.3, scale=0.25), 0, 2.0),
        (BetaHyperprior(2.0, 3.0), stats.beta(2, 3), 0, 1.0),
        (BetaHyperprior(0.6, 40.0, 0.1), stats.beta(0.6, 40), 0, 0.1),
        (BetaHyperprior(2.0, 3.0, upper=0.8, lower=0.3), stats.beta(2, 3), 0.3, 0.8),
    ],
)
def test_densities_are_those_of_scipy_cut_off(law, untruncated, lower, upper):
    mass = untruncated.cdf(upper) - untruncated.cdf(lower)
    for x in (0.003, 0.05, 0.0999, 0.1, 0.29, 0.3, 0.5, 0.6, 0.8, 0.81, 1.9, 30.0):
        inside = lower <= x <= upper
        expected = untruncated.logpdf(x) - math.log(mass) if inside else -np.inf
        assert law.log_density(x) == pytest.approx(expected, rel=1e-12)
    assert law.log_density(0.0) == law.log_density(-1.0) == -math.inf
    top = min(upper, 60.0)
    mass = integrate.quad(
        lambda x: math.exp(law.log_density(x)), lower, top, points=[lower + top / 1e4]
    )[0]
    assert mass == pytest.approx(1.0, abs=1e-6)


def test_beta_law_from_its_moments():
    law = BetaHyperprior.from_moments(0.005, 0.01, 0.1)
    assert stats.beta(law.a, law.b).mean() == pytest.approx(0.005)
    assert stats.beta(law.a, law.b).std() == pytest.approx(0.01)
    assert law.upper == 0.1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: GammaHyperprior(upper=0.0), "bound of the gamma prior is 0.0"),
        (lambda: BetaHyperprior(upper=1.5), r"must lie in \(0, 1\]"),
        (lambda: BetaHyperprior(upper=0.5, lower=0.5), r"must lie in \[0, 0.5\)"),
        (lambda: BetaHyperprior.from_moments(0.5, 0.5), "No beta distribution has mean 0.5"),
        (lambda: BetaHyperprior.from_moments(0.0, 0.1), "No beta distribution has mean 0.0"),
    ],
)
def test_improper_laws_are_refused(make, message):
    with pytest.raises(ConfigError, match=message):
        make()


def cdf_by_quadrature(log_density, grid):
    """Return the distribution function of a density on `grid` known up to a constant."""
    values = np.array([log_density(x) for x in grid])
    weight = np.exp(values - values.max())
    mass = np.append(0.0, np.cumsum((weight[1:] + weight[:-1]) / 2 * np.diff(grid)))
    return lambda x: np.interp(x, grid, mass / mass[-1])


def chain(likelihood, name, rng, n_draws, thin):
    """Return every `thin`-th value of a parameter; these are nearly independent."""
    likelihood.assign(LABELS, 10)
    draws = []
    for _ in range(n_draws):
        for _ in range(thin):
            likelihood.update(None, rng)
        draws.append(getattr(likelihood, name))
    return np.array(draws)


def cdf_of_log_delta(law, codes, high):
    """Return the law of the logarithm of delta given the partition, by quadrature."""
    most = law.upper or math.inf
    return cdf_by_quadrature(
        # Rounding may put the end of the grid above the bound.
        lambda x: (
            law.log_density(min(math.exp(x), most))
            + x
            + exact.log_categorical(codes, LABELS, math.exp(x))
        ),
        np.linspace(-12, high, 500),
    )


@pytest.mark.parametrize(
    ("law", "start", "high"),
    [(GammaHyperprior(1.0, 1.0), 0.4, 4.0), (GammaHyperprior(1.0, 1.0, 0.1), 0.1, math.log(0.1))],
    ids=["free", "bounded, from the bound"],
)
def test_delta_given_a_partition_has_the_law_found_by_quadrature(law, start, high):
    likelihood = CategoricalRecords(CODES, start, hyperprior=law)
    draws = np.log(chain(likelihood, "delta", np.random.default_rng(17), 3_000, 6))[:, 0]
    assert draws.max() <= high and math.log(likelihood.hyperparameters["delta"]) == draws[-1]
    assert stats.kstest(draws, cdf_of_log_delta(law, CODES, high)).pvalue > 1e-3


def test_a_delta_for_each_field():
    law = GammaHyperprior(1.5, 2.0)
    likelihood = CategoricalRecords(CODES, 0.4, per_field=True, hyperprior=law)
    draws = np.log(chain(likelihood, "delta", np.random.default_rng(18), 2_500, 3))
    assert list(likelihood.hyperparameters) == ["delta_0", "delta_1", "delta_2"]
    # The fields are independent given the partition.
    for field in range(3):
        target = cdf_of_log_delta(law, CODES[:, [field]], 4.0)
        assert stats.kstest(draws[:, field], target).pvalue > 1e-3
    assert np.abs(np.corrcoef(draws.T) - np.eye(3)).max() < 0.06


def test_draws_of_the_beta_law_keep_to_its_bounds():
    law, known = BetaHyperprior(2.0, 3.0, upper=0.8, lower=0.3), stats.beta(2, 3)
    below, mass = known.cdf(0.3), known.cdf(0.8) - known.cdf(0.3)
    rng, found = np.random.default_rng(3), [0.5]
    for _ in range(6_000):
        found.append(law.resample(found[-1], lambda x: 0.0, rng))
    assert min(found) >= 0.3 and max(found) <= 0.8
    assert stats.kstest(found[::3], lambda x: (known.cdf(x) - below) / mass).pvalue > 1e-3


@pytest.mark.parametrize(
    ("law", "start", "thin"),
    [
        (BetaHyperprior(1.2, 3.0), 0.3, 3),
        # Steps are shorter if the law is truncated.
        (BetaHyperprior.from_moments(0.05, 0.1, 0.1), 0.1, 6),
    ],
)
def test_beta_given_a_partition_has_the_law_found_by_quadrature(law, start, thin):
    likelihood = HitMissRecords(CODES, start, hyperprior=law)
    draws = chain(likelihood, "beta", np.random.default_rng(19), 2_500, thin)
    assert draws.max() <= law.upper
    high = 12.0 if law.upper == 1 else math.log(law.upper) - math.log1p(-law.upper)
    for field in range(3):

        def log_density(x, field=field):
            beta = min(float(expit(x)), law.upper)
            value = law.log_density(beta) + math.log(beta) + math.log1p(-beta)
            return value + exact.log_hit_miss(CODES[:, [field]], LABELS, beta)

        target = cdf_by_quadrature(log_density, np.linspace(-16, high, 500))
        logit = np.log(draws[:, field]) - np.log1p(-draws[:, field])
        assert stats.kstest(logit, target).pvalue > 1e-3


def test_fixed_parameters_stay(rng):
    for likelihood in (CategoricalRecords(CODES, 0.4), HitMissRecords(CODES, 0.1)):
        likelihood.assign(LABELS, 10)
        before = dict(likelihood.hyperparameters)
        likelihood.update(None, rng)
        assert likelihood.hyperparameters == before
        assert likelihood.log_hyperprior() == 0.0


def test_log_hyperprior_counts_every_parameter_that_is_sampled():
    law = GammaHyperprior(1.5, 2.0, 3.0)
    shared = CategoricalRecords(CODES, 0.4, hyperprior=law)
    each = CategoricalRecords(CODES, [0.1, 0.2, 0.3], per_field=True, hyperprior=law)
    assert shared.log_hyperprior() == law.log_density(0.4)
    assert each.log_hyperprior() == pytest.approx(sum(map(law.log_density, (0.1, 0.2, 0.3))))
    beta = BetaHyperprior(1.0, 9.0)
    found = HitMissRecords(CODES, 0.1, beta).log_hyperprior()
    assert found == pytest.approx(3 * beta.log_density(0.1))


def test_slice_sampler_steps_over_gaps_and_keeps_to_its_bound_of_steps():
    """One target has two modes with a gap between them, another a slice wider than all steps."""
    rng, x, draws = np.random.default_rng(5), 0.5, []
    asked = []

    def log_density(v):
        asked.append(v)
        return 0.0 if 0 < v < 1 or 1.4 < v < 3.4 else -math.inf

    for _ in range(20_000):
        x = slice_sample(log_density, x, rng)
        draws.append(x)
    share = np.mean(np.array(draws) < 1)
    assert share == pytest.approx(1 / 3, abs=0.02)
    asked.clear()
    slice_sample(lambda v: asked.append(v) or 0.0, 0.0, rng, width=0.1, max_steps=6)
    assert len(asked) <= 2 + 7 and max(map(abs, asked)) <= 0.7


@pytest.mark.parametrize("slope", [0.0, 1e17])
def test_slice_sampler_ends_where_no_height_below_the_start_can_be_told(slope):
    rng = np.random.default_rng(1)
    found = [slice_sample(lambda v: -1e20 - slope * abs(v), 0.5, rng) for _ in range(3)]
    assert all(abs(x) < 0.5 + 1e-9 for x in found) if slope else len(set(found)) == 3


def test_slice_sampler_refuses_a_start_outside_the_support(rng):
    with pytest.raises(ValueError, match="start value -1"):
        slice_sample(lambda v: -np.inf if v < 0 else -v, -1.0, rng)


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
    lengths, n_features, beta = [2, 1, 3, 1, 0, 1], 3, 0.8
    fresh = []
    # These draws are cheap, so there are many, and nearly all of the error is the chain's.
    for _ in range(3_000):
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
    for _ in range(3_000):
        counts = draw_counts(labels, lengths, n_features, beta, rng)
        model = MixtureModel(prior, likelihood_of(counts.tobytes()))
        model.start(exact.canonical(labels))
        model.sweep(rng)
        labels = model.labels.tolist()
        chained.append(statistics(labels, counts, prior))

    fresh, chained = np.array(fresh), np.array(chained)
    batches = chained.reshape(40, -1, chained.shape[1]).mean(axis=1)
    error = np.hypot(
        fresh.std(axis=0, ddof=1) / np.sqrt(len(fresh)), batches.std(axis=0, ddof=1) / np.sqrt(40)
    )
    varying = fresh.std(axis=0) > 0
    z = (fresh.mean(axis=0) - chained.mean(axis=0))[varying] / error[varying]
    assert varying.sum() >= 5
    assert np.abs(z).max() < 3.5, z


def test_sampled_parameters_of_finite_mixtures_are_calibrated():
    """Averaged over data, the posterior of beta and of the concentration is the prior."""
    rng = np.random.default_rng(77)
    values, law = np.array([0.05, 0.3, 2.0]), GammaHyperprior(2.0, 1.0)
    lengths, n_blocks = [4, 2, 3, 0, 5, 2, 3], 3
    found = []
    for _ in range(400):
        alpha, beta = draw_hyperparameter(law, 1.0, rng), rng.choice(values)
        weights = rng.dirichlet(np.full(n_blocks, alpha))
        labels = rng.choice(n_blocks, len(lengths), p=weights)
        likelihood = DirichletMultinomial(draw_counts(labels, lengths, 4, beta, rng), values)
        prior = FiniteDirichlet(n_blocks, 1.0, law)
        model = MixtureModel(prior, likelihood, (gibbs_sweep,) * 3)
        model.start_at_random(n_blocks, rng)
        for _ in range(12):
            model.sweep(rng)
        found.append((model.prior.concentration, np.flatnonzero(values == likelihood.beta)[0]))
    concentrations, places = np.array(found).T
    assert stats.kstest(concentrations, stats.gamma(2.0).cdf).pvalue > 0.001
    assert stats.chisquare(np.bincount(places.astype(int), minlength=3)).pvalue > 0.001


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
    log_density, v = [], np.log(product)
    for u in grid:
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
