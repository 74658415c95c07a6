"""Closed forms behind the growth curves, against enumeration and simulation, and their figure."""

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
import supervised_frames as frames
from drawings import names_in_legend
from scipy.integrate import quad
from scipy.special import gammaln

from reseat.papers.supervised import scores
from reseat.papers.supervised.figures import entity_growth
from reseat.papers.supervised.results import ROLES
from reseat.papers.supervised.tables import growth_table
from reseat.priors import FiniteDirichlet, PitmanYor, expected_blocks

PRIOR = {"shape": 1.0, "rate": 0.01}


@pytest.mark.parametrize("sizes", [(3, 2, 1, 1), (4, 4), (7,), (1, 1, 1, 1, 1, 2)])
def test_sampling_without_replacement_agrees_with_every_subset(sizes):
    labels = np.repeat(np.arange(len(sizes)), sizes)
    mean, variance = scores.sampled_growth(sizes)
    for n in range(1, len(labels) + 1):
        counts = [len(set(drawn)) for drawn in combinations(labels.tolist(), n)]
        assert mean[n - 1] == pytest.approx(np.mean(counts), abs=1e-12)
        assert variance[n - 1] == pytest.approx(np.var(counts), abs=1e-10)


def test_sampling_a_set_as_large_as_the_greatest_is_right(rng):
    sizes = rng.geometric(0.4, 2700)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    mean, variance = scores.sampled_growth(sizes)
    assert len(mean) == len(labels) > 6000 and mean[-1] == len(sizes)
    assert variance[0] < 1e-6 and variance[-1] < 1e-6
    counts = [len(np.unique(rng.choice(labels, 500, replace=False))) for _ in range(400)]
    assert abs(np.mean(counts) - mean[499]) < 4 * np.sqrt(variance[499] / 400)
    # A variance of 400 draws has a relative error of about sqrt(2/400).
    assert np.var(counts) == pytest.approx(variance[499], rel=4 * np.sqrt(2 / 400))


def test_the_dirichlet_process_has_the_printed_moments():
    alpha, i = 135.6, np.arange(1382)
    mean, sd = scores.cluster_growth(1382, alpha)
    assert mean[-1] == pytest.approx((alpha / (alpha + i)).sum(), rel=1e-10)
    assert sd[-1] == pytest.approx(np.sqrt((alpha * i / (alpha + i) ** 2).sum()), rel=1e-8)
    assert (mean[0], sd[0]) == (1.0, 0.0)


def test_growth_with_a_discount_agrees_with_other_formulas():
    mean, _sd = scores.cluster_growth(200, 2.0, 0.3)
    assert mean[-1] == pytest.approx(expected_blocks(200, 2.0, 0.3))
    # A finite Dirichlet with m = 6 and weight 0.8: each cluster is absent with probability
    # prod_i (4 + i)/(4.8 + i).
    mean, sd = scores.cluster_growth(30, 6 * 0.8, -0.8)
    i = np.arange(30)
    absent, both = (np.prod((weight + i) / (4.8 + i)) for weight in (4.0, 3.2))
    assert mean[-1] == pytest.approx(6 * (1 - absent))
    variance = 6 * absent + 30 * both - 36 * absent**2
    assert sd[-1] ** 2 == pytest.approx(variance)


def test_the_concentration_has_the_known_posterior_means():
    # 1382 items, 328 entities: 135.6 under Gamma(1, rate 0.01), 85.5 under Gamma(1, 1).
    assert scores.mean_concentration([1382], [328], 1.0, 0.01) == pytest.approx(135.6, abs=0.05)
    assert scores.mean_concentration([1382], [328], 1.0, 1.0) == pytest.approx(85.5, abs=0.05)


def test_the_concentration_of_several_partitions_agrees_with_an_integral():
    n, k = np.array([5, 5, 9, 2]), np.array([1, 2, 4, 1])

    def density(alpha):
        drop = gammaln(alpha) - gammaln(alpha + n)
        return np.exp(k.sum() * np.log(alpha) - 0.01 * alpha + drop.sum() + 12)

    top, bottom = (quad(lambda a, p=p: a**p * density(a), 0, np.inf)[0] for p in (1, 0))
    assert scores.mean_concentration(n, k, **PRIOR) == pytest.approx(top / bottom, rel=1e-6)


def test_the_concentration_is_finite_at_the_ends():
    for items, clusters in (([50, 3], [50, 3]), ([4000], [1])):
        found = scores.mean_concentration(items, clusters, **PRIOR)
        assert np.isfinite(found) and found > 0
    # One item carries no information, so the mean is that of the prior, 100.
    assert scores.mean_concentration([1], [1], **PRIOR) == pytest.approx(100, rel=1e-3)


