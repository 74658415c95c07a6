"""The model of two covariances: EM against direct densities, the posterior, held-out entities."""

from collections import Counter

import exact
import numpy as np
import pytest
from scipy import stats
from scipy.special import softmax

from reseat.errors import DataError
from reseat.models.choice import Choice
from reseat.models.choosing import entity_keys, hold_out, prior_of
from reseat.models.two_covariances import (
    FLOOR,
    PSEUDO_ITEMS,
    TwoCovariances,
    build_two_covariances,
    learn_covariances,
)
from reseat.papers.enumerated import first_appearance
from reseat.priors import DirichletProcess, GammaHyperprior

CENTRE = np.array([0.5, -1.0, 0.0])
WITHIN = np.array([[1.0, 0.6, 0.0], [0.6, 0.8, 0.1], [0.0, 0.1, 0.5]])
BETWEEN = np.array([[4.0, -1.0, 0.5], [-1.0, 2.0, 0.0], [0.5, 0.0, 0.3]])
TRUTH = TwoCovariances(CENTRE, WITHIN, BETWEEN, WITHIN + BETWEEN)


def draw(entities, rng):
    """Draw items from the model with these covariances."""
    means = rng.multivariate_normal(CENTRE, BETWEEN, size=max(entities) + 1)
    noise = rng.multivariate_normal(np.zeros(3), WITHIN, size=len(entities))
    return means[entities] + noise


def log_density(points, entities, covariances, power=1.0):
    """Return the log density of all items; those of an entity form one normal vector."""
    total = 0.0
    for entity in np.unique(entities):
        block = points[entities == entity]
        n = len(block)
        mean = np.tile(covariances.centre, n)
        spread = np.kron(np.ones((n, n)), covariances.between)
        spread += np.kron(np.eye(n), covariances.within / power)
        total += stats.multivariate_normal.logpdf(block.ravel(), mean, spread)
    return total


def penalty(weight, matrix, prior):
    """Return minus the log of an inverse Wishart density, up to a constant."""
    return weight / 2 * (np.linalg.slogdet(matrix)[1] + np.trace(np.linalg.inv(matrix) @ prior))


def penalised(points, entities, covariances, others):
    """Return the penalised log density that EM raises, from its definition."""
    n_items, n = points.shape
    averages = np.stack([points[entities == k].mean(axis=0) for k in range(max(entities) + 1)])
    off = points - averages[entities]
    pooled, every = off.T @ off / n_items, np.concatenate([points, others]) - points.mean(axis=0)
    total = every.T @ every / len(every)
    values, vectors = np.linalg.eigh(total - pooled)
    between = vectors @ np.diag(np.maximum(values, 0)) @ vectors.T
    least = FLOOR * np.diag(np.diag(total))
    return (
        log_density(points, entities, covariances)
        - penalty(PSEUDO_ITEMS, covariances.within, np.diag(np.diag(pooled)) + least)
        - penalty(n, covariances.between, between + least)
    )


@pytest.fixture(scope="module")
def few():
    rng = np.random.default_rng(61)
    entities = np.repeat(np.arange(8), [1, 2, 3, 4, 1, 6, 2, 3])
    return draw(entities, rng), entities, draw(np.arange(5), rng)


def test_em_raises_the_penalised_density_and_reports_it(few):
    points, entities, others = few
    learned = learn_covariances(points, entities, others)
    trace = np.array(learned.log_densities)
    assert len(trace) > 2 and (np.diff(trace) > 0).all()
    assert trace[-1] == pytest.approx(penalised(points, entities, learned, others), abs=1e-8)


def test_em_stops_near_a_stationary_point(few, monkeypatch):
    points, entities, others = few
    monkeypatch.setattr("reseat.models.two_covariances.MIN_GAIN", 1e-12)
    learned = learn_covariances(points, entities, others)
    best = penalised(points, entities, learned, others)
    rng = np.random.default_rng(62)
    for _ in range(20):
        steps = rng.normal(scale=0.02, size=(2, 3, 3))
        within, between = (
            (np.eye(3) + step) @ matrix @ (np.eye(3) + step).T
            for step, matrix in zip(steps, (learned.within, learned.between), strict=True)
        )
        moved = TwoCovariances(learned.centre, within, between, learned.total)
        assert penalised(points, entities, moved, others) < best


