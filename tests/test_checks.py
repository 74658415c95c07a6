"""Inputs are checked once, whichever part of the library they enter."""

import math

import numpy as np
import pandas as pd
import pytest

from reseat._labels import by_appearance, in_order
from reseat.chains import AnnealedModel, GroupedModel, MixtureModel, anneal
from reseat.checks import as_labels, numbered_names
from reseat.equal_pairs import equal_pairs
from reseat.errors import ConfigError, DataError
from reseat.likelihoods import (
    CategoricalRecords,
    CollapsedPrecisions,
    DirichletMultinomial,
    ExplicitMeans,
    GaussianReferences,
    HitMissRecords,
    LinkTable,
    PointSums,
    PrecisionLaw,
    ReferenceMeans,
    ReferencePrecisions,
    RelationalLinks,
    Similarity,
    SimilarRecords,
    WishartDistances,
    WishartSimilarities,
    index_columns,
)
from reseat.members import Members
from reseat.metrics import factorise
from reseat.models.references import build_supervised
from reseat.moves import (
    CanopySweep,
    Chaperones,
    ClampedSweep,
    IntegratedTypeSplitMerge,
    JointSplitMerge,
    JointSweep,
    Pairs,
    PrecisionSteps,
    PublicationTypes,
    RestrictedSweep,
    SplitMerge,
    gibbs_sweep,
)
from reseat.partition import Partition
from reseat.priors import NBD, DirichletProcess, SampledNBD, sample_sizes
from reseat.priors._sizes import SizeHistogram

N = 6
RNG = np.random.default_rng(1)
POINTS = RNG.normal(size=(N, 3))
COUNTS = RNG.poisson(1.0, (N, 5)) + 1
CODES = RNG.integers(0, 3, (N, 4))
DISTANCES = ((POINTS[:, None] - POINTS) ** 2).sum(axis=2)
LABELS = np.array([0, 1, 1, 3, 3, 3])

LIKELIHOODS = {
    "documents": lambda: DirichletMultinomial(COUNTS),
    "categorical": lambda: CategoricalRecords(CODES),
    "hit-miss": lambda: HitMissRecords(CODES),
    "distances": lambda: WishartDistances(DISTANCES, 3),
    "similarities": lambda: WishartSimilarities(POINTS @ POINTS.T, 3),
    "links": lambda: RelationalLinks(LinkTable(COUNTS - 1), 0),
    "means": lambda: ReferenceMeans(POINTS),
    "explicit means": lambda: ExplicitMeans(POINTS, PrecisionLaw("between")),
    "precisions": lambda: ReferencePrecisions(POINTS),
    "collapsed precisions": lambda: CollapsedPrecisions(POINTS),
}


def assigned(name, labels=LABELS, capacity=5):
    likelihood = LIKELIHOODS[name]()
    likelihood.assign(labels, capacity)
    likelihood.begin(np.random.default_rng(2))
    return likelihood


# ---- labels ----------------------------------------------------------------------------------

WRONG_LABELS = [
    ([0.7, 0, 0], "Label 0.7 of item 0 is not a whole number"),
    ([0, 2**32, 0], "Label 4294967296 of item 1 is too large"),
    (np.array([0, 2**63 + 1, 0], dtype=np.uint64), "Label 9223372036854775809 of item 1 is too la"),
    ([0, 10**400, 0], "of item 1 is too large"),
    ([0, 0, np.nan], "Label nan of item 2 is not a whole number"),
    ([0, 0, math.inf], "Label inf of item 2 is not a whole number"),
    ([0, None, 0], "Label None of item 1 is not a whole number"),
    (["0", "1", "1"], "Label '0' of item 0 is not a whole number"),
    ([0, 0, -1], "Label -1 of item 2 is negative"),
    ([[0, 1, 1]], "one-dimensional"),
    ([], "at least one is required"),
]


@pytest.mark.parametrize(("labels", "sentence"), WRONG_LABELS)
@pytest.mark.parametrize(
    "take",
    [as_labels, Partition, lambda labels: Members(labels, 2**31 - 1)],
    ids=["as_labels", "Partition", "Members"],
)
def test_labels_are_neither_rounded_nor_wrapped(take, labels, sentence):
    with pytest.raises(DataError, match=sentence):
        take(labels)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, np.uint64, float, object, bool])
