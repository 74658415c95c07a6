"""Wishart likelihoods of distances and similarities, compared with dense matrices."""

from itertools import cycle

import exact
import numpy as np
import pytest
import wishart
from hypothesis import given, settings
from hypothesis import strategies as st
from references_exact import restaurant
from scipy import stats

from reseat import WishartDirichlet
from reseat.chains import MixtureModel
from reseat.errors import ConfigError, DataError
from reseat.estimators import distances
from reseat.likelihoods import PointSums, WishartDistances, WishartSimilarities
from reseat.likelihoods._fixed_point import fixed_point, unit_of
from reseat.moves import gibbs_sweep
from reseat.priors import NBD, BetaHyperprior, DirichletProcess, FiniteDirichlet, PitmanYor

GIVEN = np.array([[0, 1, 9, 10], [1, 0, 8, 9.5], [9, 8, 0, 2], [10, 9.5, 2, 0]])
INNER = np.array([[2, 1, 0.2, 0], [1, 3, 0.1, 0.5], [0.2, 0.1, 1.5, 0.7], [0, 0.5, 0.7, 2]])
SHARE = BetaHyperprior(1.0, 1.0)
SETTINGS = settings(max_examples=40, deadline=None, derandomize=True)


def draw_points(n, dim, rng, n_blocks=3, theta=3.0):
    labels = rng.integers(0, n_blocks, n)
    effect = np.sqrt(theta) * rng.normal(size=(n_blocks, dim))
    return rng.normal(size=(n, dim)) + effect[labels], labels


def distances_of(points, dim=None, **options):
    dim = points.shape[1] if dim is None else dim
    return WishartDistances(wishart.squared_distances(points), dim, dtype=np.float64, **options)


def similarities_of(points, **options):
    dim = points.shape[1]
    return WishartSimilarities(points @ points.T / dim, dim, dtype=np.float64, **options)


DENSE = {distances_of: wishart.log_distances, similarities_of: wishart.log_similarities}


@pytest.mark.parametrize(
    ("likelihood", "labels", "value"),
    [
        (WishartDistances, (0, 0, 0, 0), -13.515915746148966),
        (WishartDistances, (0, 0, 1, 1), -13.420153513315006),
        (WishartDistances, (0, 1, 2, 3), -15.307675215377019),
        (WishartDistances, (0, 0, 1, 2), -14.183883193736444),
        (WishartSimilarities, (0, 0, 0, 0), -16.650411466790896),
        (WishartSimilarities, (0, 0, 1, 1), -17.93695965154839),
        (WishartSimilarities, (0, 1, 2, 3), -18.451241459974554),
    ],
)
def test_joints_have_the_golden_values(likelihood, labels, value):
    matrix, dtype = (GIVEN, np.float32) if likelihood is WishartDistances else (INNER, np.float64)
    model = MixtureModel(DirichletProcess(1.0), likelihood(matrix, 3, theta=0.8, dtype=dtype))
    model.start(np.array(labels))
    assert model.log_joint() == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("theta", [0.05, 0.8, 30.0])
@pytest.mark.parametrize("exponent", ["derived", "printed"])
def test_closed_form_is_that_of_the_eigenvalues_for_every_partition(theta, exponent):
    points, _ = draw_points(6, 4, np.random.default_rng(1))
    likelihood = distances_of(points, theta=theta, exponent=exponent, shape=0.3, scale=0.2)
    squares = likelihood.blocks.matrix
    for labels in exact.partitions(6):
        likelihood.assign(np.array(labels), 6)
        expected = wishart.log_distances(squares, labels, 4, theta, 0.3, 0.2, exponent)
        assert likelihood.log_marginal() == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("make", [distances_of, similarities_of])
def test_scores_are_ratios_of_dense_joints(make):
    points, _ = draw_points(5, 3, np.random.default_rng(2))
    likelihood = make(points, theta=0.7, shape=0.4, scale=0.1)
    matrix = likelihood.blocks.matrix
    for labels in exact.partitions(5):
        likelihood.assign(np.array(labels), 6)
        for item in range(5):
            others = {*labels[:item], *labels[item + 1 :]}
            slots = [min(set(range(6)) - others), *sorted(others)]
            score = likelihood.log_predictive(item, labels[item])
            if slots[0] != labels[item]:
                assert score[slots[0]] == pytest.approx(score[-1], abs=1e-9)
            moved = [[*labels[:item], k, *labels[item + 1 :]] for k in slots]
            got, expected = score[slots], [DENSE[make](matrix, z, 3, 0.7, 0.4, 0.1) for z in moved]
            assert np.allclose(got - got[0], np.array(expected) - expected[0], rtol=0, atol=1e-9)


