"""Moves of publications and types together, one by one, against enumeration and quadrature."""

import math
from collections import Counter

import exact
import numpy as np
import pytest
import references_exact as slow
from scipy.special import gammaln

from reseat.chains import GroupedModel, MixtureModel
from reseat.errors import ConfigError
from reseat.likelihoods import (
    CollapsedPrecisions,
    ExplicitMeans,
    GaussianReferences,
    PrecisionLaw,
    ReferenceMeans,
    ReferencePrecisions,
)
from reseat.models.joint_moves import mutual_neighbours
from reseat.models.references import build_supervised
from reseat.models.supervised import Items, build
from reseat.moves import (
    IntegratedTypeSplitMerge,
    JointSplitMerge,
    JointSweep,
    PrecisionSteps,
    PublicationTypes,
)
from reseat.moves._type_sums import SideSums, TypeMembers
from reseat.moves.types import SHARE
from reseat.papers.supervised.formulas import REFERENCES, pair_probabilities
from reseat.priors import NBD, DirichletProcess, FiniteDirichlet

FEATURE_OF = np.array([0, 0, 1])
POINTS = np.array([[0.9, 0.2, -0.4], [0.5, -0.3, 0.1], [-0.8, 0.6, 0.2], [0.1, 0.4, 1.3]])
PRECISIONS = np.array([[0.5, 3.0], [2.5, 0.7]])
SIGMA = 1.4
#: The assignments of four items that use both types.
BOTH_TYPES = [tuple(code >> i & 1 for i in range(4)) for code in range(1, 15)]


def pair(data, labels, kinds, groups=None, type_prior=None, sigma=1.0):
    """Return both parts of a model with these publications and types."""
    groups = np.zeros(len(kinds), dtype=int) if groups is None else groups
    means = ReferenceMeans(data, sigma=sigma)
    publications = GroupedModel(DirichletProcess(1.0), means, [], groups)
    types = MixtureModel(type_prior or DirichletProcess(1.0), ReferencePrecisions(data), [])
    publications.start(labels)
    types.start(kinds)
    publications.condition({"type": types})
    return publications, types


def parts(groups=None, labels=None, means=ReferenceMeans):
    """Return both parts of a model of the four points, in one publication and two types."""
    data = GaussianReferences(POINTS, FEATURE_OF)
    groups = np.zeros(4, dtype=int) if groups is None else groups
    publications = GroupedModel(DirichletProcess(1.3), means(data, sigma=SIGMA), [], groups)
    types = MixtureModel(DirichletProcess(0.8), ReferencePrecisions(data), [])
    publications.start(groups if labels is None else labels)
    types.start([0, 1, 0, 1])
    types.likelihood.precisions = PRECISIONS
    publications.condition({"type": types})
    return publications, types


def states(groups):
    """Yield pairs of a partition that keeps groups apart and an assignment that uses both types."""
    for c in exact.partitions(4):
        if all(groups[i] == groups[j] for i in range(4) for j in range(4) if c[i] == c[j]):
            for d in BOTH_TYPES:
                yield c, d


def visits(move, groups, n_calls):
    """Return the probability of each state, and how often it is visited."""
    publications, types = parts(groups)
    rng, seen = np.random.default_rng(1), Counter()
    for call in range(n_calls):
        if call % 100 == 0:  # as a model does after every sweep
            publications.condition({"type": types})
        move(publications, types, rng)
        d = tuple(types.labels.tolist())
        seen[exact.canonical(publications.labels), d] += 1
    target = {
        (c, d): slow.log_collapsed(POINTS, np.array(c), PRECISIONS[list(d)], FEATURE_OF, SIGMA)
        + sum(exact.log_pitman_yor(np.array(c)[groups == g], 1.3, 0.0) for g in set(groups))
        + gammaln(np.bincount(d)).sum()
        for c, d in states(groups)
        # Splits and merges do not change the type of an item that is alone in its group.
        if groups[3] == groups[0] or isinstance(move, JointSweep) or d[3] == 1
    }
    return exact.normalise(target), seen


