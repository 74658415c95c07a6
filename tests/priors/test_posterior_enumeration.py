"""The sampler against the exact posterior, enumerated over all partitions.

The exact side is computed from the definitions in `exact`, not from the
engine's own scores, so that a wrong score cannot pass.
"""

from collections import Counter

import exact
import numpy as np
import pytest
from scipy import stats

from reseat.chains import MixtureModel
from reseat.likelihoods import DirichletMultinomial
from reseat.moves import gibbs_sweep
from reseat.partition import Partition
from reseat.priors import DirichletProcess, FiniteDirichlet, PitmanYor
from reseat.priors.hyperpriors import GammaHyperprior

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


def start(prior, counts=COUNTS, labels=None, beta=BETA):
    labels = np.zeros(len(counts), dtype=int) if labels is None else labels
    partition = Partition(labels, capacity=prior.max_blocks, max_capacity=prior.max_blocks)
    prior.prepare(len(counts))
    likelihood = DirichletMultinomial(counts, beta)
    likelihood.assign(partition.label_array, partition.capacity)
    return partition, likelihood


@pytest.mark.parametrize("name", PRIORS)
def test_sweeps_reach_the_enumerated_posterior(name):
    make, log_prior = PRIORS[name]
    target = exact.normalise(
        {
            z: log_prior(z) + exact.log_dirichlet_multinomial(COUNTS, z, BETA)
            for z in exact.partitions(N)
        }
    )
    prior = make()
    partition, likelihood = start(prior)
    parts = partition, prior, likelihood, np.random.default_rng(11)
    counted = exact.visits(lambda: gibbs_sweep(*parts), lambda: partition.label_array, 60_000)
    assert exact.total_variation(target, counted) < 0.015


@pytest.mark.parametrize("name", ["finite", "dp"])
def test_a_sampled_beta_is_summed_out_of_the_enumerated_posterior(name):
    make, log_prior = PRIORS[name]
    values = [0.05, 0.7, 2.5]
    joint = {
        (z, beta): log_prior(z) + exact.log_dirichlet_multinomial(COUNTS, z, beta)
        for z in exact.partitions(N)
        for beta in values
    }
    model = MixtureModel(make(), DirichletMultinomial(COUNTS, values))
    model.start([0] * N)
    assert model.hyperparameters["beta"] == 0.7
    assert model.likelihood.log_hyperprior() == -np.log(3)
    rng, counted = np.random.default_rng(12), Counter()
    for _ in range(40_000):
        model.sweep(rng)
        counted[exact.canonical(model.labels), model.hyperparameters["beta"]] += 1
    assert exact.total_variation(exact.normalise(joint), counted) < 0.02


def test_a_sampled_concentration_is_integrated_out_of_the_enumerated_posterior():
    """The integral over the concentration is a sum over a fine grid of quantiles of its prior."""
    law = GammaHyperprior(2.0, 1.5)
    values = stats.gamma(2.0, scale=1 / 1.5).ppf((np.arange(400) + 0.5) / 400)
    log_weight = {
        z: exact.log_dirichlet_multinomial(COUNTS, z, BETA)
        + np.logaddexp.reduce(np.atleast_1d(exact.log_finite_dirichlet(z, 3, values)))
        for z in exact.partitions(N)
    }
    model = MixtureModel(FiniteDirichlet(3, 0.6, law), DirichletMultinomial(COUNTS, BETA))
    model.start([0] * N)
    assert model.prior.log_hyperprior() == law.log_density(0.6)
    rng = np.random.default_rng(13)
    counted = exact.visits(lambda: model.sweep(rng), lambda: model.labels, 15_000)
    assert exact.total_variation(exact.normalise(log_weight), counted) < 0.02


@pytest.mark.parametrize("name", PRIORS)
def test_full_conditionals_are_ratios_of_exact_joints(name):
    make, log_prior = PRIORS[name]

    def log_joint(z):
        return log_prior(z) + exact.log_dirichlet_multinomial(COUNTS, z, BETA)

    for labels in exact.partitions(N):
        prior = make()
        if prior.max_blocks and max(labels) >= prior.max_blocks:
            continue
        partition, likelihood = start(prior, labels=np.array(labels))
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
                moved.append(log_joint(z))
            if np.isfinite(log_open[occupied.size]):
                got.append(log_open[occupied.size] + score[-1])
                z = list(labels)
                z[item] = N + 1
                moved.append(log_joint(z))
            got, moved = np.array(got), np.array(moved)
            # The tables give weights relative to the partition without the item.
            assert np.allclose(got - got.max(), moved - moved.max(), rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", PRIORS)
def test_prior_probabilities_sum_to_one_and_agree_with_the_oracle(name):
    make, log_prior = PRIORS[name]
    prior = make()
    prior.prepare(N)
    total = 0.0
    for z in exact.partitions(N):
        sizes = np.unique(z, return_counts=True)[1]
        if not np.isfinite(log_prior(z)):
            continue
        value = prior.log_prob(sizes)
        if prior.max_blocks:
            labellings = np.prod([prior.max_blocks - i for i in range(sizes.size)])
            value += np.log(labellings)
        assert value == pytest.approx(log_prior(z), abs=1e-12)
        total += np.exp(value)
    assert total == pytest.approx(1.0, abs=1e-12)


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