def test_theta_is_weighed_at_any_value():
    points, labels = draw_points(12, 5, np.random.default_rng(3))
    for make in (distances_of, similarities_of):
        likelihood = make(points, theta=3.0, hyperprior=BetaHyperprior(2.0, 1.0))
        assert likelihood.log_hyperprior() == pytest.approx(np.log(2 * 0.75))
        likelihood.assign(labels, 4)
        values = (0.3, 1.0, 5.0, 1e5)
        expected = [DENSE[make](likelihood.blocks.matrix, labels, 5, t) for t in values]
        assert np.allclose(likelihood.log_marginal_at(values), expected, atol=1e-9)


def test_theta_follows_the_data_however_large_it_is():
    """Similarities of points around 1,000 need a theta of half a million."""
    points, labels = draw_points(40, 5, np.random.default_rng(3), theta=9.0)
    likelihood = similarities_of(points + 1000, hyperprior=SHARE)
    likelihood.assign(labels, 4)
    rng = np.random.default_rng(4)
    drawn = []
    for _ in range(200):
        likelihood.update(None, rng)
        drawn.append(likelihood.theta)
    found = np.exp(np.mean(np.log(drawn[50:])))
    assert 1e5 < found < 1e7
    best = max(np.geomspace(0.01, 1e9, 400), key=likelihood.log_marginal_at)
    assert found == pytest.approx(best, rel=0.2)


PRIORS = {
    "ewens": lambda: DirichletProcess(1.0),
    "finite": lambda: FiniteDirichlet(4, 0.5),
    "pitman-yor": lambda: PitmanYor(0.5, 0.3),
    "nbd": lambda: NBD(1.5, 0.5),
}


def visits(model, n_sweeps, rng):
    turns = cycle(range(4))

    def sweep():
        gibbs_sweep(model.partition, model.prior, model.likelihood, rng)
        # A draw of theta takes as long as several sweeps.
        if model.likelihood.hyperprior is not None and next(turns) == 0:
            model.likelihood.update(model.partition, rng)

    return exact.visits(sweep, lambda: model.labels, n_sweeps)


@pytest.mark.parametrize(
    ("name", "make"),
    [
        *(("ewens", distances_of), ("pitman-yor", distances_of)),
        *(("ewens", similarities_of), ("finite", similarities_of), ("nbd", similarities_of)),
    ],
)
def test_sweeps_reach_the_enumerated_posterior(make, name):
    """Under one prior theta is sampled too, and the exact posterior integrates it out."""
    sampled = name == "ewens"
    shares = (np.arange(200) + 0.5) / 200
    values = shares / (1 - shares) if sampled else [2.0]
    points, _ = draw_points(5, 3, np.random.default_rng(5))
    likelihood = make(points, theta=2.0, hyperprior=SHARE if sampled else None)
    prior = PRIORS[name]()
    prior.prepare(5)
    log_weight = {}
    for z in exact.partitions(5):
        if prior.max_blocks and max(z) >= prior.max_blocks:
            continue
        value = prior.log_prob(np.unique(z, return_counts=True)[1])
        if prior.max_blocks:  # so far it is the probability of one labelling
            value += np.log(np.prod([prior.max_blocks - i for i in range(max(z) + 1)]))
        joint = [DENSE[make](likelihood.blocks.matrix, z, 3, theta) for theta in values]
        log_weight[z] = value + np.logaddexp.reduce(joint)
    model = MixtureModel(PRIORS[name](), likelihood)
    model.start(np.zeros(5, dtype=int))
    got = visits(model, 40_000, np.random.default_rng(6))
    assert exact.total_variation(exact.normalise(log_weight), got) < 0.018


def test_posterior_averaged_over_data_is_the_prior():
    """Simulation-based calibration of the number of blocks and of theta."""
    rng = np.random.default_rng(7)
    n, dim, n_runs = 7, 3, 1500
    drawn = np.zeros((n_runs, 2), dtype=int)
    for run in range(n_runs):
        labels = restaurant(n, rng)
        share = rng.random()
        theta = share / (1 - share)
        effect = np.sqrt(theta) * rng.normal(size=(n, dim))
        points = rng.normal(size=(n, dim)) + effect[labels] + 10 * rng.normal(size=dim)
        likelihood = distances_of(points, hyperprior=SHARE)
        model = MixtureModel(DirichletProcess(1.0), likelihood, (gibbs_sweep,) * 4)
        model.start(np.zeros(n, dtype=int))
        for _ in range(10):
            model.sweep(rng)
        share = model.likelihood.theta / (1 + model.likelihood.theta)
        drawn[run] = model.partition.n_blocks, int(10 * share)
    expected = np.zeros(n)
    for z in exact.partitions(n):
        expected[max(z)] += np.exp(wishart.log_ewens(z, 1.0))
    counts = np.bincount(drawn[:, 0], minlength=n + 1)[1:]
    tail = 5
    counts = np.append(counts[:tail], counts[tail:].sum())
    expected = np.append(expected[:tail], expected[tail:].sum())
    assert stats.chisquare(counts, n_runs * expected).pvalue > 1e-4
    assert stats.chisquare(np.bincount(drawn[:, 1], minlength=10)).pvalue > 1e-4