NEAR = np.array([[0, 1, 1, 0], [1, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]])
MOVES = {
    "sweep": lambda groups: JointSweep(groups),
    "split-merge": lambda groups: JointSplitMerge(groups=groups, n_proposals=4, redraw=0.5),
    "share": lambda groups: JointSplitMerge(groups=groups, n_proposals=8, share=0.5, redraw=0.5),
    "redrawn": lambda groups: JointSplitMerge(groups=groups, n_proposals=16, redraw=1.0),
    "neighbours": lambda groups: JointSplitMerge(
        neighbours=NEAR * np.equal.outer(groups, groups), groups=groups, n_proposals=4, redraw=0.5
    ),
}
ONE, TWO = (0, 0, 0, 0), (0, 0, 0, 1)


@pytest.mark.parametrize(
    ("move", "groups"),
    [
        *(("sweep", ONE), ("sweep", TWO), ("split-merge", TWO)),
        *(("share", ONE), ("redrawn", ONE), ("neighbours", TWO)),
    ],
)
def test_a_joint_move_alone_has_the_enumerated_posterior_of_both_partitions(move, groups):
    """There are 210 states, or fewer with two groups; independent draws would be .032 away."""
    groups = np.array(groups)
    # Items keep their type if no other item of it is left outside the two publications, which is
    # often so with four items; therefore moves that take out whole publications need more calls.
    target, seen = visits(MOVES[move](groups), groups, 8_000 if move == "sweep" else 16_000)
    assert set(seen) <= set(target)
    assert exact.total_variation(target, seen) < 0.055
    for place in (0, 1):
        margin, found = Counter(), Counter()
        for pair, value in target.items():
            margin[pair[place]] += value
        for pair, value in seen.items():
            found[pair[place]] += value
        assert exact.total_variation(margin, found) < 0.03


@pytest.mark.parametrize("labels", [(0, 0, 0, 1), (0, 1, 0, 1)])
def test_types_of_whole_publications_have_the_enumerated_posterior(labels):
    """There are three proposals per sweep, so that a wrong acceptance ratio would show."""
    publications, types = parts(labels=labels)
    move, sweep, rng = PublicationTypes(), JointSweep(items=[]), np.random.default_rng(19)

    def step():
        for one in (move, move, move, sweep):
            one(publications, types, rng)

    target = exact.normalise(
        {
            d: slow.log_collapsed(POINTS, np.array(labels), PRECISIONS[list(d)], FEATURE_OF, SIGMA)
            + gammaln(np.bincount(d)).sum()
            for d in BOTH_TYPES
        }
    )
    seen = exact.visits(step, lambda: types.labels, 4_000, lambda d: tuple(d.tolist()))
    assert exact.total_variation(target, seen) < 0.025
    assert np.array_equal(publications.labels, labels)
    assert 0.2 < move.accepted_["types"] / move.proposed_["types"] <= 1


@pytest.mark.parametrize("move", ["sweep", "split-merge"])
def test_held_items_keep_their_publication(move):
    """The last item may not move, and no other item may join it."""
    groups, items = np.array([0, 0, 0, 1]), np.arange(3)
    made = {
        "sweep": JointSweep(groups, items),
        "split-merge": JointSplitMerge(items, groups, n_proposals=4),
    }
    publications, types = parts(groups)
    rng, kinds = np.random.default_rng(2), set()
    for _ in range(200):
        made[move](publications, types, rng)
        labels = publications.labels
        assert labels[3] not in labels[:3]
        kinds.add(int(types.labels[3]))
    # The sweep draws its type; splits and merges do not take the item out, so its type stays.
    assert kinds == ({0, 1} if move == "sweep" else {1})


