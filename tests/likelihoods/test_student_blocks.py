"""Student-t blocks, compared with dense matrices, enumeration and simulation."""

from functools import cache

import exact
import numpy as np
import pytest
import wishart
from references_exact import restaurant
from scipy import stats
from scipy.special import multigammaln

from reseat.chains import MixtureModel
from reseat.errors import ConfigError, DataError
from reseat.likelihoods import StudentBlocks
from reseat.moves import SplitMerge, gibbs_sweep
from reseat.priors import DirichletProcess

SIX = np.array([[0, 0], [0.4, 0.1], [-0.2, 0.5], [2.0, 1.5], [2.2, 1.1], [-1.5, 2.0]])
SMALL = {"pull": [2.0, 16.0], "kappa": [0.01, 0.1], "tails": [3.0, 30.0], "scale": [0.3, 1.0]}


def log_block(points, weights, common, pull, kappa):
    """Return the log density of one block, from textbook formulas; `common` may be a stack."""
    n, q = points.shape
    degrees, mass = q + 1 + pull, weights.sum()
    mean = weights @ points / mass
    scatter = pull * common + (points - mean).T @ (weights[:, None] * (points - mean))
    scatter += kappa * mass / (kappa + mass) * np.outer(mean, mean)
    value = q / 2 * (np.log(kappa / (kappa + mass)) - n * np.log(np.pi) + np.log(weights).sum())
    value += multigammaln((degrees + n) / 2, q) - multigammaln(degrees / 2, q)
    value += degrees / 2 * np.linalg.slogdet(pull * common)[1]
    return value - (degrees + n) / 2 * np.linalg.slogdet(scatter)[1]


def log_dense(points, labels, weights, common, pull, kappa):
    labels = np.asarray(labels)
    return sum(
        log_block(points[labels == k], weights[labels == k], common, pull, kappa)
        for k in np.unique(labels)
    )


def random_state(n, q, rng):
    root = rng.normal(size=(q, q))
    return {"weights": rng.gamma(2, 0.5, n), "common": root @ root.T / q + 0.1 * np.eye(q)}


@pytest.mark.parametrize("pull", [1.0, 4.0, 64.0])
def test_densities_and_their_ratios_are_those_of_the_textbook_for_every_partition(pull):
    rng = np.random.default_rng(1)
    points, state = rng.normal(size=(5, 3)), random_state(5, 3, rng)
    weights, common = state["weights"], state["common"]
    likelihood = StudentBlocks(points, pull=[pull], kappa=[0.03])
    likelihood.restore_parameters(state)
    for labels in exact.partitions(5):
        likelihood.assign(np.array(labels), 6)
        whole = log_dense(points, labels, weights, common, pull, 0.03)
        assert likelihood.log_marginal() == pytest.approx(whole, abs=1e-9)
        for item in range(5):
            others = np.delete(np.array(labels), item)
            rest = log_dense(
                np.delete(points, item, 0), others, np.delete(weights, item), common, pull, 0.03
            )
            score = likelihood.log_predictive(item, labels[item])
            for slot in (*np.unique(others), 5):
                moved = [*labels[:item], slot, *labels[item + 1 :]]
                expected = log_dense(points, moved, weights, common, pull, 0.03) - rest
                assert score[slot if slot < 5 else -1] == pytest.approx(expected, abs=1e-9)


def test_statistics_after_many_moves_are_those_of_the_labels():
    rng = np.random.default_rng(3)
    points = rng.normal(size=(80, 6)) * 10.0 ** np.arange(-3, 3)
    model = MixtureModel(DirichletProcess(3.0), StudentBlocks(points), (SplitMerge(),))
    model.start(rng.integers(0, 4, 80))
    labels = model.labels
    for _ in range(20_000):
        item, target = rng.integers(80), rng.integers(6)
        if target != labels[item]:
            if target >= model.partition.capacity:
                continue
            model.likelihood.reseat(item, labels[item], target)
            labels[item] = target
    moved = [model.likelihood.log_predictive(i, labels[i]) for i in range(80)]
    model.likelihood.assign(labels, model.partition.capacity)
    again = [model.likelihood.log_predictive(i, labels[i]) for i in range(80)]
    assert np.allclose(moved, again, rtol=1e-6, atol=1e-6)


def with_concentration_1(likelihood):
    moves = (SplitMerge(n_proposals=1), gibbs_sweep)
    return MixtureModel(DirichletProcess(1.0), likelihood, moves)


