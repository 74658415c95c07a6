"""Models given decisions, under each kind of move, against enumeration."""

import exact
import numpy as np
import pandas as pd
import partition_laws
import pytest
import wishart

from reseat import Microclustering, MultinomialMixture, RelationalModel, WishartDirichlet
from reseat.chains import DecidedModel, MixtureModel, split_labels
from reseat.errors import ConfigError, DataError, ReseatError
from reseat.likelihoods import (
    CategoricalRecords,
    DirichletMultinomial,
    LinkTable,
    Similarity,
    SimilarRecords,
    WishartDistances,
    index_columns,
)
from reseat.models import relational
from reseat.models.records import settle_prior
from reseat.moves import (
    Chaperones,
    PairsOfUnits,
    RestrictedSweep,
    SimilarPairs,
    SplitMerge,
    gibbs_sweep,
)
from reseat.priors import NBD, DirichletProcess, FiniteDirichlet
from reseat.summaries import questions

N = 6
#: Items 0, 2 and 5 are together, items 1 and 3 are not, nor are 2 and 4.
UNITS, APART = [0, 1, 0, 2, 3, 0], [[1, 2], [0, 3]]
COUNTS = [[3, 0, 1], [2, 1, 0], [0, 1, 2], [1, 0, 2], [0, 2, 1], [2, 0, 0]]
CODES = np.array([[0, 1, 2], [0, 1, 0], [1, 0, 2], [0, 0, 2], [1, 1, 0], [0, 1, 2]])
NAMES = [["miller", "millre", "roberts", "miller", "robert", "jones"]]
DISTANCES = wishart.squared_distances(np.random.default_rng(3).normal(size=(N, 3)))

PRIORS = {
    "dp": lambda: DirichletProcess(1.3),
    "finite": lambda: FiniteDirichlet(3, 0.6),
    "nbnb": partition_laws.nbnb,
}
LIKELIHOODS = {
    "documents": lambda: DirichletMultinomial(COUNTS, 0.7),
    "categorical": lambda: CategoricalRecords(CODES, 0.5),
    "distances": lambda: WishartDistances(DISTANCES, 3, theta=0.8),
    "similar": lambda: SimilarRecords(index_columns(NAMES, [Similarity("edit", 3.0, 3.0)]), 0.3),
}
PAIRS = PairsOfUnits(SimilarPairs(CODES, np.random.default_rng(4)), UNITS)
MOVES = {
    "gibbs": [gibbs_sweep],
    "restricted": [RestrictedSweep()],
    "chaperones": [Chaperones(PAIRS, n_pairs=8)],
    "splits": [SplitMerge(n_proposals=12, n_scans=1)],
    "similar splits": [SplitMerge(n_proposals=12, n_scans=2, pairs=PAIRS)],
}


def holds(z):
    return z[0] == z[2] == z[5] and z[1] != z[3] and z[2] != z[4]


def log_joint(model, z):
    """Return the log joint of one of the labellings that stand for the partition, times these."""
    bound, k = model.prior.max_blocks, max(z) + 1
    model.start(np.array(z))
    return model.log_joint() + np.log(np.prod([bound - i for i in range(k)] if bound else [1.0]))


@pytest.mark.parametrize(
    ("prior", "likelihood", "moves"),
    [
        *(("nbnb", "similar", moves) for moves in MOVES),
        *(("dp", "documents", moves) for moves in ("gibbs", "splits")),
        *(("dp", "distances", moves) for moves in ("gibbs", "splits")),
        *(("finite", "categorical", moves) for moves in ("gibbs", "chaperones")),
    ],
)
def test_every_move_has_the_enumerated_posterior_given_the_decisions(prior, likelihood, moves):
    plain = MixtureModel(PRIORS[prior](), LIKELIHOODS[likelihood]())
    most = plain.prior.max_blocks or N
    target = {z: log_joint(plain, z) for z in exact.partitions(N) if holds(z) and max(z) < most}
    model = DecidedModel(
        PRIORS[prior](), LIKELIHOODS[likelihood](), MOVES[moves], units=UNITS, apart=APART
    )
    for z, value in target.items():
        assert log_joint(model, z) == pytest.approx(value, abs=1e-9)
        assert exact.canonical(model.labels) == z
    rng = np.random.default_rng(5)
    counted = exact.visits(lambda: model.sweep(rng), lambda: model.labels, 8_000)
    assert exact.total_variation(exact.normalise(target), counted) < 0.03


