"""Fields that change together in the likelihood of similar records, against the definition."""

from functools import lru_cache
from itertools import product

import exact
import numpy as np
import pytest
import similar
from test_record_likelihoods import draw_codes
from test_similar_records import CODES, GAMMA, MOVES, NEAR, N, check_mean, check_values

from reseat.chains import MixtureModel
from reseat.errors import ConfigError, DataError
from reseat.likelihoods import RecordIndex, SimilarityIndex, SimilarRecords
from reseat.moves import Chaperones, Pairs
from reseat.priors import ESCNB
from reseat.priors.hyperpriors import BetaHyperprior

GROUPS = {"one": [(0, 2)], "two that overlap": [(0, 1), (1, 2, 3)], "all fields": [(0, 1, 2, 3)]}


@pytest.mark.parametrize("n_sources", [1, 2])
@pytest.mark.parametrize("groups", GROUPS)
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


def test_probabilities_of_records_sum_to_one(rng):
    """The sum is over all values of a block's records in two fields that may change together."""
    gamma = [np.array([0.6, 0.4]), np.array([0.5, 0.3, 0.2])]
    near = [None, similar.draw_near(rng, 3, share=0.7)]
    total = 0.0
    for values in product(product(range(2), range(3)), repeat=3):
        index = SimilarityIndex(RecordIndex(np.array(values), gamma), near, [(0, 1)])
        likelihood = SimilarRecords(index, 0.3, change=0.4)
        likelihood.assign([0, 0, 0], 1)
        total += np.exp(likelihood.log_marginal())
    assert total == pytest.approx(1.0, abs=1e-12)


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


# ---- chains ----------------------------------------------------------------------------------

BOTH = [(0, 1), (1,)]


@pytest.mark.parametrize("move", MOVES)
def test_chains_reach_the_enumerated_posterior(move):
    target = exact.normalise(
        {
            z: exact.log_esc_nb(np.bincount(z).tolist(), 0.7, 0.4)
            + similar.log_changing(CODES, z, 0.2, GAMMA, NEAR, BOTH, [0.2, 0.2])
            for z in exact.partitions(N)
        }
    )
    index = SimilarityIndex(RecordIndex(CODES, GAMMA), NEAR, BOTH)
    prior = ESCNB(0.7, 0.4, r_hyperprior=None, p_hyperprior=None)
    model = MixtureModel(prior, SimilarRecords(index, 0.2, change=0.4), MOVES[move]())
    model.start(np.zeros(N, dtype=int))
    rng = np.random.default_rng(6)
    counted = exact.visits(lambda: model.sweep(rng), lambda: model.labels, 15_000)
    assert exact.total_variation(target, counted) < 0.03


def test_probabilities_of_changes_reach_their_posterior(rng):
    """The posterior given the partition is found by quadrature.

    The prior of two groups is Dirichlet(a/2, a/2, b).
    """
    labels, law = np.array([0, 0, 0, 1, 1]), BetaHyperprior(2.0, 3.0)
    index = SimilarityIndex(RecordIndex(CODES, GAMMA), NEAR, BOTH)
    likelihood = SimilarRecords(index, 0.2, change=0.4, change_hyperprior=law)
    likelihood.assign(labels, 3)
    grid = (np.arange(40) + 0.5) / 40
    density = np.zeros((40, 40))
    for j, a in enumerate(grid):
        for k, b in enumerate(grid[grid < 0.999 - a]):
            log = similar.log_changing(CODES, labels, 0.2, GAMMA, NEAR, BOTH, [a, b])
            density[j, k] = np.exp(log + 2 * np.log(max(1 - a - b, 1e-9)))
    draws = []
    for _ in range(6_000):
        likelihood.update(None, rng)
        draws.append(likelihood.change)
    for column, axis in ((0, 1), (1, 0)):
        check_mean(np.array(draws)[:, column], density.sum(axis=axis), grid, 2e-3, log=False)


