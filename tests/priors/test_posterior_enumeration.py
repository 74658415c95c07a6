"""The sampler against the exact posterior, enumerated over all partitions.

The exact side is computed from the definitions in `exact`, not from the
engine's own scores, so that a wrong score cannot pass.
"""

import math
from functools import cache
from itertools import cycle

import exact
import numpy as np
import pytest
from partition_laws import LAWS, SAMPLED_SIZES, A, P, Q, R
from scipy import stats

from reseat.chains import MixtureModel
from reseat.likelihoods import DirichletMultinomial
from reseat.moves import gibbs_sweep
from reseat.partition import Partition
from reseat.priors import ESCD, ESCNB, NBNB, DirichletProcess, FiniteDirichlet, PitmanYor
from reseat.priors.hyperpriors import BetaHyperprior, GammaHyperprior

COUNTS = np.array(
    [[3, 0, 1, 0], [2, 1, 0, 0], [0, 0, 2, 2], [0, 1, 1, 3], [1, 1, 0, 0]], dtype=np.int32
)
N = len(COUNTS)
BETA = 0.7

PRIORS = {
    "finite": (lambda: FiniteDirichlet(3, 0.6), lambda z: exact.log_finite_dirichlet(z, 3, 0.6)),
    "finite, all ones": (
        lambda: FiniteDirichlet(4, 1.0),
        lambda z: exact.log_finite_dirichlet(z, 4, 1.0),
    ),
    "dp": (lambda: DirichletProcess(1.3), lambda z: exact.log_pitman_yor(z, 1.3, 0.0)),
    "pitman-yor": (lambda: PitmanYor(0.4, 0.45), lambda z: exact.log_pitman_yor(z, 0.4, 0.45)),
    "pitman-yor, negative concentration": (
        lambda: PitmanYor(-0.2, 0.5),
        lambda z: exact.log_pitman_yor(z, -0.2, 0.5),
    ),
}
BY_SIZES = {
    name: (make, lambda z, log_prior=log_prior: log_prior(np.bincount(z).tolist()))
    for name, (make, log_prior) in (LAWS | {"nbd, sizes sampled": SAMPLED_SIZES}).items()
}


def log_joint(log_prior, z):
    return log_prior(z) + exact.log_dirichlet_multinomial(COUNTS, z, BETA)


def posterior(log_prior):
    """Return the exact probabilities of the partitions."""
    return exact.normalise({z: log_joint(log_prior, z) for z in exact.partitions(N)})


def visits(prior, n_sweeps, n_moves=1, seed=8):
    """Return how often a chain visits each partition, and the trace of its hyperparameters."""
    model = MixtureModel(prior, DirichletMultinomial(COUNTS, BETA), (gibbs_sweep,) * n_moves)
    model.start(np.zeros(N, dtype=int))
    rng = np.random.default_rng(seed)
    trace = []

    def sweep():
        model.sweep(rng)
        trace.append(list(prior.hyperparameters.values()))

    return exact.visits(sweep, lambda: model.labels, n_sweeps), np.array(trace)


def start(prior, counts=COUNTS, labels=None, beta=BETA):
    labels = np.zeros(len(counts), dtype=int) if labels is None else labels
    partition = Partition(labels, capacity=prior.max_blocks, max_capacity=prior.max_blocks)
    prior.prepare(len(counts))
    likelihood = DirichletMultinomial(counts, beta)
    likelihood.assign(partition.label_array, partition.capacity)
    return partition, likelihood


@pytest.mark.parametrize("name", [*PRIORS, *BY_SIZES])
def test_sweeps_reach_the_enumerated_posterior(name):
    make, log_prior = (PRIORS | BY_SIZES)[name]
    n_sweeps, near = (60_000, 0.015) if name in PRIORS else (25_000, 0.02)
    counted, _ = visits(make(), n_sweeps)
    assert exact.total_variation(posterior(log_prior), counted) < near


# The integral over a concentration is a sum over quantiles of its prior.
LAW = GammaHyperprior(2.0, 1.5)
QUANTILES = stats.gamma(2.0, scale=1 / 1.5).ppf((np.arange(400) + 0.5) / 400)
SAMPLED = {
    "dp": PRIORS["dp"],
    "finite, its concentration sampled": (
        lambda: FiniteDirichlet(3, 0.6, LAW),
        lambda z: np.logaddexp.reduce(np.atleast_1d(exact.log_finite_dirichlet(z, 3, QUANTILES))),
    ),
}


