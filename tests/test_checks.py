"""Inputs are checked once, whichever part of the library they enter."""

import math
import pickle

import numpy as np
import pytest

from reseat.baselines import (
    XingMetric,
    fit_em,
    hierarchical_labels,
    kmeans_labels,
)
from reseat.chains import AnnealedModel, GroupedModel, MixtureModel, Schedule, anneal
from reseat.checks import (
    as_labels,
    as_whole,
    check_choice,
    check_flag,
    check_strength,
    check_whole,
    numbered_names,
)
from reseat.command.options import in_options
from reseat.counts import canonical_counts
from reseat.datasets import Records
from reseat.dissimilarities import (
    centred_similarities,
    check_dissimilarities,
    classical_scaling,
    from_similarities,
    landmark_scaling,
    looks_unsquared,
    squared_distances,
    subtract_row_means,
)
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
    RecordIndex,
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
from reseat.metrics import Contingency
from reseat.models.references import build_supervised
from reseat.moves import (
    CanopySweep,
    Chaperones,
    ClampedSweep,
    IntegratedTypeSplitMerge,
    JointSplitMerge,
    JointSweep,
    ListedPairs,
    Pairs,
    PrecisionSteps,
    PublicationTypes,
    RestrictedSweep,
    SimilarPairs,
    SplitMerge,
    TypeSplitMerge,
    gibbs_sweep,
)
from reseat.partition import Partition
from reseat.priors import (
    ESCD,
    ESCNB,
    NBD,
    NBNB,
    DirichletProcess,
    FiniteDirichlet,
    PitmanYor,
    SampledNBD,
    sample_sizes,
    solve_concentration,
)
from reseat.priors._sizes import SizeHistogram
from reseat.priors.hyperpriors import BetaHyperprior, GammaHyperprior, slice_sample
from reseat.relation_tables import RelationTable
from reseat.summaries import coclustering
from reseat.variational import FIRM, IRM, AspectModel, Relation

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


def test_a_partition_does_not_share_the_memory_of_its_labels():
    labels = np.array([0, 1, 1], dtype=np.intc)
    partition = Partition(labels)
    labels[:] = 0
    assert partition.label_array.tolist() == [0, 1, 1]


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


@pytest.mark.parametrize("name", LIKELIHOODS)
def test_models_refuse_to_start_at_labels_that_do_not_fit(name):
    model = MixtureModel(DirichletProcess(1.0), LIKELIHOODS[name]())
    for labels, sentence in (
        (LABELS[:-1], "5 labels were given for 6 items"),
        ([0, 0, 0, 0, 0, -1], "Label -1 of item 5 is negative"),
        ([0, 0, 0, 0, 0, 0.7], "Label 0.7 of item 5 is not a whole number"),
    ):
        with pytest.raises(DataError, match=sentence):
            model.start(labels)
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


def test_a_process_keeps_the_tables_of_a_subclass(rng):
    class Doubled(DirichletProcess):
        def tabulate(self):
            n = np.arange(self.n_items + 1)
            self.set_tables(n, 2 * n)

    prior = Doubled(1.0, GammaHyperprior())
    prior.prepare(3)
    prior.update([2, 1], rng)
    assert prior.tables[1].tolist() == [0, 2, 4, 6]


def test_a_likelihood_is_annealed_by_one_model(rng):
    likelihood = LIKELIHOODS["documents"]()
    first, second = (
        AnnealedModel(DirichletProcess(1.0), likelihood, n_sweeps=5, lowest=0.1) for _ in range(2)
    )
    first.start(LABELS)
    second.start(LABELS)
    with pytest.raises(ConfigError, match="partition of another model"):
        first.sweep(rng)
    assert first.n_done == 0


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
JOINT_MOVES = [
    JointSweep(),
    JointSplitMerge(),
    PublicationTypes(),
    PrecisionSteps(),
    IntegratedTypeSplitMerge(),
]


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
    model = build_supervised(
        GaussianReferences(POINTS),
        "scdp1",
        rng,
        test=np.ones(N, dtype=bool),
        known=np.zeros(N, dtype=int),
    )
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


