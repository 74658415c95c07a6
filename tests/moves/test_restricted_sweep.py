"""Sweeps that keep groups apart or consider canopies only, against enumerated posteriors."""

from collections import Counter

import copies
import exact
import numpy as np
import pytest
import wishart
from scipy import sparse
from test_clamped import LIKELIHOODS
from test_split_merge import PRIORS

from reseat.chains import GroupedModel, MixtureModel
from reseat.errors import DataError
from reseat.likelihoods import DirichletMultinomial, WishartDistances
from reseat.moves import CanopySweep, RestrictedSweep, gibbs_sweep
from reseat.priors import NBD, NBNB, DirichletProcess, FiniteDirichlet

N, N_COPIES = 5, 500
GROUPS = np.array([0, 1, 0, 0, 1])
COUNTS = np.random.default_rng(3).poisson(0.9, (N, 4)).astype(np.int32)
PRIORS = {name: PRIORS[name] for name in ("dp", "pitman-yor", "finite")}


def documents(n_copies=1):
    return DirichletMultinomial(np.tile(COUNTS, (n_copies, 1)), 0.7)


def posterior(log_prior):
    return exact.normalise(
        {
            z: log_prior(z) + exact.log_dirichlet_multinomial(COUNTS, z, 0.7)
            for z in exact.partitions(N)
        }
    )


