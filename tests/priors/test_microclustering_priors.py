"""Microclustering priors: probabilities, tables, states that are restored, and refusals."""

import math

import exact
import numpy as np
import pytest
from partition_laws import LAWS, A, P, Q, R, esc_nb, nbnb
from scipy import optimize, stats

from reseat.chains import MixtureModel
from reseat.errors import ConfigError
from reseat.likelihoods import DirichletMultinomial
from reseat.priors import (
    ESCD,
    ESCNB,
    NBD,
    NBNB,
    DirichletProcess,
    FiniteDirichlet,
    PitmanYor,
    SampledNBD,
)

N = 5
MU = [0.3, 0.25, 0.05, 0.2, 0.1]


def given_sizes():
    """Return a prior whose law of sizes is not the initial one."""
    prior = SampledNBD(A, Q)
    prior.prepare(N)
    prior.restore({"log_mu": np.log(MU).tolist()})
    return prior


KOLCHIN = LAWS | {
    "nbd, given the law of sizes": (
        given_sizes,
        lambda sizes: exact.log_kolchin(sizes, A, Q, sum(np.log(MU[m - 1]) for m in sizes)),
    )
}


def sizes_of(labels):
    return np.unique(labels, return_counts=True)[1]


def take_out(prior, sizes, own):
    """Return the tables of `prior` after an item has left block `own` of those with `sizes`."""
    if prior.n_items != sum(sizes):
        prior.prepare(sum(sizes))
    prior.enter(sizes)
    prior.resize(sizes[own], sizes[own] - 1)
    return prior.tables


@pytest.mark.parametrize(
    ("prior", "namings", "expected"),
    [
        (nbnb(), 1, -8.170595071524627),
        (NBD(A, Q), 1, -8.927163959392082),
        (DirichletProcess(1.5), 1, -6.033286041961321),
        (PitmanYor(1.5, 0.3), 1, -5.757838507177883),
        # Four of five labelled blocks hold the items; they can be named in 5!/1! ways.
        (FiniteDirichlet(5, 1.5 / 5), 120, -7.158817419980695),
    ],
)
def test_log_probability_of_a_partition(prior, namings, expected):
    found = prior.log_prob(sizes_of([0, 0, 1, 2, 1, 3])) + math.log(namings)
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("prior", "expected"),
    [
        (nbnb(), [0.2307337757, 0.1452768, 0.1452768, 0.4787126]),
        (nbnb(reading="printed"), [0.1914545, 0.1205454, 0.1205454, 0.5674547]),
        (NBD(A, Q), [0.2147971, 0.2386635, 0.2386635, 0.3078759]),
    ],
)
def test_weights_of_an_item_beside_blocks_of_two_one_and_one(prior, expected):
    log_join, log_open = take_out(prior, [2, 1, 1, 1], own=3)
    weight = np.exp([log_join[2], log_join[1], log_join[1], log_open[3]])
    assert weight / weight.sum() == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("name", KOLCHIN)
def test_log_prob_follows_from_how_a_partition_is_made(name):
    make, log_prob = KOLCHIN[name]
    prior = make()
    if prior.n_items != N:
        prior.prepare(N)
    for labels in exact.partitions(N):
        sizes = sizes_of(labels)
        assert prior.log_prob(sizes) == pytest.approx(log_prob(tuple(sizes)), abs=1e-12)


@pytest.mark.parametrize("name", KOLCHIN)
def test_tables_are_ratios_of_joints(name):
    prior = KOLCHIN[name][0]()
    n_seen = 0
    for labels in exact.partitions(N):
        sizes = np.bincount(labels)
        for own in set(labels):
            log_join, log_open = take_out(prior, sizes, own)
            left = sizes.copy()
            left[own] -= 1
            left = left[left > 0]
            weights = [*log_join[left], log_open[left.size]]
            joined = left + np.eye(left.size, dtype=int)
            joints = [*map(prior.log_prob, joined), prior.log_prob([*left, 1])]
            assert np.subtract(weights, weights[-1]) == pytest.approx(
                np.subtract(joints, joints[-1]), abs=1e-10
            )
            n_seen += 1
    assert n_seen > 52


