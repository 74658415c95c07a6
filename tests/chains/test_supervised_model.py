"""Publications and types together: enumeration, joint distribution tests, chains."""

from collections import Counter

import exact
import numpy as np
import pytest
import references_exact as slow
from scipy import stats
from strikes import chain_of, interrupt

from reseat.chains import Schedule, open_chain, run_chain, split_labels
from reseat.errors import ConfigError, DataError
from reseat.likelihoods import GaussianReferences
from reseat.models.references import SUPERVISED_MODELS, build_supervised
from reseat.moves import RestrictedSweep
from reseat.papers.supervised.enumeration import MODELS, run_enumeration
from reseat.papers.supervised.formulas import pair_probabilities
from reseat.priors import DirichletProcess

FEATURE_OF = np.array([0, 0, 1])
POINTS = np.array([[0.3], [0.5], [-1.2]])


def build(data, model, rng, test=None, known=None, **options):
    """Build a model with concentrations of 1, by default of test items alone."""
    if not isinstance(data, GaussianReferences):
        data = GaussianReferences(data)
    n = data.n_items
    test = np.ones(n, dtype=bool) if test is None else test
    known = np.zeros(n, dtype=int) if known is None else known
    priors = {"prior": DirichletProcess(1.0), "type_prior": DirichletProcess(1.0)}
    return build_supervised(data, model, rng, test=test, known=known, **(priors | options))


def state_of(model):
    """Return a function that turns the labels of a model into its pair of partitions."""

    def state(labels):
        return tuple(map(exact.canonical, split_labels(labels, model.part_sizes).values()))

    return state


def publications_of(pairs):
    """Return the marginal law of the first partitions of pairs of partitions."""
    found = Counter()
    for (publications, _), value in pairs.items():
        found[publications] += value
    return found


@pytest.mark.parametrize("model", slow.EXACT)
def test_enumeration_has_the_regression_values(model):
    found = publications_of(pair_probabilities(SUPERVISED_MODELS[model]))
    digits = 1e-5 if model != "scdp3_covariance" else 1e-4
    for publications, value in zip(exact.partitions(3), slow.EXACT[model], strict=True):
        assert found[publications] == pytest.approx(value, abs=0.6 * digits)
    if model == "scdp1":  # another integral, over precisions instead of means
        other = slow.publication_probabilities()
        assert max(abs(other[c] - found[c]) for c in other) < 2e-4


CASES = {
    "scdp1": {},
    "scdp1, the other forms": {"form": "explicit", "types": "collapsed"},
    "scdp2_exact": {"n_candidates": 2},
    "scdp3_covariance": {"n_candidates": 2},
    "scdp3_precision": {"types": "collapsed", "n_candidates": 1},
}


@pytest.mark.parametrize("case", CASES)
def test_sweeps_reach_the_enumerated_posterior(case):
    """Independent draws would be .024 away with 25 pairs, and .010 with five partitions."""
    rng, name = np.random.default_rng(1), case.split(",")[0]
    model = build(POINTS, name, rng, **CASES[case])
    seen = exact.visits(lambda: model.sweep(rng), lambda: model.labels, 6_000, state_of(model))
    target = pair_probabilities(SUPERVISED_MODELS[name])
    assert exact.total_variation(target, seen) < 0.04
    assert exact.total_variation(publications_of(target), publications_of(seen)) < 0.016


def test_joint_moves_alone_reach_the_enumerated_posterior_of_held_means():
    """Only splits and merges open and close blocks; independent draws would be .042 away."""
    joint = {"n_proposals": 2, "n_neighbours": 2, "n_type_proposals": 1}
    rng = np.random.default_rng(11)
    chain = build(POINTS, "scdp3_covariance", rng, joint=joint)
    for part in chain.parts.values():
        part.moves = ()
    seen = exact.visits(lambda: chain.sweep(rng), lambda: chain.labels, 2_000, state_of(chain))
    target = pair_probabilities("covariance")
    assert exact.total_variation(target, seen) < 0.08
    assert exact.total_variation(publications_of(target), publications_of(seen)) < 0.03
    for move in chain.joint:
        proposed, accepted = (getattr(move, name, {}) for name in ("proposed_", "accepted_"))
        assert all(0.2 * proposed[kind] < accepted[kind] for kind in proposed)


