"""The chaperones algorithm against exact laws, both of one move and of the chain."""

from collections import Counter, defaultdict
from itertools import combinations

import exact
import numpy as np
import pytest
from partition_laws import LAWS
from scipy import special, stats

from reseat.chains import MixtureModel
from reseat.likelihoods import CategoricalRecords
from reseat.models.records import make_moves
from reseat.moves import Chaperones, Pairs, RestrictedSweep, SimilarPairs, SplitMerge, gibbs_sweep
from reseat.papers.records.studies import (
    RECORDS,
    invariance_table,
    stationary_law,
    transition_matrix,
)
from reseat.priors import DirichletProcess, FiniteDirichlet, PitmanYor

DELTA = 0.5
CODES = np.array(RECORDS)


def by_sizes(name):
    """Return a prior and its law as a function of the labels."""
    make, log_prior = LAWS[name]
    return make, lambda z: log_prior(np.bincount(z)[np.unique(z)].tolist())


PRIORS = {
    "DP": (lambda: DirichletProcess(1.5), lambda z: exact.log_pitman_yor(z, 1.5, 0.0)),
    "PYP": (lambda: PitmanYor(1.5, 0.3), lambda z: exact.log_pitman_yor(z, 1.5, 0.3)),
    "NBNB": by_sizes("nbnb"),
    "NBD": by_sizes("nbd"),
    "finite": (lambda: FiniteDirichlet(3, 0.6), lambda z: exact.log_finite_dirichlet(z, 3, 0.6)),
}
FOUR = ("DP", "PYP", "NBNB", "NBD")


def log_joints(name, n):
    """Return the log joint of each partition of the first records, from the definitions."""
    log_prior = PRIORS[name][1]
    return {
        z: log_prior(z) + exact.log_categorical(CODES[:n], z, DELTA) for z in exact.partitions(n)
    }


def begin(name, n, labels, moves=(gibbs_sweep,), likelihood=None):
    if likelihood is None:
        likelihood = CategoricalRecords(CODES[:n], DELTA)
    model = MixtureModel(PRIORS[name][0](), likelihood, moves)
    model.start(labels)
    return model


@pytest.fixture(scope="module")
def table():
    return invariance_table({name: PRIORS[name][0] for name in FOUR}, (3, 4))


def test_the_posterior_is_left_where_it_is_if_the_order_does_not_depend_on_the_split(table):
    sound = table[table["order"] == "ascending"]
    assert len(sound) == 4 * 2 * 2 * 2
    assert sound["total_variation"].max() < 1e-12
    assert sound["irreducible"].all()


def test_visiting_block_by_block_moves_the_posterior(table):
    """The trap is that the order of the visits then depends on how the union is split."""
    trap = table[table["order"] == "block by block"].set_index(["n_items", "n_scans"])
    distance = trap["total_variation"]
    assert distance.loc[3, 1].between(1e-3, 1e-2).all()
    assert distance.loc[4, 1].between(2e-3, 3e-2).all()
    # A second scan removes most of the error.
    assert distance.loc[:, 2].between(1e-5, 2e-3).all()


@pytest.mark.parametrize("name", FOUR)
def test_the_matrix_is_that_of_the_situations(name):
    """Two definitions agree: by all allowed partitions, and by what an item or chaperone may do."""
    n = 4
    joint = log_joints(name, n)
    pairs = SimilarPairs(CODES[:n], np.random.default_rng(2)).probabilities()
    for n_scans in (1, 2):
        matrix = transition_matrix(joint, pairs, "ascending", n_scans)
        expected = np.zeros_like(matrix)
        for row, z in enumerate(joint):
            for i, j in combinations(range(n), 2):
                law = exact.chaperones_law(z, i, j, joint.get, n_scans)
                for column, y in enumerate(joint):
                    expected[row, column] += (pairs[i, j] + pairs[j, i]) * law.get(y, 0.0)
        assert matrix == pytest.approx(expected, abs=1e-13)
        assert matrix.sum(axis=1) == pytest.approx(np.ones(len(joint)), abs=1e-12)
        posterior = exact.normalise(joint)
        assert stationary_law(matrix) == pytest.approx(list(posterior.values()), abs=1e-12)


def surprise(law, seen):
    """Return the likelihood ratio statistic of counts and its degrees of freedom.

    Rare outcomes are pooled.
    """
    n_draws = sum(seen.values())
    cells, rare = [], np.zeros(2)
    for y, p in sorted(law.items(), key=lambda item: item[1]):
        rare += (n_draws * p, seen[y])
        if rare[0] >= 5:
            cells.append(rare)
            rare = np.zeros(2)
    if not cells:
        return 0.0, 0
    cells[-1] = cells[-1] + rare
    expected, counts = np.transpose(cells)
    return 2 * special.xlogy(counts, counts / expected).sum(), len(cells) - 1