def test_a_joint_sweep_given_means_has_the_enumerated_posterior():
    """The means are held, so the publications keep their number and their slots."""
    groups = np.zeros(4, dtype=int)
    publications, types = parts(groups, [0, 1, 0, 1], ExplicitMeans)
    means = np.array([[0.5, 0.1, 0.3], [-0.2, 0.2, 0.0]])
    publications.likelihood.means = np.concatenate(
        [means, np.zeros((len(publications.likelihood.means) - 2, 3))]
    )
    publications.condition({"type": types})
    move, rng, seen = JointSweep(groups), np.random.default_rng(3), Counter()
    for _ in range(8_000):
        move(publications, types, rng)
        seen[tuple(publications.labels.tolist()), tuple(types.labels.tolist())] += 1
    target = exact.normalise(
        {
            (c, d): slow.log_items(
                POINTS, means[list(c)], PRECISIONS[list(d)], FEATURE_OF
            ).sum()
            + gammaln(np.bincount(c)).sum()
            + gammaln(np.bincount(d)).sum()
            for c in BOTH_TYPES
            for d in BOTH_TYPES
        }
    )  # fmt: skip
    assert exact.total_variation(target, seen) < 0.055


def test_precision_steps_alone_have_the_law_found_by_quadrature():
    """Two types occur in one publication; the other publication has one item of one type."""
    publications, types = parts(labels=[0, 0, 0, 1])
    grid = np.exp(np.linspace(-7, 4, 180))
    one, two = np.meshgrid(grid, grid, indexing="ij")
    expected = []
    for columns in slow.features(FEATURE_OF):
        log_weight = -one - two + np.log(one) + np.log(two)  # Gamma(1, 1) on the log scale
        t = np.stack([one, two, one, two], axis=-1)
        for members in ([0, 1, 2], [3]):
            of_block = t[..., members]
            mass = 1 / SIGMA + of_block.sum(axis=-1)
            for column in columns:
                x = POINTS[members, column]
                pull = (of_block * x).sum(axis=-1)
                log_weight += (np.log(of_block).sum(axis=-1) - np.log(SIGMA * mass)) / 2
                log_weight += (pull**2 / mass - (of_block * x**2).sum(axis=-1)) / 2
        weight = np.exp(log_weight - log_weight.max())
        weight /= weight.sum()
        expected.append([(weight * np.log(s)).sum() for s in (one, two)])
    move, rng, n_calls = PrecisionSteps(1.2), np.random.default_rng(4), 6_000
    found = np.empty((n_calls, 2, 2))
    for row in found:
        move(publications, types, rng)
        row[:] = np.log(types.likelihood.precisions[:2])
    batches = found.reshape(30, -1, 2, 2).mean(axis=1)
    error = batches.std(axis=0, ddof=1) / np.sqrt(30)
    assert (np.abs(found.mean(axis=0) - np.transpose(expected)) / error).max() < 4
    assert error.max() < 0.1
    assert 0 < move.accepted_["all"] < move.proposed_["all"] == 2 * n_calls


@pytest.mark.parametrize(("labels", "n_calls"), [((0, 0, 0), 2_000), ((0, 1, 0), 4_000)])
def test_types_are_split_and_merged_as_enumerated_with_means_integrated_out(labels, n_calls):
    """The publications are given; precisions are drawn by the other move, splits and merges."""
    publications, types = pair(REFERENCES[:, None], labels, [0, 0, 0])
    pairs = pair_probabilities("fixed")
    target = exact.normalise({d: np.log(p) for (c, d), p in pairs.items() if c == labels})
    steps, move, rng = PrecisionSteps(1.2), IntegratedTypeSplitMerge(1), np.random.default_rng(17)

    def step():
        steps(publications, types, rng)
        move(publications, types, rng)

    seen = exact.visits(step, lambda: types.labels, n_calls)
    assert exact.total_variation(target, seen) < 0.04
    for kind in ("merge", "share"):
        assert 0.5 * move.proposed_[kind] < move.accepted_[kind] < move.proposed_[kind]
    # One merge undoes a split, and half of the merges are replaced by shares.
    assert 0.8 * SHARE * move.proposed_["split"] < move.accepted_["split"]
    assert abs(move.accepted_["split"] - move.accepted_["merge"]) <= 2


def uninformed(n, type_prior, labels):
    """Return both parts of a model of `n` publications whose data say nothing about the types."""
    alone = np.arange(n)
    return pair(np.zeros((n, 1)), alone, labels, alone, type_prior, sigma=1e9)


