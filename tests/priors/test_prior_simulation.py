"""Draws from partition priors, numbers of blocks, and concentrations solved for them."""

from collections import Counter

import exact
import numpy as np
import pytest
from partition_laws import LAWS, SAMPLED_SIZES, A, Q, nbnb, process
from scipy import stats

from reseat.errors import ConfigError, DataError
from reseat.priors import (
    ESCD,
    ESCNB,
    NBD,
    NBNB,
    DirichletProcess,
    FiniteDirichlet,
    PitmanYor,
    expected_blocks,
    sample_sizes,
    solve_concentration,
)
from reseat.priors.hyperpriors import BetaHyperprior, GammaHyperprior


def integrate_r_and_p(log_prob):
    """Return the law of the sizes, with r ~ Gamma(2, 2) and p ~ Beta(2, 3) summed over a grid."""
    log_r = np.linspace(-14, 4, 400)[:, None]
    p = (np.arange(200) + 0.5) / 200
    weight = stats.gamma(2, scale=0.5).pdf(np.exp(log_r)) * np.exp(log_r) * stats.beta(2, 3).pdf(p)
    return lambda sizes: np.log((np.exp(log_prob(sizes, np.exp(log_r), p)) * weight).sum())


SAMPLED = {"r_hyperprior": GammaHyperprior(2.0, 2.0), "p_hyperprior": BetaHyperprior(2.0, 3.0)}

PRIORS = LAWS | {
    "nbnb, many empty blocks": (
        lambda: nbnb(A, Q, 0.01, 0.4),
        lambda sizes: exact.log_nbnb(sizes, A, Q, 0.01, 0.4),
    ),
    "nbd, sizes sampled": SAMPLED_SIZES,
    "nbnb, r and p sampled": (
        lambda: NBNB(A, Q, **SAMPLED),
        integrate_r_and_p(lambda sizes, r, p: exact.log_nbnb(sizes, A, Q, r, p)),
    ),
    "esc-nb, r and p sampled": (lambda: ESCNB(**SAMPLED), integrate_r_and_p(exact.log_esc_nb)),
    "esc-d, r and p sampled": (
        lambda: ESCD(2.0, **SAMPLED),
        integrate_r_and_p(lambda sizes, r, p: exact.log_esc_d(sizes, 2.0, r, p)),
    ),
    "dp": (lambda: DirichletProcess(1.3), process(1.3, 0.0)),
    "pitman-yor": (lambda: PitmanYor(0.4, 0.45), process(0.4, 0.45)),
    "finite": (
        lambda: FiniteDirichlet(3, 0.6),
        lambda sizes: exact.log_finite_dirichlet(np.repeat(np.arange(len(sizes)), sizes), 3, 0.6),
    ),
}


def as_type(sizes):
    return tuple(sorted((int(m) for m in sizes), reverse=True))


@pytest.mark.parametrize("name", PRIORS)
def test_reseating_leaves_the_prior_invariant(name):
    make, log_prob = PRIORS[name]
    # Draws of r and p take most of the time.
    n_draws, near = (4_000, 0.03) if "sampled" in name else (12_000, 0.02)
    draws = sample_sizes(make(), 5, n_draws, np.random.default_rng(5), burn_in=50, thin=1)
    assert len(draws) == n_draws
    target = exact.type_probabilities(5, log_prob)
    assert exact.total_variation(target, Counter(map(as_type, draws))) < near


@pytest.mark.parametrize("name", [name for name in PRIORS if name != "finite"])
def test_direct_draws_have_the_law_of_the_prior(name, rng):
    make, log_prob = PRIORS[name]
    prior, n_draws = make(), 2_000
    counted = Counter(as_type(prior.sample_sizes(6, rng)) for _ in range(n_draws))
    target = exact.type_probabilities(6, log_prob)
    assert counted.keys() <= target.keys()
    # Rare sizes are pooled, so that every cell expects five draws or more.
    common = [t for t, probability in target.items() if probability > 1e-3]
    both = np.array([(n_draws * target[t], counted[t]) for t in common])
    expected, observed = np.vstack([both, n_draws - both.sum(axis=0)]).T
    kept = expected > 1e-9
    assert stats.chisquare(observed[kept], expected[kept]).pvalue > 0.001


def test_direct_draws_of_processes_include_their_hyperparameters(rng):
    prior = PitmanYor(1.0, 0.5, GammaHyperprior(2.0, 1.0), sample_discount=True)
    drawn = [len(prior.sample_sizes(30, rng)) for _ in range(4_000)]
    expected = [
        expected_blocks(30, theta, d)
        for theta, d in zip(rng.gamma(2.0, size=4_000), rng.random(4_000), strict=True)
    ]
    error = np.hypot(np.std(drawn), np.std(expected)) / np.sqrt(4_000)
    assert abs(np.mean(drawn) - np.mean(expected)) < 4 * error
    assert prior.hyperparameters == {"concentration": 1.0, "discount": 0.5}


