"""Laws of hyperparameters and their updates, compared with scipy and quadrature."""

import math

import exact
import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import expit

from reseat.errors import ConfigError
from reseat.likelihoods import CategoricalRecords, HitMissRecords
from reseat.priors.hyperpriors import BetaHyperprior, GammaHyperprior, slice_sample

RNG = np.random.default_rng(3)
CODES = RNG.integers(0, 3, (24, 3))
CODES[RNG.random(CODES.shape) < 0.2] = -1
CODES[:, 0] = np.abs(CODES[:, 0])
LABELS = np.repeat(np.arange(10), [5, 4, 3, 3, 2, 2, 2, 1, 1, 1])
CODES[:5, 1] = 2
CODES[5:9, 2] = 0


@pytest.mark.parametrize(
    ("law", "untruncated", "upper"),
    [
        (GammaHyperprior(1.7, 2.5), stats.gamma(1.7, scale=0.4), math.inf),
        (GammaHyperprior(1.0, 1.0, 0.1), stats.gamma(1.0), 0.1),
        (GammaHyperprior(0.3, 4.0, 2.0), stats.gamma(0.3, scale=0.25), 2.0),
        (BetaHyperprior(2.0, 3.0), stats.beta(2, 3), 1.0),
        (BetaHyperprior(0.6, 40.0, 0.1), stats.beta(0.6, 40), 0.1),
    ],
)
def test_densities_are_those_of_scipy_cut_off(law, untruncated, upper):
    for x in (0.003, 0.05, 0.0999, 0.1, 0.6, 1.9, 30.0):
        expected = untruncated.logpdf(x) - untruncated.logcdf(upper) if x <= upper else -np.inf
        assert law.log_density(x) == pytest.approx(expected, rel=1e-12)
    assert law.log_density(0.0) == law.log_density(-1.0) == -math.inf
    top = min(upper, 60.0)
    mass = integrate.quad(lambda x: math.exp(law.log_density(x)), 0, top, points=[top / 1e4])[0]
    assert mass == pytest.approx(1.0, abs=1e-6)


def test_beta_law_from_its_moments():
    law = BetaHyperprior.from_moments(0.005, 0.01, 0.1)
    assert stats.beta(law.a, law.b).mean() == pytest.approx(0.005)
    assert stats.beta(law.a, law.b).std() == pytest.approx(0.01)
    assert law.upper == 0.1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: GammaHyperprior(rate=0.0), "must be positive"),
        (lambda: GammaHyperprior(upper=0.0), "bound of the gamma prior is 0.0"),
        (lambda: BetaHyperprior(a=-1.0), "must be positive"),
        (lambda: BetaHyperprior(upper=1.5), r"must lie in \(0, 1\]"),
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


def chain(update, n_draws, thin):
    """Return every `thin`-th value; these are nearly independent."""
    return np.array([[update() for _ in range(thin)][-1] for _ in range(n_draws)])


CATEGORICAL = {
    "free": (GammaHyperprior(1.0, 1.0), 0.4, (-12.0, 4.0)),
    "bounded, below the mode": (GammaHyperprior(1.0, 1.0, 0.1), 0.05, (-12.0, math.log(0.1))),
    "bounded, from the bound": (GammaHyperprior(1.0, 1.0, 0.1), 0.1, (-12.0, math.log(0.1))),
}


@pytest.mark.parametrize("name", CATEGORICAL)
def test_delta_given_a_partition_has_the_law_found_by_quadrature(name):
    law, start, (low, high) = CATEGORICAL[name]
    likelihood = CategoricalRecords(CODES, start, hyperprior=law)
    likelihood.assign(LABELS, 10)
    rng = np.random.default_rng(17)

    def update():
        likelihood.update(None, rng)
        return math.log(likelihood.hyperparameters["delta"])

    draws = chain(update, 3_000, 6)
    assert draws.max() <= high
    target = cdf_by_quadrature(
        # On the log scale; rounding may put the end of the grid above the bound.
        lambda x: (
            law.log_density(min(math.exp(x), law.upper or math.inf))
            + x
            + exact.log_categorical(CODES, LABELS, math.exp(x))
        ),
        np.linspace(low, high, 500),
    )
    assert stats.kstest(draws, target).pvalue > 1e-3


def test_a_delta_for_each_field():
    law = GammaHyperprior(1.5, 2.0)
    likelihood = CategoricalRecords(CODES, 0.4, per_field=True, hyperprior=law)
    likelihood.assign(LABELS, 10)
    rng = np.random.default_rng(18)

    def update():
        likelihood.update(None, rng)
        return np.log(likelihood.delta)

    draws = chain(update, 2_500, 3)
    assert list(likelihood.hyperparameters) == ["delta_0", "delta_1", "delta_2"]
    # The fields are independent given the partition.
    for field in range(3):
        target = cdf_by_quadrature(
            lambda x, f=field: (
                law.log_density(math.exp(x))
                + x
                + exact.log_categorical(CODES[:, [f]], LABELS, math.exp(x))
            ),
            np.linspace(-12, 4, 500),
        )
        assert stats.kstest(draws[:, field], target).pvalue > 1e-3
    assert np.abs(np.corrcoef(draws.T) - np.eye(3)).max() < 0.06


@pytest.mark.parametrize(
    ("law", "start", "thin"),
    [
        (BetaHyperprior(1.2, 3.0), 0.3, 3),
        # Steps are shorter if the law is truncated.
        (BetaHyperprior.from_moments(0.05, 0.1, 0.1), 0.1, 6),
        (BetaHyperprior.from_moments(0.05, 0.1, 0.1), 0.02, 6),
    ],
)
def test_beta_given_a_partition_has_the_law_found_by_quadrature(law, start, thin):
    likelihood = HitMissRecords(CODES, start, hyperprior=law)
    likelihood.assign(LABELS, 10)
    rng = np.random.default_rng(19)

    def update():
        likelihood.update(None, rng)
        return likelihood.beta

    draws = chain(update, 2_500, thin)
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


@pytest.mark.parametrize("upper", np.linspace(0.01, 0.97, 40))
def test_a_value_on_the_bound_can_be_updated(upper, rng):
    """The exponential of the logarithm of the bound may lie above the bound."""
    gamma, beta = GammaHyperprior(upper=upper), BetaHyperprior(upper=upper)
    for law in (gamma, beta):
        value = upper
        for _ in range(3):
            value = law.resample(value, lambda x: 50 * x, rng)
            assert 0 < value <= upper


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
    assert HitMissRecords(CODES, 0.1, beta).log_hyperprior() == pytest.approx(
        3 * beta.log_density(0.1)
    )


def test_restored_parameters_are_the_saved_ones():
    for make in (
        lambda value: CategoricalRecords(CODES, value),
        lambda value: CategoricalRecords(CODES, value, per_field=True),
        lambda value: HitMissRecords(CODES, value),
    ):
        saved, other = make(0.123), make(0.4)
        other.assign(LABELS, 10)
        other.restore(saved.hyperparameters)
        saved.assign(LABELS, 10)
        assert other.hyperparameters == saved.hyperparameters
        assert np.array_equal(other.log_predictive(3, 0), saved.log_predictive(3, 0))


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