def test_splits_and_merges_have_the_law_of_a_prior_of_labelled_types():
    n, n_calls, prior = 4, 3_000, FiniteDirichlet(4, 1.0)
    parts = *uninformed(n, prior, np.zeros(n, dtype=int)), np.random.default_rng(9)
    move = IntegratedTypeSplitMerge(1, 1)
    seen = exact.visits(
        lambda: move(*parts), lambda: parts[1].labels, n_calls, lambda d: np.unique(d).size
    )
    target = Counter()
    for c in exact.partitions(n):
        sizes = [c.count(k) for k in set(c)]
        target[len(sizes)] += math.perm(4, len(sizes)) * np.exp(prior.log_prob(sizes))
    assert exact.total_variation(target, seen) < 0.025


def test_sizes_of_redistributed_types_have_the_law_of_the_prior(monkeypatch):
    """Two types are never merged or split."""
    monkeypatch.setattr("reseat.moves.types.BY_TYPE", 1)
    monkeypatch.setattr("reseat.moves.types.SHARE", 1 - 1e-12)
    n, n_calls, every = 6, 6_000, 3  # the calls after one another are much alike
    publications, types = uninformed(n, DirichletProcess(1.0), np.arange(n) % 2)
    move, rng, seen = IntegratedTypeSplitMerge(1, 1), np.random.default_rng(8), Counter()
    for call in range(n_calls):
        move(publications, types, rng)
        if call % every == 0:
            seen[int(np.bincount(types.labels).min())] += 1
    # The law of all partitions into two blocks, by the size of the smaller one.
    sizes = {k: 1 / (k * (n - k)) / (1 + (2 * k == n)) for k in range(1, n // 2 + 1)}
    target = {k: weight / sum(sizes.values()) for k, weight in sizes.items()}
    assert exact.total_variation(target, seen) < 0.045
    assert move.accepted_["share"] > 1_200 > 0 == move.accepted_["split"] + move.accepted_["merge"]


def test_types_that_differ_in_scale_are_opened_where_items_choose_among_those_in_use():
    """Only splits and merges open and close types here; the other moves refine them."""
    rng, n = np.random.default_rng(18), 90
    kind, labels = np.arange(n) % 2, np.arange(n) % 3
    scale = np.where(kind == 1, 0.02, 1.0)[:, None]
    points = 2 * rng.normal(size=(3, 3))[labels] + scale * rng.normal(size=(n, 3))
    data = GaussianReferences(points, FEATURE_OF)
    publications, types = pair(data, labels, np.zeros(n, dtype=int))
    moves = [PrecisionSteps(), JointSweep(items=[]), IntegratedTypeSplitMerge(5)]
    for _ in range(30):
        for move in moves:
            move(publications, types, rng)
    found = types.labels
    together = np.equal.outer(found, found)
    assert together[np.ix_(kind == 0, kind == 1)].mean() < 0.1
    assert together[np.ix_(kind == 1, kind == 1)].mean() > 0.7
    means = np.log(types.likelihood.precisions[found]).mean(axis=1)
    # With a rate of 1 they are at most about half the number of items times coordinates.
    assert np.median(means[kind == 1]) > np.median(means[kind == 0]) + np.log(15)
    assert np.array_equal(publications.labels, labels)


def test_two_items_are_neighbours_if_each_is_near_the_other():
    points = np.array([[0.0], [1.0], [1.5], [9.0], [0.4], [1.2]])
    groups, items = np.array([0, 0, 0, 0, 1, 0]), np.array([0, 1, 2, 3, 4])
    found = mutual_neighbours(points, groups, items, 1).toarray()
    assert np.argwhere(found).tolist() == [[1, 2], [2, 1]]
    found = mutual_neighbours(points, groups, items, 2).toarray()
    assert np.argwhere(found).tolist() == [[0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1]]


def test_what_joint_moves_cannot_serve_is_refused():
    publications, types = parts()

    def one_block(prior, likelihood):
        model = MixtureModel(prior, likelihood)
        model.start([0, 0, 0, 0])
        return model

    plain = one_block(DirichletProcess(1.0), ReferencePrecisions(POINTS))
    tracking = one_block(NBD(), publications.likelihood)
    law = PrecisionLaw("precision")
    following = one_block(DirichletProcess(1.0), ReferencePrecisions(POINTS, law))
    publications.start([0, 0, 0, 0])
    publications.condition({"type": types})
    for move, both, error, sentence in (
        (JointSweep(), (plain, types), TypeError, "no means of blocks"),
        (JointSweep(), (tracking, types), TypeError, "sizes of all blocks"),
        (JointSweep(items=[4]), parts(), ValueError, "between 0 and 3"),
        (JointSplitMerge(items=[3, 4]), parts(), ValueError, "between 0 and 3"),
        (JointSplitMerge(neighbours=np.eye(4)), parts(), ValueError, "Item 0 has the neighbour 0"),
        (IntegratedTypeSplitMerge(), (publications, following), ConfigError, "use ExplicitMeans"),
    ):
        with pytest.raises(error, match=sentence):
            move(*both, np.random.default_rng(7))
    with pytest.raises(ConfigError, match="step is 0"):
        PrecisionSteps(0)


@pytest.mark.parametrize(
    ("model", "types"),
    [("scdp1", "explicit"), ("scdp1", "collapsed"), ("scdp3_covariance", "explicit")],
)
def test_moves_together_keep_statistics_that_rebuilding_does_not_change(model, types):
    rng, n = np.random.default_rng(8), 60
    data = GaussianReferences(rng.normal(size=(n, 3)) + 3 * (np.arange(n) % 3)[:, None], FEATURE_OF)
    groups = np.arange(n) % 2
    chain = build_supervised(
        data, model, rng, test=np.arange(n) > 20, known=np.arange(n) % 5, groups=groups,
        start="singletons", types=types, joint={"n_proposals": 10},
    )  # fmt: skip
    for _ in range(15):
        for move in chain.joint:
            chain._condition("publication")
            move(chain.publications, chain.types, rng)
        found = []
        for _ in range(2):  # with the sums as the moves left them, and with rebuilt ones
            chain.publications.likelihood.begin(np.random.default_rng(9))
            labels, slots = chain.publications.labels, np.unique(chain.publications.labels)
            score = chain.publications.likelihood.log_predictive
            found.append([score(i, labels[i], slots) for i in range(n)])
            chain._condition("publication")
        assert np.allclose(*found, rtol=0, atol=1e-8)
        if types == "collapsed":
            assert isinstance(chain.types.likelihood, CollapsedPrecisions)
        chain.sweep(rng)


GROUPS = np.arange(12) // 4


def chain_from(start, seed, groups=GROUPS, **settings):
    """Return a model of eight test items of three entities, and the items.

    The test items are in two groups by default.
    """
    entities = np.array([0, 0, 1, 1, 0, 1, 1, 2, 2, 0, 2, 2])
    rng = np.random.default_rng(10)
    coordinates = rng.normal(size=(12, 3)) + 4 * entities[:, None]
    items = Items(GaussianReferences(coordinates, FEATURE_OF), np.arange(12) > 3, entities, groups)
    move = {"n_proposals": 5, "n_neighbours": 3, "n_type_proposals": 2}
    given = {"n_candidates": 2, "moves": "joint", "move": move} | settings
    start = entities if start == "truth" else start
    return build(given, items, np.random.default_rng(seed), start), items


@pytest.mark.parametrize("model", ["scdp1", "scdp3_covariance"])
def test_held_publications_stay_and_all_else_is_drawn(model):
    chain, items = chain_from("truth", 11, model=model, held=True)
    rng, first, test = np.random.default_rng(12), chain.publications.labels, items.test
    groups = items.groups[test]
    same = np.equal.outer(items.known[test], items.known[test])
    same &= np.equal.outer(groups, groups)
    assert np.array_equal(np.equal.outer(first[test], first[test]), same)
    types, n_accepted = set(), 0
    for _ in range(40):
        chain.sweep(rng)
        n_accepted += chain.traced["accepted"]
        types.add(exact.canonical(chain.types.labels))
        assert np.array_equal(chain.publications.labels, first)
    assert len(types) > 1
    assert chain.traced["log_integrated"] == chain.log_integrated()
    assert n_accepted > 0 or model != "scdp1"


def test_k_means_starts_in_each_group_apart_and_chains_go_on_from_there():
    chain, items = chain_from("k_means", 13, model="scdp1")
    labels = chain.publications.labels
    for group in (1, 2):  # two entities are known
        assert np.unique(labels[items.groups == group]).size == 2
    rng = np.random.default_rng(14)
    assert sum(chain.sweep(rng) for _ in range(5)) > 0


def test_as_few_items_as_known_entities_start_as_singletons_in_order():
    """K-means would number them in an order that depends on how linear algebra is rounded."""
    chain, items = chain_from(
        "k_means", 13, model="scdp1", groups=np.repeat(range(5), [4, 2, 2, 2, 2])
    )
    assert items.test[4:].all() and np.unique(items.known[~items.test]).size == 2
    assert chain.publications.labels[4:].tolist() == list(range(2, 10))


def test_the_integrated_log_joint_is_that_of_dense_normals():
    chain, items = chain_from("singletons", 15, model="scdp1")
    rng = np.random.default_rng(16)
    for _ in range(3):
        chain.sweep(rng)
    c, d = chain.publications.labels, chain.types.labels
    t = chain.types.likelihood.precisions
    value = slow.log_collapsed(items.data.coordinates, c, t[d], FEATURE_OF, 1.0)
    value += slow.log_precisions(t[np.unique(d)], [(1, 1, 0)] * 2)
    value += sum(part.log_prior() for part in chain.parts.values())
    assert chain.log_integrated() == pytest.approx(value, abs=1e-7)


@pytest.mark.parametrize("n_sides", [1, 2])
def test_sums_of_types_give_the_density_and_residuals_of_dense_normals(n_sides):
    rng = np.random.default_rng(3)
    n, starts, sigma = 40, np.array([0, 2, 3], dtype=np.intc), 1.7
    points, block = rng.normal(size=(n, 3)), rng.integers(0, 25, n)
    block[:3] = block[0]
    labels = rng.integers(0, 3, n)
    t = rng.gamma(2.0, size=(3, 2))
    members = np.flatnonzero(labels != 2)
    sides = (rng.integers(0, n_sides, members.size)).astype(np.intc)
    base = TypeMembers(points, starts, block, labels, t, members, np.full(2, 1 / sigma))
    sums = SideSums(base, sides, n_sides)

    def dense(of_sides):
        """Return the log density of all coordinates, and residuals of members from their means.

        The means are those of the posterior.
        """
        precision = t[labels].copy()
        precision[members] = of_sides[sides]
        precision = precision[:, [0, 0, 1]]
        total, residuals = 0.0, np.zeros((n, 2))
        for d in range(3):
            cover = sigma * (block[:, None] == block) + np.diag(1 / precision[:, d])
            inverse = np.linalg.inv(cover)
            total -= np.linalg.slogdet(cover)[1] / 2
            total -= points[:, d] @ inverse @ points[:, d] / 2
            mean = points[:, d] - inverse @ points[:, d] / precision[:, d]
            variance = 1 / precision[:, d] - np.diag(inverse) / precision[:, d] ** 2
            residuals[:, d // 2] += (points[:, d] - mean) ** 2 + variance
        return total, residuals[members]

    one, two = rng.gamma(2.0, size=(2, n_sides, 2))
    gain = sums.log_density(one) - sums.log_density(two)
    assert gain == pytest.approx(dense(one)[0] - dense(two)[0], rel=1e-9)
    np.testing.assert_allclose(sums.residuals(one), dense(one)[1], rtol=1e-9)

    # At a fixed point of the fit, residuals are as large as expected.
    shape, rate, half = np.array([1.5, 1.2]), np.array([0.7, 0.9]), np.array([1.0, 0.5])
    for chi in (np.zeros(2), np.array([20.0, 3.0])):
        fitted_shape, fitted_rate = sums.fit(shape, rate, chi, 500)
        fixed = fitted_shape / fitted_rate
        residuals = dense(fixed)[1]
        for s in range(n_sides):
            mine = sides == s
            whole = shape + half * mine.sum() + chi / fixed[s]
            expected = whole / (rate + residuals[mine].sum(axis=0) / 2)
            np.testing.assert_allclose(fixed[s], expected, rtol=1e-6)