def test_whole_numbers_of_any_type_are_labels(dtype):
    given = np.array([0, 1, 1, 0]).astype(dtype)
    found = as_labels(given, 4, 2)
    assert found.dtype == np.intc and found.tolist() == [0, 1, 1, 0]
    assert Partition(given).label_array.tolist() == [0, 1, 1, 0]
    labels = found.copy()
    assert as_labels(labels) is labels  # no needless copy
    partition = Partition(labels)
    labels[:] = 0  # which is not the memory of the partition
    assert partition.label_array.tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize("bound", [1, 3, 200])
def test_labels_are_numbered_and_ordered(bound, rng):
    labels = rng.integers(0, bound, 50)
    codes, n_labels = by_appearance(labels, bound)
    expected, distinct = pd.factorize(labels)
    assert codes.tolist() == expected.tolist() and n_labels == len(distinct)
    assert in_order(labels, bound).tolist() == np.argsort(labels, kind="stable").tolist()


@pytest.mark.parametrize("kind", ["i1", "<i4", ">i4", "u8"])
@pytest.mark.parametrize("shift", [0, -3, 10**2])
def test_equal_labels_are_numbered_and_paired_whatever_their_type(kind, shift, rng):
    if shift < 0 and "u" in kind:
        shift = 5
    labels = (rng.integers(0, 9, 12) + shift).astype(kind)
    codes, n_labels = factorise(labels[::-1])
    assert codes.tolist() == pd.factorize(labels[::-1].astype(np.int64))[0].tolist()
    assert n_labels == np.unique(labels).size
    pairs = {(i, j) for i in range(12) for j in range(i + 1, 12) if labels[i] == labels[j]}
    assert set(zip(*map(np.ndarray.tolist, equal_pairs(labels)), strict=True)) == pairs


@pytest.mark.parametrize("capacity", [2.5, np.nan, -1, 2**31, "many"])
def test_capacities_are_whole_numbers(capacity):
    with pytest.raises(ConfigError, match="capacity is"):
        Partition([0, 1], capacity=capacity)
    with pytest.raises(ConfigError, match="max_capacity is"):
        Partition([0, 1], max_capacity=capacity)


@pytest.mark.parametrize("name", LIKELIHOODS)
@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        (LABELS[:-1], "5 labels were given for 6 items"),
        ([*LABELS, 0], "7 labels were given for 6 items"),
        ([0, 1, 1, 3, -1, 3], "Label -1 of item 4 is negative"),
        ([0, 1, 1, 5, 3, 3], "Label 5 of item 3 is too large; there are 5 slots"),
        ([0, 1, 1, 10**9, 3, 3], "Label 1000000000 of item 3 is too large"),
        ([0, 1, 1, 2**32, 3, 3], "Label 4294967296 of item 3 is too large"),
        ([0, 1, 1, 0.5, 3, 3], "Label 0.5 of item 3 is not a whole number"),
    ],
)
def test_every_likelihood_refuses_labels_that_do_not_fit(name, labels, sentence):
    likelihood = assigned(name)
    before = likelihood.log_predictive(3, 3)
    with pytest.raises(DataError, match=sentence):
        likelihood.assign(labels, 5)
    # Its state from before is untouched.
    likelihood.begin(np.random.default_rng(2))
    assert np.array_equal(likelihood.log_predictive(3, 3), before)


def test_models_refuse_to_start_at_labels_that_do_not_fit():
    model = MixtureModel(DirichletProcess(1.0), LIKELIHOODS["documents"]())
    with pytest.raises(DataError, match="5 labels were given for 6 items"):
        model.start(LABELS[:-1])
    with pytest.raises(ConfigError, match="n_blocks is 0"):
        model.start_at_random(0, np.random.default_rng(0))
    assert model.partition is None


@pytest.mark.parametrize("name", LIKELIHOODS)
def test_a_likelihood_stands_at_the_partition_of_one_model(name, rng):
    likelihood = LIKELIHOODS[name]()
    first, second = (MixtureModel(DirichletProcess(1.0), likelihood) for _ in range(2))
    first.start(LABELS)
    state = first.state()
    second.start(np.zeros(N, dtype=int))
    for use in (
        lambda: first.sweep(rng),
        first.log_joint,
        first.log_prior,
        first.state,
        lambda: first.condition({}),
        lambda: anneal(first, rng),
    ):
        with pytest.raises(ConfigError, match="give each model a likelihood of its own"):
            use()
    assert np.array_equal(first.labels, LABELS)
    # The models may use it one after the other.
    second.sweep(rng)
    first.restore(state)
    first.sweep(rng)
    with pytest.raises(ConfigError, match="started later"):
        second.sweep(rng)