LINKS = LinkTable(np.array(COUNTS)[:, :2], types=("row", "column"))


@pytest.mark.parametrize("own_rates", [None, (True, True)])
def test_coupled_models_have_the_enumerated_posterior_given_the_decisions(own_rates):
    settings = {"prior": "dirichlet_process", "concentration": 1.3, "hyperprior": None}
    settings |= {"beta": 0.7, "own_rates": own_rates}
    decided = {"row": {"units": UNITS, "apart": APART}}
    start = {"row": 3, "column": 2}
    plain, model = (
        relational.build(settings | {"decided": given}, LINKS, np.random.default_rng(1), start)
        for given in ({}, decided)
    )
    target = {}
    for z in filter(holds, exact.partitions(N)):
        for columns in exact.partitions(2):
            labels = {"row": z, "column": columns}
            plain.start(labels)
            model.start(labels)
            target[z, columns] = plain.log_joint()
            assert model.log_joint() == pytest.approx(target[z, columns], abs=1e-9)
    rng = np.random.default_rng(5)

    def state(labels):
        return tuple(map(exact.canonical, split_labels(labels, model.part_sizes).values()))

    counted = exact.visits(lambda: model.sweep(rng), lambda: model.labels, 8_000, state)
    assert exact.total_variation(exact.normalise(target), counted) < 0.04


class Listening(DirichletProcess):
    """A prior that remembers from which sizes it was to learn."""

    def update(self, sizes, rng):
        self.heard = sorted(sizes)


def test_the_prior_learns_from_the_numbers_of_items():
    likelihood, prior = LIKELIHOODS["documents"](), Listening(1.3)
    model = DecidedModel(prior, likelihood, [settle_prior], units=UNITS, apart=APART)
    model.start(np.zeros(N, dtype=int))  # which breaks the decisions, and is changed
    assert holds(model.labels) and model.n_items == N and model.partition.n_items == 4
    model.move(np.random.default_rng(1))
    sizes = np.bincount(model.labels)
    assert prior.heard == sorted(model.block_sizes) == sorted(sizes[sizes > 0])


def test_pairs_of_units_have_the_probabilities_that_they_state():
    drawn = PAIRS.sample(np.random.default_rng(2), 40_000)
    law = np.zeros((4, 4))
    np.add.at(law, tuple(drawn.T), 1 / len(drawn))
    assert np.abs(law - PAIRS.probabilities()).max() < 0.01 and not np.diag(law).any()


def test_what_cannot_be_decided_is_refused():
    with pytest.raises(ConfigError, match="needs the sizes of all blocks"):
        DecidedModel(NBD(1.5, 0.5), LIKELIHOODS["documents"](), units=UNITS)
    model = DecidedModel(NBD(1.5, 0.5), LIKELIHOODS["documents"](), units=range(N), apart=[[0, 1]])
    model.start(np.zeros(N, dtype=int))
    model.sweep(np.random.default_rng(1))
    assert model.labels[0] != model.labels[1]
    clique = [[0, 1], [0, 2], [1, 2], [0, 3], [1, 3], [2, 3]]
    model = DecidedModel(FiniteDirichlet(3, 0.6), LIKELIHOODS["documents"](), units=UNITS,
                         apart=clique)  # fmt: skip
    with pytest.raises(DataError, match="only 3 clusters"):
        model.start(np.zeros(N, dtype=int))


RECORDS = pd.DataFrame(
    {
        "name": ["ann smith", "ann smith", "bob jones", "bob jonas", "eve brown", "joe young"],
        "town": ["rome", "rome", "oslo", "oslo", "bonn", "lima"],
    }
)
SHORT = {"random_state": 1, "n_chains": 2, "n_burn_in": 5, "n_samples": 20, "thin": 1}


@pytest.mark.parametrize("likelihood", ["similar", "categorical"])
def test_every_draw_holds_what_was_decided(likelihood):
    decisions = [(0, 1, "different"), (2, 3, "same"), (4, 5, "same"), (3, 4, "unsure")]
    model = Microclustering(likelihood=likelihood, **SHORT)
    with pytest.warns():
        draws = model.fit(RECORDS, decisions=decisions)._flat_draws()
    assert (draws[:, 0] != draws[:, 1]).all()
    assert (draws[:, 2] == draws[:, 3]).all() and (draws[:, 4] == draws[:, 5]).all()
    assert model.predict(RECORDS.iloc[[4]]).shape == (1,)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", [MultinomialMixture, WishartDirichlet])