def visits(likelihood, n_items, n_sweeps, seed):
    """Return how often sweeps of a model with concentration 1 visit each partition."""
    model = with_concentration_1(likelihood)
    model.start(np.zeros(n_items, dtype=int))
    rng = np.random.default_rng(seed)
    return exact.visits(lambda: model.sweep(rng), lambda: model.labels, n_sweeps)


def test_sampler_reaches_the_posterior_enumerated_over_all_partitions():
    """The common covariance is integrated out by draws from its prior; the points are Gaussian."""
    rng = np.random.default_rng(5)
    pull, kappa, scales, n_draws = 4.0, 0.05, [0.2, 1.0], 1000
    root = rng.normal(size=(n_draws, 4, 2)) * np.sqrt(np.resize(scales, (n_draws, 1, 1)) / 4)
    common = root.transpose(0, 2, 1) @ root

    @cache
    def log_of(*members):
        return log_block(SIX[list(members)], np.ones(len(members)), common, pull, kappa)

    log_joint = {}
    for z in exact.partitions(6):
        blocks = (np.flatnonzero(np.array(z) == k).tolist() for k in set(z))
        value = np.logaddexp.reduce(sum(log_of(*members) for members in blocks))
        log_joint[z] = value + wishart.log_ewens(z, 1.0)
    expected = exact.normalise(log_joint)
    # Tails so light that the weights are 1 up to a thousandth.
    likelihood = StudentBlocks(SIX, pull=[pull], kappa=[kappa], tails=[1e7], scale=scales)
    got = visits(likelihood, 6, 15_000, seed=6)
    assert exact.total_variation(expected, got) < 0.03


def log_gap(points, last, change, common, pull, kappa):
    """Return the log density of a block, summed over a missing cell of its last point."""
    nodes = np.tan(np.pi * (np.arange(200) + 0.5) / 200 - np.pi / 2)
    n, (q, degrees) = len(points) + 1, (2, 2 + 1 + pull)
    made = np.repeat(np.append(points, [last], axis=0)[None], 200, axis=0)
    made[:, -1] += nodes[:, None] * change
    mean = made.mean(axis=1)
    around = made - mean[:, None]
    around = np.einsum("kia,kib->kab", around, around)
    around += kappa * n / (kappa + n) * mean[:, :, None] * mean[:, None]
    scatter = np.linalg.slogdet(pull * common[:, None] + around)[1]
    value = np.logaddexp.reduce(np.log1p(nodes**2) - (degrees + n) / 2 * scatter, axis=1)
    value += q / 2 * (np.log(kappa / (kappa + n)) - n * np.log(np.pi))
    value += multigammaln((degrees + n) / 2, q) - multigammaln(degrees / 2, q)
    return value + degrees / 2 * np.linalg.slogdet(pull * common)[1]


def test_missing_cells_are_integrated_out_of_the_enumerated_posterior():
    """The integral over the only missing cell is a sum over nodes that reach far out."""
    rng = np.random.default_rng(11)
    points, change = SIX[[0, 1, 3, 4]].copy(), np.array([0.8, -0.5])
    pull, kappa = 4.0, 0.05
    root = rng.normal(size=(1200, 4, 2)) * np.sqrt(0.5 / 4)
    state, log_joint = (root.transpose(0, 2, 1) @ root, pull, kappa), {}
    for labels in exact.partitions(4):
        z = np.array(labels[:3])
        own = z == labels[3]
        logs = log_gap(points[:3][own], points[3], change, *state)
        logs += log_dense(points[:3][~own], z[~own], np.ones((~own).sum()), *state)
        log_joint[labels] = np.logaddexp.reduce(logs) + wishart.log_ewens(labels, 1.0)
    expected = exact.normalise(log_joint)
    likelihood = StudentBlocks(
        points, pull=[pull], kappa=[kappa], tails=[1e7], scale=[0.5], missing=([3], [change])
    )
    got = visits(likelihood, 4, 10_000, seed=12)
    assert exact.total_variation(expected, got) < 0.03
    incomplete = likelihood.parameters["incomplete"][0] - points[3]
    assert incomplete[0] / change[0] == pytest.approx(incomplete[1] / change[1])


