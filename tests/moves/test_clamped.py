"""Sweeps over some of the items, powers of the conditional, and annealing."""

import exact
import numpy as np
import pytest
import wishart
from strikes import chain_of

from reseat.chains import AnnealedModel, MixtureModel, Schedule, anneal, read_groups, run_chain
from reseat.errors import ConfigError, DataError
from reseat.likelihoods import CategoricalRecords, DirichletMultinomial, WishartDistances
from reseat.moves import ClampedSweep, gibbs_sweep
from reseat.priors import NBD, DirichletProcess, FiniteDirichlet, PitmanYor

CLASSES = np.array([1, -1, 0, -1, 1, -1])
LIKELIHOODS = {
    "documents": lambda rng, n=6: DirichletMultinomial(rng.poisson(0.8, (n, 5)), 0.6),
    "records": lambda rng, n=6: CategoricalRecords(rng.integers(0, 3, (n, 3)), 0.4),
    "distances": lambda rng, n=6: WishartDistances(
        wishart.squared_distances(rng.normal(size=(n, 3))), 3, theta=0.8
    ),
}
PRIORS = {
    "dp": lambda: DirichletProcess(1.2),
    "finite": lambda: FiniteDirichlet(4, 0.7),
    "nbd": lambda: NBD(1.5, 0.5),
}


def log_joint(model, labels):
    model.start(np.array(labels))
    bound, k = model.prior.max_blocks, len(set(labels))
    if bound is None:
        return model.log_joint()
    return model.log_joint() + np.log(np.prod([bound - i for i in range(k)]))


@pytest.mark.parametrize(
    ("prior", "likelihood"),
    [*(("dp", kind) for kind in LIKELIHOODS), ("finite", "records"), ("nbd", "documents")],
)
def test_clamped_sweeps_reach_the_posterior_given_the_classes(likelihood, prior):
    model = MixtureModel(PRIORS[prior](), LIKELIHOODS[likelihood](np.random.default_rng(1)))
    move = ClampedSweep(CLASSES)
    target = {
        z: log_joint(model, z)
        for z in exact.partitions(6)
        if z[0] == z[4] != z[2] and max(z) < (model.prior.max_blocks or 7)
    }
    target = exact.normalise(target)
    model.start(move.start())
    parts = model.partition, model.prior, model.likelihood, np.random.default_rng(2)
    counted = exact.visits(lambda: move(*parts), lambda: model.labels, 20_000)
    assert exact.total_variation(target, counted) < 0.02


def test_start_has_a_block_for_each_class_and_one_for_the_rest():
    assert ClampedSweep([7, -1, 3, -1, 7]).start().tolist() == [1, 2, 0, 2, 1]
    assert ClampedSweep([-1, -1]).start().tolist() == [0, 0]
    assert ClampedSweep([4, 4]).start().tolist() == [0, 0]


def clamped_sweep(classes, labels=None):
    """Return how many items one sweep moves from these labels, or from its own start."""
    model = MixtureModel(DirichletProcess(1.0), LIKELIHOODS["distances"](np.random.default_rng(1)))
    move = ClampedSweep(classes)
    model.start(move.start() if labels is None else np.array(labels))
    return move(model.partition, model.prior, model.likelihood, np.random.default_rng(0))


def test_nothing_moves_if_everything_is_labelled():
    assert clamped_sweep([0, 1, 0, 1, 2, 2]) == 0


@pytest.mark.parametrize("labels", [[0, 1, 0, 1, 0, 1], [0, 0, 1, 1, 2, 2]])
def test_a_partition_against_the_classes_is_refused(labels):
    with pytest.raises(ValueError, match="splits a class or merges two"):
        clamped_sweep(CLASSES, labels)


@pytest.mark.parametrize(
    ("classes", "said"),
    [
        ([], "The classes must be a one-dimensional array"),
        ([[0, 1]], "The classes must be a one-dimensional array"),
        ([0, -2, 1], "The classes, -1 where there is none: entry 1 is -2"),
    ],
)
def test_classes_that_are_none_are_refused(classes, said):
    with pytest.raises(DataError, match=said):
        ClampedSweep(classes)


@pytest.mark.parametrize(("data", "prior"), [(2.0, 1.0), (1.0, 3.0), (2.5, 2.5)])
def test_powers_sharpen_the_two_factors(data, prior):
    model = MixtureModel(PitmanYor(0.8, 0.2), LIKELIHOODS["distances"](np.random.default_rng(3)))
    law = {}
    for z in exact.partitions(6):
        model.start(np.array(z))
        law[z] = data * model.likelihood.log_marginal()
        law[z] += prior * model.prior.log_prob(np.bincount(z))
    model.start(np.zeros(6, dtype=int))
    parts = model.partition, model.prior, model.likelihood, np.random.default_rng(4)
    powers = {"likelihood_power": data, "prior_power": prior}
    counted = exact.visits(lambda: gibbs_sweep(*parts, **powers), lambda: model.labels, 30_000)
    assert exact.total_variation(exact.normalise(law), counted) < 0.02