def test_both_covariances_are_learned_from_many_entities():
    entities = np.repeat(np.arange(1500), 3)
    points = draw(entities, np.random.default_rng(63))
    learned = learn_covariances(points, entities)
    np.testing.assert_allclose(learned.within, WITHIN, atol=0.06)
    np.testing.assert_allclose(learned.between, BETWEEN, atol=0.4)


def test_ties_and_constant_coordinates_leave_covariances_definite():
    entities = np.repeat(np.arange(6), 4)
    rng = np.random.default_rng(64)
    varying = rng.normal(size=(24, 1)) + 3 * entities[:, None]
    points = np.hstack([varying, entities[:, None].astype(float)])  # exact ties in the second
    learned = learn_covariances(points, entities)
    assert np.linalg.eigvalsh(learned.within).min() > 0
    coordinates, precisions = learned.coordinates(points)
    assert np.isfinite(coordinates).all() and (precisions > 0).all()


def test_one_entity_teaches_nothing():
    with pytest.raises(DataError, match="The training items belong to 1 entities"):
        learn_covariances(np.eye(3), [0, 0, 0])
    with pytest.raises(DataError, match=r"the shape \(4,\); there must be one for each of the 3"):
        learn_covariances(np.eye(3), [0, 0, 1, 1])
    with pytest.raises(DataError, match="entities has no label"):
        learn_covariances(np.eye(3), [0, None, None])


def test_coordinates_diagonalise_both_covariances():
    rng = np.random.default_rng(65)
    points = draw(np.arange(40_000), rng)
    covariances = TRUTH.with_nugget(0.1)
    np.testing.assert_allclose(covariances.within, WITHIN + 0.1 * np.diag(np.diag(TRUTH.total)))
    coordinates, precisions = TRUTH.coordinates(points)
    expected = np.eye(3) + np.diag(1 / precisions)
    np.testing.assert_allclose(np.cov(coordinates.T), expected, atol=0.05)
    assert (np.diff(precisions) < 0).all()
    first, most = TRUTH.coordinates(points, 1)
    np.testing.assert_allclose(first, coordinates[:, :1], atol=2e-5)  # steps of two grids
    np.testing.assert_array_equal(most, precisions[:1])


TEST = np.array([False, False, False, True, True, True, True])
KNOWN = np.array([0, 0, 1, 9, 9, 9, 9])
ALPHA = 0.7


@pytest.fixture(scope="module")
def seven():
    return draw(np.array([0, 0, 1, 2, 2, 3, 4]), np.random.default_rng(66))


def build(points, rng, **options):
    """Build the model of items in one document, by default with a fixed concentration."""
    return build_two_covariances(
        TRUTH, points, rng, test=TEST, known=KNOWN, groups=np.zeros(7, dtype=int),
        prior=options.pop("prior", None) or DirichletProcess(ALPHA), n_neighbours=2, **options,
    )  # fmt: skip


def log_posterior(points, labels, power=1.0):
    """Return the log posterior of a partition of the test items, up to a constant.

    The means are integrated out in the data's own coordinates.
    """
    labels = np.asarray(labels)
    sizes = np.bincount(labels)
    seats = sum(np.log(ALPHA) + sum(np.log(np.arange(1, n))) for n in sizes[sizes > 0])
    return seats + log_density(points, labels, TRUTH, power)


@pytest.mark.parametrize("power", [1.0, 0.3])
def test_log_joint_differs_from_the_direct_one_by_a_constant(seven, power):
    partitions = list(exact.partitions(4))
    direct = [log_posterior(seven[TEST], labels, power) for labels in partitions]
    found = []
    for labels in partitions:
        start = np.concatenate([np.zeros(3, dtype=int), labels])
        found.append(build(seven, np.random.default_rng(1), power=power, start=start).log_joint())
    np.testing.assert_allclose(np.subtract(found, direct), found[0] - direct[0], atol=2e-4)