@pytest.mark.parametrize("prior", [DirichletProcess(1.0), SampledNBD(1.0, 0.5)], ids=["DP", "NBD"])
def test_a_prior_stands_at_the_partition_of_one_model(prior, rng):
    first, second = (MixtureModel(prior, LIKELIHOODS["documents"]()) for _ in range(2))
    first.start(LABELS)
    second.start(np.zeros(N, dtype=int))
    for use in (lambda: first.sweep(rng), first.log_joint, first.state):
        with pytest.raises(ConfigError, match="give each model a prior of its own"):
            use()
    second.sweep(rng)


def test_a_model_that_has_not_been_started_says_so(rng):
    model = MixtureModel(DirichletProcess(1.0), LIKELIHOODS["documents"]())
    for use in (
        lambda: model.sweep(rng),
        model.log_joint,
        model.state,
        lambda: model.labels,
        lambda: model.n_slots,
        lambda: model.n_clusters,
        lambda: model.block_sizes,
        lambda: anneal(model, rng),
    ):
        with pytest.raises(ConfigError, match="no partition yet; call start with labels first"):
            use()


@pytest.mark.parametrize("moves", [gibbs_sweep, SplitMerge(), None, "sweep", [gibbs_sweep, 3]])
def test_moves_are_a_sequence_of_moves(moves):
    with pytest.raises(ConfigError, match=r"must be a sequence of moves, such as \[gibbs_sweep\]"):
        MixtureModel(DirichletProcess(1.0), LIKELIHOODS["documents"](), moves)


def test_a_sweep_is_given_a_generator():
    model = MixtureModel(DirichletProcess(1.0), LIKELIHOODS["documents"]())
    annealed = AnnealedModel(
        DirichletProcess(1.0), LIKELIHOODS["documents"](), n_sweeps=5, lowest=0.1
    )
    for one in (model, annealed):
        one.start(LABELS)
        for use in (lambda one=one: one.sweep(1), lambda one=one: one.start_at_random(2, None)):
            with pytest.raises(ConfigError, match="it must be a numpy.random.Generator"):
                use()


@pytest.mark.parametrize("name", LIKELIHOODS)
def test_a_likelihood_with_fewer_slots_than_before_is_as_new(name):
    """A model that restores an earlier state needs this."""
    used = assigned(name, np.arange(N), 12)
    used.grow(15)
    used.assign(LABELS, 4)
    new = assigned(name, LABELS, 4)
    used.begin(np.random.default_rng(2))
    for item in range(N):
        assert np.array_equal(
            used.log_predictive(item, LABELS[item]), new.log_predictive(item, LABELS[item])
        )
    with pytest.raises(DataError, match="Statistics of 4 slots cannot grow to 3 slots"):
        used.grow(3)


# ---- places in memory ------------------------------------------------------------------------


@pytest.mark.parametrize("name", LIKELIHOODS)
def test_items_and_slots_that_are_not_there_are_refused(name):
    likelihood = assigned(name)
    for item, own, sentence in (
        (10**9, 0, "no item 1000000000"),
        (-1, 0, "no item -1"),
        (N, 0, "no item 6"),
        (0, 10**9, "no slot 1000000000"),
        (0, -1, "no slot -1"),
        (0, 5, "no slot 5"),
        (0, 2, "Item 0 does not sit in slot 2"),  # the slot is empty
    ):
        with pytest.raises(DataError, match=sentence):
            likelihood.log_predictive(item, own)
        with pytest.raises(DataError, match=sentence):
            likelihood.log_weights(item, own, [0, 1], np.zeros(3))
    for slots in ([5], [-2], [10**9], [0.5]):
        with pytest.raises(DataError, match="The slots: entry 0"):
            likelihood.log_predictive(0, 0, slots)
        with pytest.raises(DataError, match="The slots: entry 0"):
            likelihood.log_weights(0, 0, slots, np.zeros(2))
    with pytest.raises(DataError, match="Item 0 does not sit in slot 2"):
        likelihood.reseat(0, 2, 4)