def test_number_of_blocks_is_solved_for_half_the_items():
    """Without conditioning on N, the mean and standard deviation of K are both N / 2."""
    for prior in (NBNB(), NBD(), SampledNBD()):
        for n_items in (789, 5000):
            prior.prepare(n_items)
            law = stats.nbinom(prior.a, 1 - prior.q)
            assert law.mean() == pytest.approx(n_items / 2, rel=1e-9)
            assert law.std() == pytest.approx(n_items / 2, rel=1e-9)


@pytest.mark.parametrize("q", [0.2, 0.8, 0.999])
def test_nbnb_with_a_geometric_number_of_blocks_is_esc_nb_given_the_items(q):
    """This holds for fixed r and p; the p of one prior follows from q and the p of the other."""

    def log_odds(p):
        return R * np.log1p(-p) - np.log(-np.expm1(R * np.log1p(-p)))

    other = optimize.brentq(lambda p: log_odds(p) - log_odds(P) - np.log(q), 1e-6, 1 - 1e-12)
    found = exact.type_probabilities(7, esc_nb(R, other).log_prob)
    assert found == pytest.approx(exact.type_probabilities(7, nbnb(1.0, q).log_prob), abs=1e-12)


def expected_tables(sizes, alpha=1.0, base=0.5, a=A, q=Q):
    """Return the tables of the collapsed prior by its formulas, for sizes without the item."""
    log_join = {}
    size, counts = np.unique(sizes, return_counts=True)
    present = dict(zip(size.tolist(), counts.tolist(), strict=True))

    def log_total(m, n):
        log_parameter = np.log(alpha * base) + (m - 1) * np.log1p(-base)
        return log_parameter if n == 0 else np.log(np.exp(log_parameter) + n)

    for m, n in present.items():
        log_join[m] = np.log(m + 1) + log_total(m + 1, present.get(m + 1, 0)) - log_total(m, n - 1)
    k = len(sizes)
    return log_join, np.log((k + a) * q / (alpha + k)) + log_total(1, present.get(1, 0))


@pytest.mark.parametrize("start", [[1] * 60, [60], [7, 7, 7, 20, 1, 1, 17], [4000]])
def test_patched_tables_are_fresh_tables(start, rng):
    n_items = sum(start)
    prior, fresh = NBD(A, Q), NBD(A, Q)
    prior.prepare(n_items)
    fresh.prepare(n_items)
    prior.enter(start)
    sizes = list(start)
    for step in range(6_000):
        own = rng.integers(len(sizes))
        prior.resize(sizes[own], sizes[own] - 1)
        sizes[own] -= 1
        sizes = [m for m in sizes if m]
        if step % 10 == 0:
            log_join, log_open = prior.tables
            expected_join, expected_open = expected_tables(sizes)
            for m, value in expected_join.items():
                assert log_join[m] == pytest.approx(value, abs=1e-9)
            assert log_open[len(sizes)] == pytest.approx(expected_open, abs=1e-12)
            assert not np.isnan(log_join).any() and not np.isnan(log_open).any()
        target = rng.integers(len(sizes) + 1)
        if target == len(sizes):
            sizes.append(0)
        prior.resize(sizes[target], sizes[target] + 1)
        sizes[target] += 1
        if step % 100 == 0:
            fresh.enter(sizes)
            # To the last bit: entries depend on the counts, not on how they came about.
            assert np.array_equal(prior.tables[0], fresh.tables[0])
            assert prior.tables[1][len(sizes)] == fresh.tables[1][len(sizes)]


def test_sizes_that_the_base_law_cannot_hold_have_finite_weights():
    """The parameters of sizes beyond 1074 underflow to zero."""
    prior = NBD(A, Q)
    log_join, log_open = take_out(prior, [1500, 1500, 1], own=0)
    assert np.isfinite([log_join[1499], log_join[1500], log_join[1]]).all()
    # The item can hardly go anywhere but back: no other block has 1499 items.
    assert log_join[1499] - max(log_join[1500], log_join[1], log_open[3]) > 1000
    assert np.isfinite(prior.log_prob([1500, 1500, 1]))
    assert np.isfinite(prior.log_prob([3001]))