def test_geweke_joint_distribution():
    """Alternating between data | state and state | data leaves prior × likelihood invariant."""
    rng = np.random.default_rng(516)
    n, missing = 5, (np.array([1, 4]), np.array([0, 1]))
    law, change_law = BetaHyperprior(1.5, 4.0), BetaHyperprior(2.0, 3.0)
    prior_law = exact.normalise(
        {z: exact.log_esc_nb(np.bincount(z).tolist(), 0.7, 0.4) for z in exact.partitions(n)}
    )
    states, probabilities = list(prior_law), np.array(list(prior_law.values()))
    groups = [(0, 1)]

    def draw_data(labels, beta, change):
        return similar.draw_similar(labels, beta, GAMMA, NEAR, rng, groups, change, missing)

    def summary(labels, beta, change, codes):
        alike = np.sum(codes[:, None] == codes[None])
        both = np.sum((codes[:, None] == codes[None]).all(axis=2))
        return [max(labels) + 1, labels[0] == labels[1], *np.log(beta), np.log(change[0]),
                alike, both, alike * max(labels), alike * change[0]]  # fmt: skip

    @lru_cache(None)
    def index_of(cells):
        codes = np.frombuffer(cells, int).reshape(n, len(GAMMA))
        return SimilarityIndex(RecordIndex(codes, GAMMA), NEAR, groups)

    fresh = []
    for place in rng.choice(len(states), 6_000, p=probabilities):
        labels, beta, change = states[place], rng.beta(1.5, 4.0, 2), rng.beta(2.0, 3.0, 1)
        fresh.append(summary(labels, beta, change, draw_data(labels, beta, change)))
    chained, labels = [], states[-1]
    beta, change = rng.beta(1.5, 4.0, 2), rng.beta(2.0, 3.0, 1)
    prior = ESCNB(0.7, 0.4, r_hyperprior=None, p_hyperprior=None)
    move = Chaperones(Pairs(n), n_pairs=30)
    for _ in range(2_400):
        codes = draw_data(labels, beta, change)
        likelihood = SimilarRecords(
            index_of(codes.tobytes()), beta, law, change=change[0], change_hyperprior=change_law
        )
        model = MixtureModel(prior, likelihood, (move,))
        model.start(labels)
        model.sweep(rng)
        labels, beta = exact.canonical(model.labels), likelihood.beta[0]
        change = likelihood.change
        chained.append(summary(labels, beta, change, codes))
    fresh, chained = np.array(fresh, dtype=float), np.array(chained, dtype=float)
    batches = chained.reshape(40, -1, chained.shape[1]).mean(axis=1)
    error = np.hypot(fresh.std(axis=0) / np.sqrt(len(fresh)), batches.std(axis=0, ddof=1) / 40**0.5)
    z = (fresh.mean(axis=0) - chained.mean(axis=0)) / error
    assert np.abs(z).max() < 3.5, z


def test_saved_values_are_restored(rng):
    index = SimilarityIndex(RecordIndex(CODES, GAMMA), NEAR, BOTH)
    options = {"hyperprior": BetaHyperprior(1.5, 4.0), "change_hyperprior": BetaHyperprior(2, 3)}
    likelihood, other = SimilarRecords(index, 0.2, **options), SimilarRecords(index, 0.3, **options)
    labels = np.array([0, 0, 1, 1, 2])
    likelihood.assign(labels, 3)
    other.assign(labels, 3)
    for _ in range(10):
        likelihood.update(None, rng)
        expected = similar.log_changing(
            CODES, labels, likelihood.beta[0], GAMMA, NEAR, BOTH, likelihood.change
        )
        assert likelihood.log_marginal() == pytest.approx(expected, abs=1e-9)
    other.restore(likelihood.hyperparameters)
    assert np.array_equal(other.change, likelihood.change)
    assert other.log_marginal() == likelihood.log_marginal()
    assert other.log_hyperprior() == likelihood.log_hyperprior()


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda index: SimilarityIndex(CODES, NEAR, [(0, 2)]), DataError, "between 0 and 1"),
        (lambda index: SimilarityIndex(CODES, NEAR, [()]), DataError, "change together"),
        (lambda index: SimilarRecords(index, change=1.0), ConfigError, "change is 1.0"),
        (
            lambda index: SimilarRecords(index, change_hyperprior=BetaHyperprior(upper=0.5)),
            ConfigError,
            "cannot have a bound",
        ),
    ],
)
def test_bad_settings_are_refused(make, error, message):
    with pytest.raises(error, match=message):
        make(SimilarityIndex(RecordIndex(CODES, GAMMA), NEAR, BOTH))