def test_an_annealed_chain_ends_at_the_posterior():
    likelihood = LIKELIHOODS["distances"](np.random.default_rng(3), 5)
    prior = PitmanYor(0.8, 0.2)
    model = AnnealedModel(prior, likelihood, n_sweeps=40, lowest=0.01)
    law = {z: log_joint(model, z) for z in exact.partitions(5)}
    tempered = {z: 0.5 * value for z, value in law.items()}
    model.start(np.zeros(5, dtype=int))
    rng = np.random.default_rng(4)
    powers = []
    for _ in range(40):
        powers.append(model.power)
        model.sweep(rng)
    assert np.allclose(np.diff(np.log(powers)), -np.log(0.01) / 40) and powers[0] == 0.01
    counted = exact.visits(lambda: model.sweep(rng), lambda: model.labels, 40_000)
    assert exact.total_variation(exact.normalise(law), counted) < 0.02
    assert exact.total_variation(exact.normalise(tempered), counted) > 0.05
    # Held at one power, the sweeps draw from the posterior raised to it.
    model.n_annealed, model.lowest, model.n_done = np.inf, 0.5, 0
    counted = exact.visits(lambda: model.sweep(rng), lambda: model.labels, 40_000)
    assert exact.total_variation(exact.normalise(tempered), counted) < 0.02


@pytest.mark.parametrize("options", [{"n_sweeps": 0}, {"lowest": 0.0}, {"lowest": 1.0}])
def test_an_annealing_out_of_range_is_refused(options):
    likelihood = LIKELIHOODS["distances"](np.random.default_rng(3))
    with pytest.raises(ConfigError, match="must"):
        AnnealedModel(PitmanYor(0.8, 0.2), likelihood, **{"n_sweeps": 9, "lowest": 0.1} | options)


def clustered(n, rng):
    """Return the labels of clusters that lie far apart, their likelihood, and a model of them."""
    labels = rng.integers(0, 3, n)
    points = rng.normal(size=(n, 5)) + 4 * rng.normal(size=(3, 5))[labels]
    likelihood = WishartDistances(wishart.squared_distances(points), 5, theta=10.0)
    return labels, likelihood, MixtureModel(DirichletProcess(1.0), likelihood)


@pytest.mark.parametrize("temper", ["posterior", "likelihood"])
def test_annealing_ends_where_no_item_gains_by_moving(temper):
    rng = np.random.default_rng(5)
    truth, likelihood, model = clustered(40, rng)
    model.start(np.arange(40))
    for _ in range(50):
        model.sweep(rng)
    labels = anneal(model, rng, temper=temper)
    assert np.array_equal(labels, model.labels)

    def gained(model):
        if temper == "posterior":
            return model.log_joint()
        return model.log_joint() + 49 * model.likelihood.log_marginal()  # the last power is 50

    best = gained(model)
    for item in range(40):
        for slot in {*labels.tolist(), int(labels.max()) + 1}:
            moved = labels.copy()
            moved[item] = slot
            other = MixtureModel(DirichletProcess(1.0), likelihood)
            other.start(moved)
            assert gained(other) <= best + 1e-9
    if temper == "posterior":
        assert exact.canonical(labels) == exact.canonical(truth)


def test_annealing_keeps_the_classes():
    rng = np.random.default_rng(6)
    truth, _, model = clustered(30, rng)
    move = ClampedSweep(np.where(np.arange(30) < 15, truth, -1))
    model.start(move.start())
    labels = anneal(model, rng, move=move)
    assert exact.canonical(labels) == exact.canonical(truth)


@pytest.mark.parametrize("options", [{"n_steps": 0}, {"greatest": 0.5}, {"temper": "prior"}])
def test_annealing_out_of_range_is_refused(options):
    rng = np.random.default_rng(7)
    _, _, model = clustered(10, rng)
    model.start(np.zeros(10, dtype=int))
    with pytest.raises(ConfigError, match="must be"):
        anneal(model, rng, **options)


def test_the_end_of_a_chain_is_stored_beside_its_draws(tmp_path):
    found = []

    def build(rng):
        _, _, model = clustered(20, np.random.default_rng(8))
        model.start(np.zeros(20, dtype=int))
        return model

    def finish(model, rng):
        last = model.labels.copy()
        found.append(anneal(model, rng).copy())
        return {"last": last, "annealed": found[0]}

    chain = chain_of(build, tmp_path, Schedule(5, 10, 5), finish=finish)
    groups, _ = read_groups(run_chain(chain))
    assert np.array_equal(groups["finish"]["annealed"], found[0])
    assert np.array_equal(groups["finish"]["last"], groups["partition"]["labels"][0, -1])