@pytest.mark.parametrize("name", LIKELIHOODS)
def test_a_likelihood_without_a_partition_says_so(name):
    with pytest.raises(DataError, match="has no partition yet; call assign first"):
        LIKELIHOODS[name]().log_predictive(0, 0)
    prior = DirichletProcess(1.0)
    prior.prepare(N)
    with pytest.raises(ValueError, match="room for 0 slots, the partition has 4"):
        gibbs_sweep(Partition(LABELS), prior, LIKELIHOODS[name](), np.random.default_rng(0))


@pytest.mark.parametrize(
    "make",
    [
        lambda: ExplicitMeans(POINTS, aux="prior"),
        lambda: ExplicitMeans(POINTS, PrecisionLaw("covariance")),
        lambda: ReferencePrecisions(POINTS),
    ],
)
def test_parameters_are_not_drawn_without_a_generator(make):
    likelihood = make()
    likelihood.assign(LABELS, 5)
    with pytest.raises(DataError, match="call begin with a generator first"):
        likelihood.reseat(0, 0, 2)
    if isinstance(likelihood, ExplicitMeans):
        with pytest.raises(DataError, match="call begin with a generator first"):
            likelihood.log_predictive(0, 0)


def test_the_parts_of_a_move_must_be_there(rng):
    model = MixtureModel(DirichletProcess(1.0), LIKELIHOODS["documents"]())
    model.start(LABELS)
    parts = [model.partition, model.prior, model.likelihood]
    for place in range(3):
        given = [*parts[:place], None, *parts[place + 1 :]]
        for move in (gibbs_sweep, RestrictedSweep(), SplitMerge(), Chaperones(Pairs(N))):
            with pytest.raises(TypeError, match="None"):
                move(*given, rng)


def test_a_prior_that_follows_sizes_must_stand_at_those_of_the_partition(rng):
    partition, likelihood = Partition(LABELS, 5), assigned("documents")
    prior = NBD(1.0, 0.5)
    prior.prepare(N)
    for move in (gibbs_sweep, RestrictedSweep(), SplitMerge(), Chaperones(Pairs(N))):
        for enter in (lambda: None, lambda: prior.enter([2, 4])):
            enter()
            with pytest.raises(ValueError, match="call enter with the sizes of its blocks"):
                move(partition, prior, likelihood, rng)
    with pytest.raises(ValueError, match="call enter"):
        SizeHistogram([1, 2, 3]).sweep(prior, rng)
    prior.enter(partition.block_sizes())
    gibbs_sweep(partition, prior, likelihood, rng)
    prior.check_entered(partition.block_sizes())


MOVES = {
    "gibbs_sweep": gibbs_sweep,
    "RestrictedSweep": RestrictedSweep(),
    "CanopySweep": CanopySweep(np.ones((N, N))),
    "ClampedSweep": ClampedSweep([-1] * N),
    "SplitMerge": SplitMerge(),
    "Chaperones": Chaperones(Pairs(N)),
}
JOINT_MOVES = [JointSweep(), JointSplitMerge(), PublicationTypes(), PrecisionSteps()]
JOINT_MOVES += [IntegratedTypeSplitMerge()]


@pytest.mark.parametrize("name", LIKELIHOODS)
@pytest.mark.parametrize("move", MOVES)
def test_a_likelihood_with_labels_of_another_partition_is_refused_by_every_move(move, name, rng):
    likelihood = assigned(name, LABELS[::-1].copy())
    if move == "SplitMerge" and not likelihood.collapsed:
        return  # which this move refuses anyway
    partition, prior = Partition(LABELS, 5), DirichletProcess(1.0)
    prior.prepare(N)

    def refuse():
        before = partition.label_array
        with pytest.raises(ValueError, match="assigned other labels than those of the partition"):
            MOVES[move](partition, prior, likelihood, rng)
        assert np.array_equal(partition.label_array, before)

    refuse()
    likelihood.assign(LABELS, 5)
    for _ in range(3):  # the likelihood follows what moves change
        MOVES[move](partition, prior, likelihood, rng)
    labels = partition.label_array.tolist()
    target = partition.capacity - 1 if labels[0] != partition.capacity - 1 else 0
    if target in labels:
        likelihood.begin(rng)
        likelihood.reseat(0, labels[0], target)
        refuse()
        likelihood.reseat(0, target, labels[0])
        MOVES[move](partition, prior, likelihood, rng)