@pytest.mark.parametrize("n_proposals", [0, 3])
def test_sweeps_reach_the_enumerated_posterior(seven, n_proposals):
    partitions = list(exact.partitions(4))
    direct = softmax([log_posterior(seven[TEST], labels) for labels in partitions])
    assert direct.max() < 0.8  # otherwise there would be little to find
    rng = np.random.default_rng(67)
    model = build(seven, rng, n_proposals=n_proposals)
    counts, n_sweeps = Counter(), 5_000
    for _ in range(n_sweeps):
        model.sweep(rng)
        counts[first_appearance(model.labels[TEST])] += 1
    sampled = np.array([counts[tuple(labels)] for labels in partitions]) / n_sweeps
    error = np.sqrt(direct * (1 - direct) / n_sweeps)
    assert (np.abs(sampled - direct) < 5 * error + 1e-3).all()
    assert np.abs(sampled - direct).sum() / 2 < 0.025
    assert np.unique(model.labels[~TEST]).size == 2  # training items stay where they are


def test_items_that_are_held_stay_and_only_the_prior_is_drawn(seven):
    def held():
        prior = DirichletProcess(ALPHA, GammaHyperprior(1.0, 0.01))
        return build(seven, np.random.default_rng(4), held=True, prior=prior)

    model, other = held(), held()
    labels, rng, same = model.labels, np.random.default_rng(5), np.random.default_rng(5)
    for _ in range(5):
        before = model.hyperparameters
        assert model.sweep(rng) == 0 and (model.labels == labels).all()
        other.update_prior(same)
        assert model.hyperparameters == other.hyperparameters != before


def test_the_posterior_is_calibrated():
    """If partition and items are from the prior, truth and a draw after sweeps have one law."""
    rng = np.random.default_rng(69)
    n, gaps = 5, []
    test, pairs = np.ones(n, dtype=bool), np.triu_indices(5, 1)
    for _data in range(300):
        labels = [0]
        for _ in range(1, n):
            weights = np.append(np.bincount(labels), ALPHA)
            labels.append(int(rng.choice(weights.size, p=weights / weights.sum())))
        points = draw(np.array(labels), rng)
        model = build_two_covariances(
            TRUTH, points, rng, test=test, known=test.astype(int), groups=np.zeros(n, dtype=int),
            start=np.array(labels), prior=DirichletProcess(ALPHA), n_proposals=4,
        )  # fmt: skip
        for _ in range(5):
            model.sweep(rng)
        before, after = np.array(labels), model.labels
        together = [np.equal.outer(given, given)[pairs].sum() for given in (before, after)]
        gaps.append(together[1] - together[0])
    assert abs(np.mean(gaps)) < 4 * np.std(gaps) / np.sqrt(len(gaps))
    assert np.std(gaps) > 0.5  # chains do leave the truth


def test_held_out_entities_choose_a_setting_that_finds_them():
    # Entities of two documents are two.
    assert entity_keys(np.array([3, 3, 5]), np.array([0, 1, 1])).tolist() == [0, 1, 2]
    rng = np.random.default_rng(70)
    entities = np.repeat(np.arange(24), 4)
    points = draw(entities, rng)
    noise = rng.normal(size=points.shape)
    groups = np.zeros(entities.size, dtype=int)
    trials = hold_out(
        {"noise": noise, "points": points}, entities, groups, np.random.default_rng(1),
        nuggets=[0.0], powers=[1.0, 0.001], directions=[3], n_folds=3, burn_in=5, n_samples=5,
        n_proposals=5,
    )  # fmt: skip
    assert trials[0].choice == Choice("points", 0.0, 1.0, 3)
    assert len(trials) == 4 and all(len(trial.scores) == 3 for trial in trials)
    assert trials[0].score == np.mean(trials[0].scores) > trials[-1].score


def test_a_concentration_is_sampled_or_held():
    assert prior_of(Choice("points", 0.0, 1.0, 3)) is None
    held = prior_of(Choice("points", 0.0, 1.0, 3, "-100"))
    assert held.log_prob([2]) == pytest.approx(0.0)
    assert held.log_prob([1, 1]) == pytest.approx(-100.0)
    held.update([1, 1], np.random.default_rng(1))
    assert held.hyperparameters == {"concentration": pytest.approx(np.exp(-100.0))}
