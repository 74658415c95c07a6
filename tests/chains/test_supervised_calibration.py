"""Chains of references: where they start, and that they preserve the law of exact draws."""

from itertools import product

import numpy as np
import pytest
import references_exact as slow
from scipy import stats

from reseat.likelihoods import GaussianReferences
from reseat.models import references
from reseat.models.references import SUPERVISED_MODELS, build_supervised
from reseat.moves import RestrictedSweep, SplitMerge
from reseat.priors import DirichletProcess, GammaHyperprior

FEATURE_OF = np.array([0, 0, 1])
#: Models with a joint law, and fewer candidates than by default.
CASES = {
    "scdp1": {},
    "scdp1, the other forms": {"form": "explicit", "types": "collapsed"},
    "scdp2_exact": {"n_candidates": 3},
    "scdp3_covariance": {"n_candidates": 3},
    "scdp3_precision": {"n_candidates": 3},
}
JOINT = {"joint": {"n_proposals": 3, "n_neighbours": 3, "n_type_proposals": 1}}
LAWS = ("scdp1", "scdp2_exact", "scdp3_covariance", "scdp3_precision")
EXPLICIT = dict.fromkeys(LAWS, {}) | dict.fromkeys(("scdp1", "scdp2"), {"form": "explicit"})


def build(points, model, rng, **options):
    """Build a model of test items alone, with concentrations of 1."""
    n = len(points)
    given = {
        "prior": DirichletProcess(1.0),
        "type_prior": DirichletProcess(1.0),
        "test": np.ones(n, dtype=bool),
        "known": np.zeros(n, dtype=int),
    }
    data = GaussianReferences(points, FEATURE_OF)
    return build_supervised(data, model, rng, **(given | options))


def draw_data(c, d, means, t, rng):
    """Draw points given everything else."""
    scale = 1 / np.sqrt(t[d][:, FEATURE_OF])
    return means[c] + scale * rng.normal(size=scale.shape)


@pytest.mark.parametrize("model", EXPLICIT)
def test_explicit_means_start_at_a_draw_given_the_items(model):
    """All precisions are 1, so a mean of n items has the law N(n m / (n + 1), 1 / (n + 1))."""
    rng, n_blocks, size = np.random.default_rng(1), 60, 12
    labels = np.repeat(np.arange(n_blocks), size)
    points = 3 * rng.normal(size=(n_blocks, 3))[labels] + rng.normal(size=(labels.size, 3))
    start = {"publication": labels, "type": np.zeros_like(labels)}
    chain = build(points, model, rng, start=start, **EXPLICIT[model])
    averages = points.reshape(n_blocks, size, 3).mean(axis=1)
    means = chain.publications.likelihood.means
    assert np.corrcoef(means.ravel(), averages.ravel())[0, 1] > 0.95
    residuals = (means - averages * size / (size + 1)) * np.sqrt(size + 1)
    assert stats.kstest(residuals.ravel(), "norm").pvalue > 0.001


def assert_unchanged(changes, bound=4):
    """Check that the mean change of each summary over the sets of data is zero."""
    z = np.mean(changes, axis=0) / (np.std(changes, axis=0, ddof=1) / np.sqrt(len(changes)))
    assert np.abs(z).max() < bound


@pytest.mark.parametrize("model", ["scdp3_covariance", "scdp3_precision", "scdp2_exact"])
def test_parameters_reach_their_law_where_the_partitions_are_true(model):
    """The chain has its own start; means drawn without the items would keep precisions low."""
    rng, n, n_sets, n_rounds, gaps = np.random.default_rng(2), 40, 60, 25, []
    for _ in range(n_sets):
        c, d, means, t = slow.from_the_prior(SUPERVISED_MODELS[model], n, FEATURE_OF, rng)
        points, start = draw_data(c, d, means, t, rng), {"publication": c, "type": d}
        chain = build(points, model, rng, start=start)
        for _ in range(n_rounds):
            chain._draw_parameters(rng)
        found = chain.types.likelihood.precisions[: len(t)]
        size = (means[c] ** 2).sum() - (chain.publications.likelihood.means[c] ** 2).sum()
        gaps.append([(np.log(found[d]) - np.log(t[d])).mean(), np.tanh(size / n)])
    assert_unchanged(gaps, 3.5)


def summaries(chain):
    """Return what is compared: blocks, types, pairs, precisions and means of the items."""
    c, d = chain.publications.labels, chain.types.labels
    t, means = chain.types.likelihood.precisions[d], chain.publications.likelihood.means[c]
    return [
        *(np.unique(c).size, np.unique(d).size),
        *(np.equal.outer(c, c).sum(), np.equal.outer(d, d).sum(), (c == c[0]).sum()),
        *np.log(t).mean(axis=0),
        *np.log(t[0]),
        *np.tanh((means**2).mean(axis=0)),
        np.tanh((t[:, FEATURE_OF] * (means - chain.publications.likelihood.data.coordinates) ** 2)
                .mean() - 1),
    ]  # fmt: skip


def at_a_draw(model, n, rng, **options):
    """Return a chain whose data and state are one draw from the joint law."""
    c, d, means, t = slow.from_the_prior(SUPERVISED_MODELS[model], n, FEATURE_OF, rng)
    points = draw_data(c, d, means, t, rng)
    chain = build(points, model, rng, start={"publication": c, "type": d}, **options)
    place(chain, means, t)
    return chain