@pytest.mark.parametrize("wrong", ["publications", "types"])
@pytest.mark.parametrize("move", JOINT_MOVES, ids=lambda move: type(move).__name__)
def test_a_likelihood_with_labels_of_another_partition_is_refused_by_joint_moves(move, wrong, rng):
    given = {"test": np.ones(N, dtype=bool), "known": np.zeros(N, dtype=int)}
    model = build_supervised(GaussianReferences(POINTS), "scdp1", rng, **given)
    part = getattr(model, wrong)
    for _ in range(3):
        model.start({"publication": LABELS, "type": LABELS % 2}, rng)
        part.likelihood.assign(part.labels[::-1].copy(), part.partition.capacity)
        with pytest.raises(ValueError, match="assigned other labels than those of the partition"):
            move(model.publications, model.types, rng)
        part.likelihood.assign(part.labels, part.partition.capacity)
        for _ in range(3):
            move(model.publications, model.types, rng)
            model.publications.condition({"type": model.types})


def test_joint_moves_need_the_types_that_the_means_have_taken_in(rng):
    publications = MixtureModel(DirichletProcess(1.0), ReferenceMeans(POINTS))
    publications.start(LABELS)
    types = MixtureModel(DirichletProcess(1.0), ReferencePrecisions(POINTS))
    types.start(LABELS % 2)
    with pytest.raises(ValueError, match="call condition, then assign"):
        JointSweep()(publications, types, rng)


def test_a_pair_of_chaperones_begins_like_a_sweep_of_them():
    """Precisions of new blocks are drawn from the generator that the move is given."""
    model = MixtureModel(DirichletProcess(1.0), ReferencePrecisions(POINTS))
    model.start(np.zeros(N, int))
    likelihood = ReferencePrecisions(POINTS)
    likelihood.assign(model.labels, model.partition.capacity)
    rng = np.random.default_rng(0)
    for _ in range(50):
        Chaperones(Pairs(N)).run_pair(model.partition, model.prior, likelihood, rng, (0, 1))
    assert model.partition.n_blocks > 1


def test_statistics_of_one_likelihood_are_not_those_of_another():
    links = LIKELIHOODS["links"]()
    links.assign(LABELS, 5)
    other = MixtureModel(DirichletProcess(1.0), DirichletMultinomial(np.eye(5, dtype=int)))
    other.start(np.arange(5))
    links.condition({links.given: other})
    with pytest.raises(DataError, match="call assign first"):
        links.log_marginal()
    sums = PointSums(POINTS)
    WishartDistances(sums, 3)
    with pytest.raises(ConfigError, match="those of another likelihood"):
        WishartDistances(sums, 3)


@pytest.mark.parametrize(
    ("pairs", "sentence"),
    [
        ([[0], [1]], "shape \\(n_pairs, 2\\)"),
        ([0, 1], "shape \\(n_pairs, 2\\)"),
        ([[0.9, 1.9]], "must be whole numbers"),
        ([[2**32, 1]], "must be whole numbers between 0 and 3"),
        ([[0, -1]], "must be whole numbers between 0 and 3"),
    ],
)
def test_pairs_of_records_are_neither_rounded_nor_wrapped(pairs, sentence):
    index = index_columns(
        [["miller", "millre", "roberts", "mills"]], [Similarity("edit", 3.0, 3.0)]
    )
    with pytest.raises(DataError, match=sentence):
        SimilarRecords(index, 0.2).log_ratios(pairs)


