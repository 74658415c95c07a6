"""Gaussian references: densities against dense normals and quadrature, and draws against scipy."""

from types import SimpleNamespace

import exact
import numpy as np
import pytest
import references_exact as slow
from scipy import stats
from scipy.special import kve

from reseat.errors import ConfigError, DataError
from reseat.likelihoods import (
    CollapsedPrecisions,
    ExplicitMeans,
    GaussianReferences,
    PrecisionLaw,
    ReferenceMeans,
    ReferencePrecisions,
)
from reseat.likelihoods._log_bessel import LogBessel
from reseat.likelihoods._variates import draw_precisions
from reseat.partition import Partition

FEATURE_OF = np.array([0, 0, 1, 2, 2, 2])


def part(labels, **likelihood):
    """Return what a likelihood is conditioned on: a partition, and parameters of its slots."""
    return SimpleNamespace(partition=Partition(labels), likelihood=SimpleNamespace(**likelihood))


def draw(rng, n=5, feature_of=FEATURE_OF):
    return GaussianReferences(rng.normal(size=(n, len(feature_of))), feature_of)


def inverse_gaussian(nu, beta, chi):
    """Return the distribution function, summed from scipy's density.

    The function of scipy integrates for each value, which takes long.
    """
    law = stats.geninvgauss(nu, 2 * np.sqrt(beta * chi), scale=np.sqrt(chi / beta))
    t = np.geomspace(1e-9, 1e6, 200_001)
    mass = np.concatenate([[0], np.cumsum(law.pdf((t[1:] * t[:-1]) ** 0.5) * np.diff(t))])
    assert mass[-1] == pytest.approx(1, abs=1e-4)
    return lambda values: np.interp(values, t, mass / mass[-1])


@pytest.mark.parametrize("order", [0.5, 1, 1.5, 2, 3.7, 6, 20, 45])
def test_the_table_of_bessel_functions_is_exact_to_twelve_digits(order):
    z = np.geomspace(1e-12, 1e6, 20_001)
    with np.errstate(over="ignore"):
        found, expected = LogBessel(order)(z), order * np.log(z) + np.log(kve(order, z))
    known = np.isfinite(expected)
    assert known[10_000:].all()
    error = np.abs(found - expected)[known] / np.maximum(1, np.abs(expected[known]))
    assert error.max() < 1e-12
    limit = (order - 1) * np.log(2) + np.log(stats.gamma(order).pdf(1) ** -1) - 1
    assert LogBessel(order)([0.0])[0] == pytest.approx(limit, rel=1e-12)
    # It is continuous at both ends of the table.
    for end in (2.0**-61, 2.0**29):
        below, above = LogBessel(order)([end * (1 - 1e-12), end * (1 + 1e-12)])
        assert below == pytest.approx(above, abs=1e-9)


@pytest.mark.parametrize(
    ("nu", "beta", "chi"),
    [(1, 1, 1), (0.5, 2, 1e-6), (3.5, 0.1, 30), (200.5, 90, 3), (1, 1, 400), (1.5, 1e-3, 1e-3)],
)
def test_precisions_follow_their_law(nu, beta, chi):
    rng = np.random.default_rng(1)
    drawn = draw_precisions(np.full(20_000, nu), beta, chi, rng)
    assert stats.kstest(drawn, inverse_gaussian(nu, beta, chi)).pvalue > 0.01
    drawn = draw_precisions(nu, beta, np.zeros(20_000), rng)
    assert stats.kstest(drawn, stats.gamma(nu, scale=1 / beta).cdf).pvalue > 0.01