def test_the_enumeration_table_is_of_every_model_with_a_law():
    found = run_enumeration(30, 1)
    assert list(found["prior"].unique()) == list(MODELS.values())
    cdp = found[found["prior"] == "CDP"].set_index("partition")["exact"]
    expected = exact.normalise(
        {
            c: exact.log_pitman_yor(c, 1.0, 0.0)
            + slow.log_collapsed(POINTS, np.array(c), np.ones((3, 1)), [0], 1.0)
            for c in exact.partitions(3)
        }
    )
    assert dict(cdp) == pytest.approx(
        {"".join(map(str, c)): value for c, value in expected.items()}, abs=1e-12
    )


@pytest.mark.parametrize("model", [name for name in SUPERVISED_MODELS if name != "cdp"])
def test_log_joint_is_that_of_everything(model):
    rng = np.random.default_rng(4)
    data = GaussianReferences(rng.normal(size=(6, 3)), FEATURE_OF)
    test, known = np.arange(6) > 2, np.array([0, 0, 1, 9, 9, 9])
    chain = build(data, model, rng, test, known, start="singletons")
    for _ in range(5):
        chain.sweep(rng)
    c, d = chain.publications.labels, chain.types.labels
    means, t = chain.publications.likelihood.means, chain.types.likelihood.precisions
    active, types = np.unique(c), np.unique(d)
    laws = chain.types.likelihood.parameters["laws"]
    if model != "scdp2":
        expected = slow.law(SUPERVISED_MODELS[model], means[active], None, FEATURE_OF)
        assert laws == pytest.approx(np.array(expected), rel=1e-9)
    value = slow.log_items(data.coordinates, means[c], t[d], FEATURE_OF).sum()
    value += stats.norm.logpdf(means[active]).sum() + slow.log_precisions(t[types], laws)
    for labels in (c[test], c[~test], d):
        value += exact.log_pitman_yor(labels, 1.0, 0.0)
    assert chain.log_joint() == pytest.approx(value, abs=1e-7)


def make_chain(folder, model="scdp3_covariance", **changes):
    rng = np.random.default_rng(5)
    data = GaussianReferences(rng.normal(size=(30, 3)), FEATURE_OF)
    groups = rng.integers(0, 4, 30)
    test, known = groups > 1, rng.integers(0, 4, 30)

    def start(rng):
        return build_supervised(
            data, model, rng, test=test, known=known, groups=groups, pairs="within_block"
        )

    return chain_of(start, folder, Schedule(5, 30, thin=2), **changes)


@pytest.mark.parametrize("model", ["scdp1", "scdp2", "scdp2_exact", "scdp3_covariance", "cdp"])
def test_a_chain_that_was_stopped_ends_with_the_draws_of_one_that_was_not(model, tmp_path):
    whole = open_chain(run_chain(make_chain(tmp_path, model)))
    (tmp_path / "stopped").mkdir()
    for after in (3, 16):
        interrupt(make_chain(tmp_path / "stopped", model), after)
    again = open_chain(run_chain(make_chain(tmp_path / "stopped", model)))
    for group in ("posterior", "sample_stats", "partition"):
        for name, values in whole[group].data_vars.items():
            assert np.array_equal(values, again[group][name]), name
    assert whole["sample_stats"]["n_moved"].values.sum() > 50
    names = {"n_clusters_publication", "n_clusters_type", "n_test_clusters"}
    names |= {"concentration_publication", "concentration_type"}
    if model == "cdp":
        names = {"n_clusters", "concentration"}
    assert names == set(whole["posterior"].data_vars)


