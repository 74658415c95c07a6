"""Fields that change together in the likelihood of similar records, against the definition."""

from functools import lru_cache

import exact
import numpy as np
import pytest
import similar
from scipy import stats
from test_record_likelihoods import draw_codes
from test_similar_records import (
    BOTH,
    CHANGING,
    CODES,
    GAMMA,
    NEAR,
    STEEPNESS,
    check_mean,
    check_values,
    steeper,
    updated,
)

from reseat.chains import MixtureModel
from reseat.likelihoods import RecordIndex, SimilarityIndex, SimilarRecords
from reseat.moves import Chaperones, Pairs
from reseat.priors import ESCNB
from reseat.priors.hyperpriors import BetaHyperprior

GROUPS = {"one": [(0, 2)], "two that overlap": [(0, 1), (1, 2, 3)], "all fields": [(0, 1, 2, 3)]}


@pytest.mark.parametrize(
    ("groups", "n_sources"), [("one", 1), ("two that overlap", 2), ("all fields", 1)]
)
def test_predictives_are_ratios_of_marginals(groups, n_sources, rng):
    groups = GROUPS[groups]
    for n_blocks, missing in ((1, 0.0), (2, 0.2), (5, 0.3), (12, 0.1)):
        codes = draw_codes(rng, 13, [3, 2, 9, 4], missing)
        sources = rng.integers(0, n_sources, 13)
        sources[[0, 3]] = n_sources - 1  # so that each pair has one of the last source
        gamma = exact.marginals(codes)
        near = [similar.draw_near(rng, len(law)) for law in gamma]
        labels = rng.integers(0, n_blocks, 13)
        index = SimilarityIndex(codes, near, groups)
        likelihood = SimilarRecords(index, 0.1, sources=sources, change=0.3)
        likelihood.assign(labels, 15)
        change = np.full(len(groups), 0.3 / len(groups))
        assert likelihood.change == pytest.approx(change)
        table = np.full((n_sources, 4), 0.1)

        def log_marginal(x, z, kept, gamma=gamma, near=near, change=change, table=table):
            return similar.log_changing(x, z, table, gamma, near, groups, change, kept)

        check_values(likelihood, log_marginal, codes, labels, sources)


def test_a_large_block_has_not_changed(rng):
    """Beyond twelve records the probability is that without groups."""
    codes = draw_codes(rng, 13, [3, 4])
    near = [similar.draw_near(rng, 3), None]
    found = []
    for groups in ((), [(0, 1)]):
        likelihood = SimilarRecords(SimilarityIndex(codes, near, groups), 0.2, change=0.5)
        likelihood.assign(np.zeros(13, dtype=int), 2)
        found.append(likelihood.log_marginal())
    assert found[0] == found[1]


def test_probabilities_of_changes_reach_their_posterior(rng):
    """The posterior given the partition is found by quadrature.

    The prior of two groups is Dirichlet(a/2, a/2, b).
    """
    labels, law = np.array([0, 0, 0, 1, 1]), BetaHyperprior(2.0, 3.0)
    likelihood = SimilarRecords(CHANGING, 0.2, change=0.4, change_hyperprior=law)
    likelihood.assign(labels, 3)
    grid = (np.arange(40) + 0.5) / 40
    density = np.zeros((40, 40))
    for j, a in enumerate(grid):
        for k, b in enumerate(grid[grid < 0.999 - a]):
            log = similar.log_changing(CODES, labels, 0.2, GAMMA, NEAR, BOTH, [a, b])
            density[j, k] = np.exp(log + 2 * np.log(max(1 - a - b, 1e-9)))
    draws = updated(likelihood, "change", 3_000, rng)
    for column, axis in ((0, 1), (1, 0)):
        check_mean(draws[:, column], density.sum(axis=axis), grid, 2e-3, log=False)