def test_sums_have_no_drift_in_thousands_of_sweeps():
    rng = np.random.default_rng(8)
    points, _ = draw_points(40, 3, rng, theta=0.5)
    for dtype in (np.float32, np.float64):
        squares = wishart.squared_distances(points)
        likelihood = WishartDistances(squares, 3, hyperprior=SHARE, dtype=dtype)
        model = MixtureModel(DirichletProcess(2.0), likelihood)
        model.start(np.zeros(40, dtype=int))
        n_moved = sum(model.sweep(rng) for _ in range(2_000))
        assert n_moved > 10_000
        again = WishartDistances(likelihood.blocks.matrix, 3, theta=likelihood.theta, dtype=dtype)
        again.assign(model.labels, model.partition.capacity)
        assert np.array_equal(likelihood.blocks.row_sums, again.blocks.row_sums)
        assert np.array_equal(likelihood.blocks.pair_sums, again.blocks.pair_sums)
        for item in range(40):
            scores = [one.log_predictive(item, model.labels[item]) for one in (likelihood, again)]
            assert np.array_equal(*scores)


@pytest.mark.parametrize("make", [distances_of, similarities_of])
def test_draws_do_not_depend_on_cached_sums(make):
    points, _ = draw_points(60, 4, np.random.default_rng(9), theta=1.0)
    ends = []
    for cached in (True, False):
        rng = np.random.default_rng(10)
        model = MixtureModel(DirichletProcess(1.0), make(points, hyperprior=SHARE, cached=cached))
        model.start(np.zeros(60, dtype=int))
        for _ in range(40):
            model.sweep(rng)
        ends.append((model.labels.tolist(), model.log_joint()))
    assert ends[0] == ends[1] and len(set(ends[0][0])) > 1


@SETTINGS
@given(st.integers(2, 60), st.integers(0, 10**6), st.sampled_from([np.float32, np.float64]))
def test_sums_of_fixed_point_numbers_are_exact(n, seed, dtype):
    rng = np.random.default_rng(seed)
    values = rng.lognormal(0, 2, (n, n))
    rounded = fixed_point(values, dtype)
    unit = unit_of(values.max(), n * n, dtype)
    assert np.abs(rounded - values).max() <= unit / 2
    assert np.array_equal(fixed_point(rounded, dtype), rounded)
    whole = rounded.astype(float) / unit
    assert np.array_equal(whole, np.rint(whole))
    assert int(whole.sum()) == sum(map(int, whole.ravel()))


def test_a_memory_map_is_used_as_it_is(tmp_path):
    points, labels = draw_points(30, 4, np.random.default_rng(11))
    squares = wishart.squared_distances(points).astype(np.float32)
    np.save(tmp_path / "rough.npy", squares)
    np.save(tmp_path / "exact.npy", fixed_point(squares))
    mapped = np.load(tmp_path / "exact.npy", mmap_mode="r")
    likelihood = WishartDistances(mapped, 4, theta=1.0)
    assert np.shares_memory(likelihood.blocks.matrix, mapped)
    likelihood.assign(labels, 4)
    plain = WishartDistances(squares, 4, theta=1.0)
    plain.assign(labels, 4)
    assert likelihood.log_marginal() == plain.log_marginal()
    with pytest.raises(DataError, match="multiples"):
        WishartDistances(np.load(tmp_path / "rough.npy", mmap_mode="r"), 4)


def test_what_is_no_matrix_of_distances_is_refused():
    for matrix, message in (
        ([[0.0, 2.0], [1.0, 0.0]], "not symmetric: 2 in row 1, column 2, but 1 in row 2"),
        (GIVEN[:3], "not square"),
        (np.where(np.arange(16).reshape(4, 4) == 9, np.nan, GIVEN), "Row 2"),
    ):
        with pytest.raises(DataError, match=message):
            WishartDistances(np.array(matrix), 3)
    for options, message in (
        ({"dim": 0.5}, "dim is 0.5"),
        ({"theta": 3.0, "hyperprior": BetaHyperprior(upper=0.5)}, "is 0.75, which its prior rules"),
        ({"exponent": "read"}, "exponent is 'read'"),
    ):
        with pytest.raises(ConfigError, match=message):
            WishartDistances(GIVEN, **{"dim": 3, **options})


