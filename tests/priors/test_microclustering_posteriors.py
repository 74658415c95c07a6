"""Chains under the microclustering priors, against enumeration and quadrature."""

from functools import cache

import exact
import numpy as np
import pytest
from partition_laws import LAWS, SAMPLED_SIZES, A, P, Q, R

from reseat.chains import MixtureModel
from reseat.likelihoods import DirichletMultinomial
from reseat.moves import gibbs_sweep
from reseat.priors import ESCD, ESCNB, NBNB
from reseat.priors.hyperpriors import BetaHyperprior, GammaHyperprior

COUNTS = np.array([[1, 0], [2, 0], [0, 1], [0, 2], [1, 1]], dtype=np.int32)
N = len(COUNTS)
BETA = 0.8


def posterior(log_prior):
    """Return the exact probabilities of the partitions; the prior is a function of the sizes."""
    return exact.normalise(
        {
            z: log_prior(np.bincount(z).tolist()) + exact.log_dirichlet_multinomial(COUNTS, z, BETA)
            for z in exact.partitions(N)
        }
    )


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


CHAINS = LAWS | {"nbd, sizes sampled": SAMPLED_SIZES}


@pytest.mark.parametrize("name", CHAINS)
def test_sweeps_reach_the_enumerated_posterior(name):
    make, log_prior = CHAINS[name]
    counted, _ = visits(make(), 25_000)
    assert exact.total_variation(posterior(log_prior), counted) < 0.02


SAMPLED = {
    "nbnb": (
        lambda **laws: NBNB(A, Q, **laws),
        lambda sizes, r, p: exact.log_nbnb(sizes, A, Q, r, p),
    ),
    "esc-nb": (ESCNB, exact.log_esc_nb),
    "esc-d": (ESCD, lambda sizes, r, p: exact.log_esc_d(sizes, 1.0, r, p)),
}


@pytest.mark.long
@pytest.mark.parametrize("name", SAMPLED)
def test_sampled_r_and_p_reach_the_posterior_found_by_quadrature(name):
    make, log_prior = SAMPLED[name]
    log_r = np.linspace(-14, 5, 500)[:, None]
    p = (np.arange(300) + 0.5) / 300
    r_law, p_law = GammaHyperprior(1.5, 0.8), BetaHyperprior(2.0, 3.0)
    log_hyperprior = np.array([[r_law.log_density(r)] for r in np.exp(log_r[:, 0])])
    log_hyperprior = log_hyperprior + log_r + [p_law.log_density(x) for x in p]

    @cache
    def log_density(*sizes):  # cached: there are few kinds of sorted sizes, and a large grid
        return log_prior(sizes, np.exp(log_r), p) + log_hyperprior

    target = posterior(lambda sizes: np.log(np.exp(log_density(*sorted(sizes))).sum()))
    prior = make(r_hyperprior=r_law, p_hyperprior=p_law)
    # Moves of the items cost little compared with draws of r and p, above all those of ESC-D.
    counted, trace = visits(prior, 6_000 if name == "esc-d" else 12_000, n_moves=4)
    assert exact.total_variation(target, counted) < 0.03

    density = np.zeros((500, 300))
    for z, probability in target.items():
        given = np.exp(log_density(*sorted(np.bincount(z).tolist())))
        density += probability * given / given.sum()
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