def test_one_sweep_leaves_the_joint_distribution_as_it_is():
    """From a draw of everything from the prior, each sweep gives another such draw."""
    rng = np.random.default_rng(7)
    n, q, n_runs = 6, 2, 2000
    drawn = np.zeros((n_runs, 5), dtype=int)
    real = np.zeros((n_runs, 2))
    for run in range(n_runs):
        labels = restaurant(n, rng)
        values = {name: rng.choice(grid) for name, grid in SMALL.items()}
        square = rng.normal(size=(q + 2, q)) * np.sqrt(values["scale"] / (q + 2))
        common = square.T @ square
        weights = rng.gamma(values["tails"] / 2, 2 / values["tails"], n)
        wide = np.linalg.cholesky(values["pull"] * common)
        points = np.empty((n, q))
        for k in np.unique(labels):
            # A root of a draw from the inverse Wishart law.
            square = rng.normal(size=(q + 1 + int(values["pull"]), q))
            root = wide @ np.linalg.inv(np.linalg.cholesky(square.T @ square)).T
            mean = root @ rng.normal(size=q) / np.sqrt(values["kappa"])
            at = labels == k
            noise = rng.normal(size=(at.sum(), q)) / np.sqrt(weights[at, None])
            points[at] = mean + noise @ root.T
        likelihood = StudentBlocks(points, **SMALL)
        model = with_concentration_1(likelihood)
        likelihood.restore(values)
        likelihood.restore_parameters({"weights": weights, "common": common})
        model.start(labels)
        for _ in range(4):
            model.sweep(rng)
        found = model.likelihood.hyperparameters
        drawn[run] = [model.partition.n_blocks] + [SMALL[k].index(found[k]) for k in SMALL]
        real[run] = np.trace(likelihood.common_covariance), likelihood.parameters["weights"].mean()
    expected = np.zeros(n)
    for z in exact.partitions(n):
        expected[max(z)] += n_runs * np.exp(wishart.log_ewens(z, 1.0))
    counts = np.bincount(drawn[:, 0], minlength=n + 1)[1:]
    assert stats.chisquare(counts, expected).pvalue > 1e-4
    mean = np.arange(1, n + 1) @ expected / n_runs
    assert stats.ttest_1samp(drawn[:, 0], mean).pvalue > 1e-4
    for column in range(1, 5):
        assert stats.chisquare(np.bincount(drawn[:, column], minlength=2)).pvalue > 1e-4
    unit = stats.wishart.rvs(q + 2, np.eye(q) / (q + 2), n_runs, random_state=rng)
    trace = rng.choice(SMALL["scale"], n_runs) * unit.trace(axis1=1, axis2=2)
    tails = rng.choice(SMALL["tails"], n_runs)
    mean = rng.gamma(tails / 2, 2 / tails, (n, n_runs)).mean(axis=0)
    assert stats.ks_2samp(real[:, 0], trace).pvalue > 1e-4
    assert stats.ks_2samp(real[:, 1], mean).pvalue > 1e-4


def test_components_are_drawn_around_the_points_of_their_blocks():
    rng = np.random.default_rng(10)
    labels = np.repeat([0, 1], 2000)
    points = rng.normal(size=(4000, 3)) * [1.0, 0.5, 0.2] + np.where(labels, 2, -2)[:, None]
    likelihood = StudentBlocks(points)
    likelihood.assign(labels, 3)
    for _ in range(20):
        means, precisions = likelihood.draw_components(rng)
    assert np.allclose(means[:2], [[-2, -2, -2], [2, 2, 2]], atol=0.1)
    assert np.allclose(np.linalg.inv(precisions[0]), np.diag([1.0, 0.25, 0.04]), atol=0.15)
    assert not precisions[2].any() and likelihood.tails >= 40


@pytest.mark.parametrize("items", [[6], [-1], [2, 1], [0, 0, 0]])
def test_cells_of_no_item_are_refused(items):
    with pytest.raises(DataError, match="missing cells must be those of 6 items"):
        StudentBlocks(SIX, missing=(items, np.ones((len(items), 2))))


@pytest.mark.parametrize("points", [[1.0, 2.0], [[np.nan]], np.empty((0, 2))])
def test_points_that_are_no_table_of_numbers_are_refused(points):
    with pytest.raises(DataError, match="table of finite numbers"):
        StudentBlocks(points)


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("grid", [[], [0.0, 1.0], [np.inf]])
def test_grids_that_cannot_be_drawn_from_are_refused(name, grid):
    with pytest.raises(ConfigError, match=f"The values of {name}"):
        StudentBlocks(SIX, **{name: grid})