@pytest.mark.parametrize("make", [WishartDistances, WishartSimilarities])
def test_a_matrix_without_a_scale_needs_that_of_its_prior(make):
    with pytest.raises(DataError, match="no scale can be found"):
        make(np.zeros((3, 3)), 2, theta=1.0)
    likelihood = make(np.zeros((3, 3)), 2, theta=1.0, shape=1.0, scale=0.5)
    likelihood.assign([0, 0, 1], 3)
    assert np.isfinite(likelihood.log_marginal())


@pytest.mark.parametrize(
    ("dtype", "usable"),
    [
        (np.float32, [-120, -100, 100, 120]),
        (np.float64, [-1000, -900, -155, -140, -120, -100, 100, 120, 140, 900]),
    ],
)
def test_a_common_factor_changes_nothing_or_is_refused(dtype, usable):
    """The factors are powers of two, so that nothing but the logarithms is rounded."""
    points, labels = draw_points(12, 3, np.random.default_rng(4))
    squares = wishart.squared_distances(points)

    def difference(values):
        likelihood = WishartDistances(values, 3, theta=1.0, dtype=dtype)
        found = []
        for partition in (labels, np.arange(12) % 2):
            likelihood.assign(partition, 12)
            found.append(likelihood.log_marginal())
        return found[0] - found[1]

    expected = difference(squares)
    taken = []
    for exponent in (-1070, -1000, -900, -155, -140, -120, -100, 100, 120, 140, 900, 1000):
        try:
            found = difference(np.ldexp(squares, exponent))
        except DataError as error:
            assert "near 1" in str(error)
        else:
            taken.append(exponent)
            assert found == pytest.approx(expected, rel=1e-9)
    assert taken == usable
    for factor in (1e-46, 1e39):
        with pytest.raises(DataError, match="in float32; divide all values by a common factor"):
            WishartDistances(squares * factor, 3)


def test_points_that_cannot_be_used_are_refused():
    points, _ = draw_points(12, 3, np.random.default_rng(4))
    for factor in (1e-165, 1e150):
        with pytest.raises(DataError, match="in float64; divide all values by a common factor"):
            PointSums(points * factor)
    for wrong in (np.ones((3, 2)), np.ones(3), [[1.0, np.nan], [0, 1]]):
        with pytest.raises(DataError):
            PointSums(wrong)


@pytest.fixture
def points(rng):
    return rng.normal(size=(60, 4)) + 5 * rng.integers(0, 3, 60)[:, None] + 1000


def test_the_likelihood_is_that_of_the_matrix(points, rng):
    dense = WishartDistances(4 * wishart.squared_distances(points), 4, dtype=np.float64)
    sparse = WishartDistances(PointSums(points), 4)
    for n_blocks in (1, 2, 7, 60):
        labels = rng.integers(0, n_blocks, 60)
        for likelihood in (dense, sparse):
            likelihood.assign(labels, 60)
        at = [0.01, 1.0, 100.0]
        np.testing.assert_allclose(sparse.log_marginal_at(at), dense.log_marginal_at(at), rtol=1e-9)


def test_sums_do_not_depend_on_the_moves_that_led_here(points):
    model = MixtureModel(DirichletProcess(1.0), WishartDistances(PointSums(points), 4))
    rng = np.random.default_rng(1)
    model.start_at_random(5, rng)
    for _ in range(20):
        model.sweep(rng)
    moved = model.log_joint()
    model.start(model.labels)
    assert model.likelihood.log_marginal() == pytest.approx(moved - model.log_prior(), abs=1e-9)
    again = PointSums(points)
    again.assign(model.labels, model.likelihood.blocks.capacity)
    np.testing.assert_array_equal(again.pair_sums, model.likelihood.blocks.pair_sums)


def test_estimators_need_no_matrix_of_many_points(points, monkeypatch):
    short = {"n_chains": 2, "n_burn_in": 10, "n_samples": 10, "thin": 2, "random_state": 1}
    dense = WishartDirichlet(metric="euclidean", **short).fit(points)
    monkeypatch.setattr(distances, "DOUBLE_UP_TO", 10)
    monkeypatch.setattr(distances, "squared_distances", None)
    sparse = WishartDirichlet(metric="euclidean", **short).fit(points)
    np.testing.assert_array_equal(sparse.draws_, dense.draws_)
    assert sparse.predict(points[:3]).shape == (3,)