def test_splits_of_types_refuse_a_likelihood_with_labels_of_another_partition(rng):
    for likelihood in (ReferencePrecisions(POINTS), CollapsedPrecisions(POINTS)):
        model = MixtureModel(DirichletProcess(1.0), likelihood, [TypeSplitMerge()])
        model.start(LABELS)
        model.sweep(rng)
        likelihood.assign(model.labels[::-1].copy(), model.partition.capacity)
        if not np.array_equal(model.labels, model.labels[::-1]):
            with pytest.raises(ValueError, match="assigned other labels"):
                model.sweep(rng)


def test_no_block_opens_without_an_item():
    prior = NBD(1.0, 0.5)
    prior.prepare(2)
    prior.resize(0, 1)
    prior.resize(0, 1)
    with pytest.raises(DataError, match="No block of 0 items"):
        prior.resize(0, 1)


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


def test_members_and_block_sizes_that_are_not_there_are_refused():
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


def test_fields_that_are_not_there_are_refused():
    likelihood = assigned("categorical")
    for field in (-1, 4, 10**9):
        with pytest.raises(DataError, match=f"no field {field}"):
            likelihood.tally().log_marginal_of(field, 0.1)


@pytest.mark.parametrize(
    ("make", "name", "wrong", "sentence"),
    [
        (ReferenceMeans, "means", np.zeros(3), r"means has the shape \(3,\); it must be \(2, 2\)"),
        (
            ReferenceMeans,
            "means",
            [[0, 0], [0, np.nan]],
            r"means\[\(1, 1\)\] is nan; it must be fin",
        ),
        (ReferencePrecisions, "precisions", [[1], [1], [1]], "precisions has the shape"),
        (
            ReferencePrecisions,
            "precisions",
            [[1, 0], [1, 1]],
            "is 0; it must be positive and finite",
        ),
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
    for make in (
        RestrictedSweep,
        lambda groups: GroupedModel(
            DirichletProcess(1.0), DirichletMultinomial(COUNTS[:4]), (), groups
        ),
    ):
        with pytest.raises(DataError, match="groups has no label|groups: masked"):
            make(names)


@pytest.mark.parametrize("names", [["1", 1, "1"], np.array(["a", 2], dtype=object)], ids=str)
def test_texts_and_numbers_are_not_made_one_name(names):
    with pytest.raises(DataError, match="^kinds has mixed types, such as numbers and texts; conv"):
        numbered_names(names, "kinds")


def test_names_are_numbered_in_their_order():
    assert numbered_names(["b", "a", "b", "c"], "kinds").tolist() == [1, 0, 1, 2]
    assert numbered_names(np.array([7.5, -1.0, 7.5]), "kinds").tolist() == [1, 0, 1]


# ---- numbers ---------------------------------------------------------------------------------

NO_NUMBERS = [np.nan, np.inf, -np.inf, 10**400, "much"]
BY_BLOCK = PrecisionLaw("covariance", pairs="within_block")
REFERENCES = GaussianReferences(POINTS)
SOME = np.random.default_rng(0)

NUMBERS = {
    "FiniteDirichlet n_blocks": ("n_blocks", lambda x: FiniteDirichlet(x)),
    "FiniteDirichlet": ("concentration", lambda x: FiniteDirichlet(2, x)),
    "DirichletProcess": ("concentration", lambda x: DirichletProcess(x)),
    "PitmanYor": ("concentration", lambda x: PitmanYor(x, 0.2)),
    "PitmanYor discount": ("discount", lambda x: PitmanYor(1.0, x)),
    "NBNB a": ("a", lambda x: NBNB(x, 0.5)),
    "NBNB q": ("q", lambda x: NBNB(1.0, x)),
    "NBNB r": ("r", lambda x: NBNB(r=x)),
    "NBNB p": ("p", lambda x: NBNB(p=x)),
    "NBD alpha": ("alpha", lambda x: NBD(alpha=x)),
    "NBD base": ("base", lambda x: NBD(base=x)),
    "SampledNBD alpha": ("alpha", lambda x: SampledNBD(alpha=x)),
    "Gamma shape": ("shape", lambda x: GammaHyperprior(shape=x)),
    "Gamma rate": ("rate", lambda x: GammaHyperprior(rate=x)),
    "Gamma upper": ("bound", lambda x: GammaHyperprior(upper=x)),
    "Beta a": ("a", lambda x: BetaHyperprior(a=x)),
    "Beta b": ("b", lambda x: BetaHyperprior(b=x)),
    "Beta upper": ("bound", lambda x: BetaHyperprior(upper=x)),
    "slice width": ("width", lambda x: slice_sample(lambda v: -v * v, 0.0, SOME, width=x)),
    "slice steps": ("max_steps", lambda x: slice_sample(lambda v: -v * v, 0.0, SOME, max_steps=x)),
    "solve_concentration": ("n_items", lambda x: solve_concentration(x, 3)),
    "sample_sizes thin": ("thin", lambda x: sample_sizes(NBNB(), 5, 1, SOME, thin=x)),
    "sample_sizes burn-in": ("burn_in", lambda x: sample_sizes(NBNB(), 5, 1, SOME, burn_in=x)),
    "DirichletMultinomial": ("beta", lambda x: DirichletMultinomial(COUNTS, x)),
    "beta": ("beta", lambda x: setattr(DirichletMultinomial(COUNTS), "beta", x)),
    "CategoricalRecords": ("delta", lambda x: CategoricalRecords(CODES, x)),
    "HitMissRecords": ("beta", lambda x: HitMissRecords(CODES, x)),
    "RelationalLinks": ("beta", lambda x: RelationalLinks(LinkTable(COUNTS), 0, x)),
    "RelationalLinks place": ("place", lambda x: RelationalLinks(LinkTable(COUNTS), x)),
    "ReferenceMeans": ("sigma", lambda x: ReferenceMeans(REFERENCES, x)),
    "ExplicitMeans": ("sigma", lambda x: ExplicitMeans(REFERENCES, sigma=x)),
    "candidates": ("n_candidates", lambda x: ExplicitMeans(REFERENCES, n_candidates=x)),
    "PrecisionLaw shape": ("shape", lambda x: PrecisionLaw(shape=x)),
    "PrecisionLaw rate": ("rate", lambda x: PrecisionLaw(rate=x)),
    "PrecisionLaw strength": ("strength", lambda x: PrecisionLaw(strength=x)),
    "Wishart dim": ("dim", lambda x: WishartDistances(DISTANCES, x)),
    "Wishart theta": ("theta", lambda x: WishartDistances(DISTANCES, 3, x)),
    "Wishart shape": ("shape", lambda x: WishartSimilarities(DISTANCES, 3, shape=x)),
    "Wishart scale": ("scale", lambda x: WishartSimilarities(DISTANCES, 3, scale=x)),
    "Pairs": ("n_items", lambda x: Pairs(x)),
    "SimilarPairs": ("n_subsets", lambda x: SimilarPairs(CODES, SOME, x)),
    "SimilarPairs alike": ("most_alike", lambda x: SimilarPairs(CODES, SOME, most_alike=x)),
    "SimilarPairs fields": (
        "field_probability",
        lambda x: SimilarPairs(CODES, SOME, field_probability=x),
    ),
    "Chaperones pairs": ("n_pairs", lambda x: Chaperones(Pairs(3), x)),
    "Chaperones scans": ("n_scans", lambda x: Chaperones(Pairs(3), n_scans=x)),
    "SplitMerge": ("n_proposals", lambda x: SplitMerge(n_proposals=x)),
    "SplitMerge scans": ("n_scans", lambda x: SplitMerge(n_scans=x)),
    "CanopySweep": ("full_every", lambda x: CanopySweep(np.eye(3), full_every=x)),
    "Schedule burn-in": ("burn_in", lambda x: Schedule(x, 10)),
    "Schedule samples": ("n_samples", lambda x: Schedule(0, x)),
    "Schedule thin": ("thin", lambda x: Schedule(0, 10, x)),
    "Schedule snapshots": ("snapshot", lambda x: Schedule(0, 10, 1, (x,))),
    "likelihood power": ("likelihood_power", lambda x: sweep(likelihood_power=x)),
    "prior power": ("prior_power", lambda x: sweep(prior_power=x)),
    "clamped power": (
        "likelihood_power",
        lambda x: sweep(ClampedSweep([0, -1, -1, 1, 1, 1]), likelihood_power=x),
    ),
    "anneal": ("greatest", lambda x: anneal(model(), np.random.default_rng(0), greatest=x)),
    "anneal steps": ("n_steps", lambda x: anneal(model(), np.random.default_rng(0), n_steps=x)),
}


def model():
    built = MixtureModel(DirichletProcess(1.0), LIKELIHOODS["documents"]())
    built.start(LABELS)
    return built


def sweep(move=gibbs_sweep, **powers):
    built = model()
    move(built.partition, built.prior, built.likelihood, np.random.default_rng(0), **powers)


@pytest.mark.parametrize("value", [*NO_NUMBERS, -1], ids=str)
@pytest.mark.parametrize("what", NUMBERS)
def test_numbers_out_of_range_are_refused_by_name(what, value):
    name, make = NUMBERS[what]
    with pytest.raises(ConfigError, match=rf"\b{name}\b( of the \w+ prior)? is\b") as refusal:
        make(value)
    assert "must" in str(refusal.value) or "give" in str(refusal.value)


STRONG = ("FiniteDirichlet", "DirichletProcess", "PitmanYor", "NBD alpha", "SampledNBD alpha")
STRONG += ("DirichletMultinomial", "beta", "RelationalLinks")


@pytest.mark.parametrize("what", STRONG)
def test_strengths_that_only_rounding_would_tell_apart_are_refused(what):
    name, make = NUMBERS[what]
    make(1e9)
    with pytest.raises(ConfigError, match=rf"{name} is 1e\+17; it must lie in"):
        make(1e17)


def test_counts_hardly_smoothed_are_refused_and_small_concentrations_are_not():
    for what in ("DirichletMultinomial", "beta", "RelationalLinks"):
        with pytest.raises(ConfigError, match="beta is 1e-320; it must lie in .1e-09, 1e.09."):
            NUMBERS[what][1](1e-320)
    assert DirichletProcess(1e-40).log_prob([N]) == pytest.approx(0.0)


SIZED = {
    "FiniteDirichlet": lambda: FiniteDirichlet(3),
    "DirichletProcess": DirichletProcess,
    "PitmanYor": PitmanYor,
    "NBNB": lambda: NBNB(1.0, 0.5),
    "NBD": lambda: NBD(1.0, 0.5),
    "SampledNBD": lambda: SampledNBD(1.0, 0.5),
    "ESCNB": ESCNB,
    "ESCD": ESCD,
}


@pytest.mark.parametrize("sizes", [[0, 2], [1.5, 0.5], [2, -1], [1, np.nan]])
@pytest.mark.parametrize("name", SIZED)
def test_no_partition_has_blocks_of_such_sizes(name, sizes):
    prior = SIZED[name]()
    prior.prepare(4)
    assert prior.log_prob([1, 3]) == prior.log_prob(np.array([1, 3], dtype=np.uint8)) < 0
    with pytest.raises(DataError, match="The block sizes: entry [01] is"):
        prior.log_prob(sizes)


@pytest.mark.parametrize("name", SIZED)
def test_a_partition_has_a_block(name):
    prior = SIZED[name]()
    prior.prepare(4)
    with pytest.raises(DataError, match="no block sizes"):
        prior.log_prob([])


@pytest.mark.parametrize("prior", [DirichletProcess(1.0), PitmanYor(1.0, 0.5)])
def test_every_group_has_a_block(prior):
    with pytest.raises(DataError, match="A group has no block sizes"):
        prior.log_prob_groups([[1, 2], []])


@pytest.mark.parametrize("prior", [NBD(), NBNB()])
def test_what_is_to_be_solved_for_needs_the_number_of_items(prior):
    with pytest.raises(ConfigError, match=r"depend on the number of items; call prepare"):
        prior.log_prob([1, 2])


def test_more_blocks_than_there_are_have_no_probability():
    prior = FiniteDirichlet(2)
    assert prior.log_prob([1, 1, 1]) == -np.inf < prior.log_prob([1, 2])


@pytest.mark.parametrize(
    "make",
    [
        lambda: Schedule(0.5, 10),
        lambda: Schedule(0, 10, 1, (1.5,)),
        lambda: Schedule(2**31 - 1, 1),
        lambda: sweep(prior_power=0.0),
        lambda: SplitMerge(n_scans=0.5),
        lambda: Chaperones(Pairs(3), n_pairs=1.5),
        lambda: GammaHyperprior(50.0, 1.0, 1e-10),
        lambda: BetaHyperprior(300.0, 1.0, 1e-3),
        lambda: BetaHyperprior.from_moments(0.5, 1e-200),
        lambda: BetaHyperprior.from_moments(0.5, np.inf),
        lambda: BetaHyperprior.from_moments(np.nan, 0.1),
        lambda: BetaHyperprior.from_moments("a", 0.1),
        lambda: WishartDistances(DISTANCES, 3, dtype=np.float16),
    ],
)
def test_what_no_chain_could_use_is_refused(make):
    with pytest.raises(ConfigError):
        make()


def test_whole_numbers_may_be_written_as_floats():
    schedule = Schedule(np.int64(2), 1e1, thin=2.0, snapshots=(np.float64(3.0),))
    assert schedule == Schedule(2, 10, 2, (3,))
    assert all(type(n) is int for n in (schedule.burn_in, schedule.n_samples, schedule.thin))
    assert FiniteDirichlet(3.0).max_blocks == 3
    assert type(Similarity("edit", 2.0, 3.0, most=5.0).most) is int
    labels = kmeans_labels(POINTS, 2, n_restarts=3.0)
    assert np.array_equal(labels, kmeans_labels(POINTS, 2, n_restarts=3))


@pytest.mark.parametrize("use", [squared_distances, subtract_row_means])
@pytest.mark.parametrize(
    ("points", "sentence"),
    [
        ([1.0, 2.0, 3.0], r"have the shape \(3,\); they must be a table"),
        (np.zeros((0, 2)), "must be a table"),
        ([[0.0, 1.0], [np.nan, 2.0]], "The points: row 1 contains a non-finite value"),
    ],
)
def test_points_are_a_table_of_finite_numbers(use, points, sentence):
    with pytest.raises(DataError, match=sentence):
        use(points)


# ---- masks -----------------------------------------------------------------------------------


def records(codes):
    levels = (("a", "b", "c"),) * codes.shape[1]
    ids = np.arange(len(codes)).astype(str)
    return Records(codes, tuple("wxyz"), levels, None, ids)


MASKED = {
    "counts": (COUNTS, canonical_counts),
    "DirichletMultinomial": (COUNTS, DirichletMultinomial),
    "LinkTable": (COUNTS, LinkTable),
    "held out": ([[0, 0], [1, 1]], lambda x: LinkTable(COUNTS, x)),
    "fit_em": (COUNTS, lambda x: fit_em(x, 2, rng=np.random.default_rng(0))),
    "starting labels": (
        LABELS,
        lambda x: fit_em(COUNTS, 4, start="labels", labels=x, rng=np.random.default_rng(0)),
    ),
    "AspectModel": (COUNTS, lambda x: AspectModel(2, n_starts=1, random_state=0).fit(x)),
    "Relation": (COUNTS, Relation.from_matrix),
    "FIRM": (COUNTS, lambda x: FIRM(2, 2, n_restarts=1, random_state=0).fit(x)),
    "IRM": (COUNTS, lambda x: IRM(2, 2, n_restarts=1, random_state=0).fit(x)),
    "cells": ([[0, 1], [1, 0]], lambda x: RelationTable("r", ("a", "b"), x, [1, 1])),
    "counts of cells": ([3, 4], lambda x: RelationTable("r", ("a", "b"), [[0, 1], [1, 0]], x)),
    "k-means": (POINTS, lambda x: kmeans_labels(x, 2, n_restarts=1)),
    "hierarchical": (DISTANCES, lambda x: hierarchical_labels(x, 2, "ward")),
    "Xing": (POINTS, lambda x: XingMetric().fit(x, LABELS)),
    "entities": (LABELS, lambda x: XingMetric().fit(POINTS, x)),
    "dissimilarities": (DISTANCES, check_dissimilarities),
    "centred similarities": (DISTANCES, centred_similarities),
    "looks unsquared": (np.tile(DISTANCES, (2, 2)), looks_unsquared),
    "classical scaling": (DISTANCES, classical_scaling),
    "landmark scaling": (DISTANCES[:, :3], lambda x: landmark_scaling(x, np.arange(3))),
    "squared distances": (POINTS, squared_distances),
    "from similarities": (POINTS @ POINTS.T, from_similarities),
    "row means": (POINTS, subtract_row_means),
    "WishartDistances": (DISTANCES, lambda x: WishartDistances(x, 3)),
    "WishartSimilarities": (POINTS @ POINTS.T, lambda x: WishartSimilarities(x, 3)),
    "PointSums": (POINTS, PointSums),
    "GaussianReferences": (POINTS, GaussianReferences),
    "features": ([0, 1, 2], lambda x: GaussianReferences(POINTS, x)),
    "groups": (LABELS, lambda x: ExplicitMeans(POINTS, BY_BLOCK, groups=x)),
    "groups of a sweep": (LABELS, RestrictedSweep),
    "groups of a model": (
        LABELS,
        lambda x: GroupedModel(DirichletProcess(), DirichletMultinomial(COUNTS), (), x),
    ),
    "RecordIndex": (CODES, RecordIndex),
    "SimilarPairs": (CODES, lambda x: SimilarPairs(x, np.random.default_rng(0))),
    "ListedPairs": ([[0, 1], [1, 2]], lambda x: ListedPairs(Pairs(N), x)),
    "Records": (CODES, records),
    "labels": (LABELS, as_labels),
    "Partition": (LABELS, Partition),
    "whole numbers": (LABELS, lambda x: as_whole(x, "Numbers")),
    "draws": ([[0, 0, 1], [0, 1, 1]], coclustering),
    "contingency": (COUNTS, Contingency.from_table),
}


@pytest.mark.parametrize("what", MASKED)
def test_masked_entries_are_refused_and_a_mask_that_hides_nothing_is_not(what):
    values, use = MASKED[what]
    masked = np.ma.masked_array(values, mask=False)
    use(masked)
    masked[1] = np.ma.masked
    with pytest.raises(DataError, match="masked entries would be read as if they were not; "):
        use(masked)


# ---- items -----------------------------------------------------------------------------------


@pytest.mark.parametrize("items", [[0.7], [-1], [N], [2**63], [np.nan], ["a"]])
def test_items_to_visit_are_neither_rounded_nor_wrapped(items):
    built = model()
    parts = built.partition, built.prior, built.likelihood, np.random.default_rng(0)
    with pytest.raises(ValueError, match="The items"):
        gibbs_sweep(*parts, items)
    for move in (RestrictedSweep, SplitMerge):
        with pytest.raises(ValueError, match="items"):
            move(items=items)(*parts)


@pytest.mark.parametrize("wrong", [0.7, -2, 2**63, np.nan])
def test_classes_and_codes_are_neither_rounded_nor_wrapped(wrong):
    with pytest.raises(DataError, match="The classes.*entry 1"):
        ClampedSweep([0, wrong, 1])
    with pytest.raises(DataError, match="The codes: entry"):
        SimilarPairs([[0, 1], [wrong, 0]], np.random.default_rng(0))
    with pytest.raises(DataError, match="canopies|neighbours"):
        RestrictedSweep(canopies=([0, 1, 2], [0, wrong]))


def test_levels_are_numbered_without_gaps():
    with pytest.raises(DataError, match="Field 1 has the code 2147483647; number the levels"):
        RecordIndex([[0, 2**31 - 1], [1, 0]])


def test_labels_of_links_must_fit_the_table():
    links = LinkTable(COUNTS)
    for rows, columns in (([0] * 5, [0] * 5), ([0] * 6, [0] * 6), ([0.5] * 6, [0] * 5)):
        with pytest.raises(DataError, match=r"labels were given|Label 0\.5"):
            links.cell_counts(rows, columns)


def test_the_first_wrong_entry_of_a_table_is_named():
    with pytest.raises(DataError, match=r"Cells: entry \(1, 0\) is 7; .* between 0 and 5"):
        as_whole([[0, 1], [7, 9]], "Cells", 0, 5)


LOW = GammaHyperprior(1.0, 1.0, upper=0.5)
RULED_OUT = {
    "DirichletProcess": lambda: DirichletProcess(1.0, LOW),
    "PitmanYor": lambda: PitmanYor(1.0, 0.2, LOW),
    "NBNB r": lambda: NBNB(r=1.0, r_hyperprior=LOW),
    "NBNB p": lambda: NBNB(p=0.5, p_hyperprior=BetaHyperprior(upper=0.4)),
    "ESCNB r": lambda: ESCNB(r=1.0, r_hyperprior=LOW),
    "ESCD r": lambda: ESCD(r=1.0, r_hyperprior=LOW),
    "CategoricalRecords": lambda: CategoricalRecords(CODES, 1.0, hyperprior=LOW),
    "HitMissRecords": lambda: HitMissRecords(
        CODES, 0.5, hyperprior=BetaHyperprior(1.0, 9.0, upper=0.4)
    ),
}


@pytest.mark.parametrize("what", RULED_OUT)
def test_starts_that_the_hyperprior_rules_out_are_refused(what):
    with pytest.raises(ConfigError, match=r"which its prior rules out; .* the bound 0\.\d"):
        RULED_OUT[what]()


# ---- messages that each door shows in words of its own ---------------------------------------


def test_errors_carry_a_parameter_that_each_door_calls_by_its_own_name():
    for act, parameter, value, said in (
        (lambda: check_whole("n_chains", 0, 1), "n_chains", 0, "--chains is 0; it must be a whole"),
        (
            lambda: check_choice("prior", "{x}", ["nbd"]),
            "prior",
            "{x}",
            "--prior is '{x}'; it must",
        ),
        (lambda: check_strength("beta", -1.0), "beta", -1.0, "--beta is -1.0; it must be positive"),
        (lambda: check_flag("verbose", 1), "verbose", 1, "verbose is 1; it must be True or False"),
    ):
        with pytest.raises(ConfigError) as caught:
            act()
        error = pickle.loads(pickle.dumps(caught.value))
        assert (error.parameter, error.value) == (parameter, value)
        assert str(error).startswith(f"{parameter} is {error.value!r}; it must")
        assert error.said(in_options).startswith(said)


def test_other_parameters_and_fields_of_a_message():
    text = "{parameter} is set; use {likelihood:'similar'}, {square:True} or more {n_samples}{end}"
    error = DataError(text, parameter="beta", end="; or not")
    expected = "beta is set; use likelihood='similar', square=True or more n_samples; or not"
    assert str(error) == expected
    said = error.said(in_options, end=".")
    assert said == "--beta is set; use --likelihood similar, --square or more --samples."
    error.source = "t.csv"
    assert str(error) == f"t.csv: {expected}"
    assert str(DataError("a {brace} of the user")) == "a {brace} of the user"