@pytest.mark.parametrize("groups", [[], [(0, 1)]], ids=["no group", "one"])
def test_geweke_joint_distribution(groups):
    """Alternating between data | state and state | data leaves prior × likelihood invariant."""
    rng = np.random.default_rng(516)
    n, missing = 5, (np.array([1, 4]), np.array([0, 1]))
    law, change_law = BetaHyperprior(1.5, 4.0), BetaHyperprior(2.0, 3.0)
    prior_law = exact.normalise(
        {z: exact.log_esc_nb(np.bincount(z).tolist(), 0.7, 0.4) for z in exact.partitions(n)}
    )
    states, probabilities = list(prior_law), np.array(list(prior_law.values()))

    def draw_parameters():
        return rng.beta(1.5, 4.0, 2), rng.beta(2.0, 3.0, len(groups))

    def draw_data(labels, beta, change):
        return similar.draw_similar(labels, beta, GAMMA, NEAR, rng, groups, change, missing)

    def summary(labels, beta, change, codes):
        alike = np.sum(codes[:, None] == codes[None])
        both = np.sum((codes[:, None] == codes[None]).all(axis=2))
        return [max(labels) + 1, labels[0] == labels[1], *np.log(beta), *np.log(change),
                alike, both, alike * max(labels), *alike * change]  # fmt: skip

    @lru_cache(None)
    def index_of(cells):
        # The same few sets of records occur again and again.
        codes = np.frombuffer(cells, int).reshape(n, len(GAMMA))
        return SimilarityIndex(RecordIndex(codes, GAMMA), NEAR, groups)

    fresh = []
    for place in rng.choice(len(states), 3_000, p=probabilities):
        labels, (beta, change) = states[place], draw_parameters()
        fresh.append(summary(labels, beta, change, draw_data(labels, beta, change)))
    chained, labels, (beta, change) = [], states[-1], draw_parameters()
    prior = ESCNB(0.7, 0.4, r_hyperprior=None, p_hyperprior=None)
    move = Chaperones(Pairs(n), n_pairs=30)
    for _ in range(2_000):
        codes = draw_data(labels, beta, change)
        sampled = {"change": change[0], "change_hyperprior": change_law} if groups else {}
        likelihood = SimilarRecords(index_of(codes.tobytes()), beta, law, **sampled)
        model = MixtureModel(prior, likelihood, (move,))
        model.start(labels)
        model.sweep(rng)
        labels, beta = exact.canonical(model.labels), likelihood.beta[0]
        change = likelihood.change if groups else change
        chained.append(summary(labels, beta, change, codes))
    fresh, chained = np.array(fresh, dtype=float), np.array(chained, dtype=float)
    batches = chained.reshape(40, -1, chained.shape[1]).mean(axis=1)
    error = np.hypot(fresh.std(axis=0) / np.sqrt(len(fresh)), batches.std(axis=0, ddof=1) / 40**0.5)
    z = (fresh.mean(axis=0) - chained.mean(axis=0)) / error
    assert np.abs(z).max() < 3.5, z


@pytest.mark.parametrize("groups", [[], BOTH], ids=["no group", "two"])
def test_marginals_after_updates_are_those_of_the_definition(groups, rng):
    """Tables that the slice sampler leaves in place are those of the values it accepts."""
    sources, labels = np.array([0, 1, 0, 1, 1]), np.array([0, 0, 1, 1, 2])
    index = SimilarityIndex(RecordIndex(CODES, GAMMA), NEAR, groups)
    law, change_law = BetaHyperprior(1.5, 4.0), BetaHyperprior(2.0, 3.0)
    given = {"hyperprior": law, "sources": sources, "steepness_hyperprior": STEEPNESS}
    given |= {"change_hyperprior": change_law} if groups else {}
    likelihood = SimilarRecords(index, 0.2, **given)
    likelihood.assign(labels, 3)
    for _ in range(20):
        likelihood.update(None, rng)
        beta, change = likelihood.beta, likelihood.change
        near = [
            steeper(NEAR[field : field + 1], value)[0]
            for field, value in enumerate(likelihood.steepness)
        ]
        expected = similar.log_changing(CODES, labels, beta, GAMMA, near, groups, change, sources)
        assert likelihood.log_marginal() == pytest.approx(expected, abs=1e-9)
        density = stats.beta(1.5, 4.0).logpdf(beta).sum()
        density += stats.gamma(2.0, scale=1 / 1.5).logpdf(likelihood.steepness).sum()
        if not groups:
            assert likelihood.log_hyperprior() == pytest.approx(density, abs=1e-9)
        other = SimilarRecords(index, 0.1, **given)
        other.restore(likelihood.hyperparameters)
        other.assign(labels, 3)
        assert np.array_equal(other.change, change)
        assert other.log_marginal() == likelihood.log_marginal()
        assert other.log_hyperprior() == likelihood.log_hyperprior()
        assert np.array_equal(other.log_predictive(1, 0), likelihood.log_predictive(1, 0))