@pytest.mark.parametrize("form", ["collapsed", "explicit"])
@pytest.mark.parametrize("model", [name for name in SUPERVISED_MODELS if name != "cdp"])
def test_a_model_goes_back_to_a_state_of_fewer_slots(model, form):
    """In between, there are as many publications and types as items."""
    rng = np.random.default_rng(9)
    data = GaussianReferences(rng.normal(size=(40, 3)), FEATURE_OF)
    start = {"publication": np.arange(40) % 3, "type": np.arange(40) % 2}
    chain = build(data, model, rng, form=form, start=start)
    state, value, draws = chain.state(), chain.log_joint(), []
    capacities = [part.partition.capacity for part in chain.parts.values()]
    labels = {name: np.arange(40) for name in chain.parts}
    for _ in range(2):
        chain.start(labels, rng)
        assert all(
            part.partition.capacity > capacity
            for part, capacity in zip(chain.parts.values(), capacities, strict=True)
        )
        chain.restore(state)
        assert chain.log_joint() == value
        seeded = np.random.default_rng(10)
        chain.sweep(seeded)
        draws.append((chain.log_joint(), *chain.labels.tolist()))
    assert draws[0] == draws[1]


@pytest.mark.parametrize("model", ["scdp1", "scdp3_precision"])
@pytest.mark.parametrize("share", [False, True])
def test_training_items_are_held_and_joined_only_if_publications_are_shared(model, share):
    rng = np.random.default_rng(7)
    points = np.repeat([[0.0, 0, 0], [6, 6, 6]], 10, axis=0) + 0.1 * rng.normal(size=(20, 3))
    test, known = np.arange(20) % 2 == 0, np.repeat([4, 2], 10)
    data = GaussianReferences(points, FEATURE_OF)
    chain = build(data, model, rng, test, known, share=share)
    before = chain.publications.labels[~test]
    joined = 0
    for _ in range(30):
        chain.sweep(rng)
        labels = chain.publications.labels
        assert np.array_equal(labels[~test], before)
        joined += np.isin(labels[test], before).any()
        assert chain.n_clusters["n_test_clusters"] == np.unique(labels[test]).size
    assert joined > 20 if share else joined == 0


def test_chains_start_where_they_are_told():
    rng = np.random.default_rng(8)
    data = GaussianReferences(rng.normal(size=(6, 2)))
    test, known = np.array([0, 0, 1, 1, 1, 1], dtype=bool), np.array([7, 7, 7, 7, 7, 7])
    groups = np.array([0, 0, 0, 1, 1, 1])
    arguments = {"test": test, "known": known, "groups": groups}

    def labels(**options):
        built = build_supervised(data, options.pop("model", "scdp1"), rng, **arguments, **options)
        return exact.canonical(split_labels(built.labels, {"c": 6, "d": 6})["c"])

    assert labels(start="one") == (0, 0, 1, 2, 2, 2)
    assert labels(start="singletons") == (0, 0, 1, 2, 3, 4)
    assert labels(start=np.array([3, 3, 1, 0, 1, 0])) == (0, 0, 1, 2, 3, 2)
    given = {"publication": [0, 0, 1, 2, 2, 3], "type": [0, 1, 0, 1, 0, 1]}
    assert labels(start=given) == (0, 0, 1, 2, 2, 3)
    alone = build_supervised(data, "cdp", rng, **arguments)
    assert exact.canonical(alone.labels) == (0, 1, 1, 1) and alone.prior.concentration == 1
    seen = []

    def moves(groups, items):
        seen.append((list(groups), list(items)))
        return [RestrictedSweep(groups, items)]

    labels(moves=moves)
    labels(moves=moves, share=True)
    assert seen == [([0, 0, 1, 2, 2, 2], [2, 3, 4, 5]), ([0] * 6, [2, 3, 4, 5])]


def test_bad_models_are_refused():
    rng, test = np.random.default_rng(9), np.array([True, False, True])
    for options, sentence in (
        ({"model": "scdp4"}, "model is 'scdp4'"),
        ({"form": "implicit"}, "form is 'implicit'"),
        ({"law": "within"}, "law is 'within'"),
        ({"start": "two"}, "start is 'two'"),
        ({"sampled": ["strength"]}, "strength cannot be sampled with explicit types of scdp1"),
        ({"sampled": ["rate"], "types": "collapsed"}, "rate cannot be sampled with collapsed"),
    ):
        with pytest.raises(ConfigError, match=sentence):
            build(POINTS, options.pop("model", "scdp1"), rng, test, **options)
    with pytest.raises(DataError, match="nothing to cluster"):
        build(POINTS, "scdp1", rng, np.zeros(3, dtype=bool))
    with pytest.raises(DataError, match="there must be one"):
        build(POINTS, "scdp1", rng, test, groups=[0, 1])