def place(chain, means, t, **sampled):
    """Set the means, the precisions and the sampled parameters of a part."""
    state = chain.state()
    for part, values in sampled.items():
        state["likelihood"][part].update(values)
    state["parameters"]["publication/means"][: len(means)] = means
    state["parameters"]["type/precisions"][: len(t)] = t
    chain.restore(state)


@pytest.mark.parametrize(("case", "moves"), [*product(CASES, ["gibbs"]), *product(LAWS, ["joint"])])
def test_sweeps_from_an_exact_draw_stay_in_law(case, moves):
    """Geweke (2004), starting in the law itself, so that any error shows after a few sweeps."""
    rng, n, n_sets, n_sweeps = np.random.default_rng(3), 8, 120, 6
    options = CASES[case] | (JOINT if moves == "joint" else {})
    changes = []
    for _ in range(n_sets):
        chain = at_a_draw(case.split(",")[0], n, rng, **options)
        before, after = summaries(chain), []
        for _ in range(n_sweeps):
            chain.sweep(rng)
            after.append(summaries(chain))
        # The mean of several sweeps varies less than the last one.
        changes.append(np.mean(after[2:], axis=0) - before)
    assert_unchanged(changes)


@pytest.mark.parametrize("moves", ["gibbs", "split_merge"])
def test_sweeps_from_an_exact_draw_stay_in_law_without_types(moves):
    """The same holds for CDP, whose precisions are 1."""
    rng, n, n_sets, n_sweeps, changes = np.random.default_rng(6), 8, 400, 6, []
    found = {"gibbs": {}, "split_merge": {"moves": split_merges}}[moves]
    for _ in range(n_sets):
        c = slow.restaurant(n, rng)
        points = rng.normal(size=(c.max() + 1, 3))[c] + rng.normal(size=(n, 3))
        chain = build(points, "cdp", rng, start=c, **found)
        for _ in range(n_sweeps):
            chain.sweep(rng)
        changes.append(np.subtract(partition_summaries(chain.labels), partition_summaries(c)))
    assert_unchanged(changes)
    assert np.std(changes, axis=0).min() > 0.3


def split_merges(groups, items):
    """Return split–merge moves and the sweep over single items."""
    return [SplitMerge(items, groups, n_proposals=2, n_scans=1), RestrictedSweep(groups, items)]


def test_a_sampled_variance_of_the_means_stays_in_law(monkeypatch):
    """Geweke's test with the variance drawn from its prior, and its law given the means."""
    monkeypatch.setattr(references, "SCALE", (3.0, 2.0))
    monkeypatch.setattr(references.SampledScale.__init__, "__defaults__", ((3.0, 2.0),))
    rng, n, changes, draws = np.random.default_rng(8), 8, [], []
    for _ in range(120):
        sigma = 2.0 / rng.gamma(3.0)
        c, d, means, t = slow.from_the_prior("fixed", n, FEATURE_OF, rng)
        means *= np.sqrt(sigma)
        chain = build(draw_data(c, d, means, t, rng), "scdp1", rng,
                      start={"publication": c, "type": d}, sigma="sampled", **JOINT)  # fmt: skip
        place(chain, means, t, publication={"sigma": sigma})
        likelihood = chain.publications.likelihood
        assert likelihood.sigma == sigma and (likelihood.means[: len(means)] == means).all()
        before = [*summaries(chain), np.log(sigma)]
        for _ in range(6):
            chain.sweep(rng)
        changes.append(np.subtract([*summaries(chain), np.log(likelihood.sigma)], before))
        likelihood.draw_scale(chain.publications.partition, rng)
        used = likelihood.means[np.unique(chain.publications.labels)]
        law = stats.invgamma(3 + used.size / 2, scale=2 + (used**2).sum() / 2)
        draws.append(law.cdf(likelihood.sigma))
    assert_unchanged(changes)
    assert np.std(changes, axis=0)[-1] > 0.3
    assert stats.kstest(draws, "uniform").pvalue > 0.001


@pytest.mark.parametrize("model", ["scdp1", "scdp3_covariance"])
def test_sampled_parameters_of_the_law_stay_in_law(model, monkeypatch):
    """Geweke's test with parameters of the precisions' law drawn from their priors."""
    monkeypatch.setattr(references, "LAW", GammaHyperprior(4.0, 4.0))
    rng, n, changes, names = np.random.default_rng(9), 8, [], references.SAMPLED_LAWS[model]
    for _ in range(80):
        given = {name: rng.gamma(4.0) / 4 for name in names}
        given["rate"] = 1 / given["rate"]
        kind = SUPERVISED_MODELS[model]
        c, d, means, t = slow.from_the_prior(kind, n, FEATURE_OF, rng, **given)
        points, start = draw_data(c, d, means, t, rng), {"publication": c, "type": d}
        chain = build(points, model, rng, start=start, sampled=names, n_candidates=3, **JOINT)
        place(chain, means, t, type=given)
        assert chain.types.likelihood.hyperparameters == given
        before = [*summaries(chain), *np.log([*given.values()])]
        for _ in range(6):
            chain.sweep(rng)
        found = np.log([*chain.types.likelihood.hyperparameters.values()])
        changes.append(np.subtract([*summaries(chain), *found], before))
    assert_unchanged(changes)
    assert np.std(changes, axis=0)[-len(names) :].min() > 0.3


def partition_summaries(labels):
    """Return the numbers of blocks and pairs, and the size of the block of the first item."""
    same = np.equal.outer(labels, labels)
    return np.unique(labels).size, same.sum(), same[0].sum()
