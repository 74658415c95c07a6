"""Splits and merges of blocks, without any other moves, against enumerated posteriors."""

from itertools import product
from types import SimpleNamespace

import copies
import exact
import numpy as np
import pytest
import wishart
from partition_laws import LAWS
from scipy import stats

from reseat.chains import GroupedModel, MixtureModel
from reseat.errors import ConfigError
from reseat.likelihoods import (
    CategoricalRecords,
    DirichletMultinomial,
    ExplicitMeans,
    GaussianReferences,
    HitMissRecords,
    RecordIndex,
    ReferenceMeans,
    WishartDistances,
)
from reseat.moves import Pairs, SimilarPairs, SplitMerge, gibbs_sweep
from reseat.priors import DirichletProcess, FiniteDirichlet, PitmanYor

N, N_COPIES = 4, 600
COUNTS = np.array([[3, 0, 1], [2, 1, 0], [0, 1, 2], [1, 0, 2]], dtype=np.int32)
CODES = np.array([[0, 1, 2], [0, 1, 0], [1, 0, 2], [0, 0, 2]])
GAMMA = [[0.7, 0.3], [0.4, 0.6], [0.2, 0.1, 0.7]]
DISTANCES = wishart.squared_distances(np.random.default_rng(3).normal(size=(N, 3)))

PRIORS = {
    "dp": (lambda: DirichletProcess(1.3), lambda z: exact.log_pitman_yor(z, 1.3, 0.0)),
    "pitman-yor": (lambda: PitmanYor(0.4, 0.45), lambda z: exact.log_pitman_yor(z, 0.4, 0.45)),
    "finite": (lambda: FiniteDirichlet(3, 0.6), lambda z: exact.log_finite_dirichlet(z, 3, 0.6)),
}
for name in ("nbnb", "nbd"):
    make, of_sizes = LAWS[name]
    PRIORS[name] = make, lambda z, of_sizes=of_sizes: of_sizes(np.bincount(z).tolist())

LIKELIHOODS = {
    "documents": (
        lambda m: DirichletMultinomial(np.tile(COUNTS, (m, 1)), 0.7),
        lambda z: exact.log_dirichlet_multinomial(COUNTS, z, 0.7),
    ),
    "records": (
        lambda m: CategoricalRecords(np.tile(CODES, (m, 1)), 0.5),
        lambda z: exact.log_categorical(CODES, z, 0.5),
    ),
}

POINTS = np.array([[0.3, 1.0, -0.6], [0.5, 0.2, -0.1], [-1.2, 0.9, 0.4], [-0.8, -0.4, 0.3]])
TYPES = np.array([0, 1, 0, 1])
PRECISIONS = np.array([[1.0, 0.5], [2.5, 1.5]])
FEATURE_OF = [0, 1, 1]


def references(n_copies):
    """Return the likelihood with means integrated out, given two types of precisions."""
    data = GaussianReferences(np.tile(POINTS, (n_copies, 1)), FEATURE_OF)
    likelihood = ReferenceMeans(data, 0.8)
    kinds = SimpleNamespace(label_array=np.tile(TYPES, n_copies))
    given = SimpleNamespace(precisions=PRECISIONS)
    likelihood.condition({"type": SimpleNamespace(partition=kinds, likelihood=given)})
    return likelihood


def log_references(z):
    """Return the log likelihood from a normal law for each block and coordinate."""
    value = 0.0
    for k in set(z):
        here = np.flatnonzero(np.array(z) == k)
        for d, feature in enumerate(FEATURE_OF):
            covariance = np.diag(1 / PRECISIONS[TYPES[here], feature]) + 0.8
            value += stats.multivariate_normal(cov=covariance).logpdf(POINTS[here, d])
    return value


LIKELIHOODS["references"] = references, log_references


def posterior(log_prior, log_likelihood):
    return exact.normalise({z: log_prior(z) + log_likelihood(z) for z in exact.partitions(N)})


COMBINED = ["dp", "pitman-yor", "finite", "nbnb"]


@pytest.mark.parametrize(
    ("prior", "likelihood", "n_scans"),
    [*product(COMBINED, LIKELIHOODS, [3]), *product(COMBINED, ["documents"], [0])],
)
def test_splits_and_merges_alone_reach_the_enumerated_posterior(prior, likelihood, n_scans):
    """Many copies run at once, from one block each, so that the slots must grow."""
    make_prior, log_prior = PRIORS[prior]
    make, log_likelihood = LIKELIHOODS[likelihood]
    groups = copies.groups(N, N_COPIES)
    move = SplitMerge(groups=groups, n_proposals=4 * N_COPIES, n_scans=n_scans)
    model = GroupedModel(make_prior(), make(N_COPIES), [move], groups)
    model.start(groups)
    target = posterior(log_prior, log_likelihood)
    rng = np.random.default_rng(21)
    assert copies.distance(target, model, N, rng, 120, burn_in=20) < 0.01
    for kind in ("split", "merge"):
        assert 0 < move.accepted_[kind] <= move.proposed_[kind]


def visits(model, n_sweeps, seed=8):
    """Count the partitions that follow each call of the moves."""
    rng = np.random.default_rng(seed)
    return exact.visits(lambda: model.move(rng), lambda: model.labels, n_sweeps)