@pytest.mark.parametrize("name", SAMPLED)
def test_sampled_parameters_are_summed_out_of_the_enumerated_posterior(name):
    make, log_prior = SAMPLED[name]
    values = [0.05, 0.7, 2.5]
    joint = {
        (*z, place): log_prior(z) + exact.log_dirichlet_multinomial(COUNTS, z, beta)
        for z in exact.partitions(N)
        for place, beta in enumerate(values)
    }
    model = MixtureModel(make(), DirichletMultinomial(COUNTS, values))
    model.start([0] * N)
    assert model.hyperparameters["beta"] == 0.7
    assert model.likelihood.log_hyperprior() == -np.log(3)
    assert model.prior.log_hyperprior() == (0 if name == "dp" else LAW.log_density(0.6))
    rng = np.random.default_rng(12)

    turns = cycle(range(3))

    def step():
        # A draw of the parameters takes as long as several sweeps over the items.
        (model.move if next(turns) else model.sweep)(rng)

    def state():
        return np.append(model.labels, values.index(model.likelihood.beta))

    counted = exact.visits(
        step, state, 30_000, lambda found: (*exact.canonical(found[:-1]), found[-1])
    )
    assert exact.total_variation(exact.normalise(joint), counted) < 0.02


@pytest.mark.parametrize("name", PRIORS)
def test_full_conditionals_are_ratios_of_exact_joints(name):
    make, log_prior = PRIORS[name]
    for labels in exact.partitions(N):
        prior = make()
        if prior.max_blocks and max(labels) >= prior.max_blocks:
            continue
        partition, likelihood = start(prior, labels=np.array(labels))
        # With a bound on their number, the blocks have numbers, and each naming is as probable.
        namings = math.perm(prior.max_blocks, max(labels) + 1) if prior.max_blocks else 1
        whole = prior.log_prob(partition.block_sizes()) + math.log(namings)
        assert whole == pytest.approx(log_prior(labels), abs=1e-12)
        log_join, log_open = prior.tables
        for item in range(N):
            own = labels[item]
            sizes = partition.size_array
            sizes[own] -= 1
            score = likelihood.log_predictive(item, own)
            occupied = np.flatnonzero(sizes)
            got = [log_join[sizes[k]] + score[k] for k in occupied]
            moved = []
            for k in occupied:
                z = list(labels)
                z[item] = int(k)
                moved.append(log_joint(log_prior, z))
            if np.isfinite(log_open[occupied.size]):
                got.append(log_open[occupied.size] + score[-1])
                z = list(labels)
                z[item] = N + 1
                moved.append(log_joint(log_prior, z))
            got, moved = np.array(got), np.array(moved)
            # The tables give weights relative to the partition without the item.
            assert np.allclose(got - got.max(), moved - moved.max(), rtol=0, atol=1e-10)


def test_log_marginal_agrees_with_the_definition_after_many_moves():
    rng = np.random.default_rng(5)
    counts = rng.poisson(0.4, (40, 30)).astype(np.int32)
    counts[3] = 0
    prior = DirichletProcess(2.0)
    partition, likelihood = start(prior, counts, labels=rng.integers(0, 4, 40), beta=0.3)
    for _ in range(50):
        gibbs_sweep(partition, prior, likelihood, rng)
    labels = partition.label_array
    expected = exact.log_dirichlet_multinomial(counts, labels, 0.3)
    assert likelihood.log_marginal() == pytest.approx(expected, abs=1e-9)
    fresh = DirichletMultinomial(counts, 0.3)
    fresh.assign(labels, partition.capacity)
    for item in range(40):
        assert np.array_equal(
            fresh.log_predictive(item, labels[item])[: partition.n_slots],
            likelihood.log_predictive(item, labels[item])[: partition.n_slots],
        )


UPDATED = {
    "nbnb": (
        lambda **laws: NBNB(A, Q, **laws),
        lambda sizes, r, p: exact.log_nbnb(sizes, A, Q, r, p),
    ),
    "esc-nb": (ESCNB, exact.log_esc_nb),
    "esc-d": (ESCD, lambda sizes, r, p: exact.log_esc_d(sizes, 1.0, r, p)),
}


