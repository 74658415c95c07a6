"""Hyperparameters that several groups of items share, compared with quadrature."""

import numpy as np
import pytest
from scipy import integrate
from scipy.special import gammaln, logsumexp

from reseat.chains import GroupedModel
from reseat.errors import ConfigError, DataError
from reseat.likelihoods import DirichletMultinomial
from reseat.moves import RestrictedSweep
from reseat.priors import (
    ESCNB,
    NBD,
    NBNB,
    BetaHyperprior,
    DirichletProcess,
    FiniteDirichlet,
    GammaHyperprior,
    PitmanYor,
    SampledNBD,
    sample_concentration,
)
from reseat.priors._concentration import law_of_successes


def log_density(a, n, k, hyperprior):
    """Return the log density of the concentration on the grid `a`, up to a constant."""
    value = (hyperprior.shape - 1 + np.sum(k)) * np.log(a) - hyperprior.rate * a
    for size, count in zip(*np.unique(n, return_counts=True), strict=True):
        value = value + count * (gammaln(a) - gammaln(a + size))
    return value


def moments(grid, log_values):
    weight = np.exp(log_values - log_values.max())
    total = integrate.simpson(weight, x=grid)
    mean = integrate.simpson(weight * grid, x=grid) / total
    return mean, integrate.simpson(weight * (grid - mean) ** 2, x=grid) / total