@pytest.mark.parametrize("form", [ReferenceMeans, ExplicitMeans])
def test_scores_of_publications_are_dense_densities(form):
    rng = np.random.default_rng(2)
    data, sigma = draw(rng, 4), 0.7
    types, precisions = np.array([0, 1, 1, 0]), rng.gamma(2, size=(2, 3))
    of_items = precisions[types]
    likelihood = form(data, sigma=sigma)
    likelihood.condition({"type": part(types, precisions=precisions)})
    for labels in map(np.array, exact.partitions(4)):
        likelihood.assign(labels, 6)
        likelihood.draw_means(rng)
        dense = slow.log_collapsed(data.coordinates, labels, of_items, FEATURE_OF, sigma)
        if form is ReferenceMeans:
            assert likelihood.log_marginal() == pytest.approx(dense, abs=1e-9)
        for item in range(4):
            own, rest = labels[item], np.delete(labels, item)
            scores = likelihood.log_predictive(item, own)
            others = np.delete(of_items, item, axis=0)
            without = slow.log_collapsed(
                np.delete(data.coordinates, item, axis=0), rest, others, FEATURE_OF, sigma
            )
            for k in set(rest.tolist()) | {6}:
                if form is ReferenceMeans or k == 6:
                    moved = np.where(np.arange(4) == item, k, labels)
                    expected = -without + slow.log_collapsed(
                        data.coordinates, moved, of_items, FEATURE_OF, sigma
                    )
                else:
                    given = likelihood.means[[k]], of_items[[item]], FEATURE_OF
                    expected = slow.log_items(data.coordinates[[item]], *given)[0]
                assert scores[k] == pytest.approx(expected, abs=1e-10)
            one_by_one = likelihood.log_predictive(item, own, [*set(rest.tolist()), -1])
            assert np.array_equal(one_by_one, scores[[*set(rest.tolist()), 6]])


@pytest.mark.parametrize("n_features", [1, 7, 64, 75])
def test_lanes_and_products_of_variances_lose_nothing(n_features):
    """There are many features of one coordinate; a product of all precisions would overflow."""
    rng = np.random.default_rng(3)
    data = draw(rng, 3, np.arange(n_features))
    for scale in (1.0, 1e60, 1e-60):
        precisions = scale * rng.gamma(1, size=(1, n_features))
        likelihood = ReferenceMeans(data)
        likelihood.condition({"type": part([0, 0, 0], precisions=precisions)})
        likelihood.assign([0, 0, 1], 2)
        variance = 1 / precisions[0] + 1
        expected = stats.norm.logpdf(data.coordinates[0], 0, np.sqrt(variance)).sum()
        assert likelihood.log_predictive(0, 0)[2] == pytest.approx(expected, rel=1e-12)
    likelihood = ExplicitMeans(data)
    likelihood.assign([0, 0, 1], 2)
    likelihood.draw_means(rng)
    expected = stats.norm.logpdf(data.coordinates[1], likelihood.means[1]).sum()
    assert likelihood.log_predictive(1, 0)[1] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("form", [ReferenceMeans, ExplicitMeans])
@pytest.mark.parametrize("feature_of", [np.arange(75), np.repeat(np.arange(9), [1, 7] * 4 + [3])])
def test_only_negligible_weights_are_left_out(form, feature_of):
    rng = np.random.default_rng(6)
    labels = np.repeat(np.arange(12), 5)
    labels[-1] = 12
    centres = rng.normal(size=(13, feature_of.size)) * np.geomspace(0.05, 2, 13)[:, None]
    points = centres[labels] + 0.5 * rng.normal(size=(labels.size, feature_of.size))
    likelihood = form(GaussianReferences(points, feature_of))
    types = rng.integers(2, size=labels.size)
    precisions = rng.gamma(4, size=(2, feature_of[-1] + 1))
    likelihood.condition({"type": part(types, precisions=precisions)})
    likelihood.assign(labels, 15)
    likelihood.draw_means(rng)
    likelihood.assign(labels, 15)
    slots, left_out = np.arange(13), 0
    for item, own in enumerate(labels):
        log_prior = rng.normal(size=14)
        expected = log_prior + likelihood.log_predictive(item, own, [*slots, -1])
        weights = likelihood.log_weights(item, own, slots, log_prior)
        there = np.isfinite(weights)
        assert there[expected > expected.max() - 56].all()
        assert np.array_equal(weights[there], expected[there])
        left_out += (~there).sum()
    assert left_out > labels.size
    with pytest.raises(ValueError, match="14 prior weights"):
        likelihood.log_weights(0, 0, slots, np.zeros(13))


LAWS = [
    *(("covariance", pairs) for pairs in ("sum", "mean", "within_block")),
    *(("precision", pairs) for pairs in ("sum", "mean", "within_block")),
    ("between", "sum"),
]