@pytest.mark.parametrize("name", UPDATED)
def test_sampled_r_and_p_reach_the_posterior_found_by_quadrature(name):
    make, log_prior = UPDATED[name]
    log_r = np.linspace(-14, 5, 500)[:, None]
    p = (np.arange(300) + 0.5) / 300
    r_law, p_law = GammaHyperprior(1.5, 0.8), BetaHyperprior(2.0, 3.0)
    log_hyperprior = np.array([[r_law.log_density(r)] for r in np.exp(log_r[:, 0])])
    log_hyperprior = log_hyperprior + log_r + [p_law.log_density(x) for x in p]

    @cache
    def log_density(*sizes):  # cached: there are few kinds of sorted sizes, and a large grid
        return log_prior(sizes, np.exp(log_r), p) + log_hyperprior

    def given(z):
        return np.exp(log_density(*sorted(np.bincount(z).tolist())))

    target = posterior(lambda z: np.log(given(z).sum()))
    prior = make(r_hyperprior=r_law, p_hyperprior=p_law)
    # Moves of the items cost little compared with draws of r and p, above all those of ESC-D.
    counted, trace = visits(prior, 6_000 if name == "esc-d" else 12_000, n_moves=4)
    assert exact.total_variation(target, counted) < 0.03

    density = np.zeros((500, 300))
    for z, probability in target.items():
        density += probability * given(z) / given(z).sum()
    for column, values in (
        (np.log(trace[:, 0]), (density * log_r).sum()),
        (trace[:, 0], (density * np.exp(log_r)).sum()),
        (trace[:, 1], (density * p).sum()),
        (trace[:, 1] ** 2, (density * p**2).sum()),
        (trace[:, 0] * trace[:, 1], (density * np.exp(log_r) * p).sum()),
    ):
        # Batch means give the Monte Carlo error of correlated draws.
        error = column.reshape(50, -1).mean(axis=1).std(ddof=1) / 50**0.5
        assert abs(column.mean() - values) < 4 * error


def conditionals(prior, sizes, monkeypatch, rng):
    """Return the log densities of log r and logit p from which `prior` is sampled."""
    asked = []

    def spy(log_density, start, rng):
        asked.append(log_density)
        return start

    monkeypatch.setattr("reseat.priors.nbnb.slice_sample", spy)
    prior.update(sizes, rng)
    return asked


def conditional_errors(prior, monkeypatch, rng):
    """Return how much conditional and joint differ, up to a constant, along r and along p."""
    sizes = [1, 1, 2, 4, 4, 4, 9]
    prior.prepare(sum(sizes))
    of_r, of_p = conditionals(prior, sizes, monkeypatch, rng)

    def joint(r, p):
        other = NBNB(A, Q, r, p, r_hyperprior=prior.r_hyperprior, p_hyperprior=prior.p_hyperprior)
        return other.log_prob(sizes) + other.log_hyperprior()

    x = np.linspace(-5, 3, 17)
    along_r = [of_r(v) - joint(np.exp(v), P) - v for v in x]
    p = 1 / (1 + np.exp(-x))
    along_p = [of_p(v) - joint(R, s) - np.log(s * (1 - s)) for v, s in zip(x, p, strict=True)]
    return np.ptp(along_r), np.ptp(along_p)


def test_conditionals_of_r_and_p_are_the_joint(monkeypatch, rng):
    prior = NBNB(A, Q, R, P, r_hyperprior=GammaHyperprior(1.5, 0.8))
    assert max(conditional_errors(prior, monkeypatch, rng)) < 1e-9


def test_the_printed_conditional_of_r_is_not_the_joint(monkeypatch, rng):
    """Equation 17 has Gamma(n - 1 + r); equation 18, for p, is right."""
    along_r, along_p = conditional_errors(NBNB(A, Q, R, P, reading="printed"), monkeypatch, rng)
    assert along_r > 5 and along_p < 1e-9


def test_readings_agree_where_r_is_one():
    derived = NBNB(A, Q, 1.0, P, r_hyperprior=None)
    printed = NBNB(A, Q, 1.0, P, r_hyperprior=None, reading="printed")
    derived.prepare(N)
    printed.prepare(N)
    for one, other in zip(derived.tables, printed.tables, strict=True):
        assert one == pytest.approx(other, abs=1e-14)
