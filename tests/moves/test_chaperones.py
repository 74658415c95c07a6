"""The chaperones algorithm against exact laws, both of one move and of the chain."""

from collections import Counter, defaultdict
from itertools import combinations

import exact
import numpy as np
import pytest
from scipy import special, stats

from reseat.chains import MixtureModel
from reseat.likelihoods import CategoricalRecords, DirichletMultinomial, HitMissRecords
from reseat.models.records import make_moves
from reseat.moves import Chaperones, Pairs, RestrictedSweep, SimilarPairs, SplitMerge, gibbs_sweep
from reseat.papers.records.studies import (
    RECORDS,
    invariance_table,
    stationary_law,
    transition_matrix,
)
from reseat.partition import Partition
from reseat.priors import NBD, NBNB, DirichletProcess, FiniteDirichlet, PitmanYor

A, Q, R, P = 1.3, 0.8, 0.7, 0.4
DELTA = 0.5
CODES = np.array(RECORDS)


def fixed_nbnb():
    return NBNB(A, Q, R, P, r_hyperprior=None, p_hyperprior=None)


def sizes_of(z):
    return np.bincount(z)[np.unique(z)].tolist()


PRIORS = {
    "DP": (lambda: DirichletProcess(1.5), lambda z: exact.log_pitman_yor(z, 1.5, 0.0)),
    "PYP": (lambda: PitmanYor(1.5, 0.3), lambda z: exact.log_pitman_yor(z, 1.5, 0.3)),
    "NBNB": (fixed_nbnb, lambda z: exact.log_nbnb(sizes_of(z), A, Q, R, P)),
    "NBD": (lambda: NBD(A, Q), lambda z: exact.log_nbd(sizes_of(z), A, Q, 1.0, 0.5)),
    "NBD, informed": (
        lambda: NBD(A, Q, 6.0, 0.3),
        lambda z: exact.log_nbd(sizes_of(z), A, Q, 6.0, 0.3),
    ),
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


# ---- exact laws of one move ------------------------------------------------------------------


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


def test_five_records():
    table = invariance_table({name: PRIORS[name][0] for name in ("NBNB", "NBD")}, 5, n_scans=(1,))
    distance = table.set_index("order")["total_variation"]
    assert distance["ascending"].max() < 1e-12
    assert distance["block by block"].between(3e-3, 3e-2).all()


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


@pytest.mark.parametrize(("name", "n_scans"), [*((name, 1) for name in PRIORS), ("NBD", 2)])
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


# ---- the chain -------------------------------------------------------------------------------


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


COUNTS = np.array([[3, 0, 1, 0], [2, 1, 0, 0], [0, 0, 2, 2], [0, 1, 1, 3], [1, 1, 0, 0]])
MISSING = np.array([[0, 1, 2], [0, -1, 0], [1, 0, -1], [-1, 1, 1], [0, 1, 2]])
OTHERS = {
    "hit-miss": (
        lambda: HitMissRecords(MISSING, [0.2, 0.1, 0.4]),
        lambda z: exact.log_hit_miss(MISSING, z, [0.2, 0.1, 0.4]),
    ),
    "missing values": (
        lambda: CategoricalRecords(MISSING, [0.5, 0.1, 1.0], per_field=True),
        lambda z: exact.log_categorical(MISSING, z, [0.5, 0.1, 1.0]),
    ),
    "documents": (
        lambda: DirichletMultinomial(COUNTS, 0.7),
        lambda z: exact.log_dirichlet_multinomial(COUNTS, z, 0.7),
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_likelihoods(name):
    make, log_likelihood = OTHERS[name]
    target = exact.normalise(
        {z: PRIORS["NBNB"][1](z) + log_likelihood(z) for z in exact.partitions(5)}
    )
    move = Chaperones(Pairs(5), n_pairs=15, n_scans=2)
    model = begin("NBNB", 5, np.zeros(5, dtype=int), (move,), make())
    assert exact.total_variation(target, visits(model, 20_000)) < 0.015


def draw_records(n, rng, n_levels=(9, 4, 6)):
    """Draw records, every third of which copies another one with occasional errors."""
    codes = np.stack([rng.integers(0, k, n) for k in n_levels], axis=1)
    codes[2::3] = np.where(rng.random((len(codes[2::3]), 3)) < 0.1, 0, codes[1::3][: n // 3])
    return codes


@pytest.mark.parametrize("name", FOUR)
def test_everything_is_consistent_after_many_moves(name):
    """Statistics, sizes and tables equal those of a model that starts at the chain's state."""
    rng = np.random.default_rng(12)
    codes = draw_records(300, rng)
    move = Chaperones(SimilarPairs(codes, rng), n_pairs=1_000)
    model = begin(name, 300, np.zeros(300, dtype=int), (move,), CategoricalRecords(codes, 0.1))
    seen, total = set(), 0
    for _ in range(40):
        before = model.partition.label_array.copy()
        moved = model.sweep(rng)
        # An item may move more than once, and back.
        assert np.count_nonzero(model.partition.label_array != before) <= moved
        total += moved
        labels = model.labels
        again = begin(name, 300, labels, (), CategoricalRecords(codes, 0.1))
        seen.add(model.partition.n_blocks)
        assert np.array_equal(model.partition.size_array[: labels.max() + 1], np.bincount(labels))
        assert model.partition.n_blocks == len(set(labels))
        assert model.log_joint() == again.log_joint()
        item = rng.integers(300)
        slots = [*np.unique(labels).tolist(), -1]
        assert np.array_equal(
            model.likelihood.log_predictive(item, labels[item], slots),
            again.likelihood.log_predictive(item, labels[item], slots),
        )
        standing = np.unique(model.partition.block_sizes())
        k = model.partition.n_blocks
        for ours, theirs, where in zip(
            model.prior.tables, again.prior.tables, (standing, [k]), strict=True
        ):
            assert np.array_equal(ours[where], theirs[where])
    assert len(seen) > 8 and total > 300


def run(labels, codes, n_sweeps, capacity=None, rebuild=False, likelihood=CategoricalRecords):
    rng = np.random.default_rng(77)
    partition = Partition(labels, capacity=capacity)
    prior = NBD()
    prior.prepare(len(codes))
    prior.enter(partition.block_sizes())
    statistics = likelihood(codes, 0.1)
    statistics.assign(partition.label_array, partition.capacity)
    move = Chaperones(SimilarPairs(codes, np.random.default_rng(1)))
    draws = []
    for _ in range(n_sweeps):
        move(partition, prior, statistics, rng)
        draws.append(partition.label_array)
        if rebuild:  # the linked lists now have their items in ascending order
            statistics.assign(partition.label_array, partition.capacity)
    return np.array(draws)


@pytest.mark.parametrize("likelihood", [CategoricalRecords, HitMissRecords])
def test_draws_depend_neither_on_room_nor_on_the_order_of_lists(likelihood):
    codes = draw_records(120, np.random.default_rng(6))
    labels = np.random.default_rng(7).integers(0, 20, 120)
    plain = run(labels, codes, 30, likelihood=likelihood)
    assert len(np.unique(plain[-1])) > 30
    assert np.array_equal(plain, run(labels, codes, 30, capacity=121, likelihood=likelihood))
    assert np.array_equal(plain, run(labels, codes, 30, rebuild=True, likelihood=likelihood))


# ---- what is refused -------------------------------------------------------------------------


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


@pytest.mark.parametrize("name", ["NBNB", "NBD"])
@pytest.mark.parametrize("kind", MOVES)
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