@pytest.mark.parametrize(("kind", "pairs"), LAWS)
@pytest.mark.parametrize("aux", ["posterior", "prior"])
def test_weights_of_candidates_are_ratios_of_dense_joints(kind, pairs, aux):
    rng = np.random.default_rng(4)
    data, sigma = draw(rng, 7), 1.3
    groups, labels = np.array([0, 0, 0, 0, 1, 1, 1]), np.array([2, 0, 0, 1, 3, 3, 5])
    types, precisions = np.array([0, 1, 1, 0, 1, 0, 1]), rng.gamma(2, size=(2, 3))
    chosen = PrecisionLaw(kind, 1.5, 0.8, 0.6, pairs)
    likelihood = ExplicitMeans(data, chosen, sigma, 5, aux, groups)
    likelihood.condition({"type": part(types, precisions=precisions)})
    likelihood.assign(labels, 7)
    likelihood.begin(rng)
    likelihood.draw_means(rng)
    likelihood.assign(labels, 7)
    group_of = {int(k): int(groups[labels == k][0]) for k in labels}

    def log_psi(slots, added=None, group=None):
        means = [likelihood.means[k] for k in slots] + ([] if added is None else [added])
        of_groups = [group_of[k] for k in slots] + ([] if added is None else [group])
        laws = slow.law(kind, means, of_groups, FEATURE_OF, pairs, 0.6, 1.5, 0.8)
        return slow.log_precisions(precisions, laws)

    for item in (0, 1, 5, 6):  # the first and the last are alone in their blocks
        own = int(labels[item])
        score = likelihood.log_predictive(item, own)[7]
        means, weights = likelihood.candidates
        alone = (labels == own).sum() == 1
        assert np.array_equal(means[0], likelihood.means[own]) == alone
        slots = sorted(set(labels.tolist()) - ({own} if alone else set()))
        t = precisions[types[item]][FEATURE_OF]
        for mean, weight in zip(means, weights, strict=True):
            expected = log_psi(slots, mean, groups[item]) - log_psi(slots)
            x = data.coordinates[item]
            expected += stats.norm.logpdf(x, mean, 1 / np.sqrt(t)).sum()
            if aux == "posterior":  # times the prior of the mean over its proposal
                q = 1 / sigma + t
                expected += stats.norm.logpdf(mean, 0, np.sqrt(sigma)).sum()
                expected -= stats.norm.logpdf(mean, t * x / q, 1 / np.sqrt(q)).sum()
            assert weight == pytest.approx(expected, abs=2e-8)  # the oracle uses quadrature
        assert score == pytest.approx(np.logaddexp.reduce(weights) - np.log(5), abs=1e-12)


def apart(kind, pairs, aux, precisions, sigma=1.3):
    """Return a likelihood of seven items in five blocks, and the labels; the means average to 0."""
    rng = np.random.default_rng(4)
    labels, means = np.array([2, 0, 0, 1, 3, 3, 5]), rng.normal(size=(7, 6))
    groups = np.array([0, 0, 0, 0, 1, 1, 1]) if pairs == "within_block" else None
    law = PrecisionLaw(kind, 1.5, 0.8, 0.6, pairs)
    likelihood = ExplicitMeans(draw(rng, 7), law, sigma, 8, aux, groups)
    types = rng.integers(len(precisions), size=7)
    likelihood.condition({"type": part(types, precisions=precisions)})
    likelihood.restore_parameters({"means": means - means[np.unique(labels)].mean(axis=0)})
    likelihood.assign(labels, 7)
    likelihood.begin(rng)
    return likelihood, labels


@pytest.mark.parametrize(("kind", "pairs"), LAWS)
@pytest.mark.parametrize("aux", ["posterior", "prior"])
@pytest.mark.parametrize("size", [1e-4, 0.3, 2.0, 30.0, 1e4])
def test_no_candidate_outweighs_the_ceiling(kind, pairs, aux, size):
    # Large precisions suggest means that are close together under one law, and far apart under
    # the other.
    likelihood, labels = apart(kind, pairs, aux, size * np.linspace(0.3, 2, 9).reshape(3, 3))
    for item, own in enumerate(labels):
        ceiling = likelihood.ceiling(item, own)
        assert np.isinf(ceiling) == (kind == "between")
        for _ in range(100):
            score = likelihood.log_predictive(item, own, [-1])[0]
            assert max(score, likelihood.candidates[1].max()) <= ceiling + 1e-9