def test_sizes_must_be_those_of_the_items():
    prior = NBD(A, Q)
    prior.prepare(6)
    with pytest.raises(ValueError, match="5 items, the prior was prepared for 6"):
        prior.enter([2, 2, 1])


def test_law_of_sizes_is_drawn_from_its_dirichlet(rng):
    prior = SampledNBD(A, Q)
    prior.prepare(12)
    sizes = [1, 1, 1, 2, 2, 5]
    draws = []
    for _ in range(4_000):
        prior.update(sizes, rng)
        draws.append(prior.log_mu)
    draws = np.array(draws)
    parameter = 0.5 ** np.arange(1, 13) + np.bincount(sizes, minlength=13)[1:]
    for m in (1, 2, 3, 5):
        law = stats.beta(parameter[m - 1], 7.0 - parameter[m - 1])
        assert stats.kstest(np.exp(draws[:, m - 1]), law.cdf).pvalue > 0.001
    # A beta variate with a small first parameter s is nearly u^(1/s): too small for a double.
    assert stats.kstest(np.exp(parameter[11] * draws[:, 11]), "uniform").pvalue > 0.001
    assert np.exp(draws[:, 11]).min() == 0


def test_law_of_many_sizes_stays_finite(rng):
    prior = SampledNBD()
    prior.prepare(3_000)
    prior.update([2_000, 500, 1, *[3] * 166, 1], rng)
    assert np.isfinite(prior.log_mu).all()
    assert np.logaddexp.reduce(prior.log_mu) == pytest.approx(0, abs=1e-9)
    # A move adds up ratios of sizes on its way; improbable ones in between must cost no precision.
    steps = np.diff(prior.log_mu)
    assert np.cumsum(steps)[-1] == pytest.approx(prior.log_mu[-1] - prior.log_mu[0], abs=1e-8)
    assert sum([0.3, *steps, *-steps[::-1]]) == pytest.approx(0.3, abs=1e-8)
    log_join, log_open = prior.tables
    assert np.isfinite(log_join[1:-1]).all() and np.isfinite(log_open).all()


def model_of(prior, n_items=40):
    counts = np.random.default_rng(3).poisson(0.5, (n_items, 4)).astype(np.int32)
    return MixtureModel(prior, DirichletMultinomial(counts, 0.4))


def test_a_chain_that_starts_tells_the_prior_the_sizes():
    model = model_of(NBD(A, Q))
    for labels, sizes in ((np.arange(40) % 3, [13, 14]), (np.zeros(40, dtype=int), [40])):
        model.start(labels)
        assert np.flatnonzero(np.isfinite(model.prior.tables[0])).tolist() == sizes


def test_log_joint_counts_the_hyperparameters_that_are_sampled():
    model, plain = model_of(NBNB(A, Q, R, P)), model_of(nbnb())
    for one in (model, plain):
        one.start(np.zeros(40, dtype=int))
    density = stats.expon.logpdf(R) + stats.beta(2, 2).logpdf(P)
    assert model.log_joint() - plain.log_joint() == pytest.approx(density, abs=1e-12)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: NBNB(a=1.0), "Specify both a and q"),
        (lambda: NBD(q=0.5), "Specify both a and q"),
        (lambda: NBNB(1.0, 1.0), r"q is 1.0; it must lie in \(0, 1\)"),
        (lambda: NBNB(p=1.0), r"p is 1.0; it must lie in \(0, 1\)"),
        (lambda: NBNB(reading="corrected"), "choose 'derived' or 'printed'"),
        (lambda: SampledNBD(base=1.0), r"base is 1.0; it must lie in \(0, 1\)"),
        (lambda: ESCNB(r=-1.0), "r is -1.0; it must be positive"),
        (lambda: ESCD(p=0.0), r"p is 0.0; it must lie in \(0, 1\)"),
        (lambda: ESCD(alpha=0.0), "alpha is 0.0; it must be positive"),
        (lambda: NBNB().prepare(2), "specify a and q"),
        (lambda: NBD().prepare(1), "specify a and q"),
    ],
)
def test_settings_out_of_range_are_refused(make, message):
    with pytest.raises(ConfigError, match=message):
        make()