@pytest.mark.parametrize("prior", ["dp", "nbd"])
def test_blocks_that_depend_on_each_other(prior):
    """Blocks depend on each other by their distances, and by a prior that tracks all sizes."""
    make_prior, log_prior = PRIORS[prior]
    likelihood = WishartDistances(DISTANCES, 3, theta=0.8, dtype=np.float64)
    model = MixtureModel(make_prior(), likelihood, [SplitMerge(n_proposals=8, n_scans=1)])
    model.start(np.zeros(N, dtype=int))
    target = posterior(log_prior, lambda z: wishart.log_distances(DISTANCES, z, 3, 0.8))
    assert exact.total_variation(target, visits(model, 40_000)) < 0.01


@pytest.mark.parametrize(
    ("likelihood", "prior"), [("documents", "nbd"), ("hit-miss", "pitman-yor")]
)
def test_pairs_may_be_drawn_from_any_law(likelihood, prior):
    """One likelihood knows the members of its blocks, and the other one does not."""
    make_prior, log_prior = PRIORS[prior]
    make, log_likelihood = {
        **LIKELIHOODS,
        "hit-miss": (
            lambda m: HitMissRecords(RecordIndex(CODES, GAMMA), 0.3),
            lambda z: exact.log_hit_miss(CODES, z, 0.3, GAMMA),
        ),
    }[likelihood]
    pairs = SimilarPairs(CODES, np.random.default_rng(4), n_subsets=4)
    chances = pairs.probabilities()[np.triu_indices(N, 1)]
    assert chances.max() > 1.5 * chances.min()
    move = SplitMerge(n_proposals=6, n_scans=1, pairs=pairs)
    model = MixtureModel(make_prior(), make(1), [move])
    model.start(np.zeros(N, dtype=int))
    target = posterior(log_prior, log_likelihood)
    assert exact.total_variation(target, visits(model, 40_000)) < 0.01


def test_blocks_with_held_items_are_left_alone():
    """In each copy item 3 is held, and the others cannot join its block."""
    groups = copies.groups(N, N_COPIES)
    held = np.arange(N * N_COPIES) % N == 3
    move = SplitMerge(np.flatnonzero(~held), groups, n_proposals=4 * N_COPIES)
    make, log_likelihood = LIKELIHOODS["documents"]
    model = GroupedModel(PRIORS["dp"][0](), make(N_COPIES), [move], groups)
    model.start(2 * groups + held)
    law = posterior(PRIORS["dp"][1], log_likelihood)
    target = exact.normalise({z: np.log(p) for z, p in law.items() if z[3] not in z[:3]})
    assert copies.distance(target, model, N, np.random.default_rng(2), 120, burn_in=20) < 0.01
    joined = MixtureModel(PRIORS["dp"][0](), make(1), [SplitMerge([0, 1, 2])])
    joined.start([0, 1, 1, 0])
    rng = np.random.default_rng(3)
    for _ in range(50):
        joined.moves[0](joined.partition, joined.prior, joined.likelihood, rng)
        assert joined.labels[0] == joined.labels[3]


def test_splits_find_blocks_that_gibbs_does_not():
    """Points lie around three centres; moves of single items find no way out of one block."""
    rng, labels, found = np.random.default_rng(12), np.repeat(np.arange(3), 25), {}
    points = 1.6 * rng.normal(size=(3, 12))[labels] + rng.normal(size=(75, 12))
    likelihood = WishartDistances(wishart.squared_distances(points), 12, theta=3.0)
    for name, moves in (("gibbs", [gibbs_sweep]), ("both", [gibbs_sweep, SplitMerge()])):
        model = MixtureModel(DirichletProcess(0.01), likelihood, moves)
        model.start(np.zeros(labels.size, dtype=int))
        rng = np.random.default_rng(7)
        for _ in range(60):
            model.sweep(rng)
        found[name] = exact.canonical(model.labels), model.log_joint()
    assert found["both"][0] == tuple(labels.tolist())
    assert found["gibbs"][0] != tuple(labels.tolist())
    assert found["both"][1] > found["gibbs"][1] + 20


def started(likelihood=None):
    """Return the parts of a model with one block, and a source of random numbers."""
    likelihood = LIKELIHOODS["documents"][0](1) if likelihood is None else likelihood
    model = MixtureModel(DirichletProcess(1.0), likelihood)
    model.start(np.zeros(N, dtype=int))
    return model.partition, model.prior, model.likelihood, np.random.default_rng(1)


def test_there_may_be_nothing_to_pair():
    assert SplitMerge([2])(*started()) == SplitMerge([])(*started()) == 0


@pytest.mark.parametrize(
    ("move", "means", "error", "sentence"),
    [
        (SplitMerge([1, 4]), False, ValueError, "between 0 and 3"),
        (SplitMerge(pairs=Pairs(9)), False, ValueError, "The pairs are of 9 items"),
        (SplitMerge(), True, TypeError, "ExplicitMeans holds parameters of the blocks"),
    ],
)
def test_parts_that_do_not_fit_are_refused(move, means, error, sentence):
    given = {"likelihood": ExplicitMeans(GaussianReferences(POINTS))} if means else {}
    with pytest.raises(error, match=sentence):
        move(*started(**given))
    with pytest.raises(ConfigError, match="either pairs, or items and groups"):
        SplitMerge([0, 1], pairs=Pairs(9))