def test_few_clusters_of_like_sizes_are_a_finite_number():
    concentration, discount = scores.fit_pitman_yor(
        [[49, 101, 152, 180, 183, 200, 120, 80, 250, 90]]
    )
    # As 1,400 items have no eleventh cluster, the fit has ten possible clusters.
    assert concentration == pytest.approx(-10 * discount) and discount < -1
    found, error = scores.cluster_growth(1405, concentration, discount)
    assert found[-1] == pytest.approx(10, abs=0.01) and error[-1] < 0.1


def test_the_fit_is_a_maximum_of_a_likelihood_written_another_way(rng):
    parts = [PitmanYor(4.0, 0.3).sample_sizes(int(n), rng) for n in rng.integers(3, 60, 60)]
    concentration, discount = scores.fit_pitman_yor(parts)

    def log_prob(theta, d):
        prior = PitmanYor(theta, d)
        return sum(prior.log_prob(part) for part in parts)

    best = log_prob(concentration, discount)
    for factor, shift in ((1.02, 0), (0.98, 0), (1, 0.01), (1, -0.01)):
        assert log_prob(concentration * factor, discount + shift) < best


def labelled(entities, test, groups):
    return SimpleNamespace(entities=entities, test=np.array(test, bool), groups=groups)


def test_training_and_test_items_are_pooled_and_documents_are_not():
    entities = [0, 0, 1, 2, 2, 3]
    test = [0, 0, 0, 1, 1, 1]
    curve, fit = scores.growth_frames(labelled(entities, test, test), PRIOR, {"dataset": "x"})
    assert curve["n"].tolist() == [1, 2, 3, 4, 5, 6] and curve["n_groups"].eq(1).all()
    assert curve["empirical_mean"].iloc[-1] == 4 and (curve["dataset"] == "x").all()
    assert fit["alpha"].iloc[0] == pytest.approx(scores.mean_concentration([6], [4], **PRIOR))
    # Three documents: {0,0,1}, {2,2}, {3}.
    curve, fit = scores.growth_frames(labelled(entities, test, [0, 0, 0, 1, 1, 2]), PRIOR)
    assert curve["n_groups"].tolist() == [3, 2, 1]
    # At n = 2, the mean is 5/3 in the first document (variance 2/9) and 1 in the second.
    second = curve.iloc[1]
    assert second["empirical_mean"] == pytest.approx((5 / 3 + 1) / 2)
    assert second["empirical_sd"] ** 2 == pytest.approx((2 / 9) / 2 + (1 / 3) ** 2)
    expected = scores.mean_concentration([3, 2, 1], [2, 1, 1], **PRIOR)
    assert fit["alpha"].iloc[0] == pytest.approx(expected)


def test_finite_mixtures_are_what_a_negative_discount_says():
    sizes, scale = (5, 3, 1), 0.7
    # With m = 4 labelled blocks, an unlabelled partition into three has 4!/1! labellings.
    gaps = [
        FiniteDirichlet(4, scale).log_prob(np.array(given))
        - scores._log_likelihood([np.array(given, float)], 4 * scale, -scale)
        for given in (sizes, (7, 1, 1))
    ]
    assert np.isfinite(gaps[0]) and gaps[0] == pytest.approx(gaps[1])


def test_four_panels_have_the_curves_of_model_and_data():
    table = growth_table("scdp_fig3", *frames.growth(frames.DATASETS | frames.MORE))
    table = table[table["main"]]
    fig = entity_growth(table, ROLES)
    panels = [ax for ax in fig.axes if ax.get_title(loc="left")]
    names = ("digits", "researchers (stand-in)", "proper nouns (stand-in)", "references")
    titles = [f"({letter}) {name}" for letter, name in zip("abcd", names, strict=True)]
    assert [ax.get_title(loc="left") for ax in panels] == titles
    # Three means, and two bands of two standard deviations on either side.
    assert {(len(ax.lines), len(ax.collections)) for ax in panels} == {(3, 2)}
    mean, data = panels[0].lines[:2]
    digits = table[table["role"] == "digits"]
    np.testing.assert_allclose(mean.get_ydata(), digits["dp_mean"])
    band = panels[0].collections[0].get_paths()[0].vertices
    for n, top in zip(digits["n"], digits["dp_mean"] + 2 * digits["dp_sd"], strict=True):
        assert band[band[:, 0] == n, 1].max() == pytest.approx(top)
    np.testing.assert_allclose(data.get_ydata(), digits["empirical_mean"])
    assert (band[:, 1] >= 0).all()
    assert mean.get_color() == "#000000" and data.get_color() == "#0072B2"
    # Lines differ in dashes as well as in colour.
    dashes = {(line.get_linestyle(), str(line._dash_pattern)) for line in panels[0].lines}
    assert len(dashes) == 3
    process = "Dirichlet process"
    names = [process, f"{process} ± 2 sd", "data", "data ± 2 sd", "Pitman-Yor"]
    assert names_in_legend(fig) == names
    # A single set has one panel.
    fig = entity_growth(table[table["role"] == "coref"])
    assert [ax.get_title(loc="left") for ax in fig.axes] == ["(a) coref (stand-in)"]
