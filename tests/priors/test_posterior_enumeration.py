"""The sampler against the exact posterior, enumerated over all partitions.

The exact side is computed from the definitions in `exact`, not from the
engine's own scores, so that a wrong score cannot pass.
"""

import math
from itertools import cycle

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

    def log_joint(z):
        return log_prior(z) + exact.log_dirichlet_multinomial(COUNTS, z, BETA)

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
                moved.append(log_joint(z))
            if np.isfinite(log_open[occupied.size]):
                got.append(log_open[occupied.size] + score[-1])
                z = list(labels)
                z[item] = N + 1
                moved.append(log_joint(z))
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