def agree(draws, mean, variance):
    """Check moments of correlated draws, within the Monte Carlo error from batch means."""
    batches = draws[: draws.size // 50 * 50].reshape(50, -1)
    error = batches.mean(axis=1).std(ddof=1) / np.sqrt(50)
    assert abs(draws.mean() - mean) < 4 * error
    assert error < 0.1 * np.sqrt(variance)
    squares = (batches - mean) ** 2
    assert abs(squares.mean() - variance) < 4 * squares.mean(axis=1).std(ddof=1) / np.sqrt(50)


MANY = np.random.default_rng(6).integers(1, 60, 340)
FEW_BLOCKS = np.maximum(1, np.random.default_rng(7).binomial(MANY, 0.1))
MANY_BLOCKS = np.maximum(1, np.random.default_rng(8).binomial(MANY, 0.8))


@pytest.mark.parametrize(
    ("n", "k", "law", "mean"),
    [
        ([1382], [328], (1.0, 1.0), 85.5),
        ([1382], [328], (1.0, 0.01), 135.6),
        ([40], [6], (1.0, 1.0), None),
        ([5, 5, 5, 5], [1, 1, 1, 2], (1.0, 1.0), None),
        ([30, 12, 1], [4, 12, 1], (2.0, 0.1), None),
        ([50], [41], (2.0, 0.5, 2.0), None),
        ([30, 12, 1], [4, 12, 1], (2.0, 0.5, 2.0), None),
        (MANY, FEW_BLOCKS, (1.0, 0.01), None),
        (MANY, MANY_BLOCKS, (1.0, 0.01), None),
    ],
    ids=str,
)
def test_the_concentration_of_one_or_more_groups_agrees_with_quadrature(n, k, law, mean):
    hyperprior = GammaHyperprior(*law)
    grid = np.linspace(1e-4, hyperprior.upper or (40.0 if max(n) < 1000 else 400.0), 200_001)
    if len(n) == 340 and k is MANY_BLOCKS:
        grid = np.linspace(1.0, 300.0, 200_001)
    expected = moments(grid, log_density(grid, n, k, hyperprior))
    if mean is not None:
        assert expected[0] == pytest.approx(mean, abs=0.05)
    rng, value = np.random.default_rng(3), expected[0]
    draws = np.empty(1_500 if len(n) == 340 else 4_000)
    for i in range(draws.size):
        value = draws[i] = sample_concentration(value, n, k, hyperprior, rng)
    agree(draws, *expected)
    assert draws.max() <= grid[-1]


@pytest.mark.parametrize(
    ("value", "n", "k", "error", "words"),
    [
        (2.5, [50], [41], ConfigError, "rules out"),
        (-2.0, [5], [1], ValueError, "positive and finite"),
        (np.nan, [5], [1], ValueError, "positive and finite"),
        (np.inf, [5], [1], ValueError, "positive and finite"),
        (1.0, [], [], ValueError, "one partition or more"),
        (1.0, [5, 3], [1], ValueError, "one partition or more"),
        (1.0, [5, 0], [1, 1], ValueError, "at least one item"),
        (1.0, [5, 3], [1, 0], ValueError, "one block"),
    ],
)
def test_what_has_no_concentration_is_refused(value, n, k, error, words, rng):
    with pytest.raises(error, match=words):
        sample_concentration(value, n, k, GammaHyperprior(2.0, 0.5, upper=2.0), rng)


@pytest.mark.parametrize("start", [1e-6, 1e5])
def test_draws_come_back_from_afar(start):
    rng, value = np.random.default_rng(4), start
    for _ in range(200):
        value = sample_concentration(value, MANY, MANY_BLOCKS, GammaHyperprior(1.0, 0.01), rng)
    assert 10 < value < 300


@pytest.mark.parametrize("tilt", [0.01, 7.0, 4e4])
def test_the_law_of_the_successes_is_that_of_the_symmetric_polynomials(tilt):
    n = MANY[:83].astype(float)
    log_polynomial = np.array([0.0])
    for log_n in np.log(n):
        longer = np.append(log_polynomial + log_n, -np.inf)
        log_polynomial = np.logaddexp(longer, np.append(-np.inf, log_polynomial))
    log_law = log_polynomial + np.arange(n.size + 1) * np.log(tilt)
    law = np.exp(log_law - logsumexp(log_law))
    assert law_of_successes(n, tilt) == pytest.approx(law, rel=1e-10, abs=1e-250)


GROUPED = [np.array([3, 1, 1]), np.array([2]), np.array([1, 1, 4, 1]), np.array([1])]


@pytest.mark.parametrize(
    "prior",
    [DirichletProcess(1.7), PitmanYor(0.9, 0.4), PitmanYor(-0.2, 0.5), FiniteDirichlet(5, 0.3)],
)
def test_groups_are_independent_given_the_hyperparameters(prior):
    total = sum(prior.log_prob(sizes) for sizes in GROUPED)
    assert prior.log_prob_groups(GROUPED) == pytest.approx(total, abs=1e-12)


def test_pitman_yor_samples_concentration_and_discount_of_all_groups():
    hyperprior = GammaHyperprior(2.0, 1.0)
    prior = PitmanYor(1.0, 0.3, hyperprior, sample_discount=True)
    prior.prepare(15)
    # The law of both, summed over groups, on a grid of midpoints.
    concentrations, discounts = np.arange(0.025, 12, 0.05), np.arange(0.0125, 1, 0.025)
    log_joint = np.zeros((concentrations.size, discounts.size))
    for i, j in np.ndindex(log_joint.shape):
        fixed = PitmanYor(concentrations[i], discounts[j])
        log_joint[i, j] = hyperprior.log_density(concentrations[i])
        log_joint[i, j] += sum(fixed.log_prob(sizes) for sizes in GROUPED)
    weight = np.exp(log_joint - log_joint.max())
    rng, draws = np.random.default_rng(5), np.empty((2_000, 2))
    for i in range(len(draws)):
        prior.update_groups(GROUPED, rng)
        draws[i] = prior.concentration, prior.discount
    for axis, grid in ((0, concentrations), (1, discounts)):
        marginal = weight.sum(axis=1 - axis)
        agree(draws[:, axis], *moments(grid, np.log(marginal)))
    # The tables are those of the last draw.
    again = PitmanYor(prior.concentration, prior.discount)
    again.prepare(15)
    for got, expected in zip(prior.tables, again.tables, strict=True):
        assert np.array_equal(got, expected)


def test_a_sampled_discount_stays_above_minus_the_concentration():
    prior, rng = PitmanYor(-0.3, 0.75, sample_discount=True), np.random.default_rng(8)
    prior.prepare(12)
    # One block of all items says nothing against a small discount.
    draws = []
    for _ in range(300):
        prior.update_groups([[12]], rng)
        draws.append(prior.discount)
        assert prior.log_prob([12]) <= 0
    assert 0.3 < min(draws) < 0.4
    assert all(prior.sample_sizes(5, rng).sum() == 5 for _ in range(50))


def test_a_parameter_may_start_at_the_bound_of_its_law():
    rng = np.random.default_rng(9)
    sizes = np.array([1, 1, 2])
    for upper in rng.uniform(0.02, 0.9, 60):
        gamma, beta = GammaHyperprior(1.0, 1.0, upper), BetaHyperprior(1.0, 1.0, upper)
        prior = PitmanYor(upper, 0.3, gamma)
        prior.prepare(4)
        prior.update_groups([sizes], rng)
        assert prior.concentration <= upper
        prior = NBNB(2.0, 0.5, r=upper, p=upper, r_hyperprior=gamma, p_hyperprior=beta)
        prior.prepare(4)
        for update in (prior.update, prior.slide):
            prior.r, prior.p = upper, upper
            update(sizes, rng)
            assert prior.r <= upper and prior.p <= upper
        for law in (gamma, beta):
            value = upper
            for _ in range(3):  # the exponential of the logarithm of the bound may lie above it
                value = law.resample(value, lambda x: 50 * x, rng)
                assert 0 < value <= upper


@pytest.mark.parametrize("prior", [DirichletProcess, PitmanYor])
def test_one_group_is_updated_as_a_partition(prior):
    one, other = (prior(1.0, hyperprior=GammaHyperprior(1.0, 1.0)) for _ in range(2))
    for made in (one, other):
        made.prepare(6)
    one.update([3, 1, 2], np.random.default_rng(2))
    other.update_groups([np.array([3, 1, 2])], np.random.default_rng(2))
    assert one.concentration == other.concentration != 1.0


def test_priors_that_update_from_one_group_only_say_so():
    rng = np.random.default_rng(0)
    sampled, fixed = NBNB(1.3, 0.8), NBNB(2.0, 0.5, r_hyperprior=None, p_hyperprior=None)
    for prior in (sampled, fixed):
        prior.prepare(15)
    with pytest.raises(TypeError, match="NBNB does not resample .* from 4 groups"):
        sampled.update_groups(GROUPED, rng)
    sampled.update_groups(GROUPED[:1], rng)
    before = fixed.hyperparameters
    fixed.update_groups(GROUPED, rng)
    assert fixed.hyperparameters == before
    FiniteDirichlet(5, 0.3).update_groups(GROUPED, rng)


GROUPS = np.array(["b", "a", "b", "c", "a", "b"])
LIKELIHOOD = DirichletMultinomial(np.random.default_rng(1).poisson(1.0, (6, 3)), 0.5)


def grouped(prior, groups=GROUPS):
    return GroupedModel(prior, LIKELIHOOD, [RestrictedSweep(groups)], groups)


def make(prior):
    model = grouped(prior)
    model.start([4, 0, 4, 2, 1, 3])
    return model


def test_a_grouped_model_adds_up_the_groups():
    model = make(DirichletProcess(1.3, GammaHyperprior(1.0, 1.0)))
    assert [sizes.tolist() for sizes in model.group_sizes()] == [[1, 1], [1, 2], [1]]
    expected = sum(model.prior.log_prob(sizes) for sizes in ([1, 1], [1, 2], [1]))
    assert model.log_prior() == pytest.approx(expected + model.prior.log_hyperprior(), abs=1e-12)
    assert sorted(model.block_sizes.tolist()) == [1, 1, 1, 1, 2]
    model.sweep(np.random.default_rng(2))
    assert model.prior.concentration != 1.3
    assert sum(map(len, model.group_sizes())) == model.partition.n_blocks
    assert make(FiniteDirichlet(4, 0.5)).n_labelled == 12  # four in each of three groups


class ByAllItems(DirichletProcess):
    """A prior that opens blocks in proportion to the number of items of its tables."""

    def tabulate(self):
        self.concentration = 0.5 * self.n_items
        super().tabulate()

    def log_prob_groups(self, groups):
        return sum(DirichletProcess(0.5 * np.sum(sizes)).log_prob(sizes) for sizes in groups)


def test_weights_that_depend_on_all_items_suit_one_group_only():
    for prior in (
        *(PitmanYor(0.9, 0.4), PitmanYor(-0.2, 0.5), FiniteDirichlet(1, 0.3)),
        *(FiniteDirichlet(5, 1e8), DirichletProcess(1e9), DirichletProcess(1e-9)),
        NBNB(2.0, 0.5, r=1e3, p=1e-9, r_hyperprior=None, p_hyperprior=None, reading="printed"),
        *(ESCNB(r_hyperprior=None, p_hyperprior=None), NBD(), SampledNBD(), NBNB(1e9, 1e-9)),
    ):
        grouped(prior)
    grouped(ByAllItems(), np.zeros(6))
    with pytest.raises(ConfigError, match="ByAllItems tabulates depend on the number of all items"):
        grouped(ByAllItems())


def test_groups_that_do_not_fit_are_refused():
    with pytest.raises(DataError, match="one for each of the 6 items"):
        GroupedModel(DirichletProcess(1.0), LIKELIHOOD, [], GROUPS[:5])
    model = make(DirichletProcess(1.0))
    model.start([0, 0, 1, 2, 0, 1])
    with pytest.raises(ValueError, match="two groups"):
        model.log_prior()