def test_documents_and_objects_take_decisions(kind):
    model = kind(**SHORT)
    data = COUNTS if kind is MultinomialMixture else DISTANCES
    decisions = pd.DataFrame({"one": [0, 2], "other": [1, 3], "d": ["different", "same"]})
    draws = model.fit(data, decisions=decisions)._flat_draws()
    assert (draws[:, 0] != draws[:, 1]).all() and (draws[:, 2] == draws[:, 3]).all()


@pytest.mark.filterwarnings("ignore")
def test_rows_and_columns_take_decisions():
    decisions = [(0, 1, "different"), (2, 3, "same")]
    model = RelationalModel(inference="gibbs", **SHORT)
    model.fit(COUNTS, decisions=decisions, column_decisions=[(0, 2, "same")])
    draws, columns = model._flat_draws(), model.column_draws_
    assert (draws[:, 0] != draws[:, 1]).all() and (draws[:, 2] == draws[:, 3]).all()
    assert (columns[..., 0] == columns[..., 2]).all()
    with pytest.raises(ConfigError, match="takes no decisions"):
        RelationalModel().fit(COUNTS, decisions=decisions)


@pytest.mark.filterwarnings("ignore")
def test_chains_given_rows_do_not_go_on_given_the_same_columns(tmp_path):
    model = RelationalModel(inference="gibbs", folder=tmp_path, **SHORT)
    model.fit(np.eye(4, dtype=int), decisions=[(0, 1, "same")])
    with pytest.raises(ReseatError, match="other data"):
        model.fit(np.eye(4, dtype=int), column_decisions=[(0, 1, "same")])


@pytest.mark.filterwarnings("ignore")
def test_copies_are_decided_about_as_what_they_copy():
    counts = np.tile(np.eye(12, dtype=int) * 9 + np.arange(12)[:, None] + 1, (2, 1))
    model = MultinomialMixture(**SHORT)
    with pytest.warns(UserWarning, match="are copies of others"):
        draws = model.fit(counts, decisions=[(5, 18, "same"), (7, 20, "different")])._flat_draws()
    assert (draws[:, 17] == draws[:, 6]).all() and (draws[:, 19] != draws[:, 8]).all()
    with pytest.raises(DataError, match="the same as copies"), pytest.warns(UserWarning):
        model.fit(counts, decisions=[(5, 17, "different")])


def test_unsure_decides_nothing(recwarn):
    one, other = (
        Microclustering(**SHORT).fit(RECORDS, decisions=decisions).draws_
        for decisions in (None, [(0, 1, "unsure")])
    )
    assert (one == other).all()


@pytest.mark.parametrize(
    ("decisions", "said"),
    [
        ([(0, 1, "same"), (1, 2, "same"), (2, 0, "different")], "records 2 and 0 are decided"),
        ([(0, 9, "same")], "no record 9; they are numbered from 0 to 5"),
        ([(0, 0, "same")], "record 0 alone"),
        ([(0, 1, "equal")], "must be one of same, different, unsure"),
        ([(0, 1)], "2 columns"),
    ],
)
def test_decisions_that_are_none_are_refused(decisions, said):
    with pytest.raises(ValueError, match=said):
        Microclustering().fit(RECORDS, decisions=decisions)


def expected_loss(draws, pairs, answers):
    """Return the expected number of wrong pairs if the draws with the same answers are known."""
    total = 0.0
    for answer in set(answers):
        here = [draw for draw, given in zip(draws, answers, strict=True) if given == answer]
        for i, j in pairs:
            share = np.mean([draw[i] == draw[j] for draw in here])
            total += min(share, 1 - share) * len(here) / len(draws)
    return total


def test_each_question_gains_most_given_the_earlier_ones(rng):
    draws = rng.integers(0, 3, (12, 5))
    pairs = [(i, j) for i in range(5) for j in range(i)]
    chosen, gains = questions(draws, *np.array(pairs).T, 4)
    answers = [()] * len(draws)

    def answered(i, j):
        return [(*a, draw[i] == draw[j]) for a, draw in zip(answers, draws, strict=True)]

    for pair, gain in zip(chosen, gains, strict=True):
        before = expected_loss(draws, pairs, answers)
        after = [expected_loss(draws, pairs, answered(*asked)) for asked in pairs]
        assert gain == pytest.approx(before - min(after)) == pytest.approx(before - after[pair])
        answers = answered(*pairs[pair])