def test_members_block_sizes_and_fields_that_are_not_there_are_refused():
    members = Members(LABELS, 5)
    assert members.of(3) == [3, 4, 5]
    for slot in (-1, 5, 10**9):
        with pytest.raises(DataError, match=f"no slot {slot}"):
            members.of(slot)
    prior = NBD(1.0, 0.5)
    prior.prepare(N)
    prior.enter([1, 2, 3])
    for before, after in ((10**9, 10**9 + 1), (-1, 0), (2, 4), (5, 4), (N, N + 1)):
        with pytest.raises(DataError, match=f"No block of {before} items"):
            prior.resize(before, after)
    for sizes in ([0, 6], [-1, 7], [2.5, 3.5]):
        with pytest.raises(DataError, match="The block sizes: entry 0"):
            prior.enter(sizes)
        with pytest.raises(DataError, match="The block sizes: entry 0"):
            sample_sizes(NBD(1.0, 0.5), N, 1, np.random.default_rng(0), start=sizes)
    prior.enter([1] * N)
    with pytest.raises(DataError, match="No block of 0 items"):
        prior.resize(0, 1)
    for field in (-1, 4, 10**9):
        with pytest.raises(DataError, match=f"no field {field}"):
            assigned("categorical").tally().log_marginal_of(field, 0.1)


@pytest.mark.parametrize(
    ("make", "name", "wrong", "sentence"),
    [
        (ReferenceMeans, "means", np.zeros(3), r"means has the shape \(3,\); it must be \(2, 2\)"),
        (ReferenceMeans, "means", [[0, 0], [0, np.nan]], r"means\[\(1, 1\)\] is nan; it must be"),
        (ReferencePrecisions, "precisions", [[1], [1], [1]], "precisions has the shape"),
        (ReferencePrecisions, "precisions", [[1, 0], [1, 1]], "is 0; it must be positive and"),
        (ReferencePrecisions, "precisions", np.inf, "is inf; it must be positive and finite"),
    ],
)
def test_parameters_that_are_set_fit_the_slots(make, name, wrong, sentence):
    likelihood = make(GaussianReferences([[0.3, 1.0], [0.5, -1.0]]))
    likelihood.assign([0, 1], 2)
    before = getattr(likelihood, name)
    with pytest.raises(ConfigError, match=sentence):
        setattr(likelihood, name, wrong)
    assert np.array_equal(getattr(likelihood, name), before)
    setattr(likelihood, name, 0.5)
    assert np.array_equal(getattr(likelihood, name), np.full((2, 2), 0.5))


def test_types_of_means_and_groups_must_fit():
    data = GaussianReferences(POINTS)
    pairs = PrecisionLaw("covariance", pairs="within_block")
    for form in (ExplicitMeans, ReferencePrecisions):
        with pytest.raises(DataError, match=r"The groups have the shape \(2,\)"):
            form(data, pairs, groups=[0, 1])
        assert form(data, pairs, groups=[-7, -7, 10**12, 10**12, 3, 3]).n_items == N
        with pytest.raises(DataError, match="groups has no label|groups: masked"):
            form(data, pairs, groups=[0, 0, 1, 1, np.nan, np.nan])
    with pytest.raises(DataError, match="The features: entry 1 is 0.5"):
        GaussianReferences(POINTS, [0, 0.5, 1])


@pytest.mark.parametrize(
    "names",
    [
        [0, 1, np.nan, np.nan],
        ["a", "b", None, "a"],
        ["a", "b", np.nan, "a"],
        np.array([2, 1, None, 1], dtype=object),
        np.ma.masked_array([2, 1, 3, 1], mask=[0, 0, 1, 0]),
    ],
    ids=str,
)
def test_items_without_a_name_are_not_of_one_kind(names):
    with pytest.raises(DataError, match=r"kinds has no label .* at position 2|kinds: masked"):
        numbered_names(names, "kinds")
    likelihood = DirichletMultinomial(COUNTS[:4])
    with pytest.raises(DataError, match="groups has no label|groups: masked"):
        RestrictedSweep(names)
    with pytest.raises(DataError, match="groups has no label|groups: masked"):
        GroupedModel(DirichletProcess(1.0), likelihood, (), names)


def test_names_are_numbered_in_their_order_and_texts_and_numbers_are_not_made_one_name():
    for names in (["1", 1, "1"], np.array(["a", 2], dtype=object)):
        with pytest.raises(DataError, match="^kinds has mixed types, such as numbers and texts; c"):
            numbered_names(names, "kinds")
    assert numbered_names(["b", "a", "b", "c"], "kinds").tolist() == [1, 0, 1, 2]
    assert numbered_names(np.array([7.5, -1.0, 7.5]), "kinds").tolist() == [1, 0, 1]