def distance(name, move, target=None, start=0):
    """Return the distance of many groups, started in a block or two each, from the exact law."""
    make, log_prior = PRIORS[name]
    groups = copies.groups(N, N_COPIES)
    model = GroupedModel(make(), documents(N_COPIES), [move], groups)
    model.start(2 * groups + np.tile(start, N_COPIES * N // np.size(start)))
    rng = np.random.default_rng(8)
    return copies.distance(target or posterior(log_prior), model, N, rng, 260)


@pytest.mark.parametrize("name", PRIORS)
def test_groups_reach_the_enumerated_posterior(name):
    """The number of slots must grow."""
    assert distance(name, RestrictedSweep(copies.groups(N, N_COPIES))) < 0.01


@pytest.mark.parametrize("name", PRIORS)
def test_held_items_keep_their_block(name):
    items = np.flatnonzero(np.arange(N * N_COPIES) % N > 1)
    move = RestrictedSweep(copies.groups(N, N_COPIES), items[::-1])
    law = posterior(PRIORS[name][1])
    target = exact.normalise({z: np.log(p) for z, p in law.items() if z[0] != z[1] and p > 0})
    assert distance(name, move, target, start=[0, 1, 0, 0, 0]) < 0.01


@pytest.mark.parametrize("name", ["dp", "pitman-yor"])
def test_groups_that_the_likelihood_does_not_keep_apart(name):
    """The likelihood uses the distances between all items, also those of different groups."""
    make, log_prior = PRIORS[name]
    squared = wishart.squared_distances(np.random.default_rng(5).normal(size=(N, 3)))
    target = exact.normalise(
        {
            z: sum(log_prior(np.array(z)[GROUPS == g]) for g in (0, 1))
            + wishart.log_distances(squared, z, 3, 0.8)
            for z in exact.partitions(N)
            if apart(z, GROUPS)
        }
    )
    likelihood = WishartDistances(squared, 3, theta=0.8, dtype=np.float64)
    model = GroupedModel(make(), likelihood, [], GROUPS)
    model.start(GROUPS)
    move = RestrictedSweep(GROUPS)
    parts = model.partition, model.prior, likelihood, np.random.default_rng(8)
    counted = exact.visits(lambda: move(*parts), lambda: model.labels, 20_000)
    assert exact.total_variation(target, counted) < 0.01


def apart(labels, groups):
    return len(set(zip(labels, groups.tolist(), strict=True))) == len(set(labels))


# A path: each item is a neighbour of the items beside it.
PATH = sparse.csr_array(np.eye(N, k=1) + np.eye(N, k=-1))


@pytest.mark.parametrize("name", PRIORS)
def test_canopies_and_full_sweeps_reach_the_enumerated_posterior(name):
    near = sparse.kron(sparse.eye_array(N_COPIES), PATH)
    move = CanopySweep(near, copies.groups(N, N_COPIES), full_every=3)
    assert distance(name, move) < 0.01


def log_conditionals(z, item, log_joint, choices):
    moved = {k: exact.canonical((*z[:item], k, *z[item + 1 :])) for k in choices}
    return exact.normalise({moved[k]: log_joint[moved[k]] for k in choices})


def test_a_canopy_leaves_the_posterior_where_it_is():
    """The law of a visit is computed from the definition; the kernel makes no other moves."""
    target = posterior(PRIORS["dp"][1])
    log_joint = {z: np.log(p) for z, p in target.items()}
    rng, item = np.random.default_rng(6), 2
    move = RestrictedSweep(items=[item], canopies=PATH)
    model = MixtureModel(PRIORS["dp"][0](), documents())
    after = dict.fromkeys(target, 0.0)
    for z, p in target.items():
        near = {z[item - 1], z[item + 1]}
        alone = z.count(z[item]) == 1
        law = {z: 1.0}
        if alone or z[item] in near:
            law = log_conditionals(z, item, log_joint, near | {max(z) + 1})
        for y, q in law.items():
            after[y] += p * q
        seen, n_visits = Counter(), 100
        for _ in range(n_visits):
            model.start(z)
            move(model.partition, model.prior, model.likelihood, rng)
            seen[exact.canonical(model.labels)] += 1
        assert seen.keys() <= law.keys()
        assert sum(abs(seen[y] / n_visits - q) for y, q in law.items()) / 2 < 0.2
    assert list(after.values()) == pytest.approx(list(target.values()), abs=1e-14)


ALL_PRIORS = {
    "dp": lambda: DirichletProcess(1.5),
    "finite": lambda: FiniteDirichlet(6, 0.7),
    "nbnb": lambda: NBNB(r_hyperprior=None, p_hyperprior=None),
    "nbd": lambda: NBD(),
}


@pytest.mark.parametrize("likelihood", LIKELIHOODS)
@pytest.mark.parametrize("prior", ALL_PRIORS)
def test_one_group_and_canopies_of_everything_draw_as_the_plain_sweep(likelihood, prior):
    """The slots run out on the way."""
    moves = {
        "plain": gibbs_sweep,
        "one group": RestrictedSweep(np.full(40, 7)),
        "no group": RestrictedSweep(),
        "canopies": RestrictedSweep(canopies=np.ones((40, 40), dtype=bool)),
        "rows": RestrictedSweep(canopies=(40 * np.arange(41), np.tile(np.arange(40), 40))),
    }
    found = {}
    for name, move in moves.items():
        make = np.random.default_rng(2)
        model = MixtureModel(ALL_PRIORS[prior](), LIKELIHOODS[likelihood](make, 40), [move])
        model.start(np.zeros(40, dtype=int))
        rng = np.random.default_rng(4)
        moved = [model.sweep(rng) for _ in range(30)]
        found[name] = (*moved, *model.labels.tolist())
        assert max(moved) > 3
    assert set(found.values()) == {found["plain"]}


def started(prior=None, labels=(0, 1, 0, 0, 1)):
    model = MixtureModel(prior or DirichletProcess(1.0), documents())
    model.start(np.array(labels))
    return model.partition, model.prior, model.likelihood, np.random.default_rng(0)


@pytest.mark.parametrize(
    ("options", "given", "sentence"),
    [
        ({"groups": GROUPS}, {"labels": (0, 0, 0, 0, 1)}, "Item 1 is of another group"),
        ({"groups": GROUPS[:3]}, {"labels": GROUPS}, "5 items, but 3 have groups"),
        ({"items": [5]}, {"labels": GROUPS}, "between 0 and 4"),
        ({"canopies": np.eye(4)}, {"labels": GROUPS}, "canopies are of 4 items"),
        ({"groups": GROUPS}, {"prior": NBD(1.0, 0.5)}, "NBD needs the sizes of all blocks"),
    ],
)
def test_parts_that_do_not_fit_are_refused(options, given, sentence):
    move = RestrictedSweep(**options)
    with pytest.raises(ValueError, match=sentence):
        move(*started(**given))


@pytest.mark.parametrize(
    "options",
    [
        {"groups": [[0, 1]]},
        {"canopies": np.ones((2, 3))},
        {"canopies": ([0, 1, 2], [0, 2])},
        {"canopies": ([0, 1, 1], [0, 1])},
    ],
)
def test_shapes_that_are_none_are_refused(options):
    with pytest.raises(DataError):
        RestrictedSweep(**options)


def test_nothing_moves_if_nothing_is_visited():
    assert RestrictedSweep(GROUPS, items=[])(*started()) == 0