@pytest.mark.parametrize(("kind", "size"), [("covariance", 0.5), ("precision", 20.0)])
def test_the_ceiling_is_reached_amid_means_that_are_too_far_apart(kind, size):
    # With so narrow a prior all candidates lie at 0, the average of the means.
    likelihood, _ = apart(kind, "sum", "posterior", np.full((2, 3), size), sigma=1e-16)
    score = likelihood.log_predictive(1, 0, [-1])[0]
    assert likelihood.ceiling(1, 0) == pytest.approx(score, abs=1e-5)


@pytest.mark.parametrize(("kind", "pairs"), LAWS)
def test_candidates_are_drawn_where_they_may_be_chosen(kind, pairs):
    likelihood, labels = apart(kind, pairs, "posterior", np.full((2, 3), 1.0))
    left_out = []
    for log_open in (-1000.0, -40.0, 0.0):
        for item, own in enumerate(labels):
            slots = np.unique(np.delete(labels, item))
            log_prior = np.append(np.zeros(slots.size), log_open)
            weights = likelihood.log_weights(item, own, slots, log_prior)
            negligible = likelihood.ceiling(item, own) + log_open < weights[:-1].max() - 56
            # The mean of an item that is alone in its block is a candidate, and stays one.
            assert np.isinf(weights[-1]) == (negligible and own in slots)
            left_out.append(np.isinf(weights[-1]))
    assert any(left_out) == (kind != "between")
    assert not all(left_out)


@pytest.mark.parametrize("kind", ["fixed", "between", "covariance"])
def test_running_sums_do_not_drift(kind):
    rng = np.random.default_rng(5)
    data, n = draw(rng, 40), 40
    partition = Partition(np.arange(n) % 7, capacity=n)
    chosen = PrecisionLaw(kind)
    means = ReferenceMeans(data) if kind == "fixed" else ExplicitMeans(data, chosen)
    publications = SimpleNamespace(partition=partition, likelihood=means)
    means.assign(partition.label_array, n)
    means.begin(rng)
    means.draw_means(rng)
    means.assign(partition.label_array, n)
    types = CollapsedPrecisions(data) if kind == "fixed" else ReferencePrecisions(data, chosen)
    types.condition({"publication": publications})
    types.assign(partition.label_array, n)
    types.begin(rng)
    labels = partition.label_array
    for _ in range(5_000):
        item, target = int(rng.integers(n)), int(rng.integers(12))
        if labels[item] != target:
            means.log_predictive(item, labels[item])
            means.reseat(item, int(labels[item]), target)
            types.reseat(item, int(labels[item]), target)
            labels[item] = target
    for likelihood in (means, types):
        slots, values = sorted(set(labels.tolist())), []
        for _ in range(2):
            likelihood.begin(np.random.default_rng(6))
            values.append([likelihood.log_predictive(i, labels[i])[[*slots, n]] for i in range(n)])
            likelihood.assign(labels, n)
        assert np.allclose(values[0], values[1], rtol=0, atol=1e-9)


@pytest.mark.parametrize(("kind", "pairs"), [("fixed", "sum"), *LAWS])
def test_the_law_of_precisions_is_that_of_all_pairs_of_means(kind, pairs):
    rng = np.random.default_rng(7)
    data, groups = draw(rng, 8), np.array([0, 0, 0, 1, 1, 1, 1, 1])
    for labels in ([0, 2, 2, 3, 3, 4, 6, 6], [0, 0, 0, 1, 1, 1, 1, 1], [1, 1, 3, 4, 4, 4, 4, 4]):
        labels, means = np.array(labels), rng.normal(size=(7, 6))
        likelihood = ReferencePrecisions(data, PrecisionLaw(kind, 2.0, 0.5, 0.7, pairs), groups)
        likelihood.condition({"publication": part(labels, means=means)})
        slots, first = np.unique(labels, return_index=True)
        expected = slow.law(kind, means[slots], groups[first], FEATURE_OF, pairs, 0.7, 2.0, 0.5)
        assert likelihood.parameters["laws"] == pytest.approx(np.array(expected), rel=1e-9)