def test_both_ways_of_drawing_agree_on_many_items(rng):
    """The largest block and the number of blocks of 200 items are compared for fixed r and p."""
    prior = nbnb(1.0, 0.9, 2.0, 0.6)
    chained = sample_sizes(prior, 200, 1_500, rng, burn_in=200, thin=8)
    direct = [prior.sample_sizes(200, rng) for _ in range(1_500)]
    for statistic in (len, max):
        one, other = ([statistic(sizes) for sizes in draws] for draws in (chained, direct))
        assert stats.ks_2samp(one, other).pvalue > 0.001
    assert all(sizes.sum() == 200 and sizes.min() >= 1 for sizes in [*chained, *direct])


def test_draws_can_begin_anywhere(rng):
    once = {"burn_in": 0, "thin": 1}
    (sizes,) = sample_sizes(NBD(), 40, 1, rng, start=[20, 10, 10], **once)
    assert sizes.sum() == 40
    (sizes,) = sample_sizes(DirichletProcess(1e-12), 40, 1, rng, start=[40], **once)
    assert sizes.tolist() == [40]
    with pytest.raises(DataError, match="start has 10 blocks, but the prior allows at most 3"):
        sample_sizes(FiniteDirichlet(3), 100, 1, rng, start=[10] * 10, **once)


def test_improbable_numbers_of_items_are_refused(rng, monkeypatch):
    monkeypatch.setattr("reseat.priors.kolchin.MAX_PROPOSALS", 50)
    with pytest.raises(
        ConfigError, match="2000 items are too improbable to be drawn for a = 1 and q = 0.1"
    ):
        NBD(1.0, 0.1).sample_sizes(2000, rng)


@pytest.mark.parametrize("prior", [nbnb(), nbnb(4.0, 0.2, 5.0, 0.8)])
def test_number_of_blocks_agrees_with_enumeration(prior):
    expected = np.zeros(9)
    for sizes, probability in exact.type_probabilities(9, prior.log_prob).items():
        expected[len(sizes) - 1] += probability
    assert np.exp(prior.log_prob_n_blocks(9)) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize(
    ("n_items", "expected"),
    [
        (789, [313.323, 201.40, 98.12, 18.12]),
        (5000, [1989.1, 1279.4, 624.5, 117.2]),
        (2000, [795.2, 511.4, 249.5, 46.6]),
        (6700, [2665.6, 1714.5, 837.0, 157.2]),
    ],
)
def test_concentrations_for_half_as_many_blocks_as_items(n_items, expected):
    for discount, value in zip((0, 0.25, 0.5, 0.75), expected, strict=True):
        found = solve_concentration(n_items, n_items / 2, discount)
        decimals = len(str(value).partition(".")[2])
        assert found == pytest.approx(value, abs=0.51 * 10**-decimals)
        assert expected_blocks(n_items, found, discount) == pytest.approx(n_items / 2, rel=1e-10)


@pytest.mark.parametrize(
    ("concentration", "discount"), [(1.3, 0.0), (0.4, 0.45), (-0.2, 0.5), (0.0, 0.3), (1.3, 1e-9)]
)
def test_expected_blocks_agree_with_enumeration(concentration, discount):
    if concentration == 0:
        concentration = 1e-14  # the oracle divides by it
    probabilities = exact.type_probabilities(7, process(concentration, discount))
    expected = sum(len(sizes) * probability for sizes, probability in probabilities.items())
    assert expected_blocks(7, concentration, discount) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("n_blocks", "discount"), [(1.001, 0.0), (1.5, 0.6), (99.9, 0.0), (99, 0.9)]
)
def test_extreme_numbers_of_blocks_are_solved(n_blocks, discount):
    found = solve_concentration(100, n_blocks, discount)
    assert found > -discount
    assert expected_blocks(100, found, discount) == pytest.approx(n_blocks, rel=1e-9)


@pytest.mark.parametrize(
    ("solve", "arguments", "message"),
    [
        (expected_blocks, (10, -1.0), r"^concentration is -1\.0; it must be finite and at least 0"),
        (expected_blocks, (10, -0.5, 0.25), r"at least -0\.25, minus the discount"),
        (expected_blocks, (10, 1.0, 1.0), r"^discount is 1\.0"),
        (expected_blocks, (0, 1.0), r"^n_items is 0"),
        (solve_concentration, (10, 10), "fewer than 10"),
        (solve_concentration, (10, 1), "more than 1"),
        (solve_concentration, (1, 0.5), "No concentration gives 1 items"),
        (solve_concentration, (10, 5, 1.0), r"must lie in \[0, 1\)"),
    ],
)
def test_what_is_no_process_and_impossible_numbers_of_blocks_are_refused(solve, arguments, message):
    with pytest.raises(ConfigError, match=message):
        solve(*arguments)