# The move knows a prior only by its weights, so the Dirichlet process, without a discount, adds
# nothing.
@pytest.mark.parametrize(
    ("name", "n_scans"), [("PYP", 1), ("NBNB", 1), ("NBD", 1), ("finite", 1), ("NBD", 2)]
)
def test_the_compiled_move_has_that_law(name, n_scans):
    """One joint test covers every pair in every partition of three and four records."""
    rng = np.random.default_rng(404)
    found, known = np.zeros(2), {}
    for n in (3, 4):
        joint = log_joints(name, n)
        move = Chaperones(Pairs(n), n_scans=n_scans)
        model = begin(name, n, np.zeros(n, dtype=int))
        parts = model.partition, model.prior, model.likelihood, rng
        seen, z = defaultdict(Counter), (0,) * n
        for i, j in move.pairs.sample(rng, 60_000).tolist():
            move.run_pair(*parts, (i, j))
            # There are few distinct labellings, so the partition of each is found only once.
            labels = model.labels
            key = labels.tobytes()
            y = known[key] if key in known else known.setdefault(key, exact.canonical(labels))
            seen[z, i, j][y] += 1
            z = y
        assert len({start for start, _, _ in seen}) == sum(v > -np.inf for v in joint.values())
        for (start, i, j), counts in seen.items():
            law = exact.chaperones_law(start, i, j, joint.get, n_scans)
            assert all(law[y] > 0 for y in counts)
            found += surprise(law, counts)
    statistic, freedom = found
    assert freedom > 120
    assert 1e-4 < stats.chi2(freedom).sf(statistic) < 1 - 1e-4


def visits(model, n_sweeps, seed=8):
    rng = np.random.default_rng(seed)
    return exact.visits(lambda: model.sweep(rng), lambda: model.labels, n_sweeps)


@pytest.mark.parametrize(
    ("name", "kind"),
    [("PYP", "similar"), ("NBNB", "uniform"), ("NBD", "similar"), ("finite", "uniform")],
)
def test_chains_reach_the_enumerated_posterior(name, kind):
    """Chains start from one block, so that the slots must grow."""
    n = 5
    pairs = Pairs(n) if kind == "uniform" else SimilarPairs(CODES[:n], np.random.default_rng(4))
    model = begin(name, n, np.zeros(n, dtype=int), (Chaperones(pairs, n_pairs=15),))
    target = exact.normalise(log_joints(name, n))
    assert exact.total_variation(target, visits(model, 20_000)) < 0.015
    rng = np.random.default_rng(9)
    for _ in range(20):
        before = model.labels
        moved = model.sweep(rng)
        # An item may move more than once, and back.
        assert np.count_nonzero(model.labels != before) <= moved


def test_parts_that_do_not_fit_are_refused(rng):
    model = begin("DP", 4, [0, 1, 1, 2])
    parts = model.partition, model.prior, model.likelihood, rng
    with pytest.raises(ValueError, match="pairs are of 5 items, the partition has 4"):
        Chaperones(Pairs(5))(*parts)
    for pair in ((0, 0), (0, 4), (-1, 2)):
        with pytest.raises(ValueError, match="are not two of 4 items"):
            Chaperones(Pairs(4)).run_pair(*parts, pair)
    other = begin("DP", 5, [0, 1, 1, 2, 0])
    with pytest.raises(ValueError, match="likelihood holds 5"):
        Chaperones(Pairs(4))(model.partition, model.prior, other.likelihood, rng)


APART = np.array([0, 1, 0, -1, 1])
MOVES = {
    "sweep": lambda: (gibbs_sweep,),
    "restricted": lambda: (RestrictedSweep(),),
    "chaperones": lambda: (Chaperones(Pairs(5), n_pairs=15),),
    "splits": lambda: (SplitMerge(n_proposals=4, n_scans=2), gibbs_sweep),
    "splits of pairs": lambda: (SplitMerge(n_proposals=15, n_scans=2, pairs=Pairs(5)),),
    "those of record models": lambda: make_moves({}, Pairs(5)),
}


@pytest.mark.parametrize(
    ("kind", "name"), [*((kind, "NBD") for kind in MOVES), ("sweep", "NBNB"), ("splits", "NBNB")]
)
def test_no_move_puts_two_records_of_a_group_into_a_block(name, kind):
    """The posterior is that of all partitions, restricted to those that keep groups apart."""

    def allowed(z):
        grouped = [(block, group) for block, group in zip(z, APART, strict=True) if group >= 0]
        return len(set(grouped)) == len(grouped)

    joint = {z: value for z, value in log_joints(name, 5).items() if allowed(z)}
    likelihood = CategoricalRecords(CODES[:5], DELTA)
    likelihood.keep_apart(APART)
    model = begin(name, 5, np.arange(5), MOVES[kind](), likelihood)
    seen = visits(model, 12_000)
    assert seen.keys() <= joint.keys()
    assert exact.total_variation(exact.normalise(joint), seen) < 0.015