@pytest.mark.parametrize("groups", [None, np.array([0, 0, 0, 0, 1, 1, 1, 1])])
def test_the_law_between_does_not_depend_on_where_the_means_are(groups):
    """Fourth powers of 100 are 1e16 times those of the deviations, 0.01."""
    rng = np.random.default_rng(10)
    data, labels = draw(rng, 8), np.arange(8)
    deviations = 0.01 * rng.normal(size=(8, 6))
    chosen = PrecisionLaw("between", pairs="sum" if groups is None else "within_block")
    laws = {}
    for name, place in (("near", 0.0), ("far", 100.0), ("apart", np.where(labels < 4, 300, -80))):
        if name == "apart" and groups is None:
            continue
        means = deviations + np.broadcast_to(place, 8)[:, None]
        likelihood = ReferencePrecisions(data, chosen, groups)
        likelihood.condition({"publication": part(labels, means=means)})
        laws[name] = likelihood.parameters["laws"]
    expected = slow.law("between", deviations, groups, FEATURE_OF, chosen.pairs)
    assert laws["near"] == pytest.approx(np.array(expected), rel=1e-11)
    for name in laws:  # means that are far away keep only some 12 digits of the deviations
        assert laws[name] == pytest.approx(laws["near"], rel=1e-9), name


def test_candidates_are_weighed_alike_wherever_the_means_are():
    rng = np.random.default_rng(11)
    points, means = 0.01 * rng.normal(size=(7, 6)), 0.01 * rng.normal(size=(7, 6))
    labels, weights = np.array([2, 0, 0, 1, 3, 3, 5]), []
    for place in (0.0, 100.0):
        likelihood = ExplicitMeans(
            GaussianReferences(points + place, FEATURE_OF), PrecisionLaw("between"), 1e8
        )
        likelihood.condition({"type": part([0] * 7, precisions=np.full((1, 3), 1e4))})
        likelihood.restore_parameters({"means": means + place})
        likelihood.assign(labels, 7)
        likelihood.begin(np.random.default_rng(12))
        weights.append([likelihood.log_predictive(item, labels[item])[-1] for item in range(7)])
    # The prior of the means, of variance 1e8, hardly distinguishes the two places.
    assert weights[0] == pytest.approx(weights[1], rel=1e-6)


def test_the_law_within_has_the_moments_of_the_sample_variances():
    rng = np.random.default_rng(8)
    data, labels = draw(rng, 9), np.array([4, 0, 0, 4, 2, 2, 0, 6, 1])
    likelihood = ReferencePrecisions(data, PrecisionLaw("within"))
    likelihood.condition({"publication": part(labels, means=np.zeros((7, 6)))})
    laws = likelihood.parameters["laws"]
    for columns, found in zip(slow.features(FEATURE_OF), laws, strict=True):
        points = data.coordinates[:, columns]
        variances = [points[labels == k].var(axis=0, ddof=1).sum() for k in (0, 2, 4)]
        m, v = np.mean(variances), np.var(variances)
        assert found == pytest.approx([m**2 / 4 / v, m / 2 / v, 0], rel=1e-9)
    likelihood.condition({"publication": part([0, 0, 1, 1, 2, 3, 4, 5, 6], means=np.zeros((7, 6)))})
    assert np.array_equal(likelihood.parameters["laws"], [[1, 1, 0]] * 3)


@pytest.mark.parametrize(
    ("form", "kind"),
    [
        *((ReferencePrecisions, kind) for kind in ("fixed", "between", "covariance", "precision")),
        *((CollapsedPrecisions, kind) for kind in ("fixed", "between", "precision")),
    ],
)
def test_scores_of_types_are_dense_densities(form, kind):
    rng = np.random.default_rng(9)
    data, labels, means = draw(rng, 5), np.array([0, 1, 2, 0, 3]), rng.normal(size=(4, 6))
    residuals = data.coordinates - means[labels]
    laws = slow.law(kind, means, None, FEATURE_OF, "sum", 0.4, 1.5, 0.8)
    likelihood = form(data, PrecisionLaw(kind, 1.5, 0.8, 0.4))
    likelihood.condition({"publication": part(labels, means=means)})
    for types in map(np.array, ([0, 0, 0, 0, 0], [0, 1, 0, 1, 2], [4, 0, 1, 2, 3])):
        likelihood.assign(types, 6)
        likelihood.update(Partition(types, 6), rng)
        t = likelihood.precisions
        dense = slow.log_items(data.coordinates, means[labels], t[types], FEATURE_OF).sum()
        assert likelihood.log_residuals(types) == pytest.approx(dense, abs=1e-9)
        prior = slow.log_precisions(t[sorted(set(types.tolist()))], laws)
        assert likelihood.log_parameters() == pytest.approx(prior, abs=1e-7)
        if form is CollapsedPrecisions:
            expected = slow.log_types(residuals, types, laws, FEATURE_OF)
            assert likelihood.log_marginal() == pytest.approx(expected, abs=1e-7)
        for item in (0, 2, 4):
            rest = np.delete(types, item)
            scores = likelihood.log_predictive(item, types[item])
            expected = slow.log_types(residuals[[item]], [0], laws, FEATURE_OF)
            assert scores[6] == pytest.approx(expected, abs=1e-7)
            without = slow.log_types(np.delete(residuals, item, 0), rest, laws, FEATURE_OF)
            for k in set(rest.tolist()):
                moved = np.where(np.arange(5) == item, k, types)
                expected = slow.log_types(residuals, moved, laws, FEATURE_OF) - without
                if form is ReferencePrecisions:
                    given = means[labels[[item]]], t[[k]], FEATURE_OF
                    expected = slow.log_items(data.coordinates[[item]], *given)[0]
                assert scores[k] == pytest.approx(expected, abs=1e-7)


def test_precisions_of_a_new_type_are_drawn_given_its_item():
    rng = np.random.default_rng(10)
    data = GaussianReferences([[2.0, 0.1], [0.0, 0.0]], [0, 1])
    likelihood = ReferencePrecisions(data, PrecisionLaw("covariance", 1.0, 0.5))
    likelihood.condition({"publication": part([0, 1], means=np.array([[0.0, 0.0], [1.0, 2.0]]))})
    likelihood.begin(rng)
    drawn = np.empty((5_000, 2))
    for draw_ in drawn:
        likelihood.assign([0, 0], 2)
        likelihood.reseat(0, 0, 1)
        draw_[:] = likelihood.precisions[1]
    for column, square, distance in zip(drawn.T, (4.0, 0.01), (1.0, 4.0), strict=True):
        law = inverse_gaussian(1.5, 0.5 + square / 2, distance)
        assert stats.kstest(column, law).pvalue > 0.01


@pytest.mark.parametrize(
    ("coordinates", "feature_of", "sentence"),
    [
        ([1.0, 2.0], None, "shape"),
        ([[1.0, np.nan]], None, "Coordinate 1 of item 0 is nan"),
        ([[1.0, 2.0]], [0, 2], "without gaps"),
        ([[1.0, 2.0]], [1, 0], "without gaps"),
        ([[1.0, 2.0]], [0], "one entry per coordinate"),
    ],
)
def test_bad_references_are_refused(coordinates, feature_of, sentence):
    with pytest.raises(DataError, match=sentence):
        GaussianReferences(coordinates, feature_of)


def test_bad_settings_are_refused():
    data = GaussianReferences([[1.0], [2.0]])
    for arguments, sentence in (
        (("betwixt",), "kind is 'betwixt'"),
        (("between", 0.0), "shape is 0.0"),
        (("covariance", 0.1), "order 0.1"),
        (("fixed", 1.0, 1.0, 1.0, "all"), "pairs is 'all'"),
    ):
        with pytest.raises(ConfigError, match=sentence):
            PrecisionLaw(*arguments)
    with pytest.raises(ConfigError, match="'within'"):
        ExplicitMeans(data, PrecisionLaw("within"))
    with pytest.raises(ConfigError, match="cannot be integrated out"):
        CollapsedPrecisions(data, PrecisionLaw("covariance"))
    for likelihood, name in ((ReferenceMeans(data), "type"), (ReferencePrecisions(data), "publ")):
        with pytest.raises(ConfigError, match=name):
            likelihood.condition({"other": None})
