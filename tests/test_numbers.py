"""Numbers, masks and items are checked once, whichever part of the library they enter."""

import pickle
from functools import partial

import numpy as np
import pytest
from test_checks import CODES, COUNTS, DISTANCES, LABELS, LIKELIHOODS, POINTS, N

from reseat import dissimilarities, likelihoods, moves, priors
from reseat.baselines import XingMetric, fit_em, hierarchical_labels, kmeans_labels
from reseat.chains import GroupedModel, MixtureModel, Schedule, anneal
from reseat.checks import as_labels, as_whole, check_choice, check_flag, check_strength, check_whole
from reseat.command.options import in_options
from reseat.counts import canonical_counts
from reseat.datasets import Records
from reseat.errors import ConfigError, DataError
from reseat.metrics import Contingency
from reseat.partition import Partition
from reseat.priors.hyperpriors import BetaHyperprior, GammaHyperprior, slice_sample
from reseat.relation_tables import RelationTable
from reseat.summaries import coclustering
from reseat.variational import FIRM, IRM, AspectModel, Relation

# ---- numbers ---------------------------------------------------------------------------------

NO_NUMBERS = [np.nan, np.inf, -np.inf, 10**400, "much"]
BY_BLOCK = likelihoods.PrecisionLaw("covariance", pairs="within_block")
TABLE = likelihoods.LinkTable(COUNTS)
DOCUMENTS = LIKELIHOODS["documents"]
REFERENCES = likelihoods.GaussianReferences(POINTS)
SOME = np.random.default_rng(0)
PROCESS = priors.DirichletProcess()


def model():
    built = MixtureModel(priors.DirichletProcess(1.0), DOCUMENTS())
    built.start(LABELS)
    return built


def sweep(move=moves.gibbs_sweep, **powers):
    built = model()
    move(built.partition, built.prior, built.likelihood, np.random.default_rng(0), **powers)


def set_beta(beta):
    likelihoods.DirichletMultinomial(COUNTS).beta = beta


def schedule_with(snapshot):
    Schedule(0, 10, 1, (snapshot,))


HIT_MISS = partial(likelihoods.HitMissRecords, CODES)
#: What takes numbers, and the names of the numbers.
NUMBERS = [
    (partial(priors.FiniteDirichlet, n_blocks=2), "n_blocks concentration"),
    (priors.DirichletProcess, "concentration"),
    (partial(priors.PitmanYor, discount=0.2), "concentration discount"),
    (partial(priors.NBNB, a=1.0, q=0.5), "a q"),
    (priors.NBNB, "r p"),
    (priors.NBD, "alpha base"),
    (priors.SampledNBD, "alpha"),
    (GammaHyperprior, "shape rate upper"),
    (BetaHyperprior, "a b upper"),
    (partial(slice_sample, lambda v: -v * v, 0.0, SOME), "width max_steps"),
    (partial(priors.solve_concentration, n_blocks=3), "n_items"),
    (partial(priors.sample_sizes, priors.NBNB(), 5, 1, SOME), "thin burn_in"),
    (partial(likelihoods.DirichletMultinomial, COUNTS), "beta"),
    (set_beta, "beta"),
    (partial(likelihoods.CategoricalRecords, CODES), "delta"),
    (HIT_MISS, "beta"),
    (partial(likelihoods.RelationalLinks, TABLE, place=0), "beta place"),
    (partial(likelihoods.ReferenceMeans, REFERENCES), "sigma"),
    (partial(likelihoods.ExplicitMeans, REFERENCES), "sigma n_candidates"),
    (likelihoods.PrecisionLaw, "shape rate strength"),
    (partial(likelihoods.WishartDistances, DISTANCES, dim=3), "dim theta"),
    (partial(likelihoods.WishartSimilarities, DISTANCES, dim=3), "shape scale"),
    (moves.Pairs, "n_items"),
    (partial(moves.SimilarPairs, CODES, SOME), "n_subsets most_alike field_probability"),
    (partial(moves.Chaperones, moves.Pairs(3)), "n_pairs n_scans"),
    (moves.SplitMerge, "n_proposals n_scans"),
    (partial(moves.CanopySweep, np.eye(3)), "full_every"),
    (partial(Schedule, burn_in=0, n_samples=10), "burn_in n_samples thin"),
    (schedule_with, "snapshot"),
    (sweep, "likelihood_power prior_power"),
    (partial(sweep, moves.ClampedSweep([0, -1, -1, 1, 1, 1])), "likelihood_power"),
    (partial(anneal, model(), SOME), "greatest n_steps"),
]
NUMBERS = [(make, name) for make, names in NUMBERS for name in names.split()]


def names_of(parameter):
    if isinstance(parameter, str):
        return parameter
    return getattr(parameter, "func", parameter).__name__


@pytest.mark.parametrize("value", [*NO_NUMBERS, -1], ids=str)
@pytest.mark.parametrize(("make", "name"), NUMBERS, ids=names_of)
def test_numbers_out_of_range_are_refused_by_name(make, name, value):
    said = "bound" if name == "upper" else name
    with pytest.raises(ConfigError, match=rf"\b{said}\b( of the \w+ prior)? is\b") as refusal:
        make(**{name: value})
    assert "must" in str(refusal.value) or "give" in str(refusal.value)


STRONG = [
    (make, name)
    for make, name in NUMBERS
    if name in ("concentration", "alpha", "beta") and make is not HIT_MISS
]


@pytest.mark.parametrize(("make", "name"), STRONG, ids=names_of)
def test_strengths_that_only_rounding_would_tell_apart_are_refused(make, name):
    make(**{name: 1e9})
    with pytest.raises(ConfigError, match=rf"{name} is 1e\+17; it must lie in"):
        make(**{name: 1e17})


def test_counts_hardly_smoothed_are_refused_and_small_concentrations_are_not():
    for make in (make for make, name in STRONG if name == "beta"):
        with pytest.raises(ConfigError, match="beta is 1e-320; it must lie in .1e-09, 1e.09."):
            make(beta=1e-320)
    assert priors.DirichletProcess(1e-40).log_prob([N]) == pytest.approx(0.0)


SIZED = {
    "FiniteDirichlet": lambda: priors.FiniteDirichlet(3),
    "DirichletProcess": priors.DirichletProcess,
    "PitmanYor": priors.PitmanYor,
    "NBNB": lambda: priors.NBNB(1.0, 0.5),
    "NBD": lambda: priors.NBD(1.0, 0.5),
    "SampledNBD": lambda: priors.SampledNBD(1.0, 0.5),
    "ESCNB": priors.ESCNB,
    "ESCD": priors.ESCD,
}


@pytest.mark.parametrize("sizes", [[0, 2], [1.5, 0.5], [2, -1], [1, np.nan]])
@pytest.mark.parametrize("name", SIZED)
def test_no_partition_has_blocks_of_such_sizes(name, sizes):
    prior = SIZED[name]()
    prior.prepare(4)
    assert prior.log_prob([1, 3]) == prior.log_prob(np.array([1, 3], dtype=np.uint8)) < 0
    with pytest.raises(DataError, match="The block sizes: entry [01] is"):
        prior.log_prob(sizes)
    with pytest.raises(DataError, match="no block sizes"):
        prior.log_prob([])


LOW = GammaHyperprior(1.0, 1.0, upper=0.5)
LOW_BETA = BetaHyperprior(1.0, 9.0, upper=0.4)
RULED_OUT = r"which its prior rules out; .* the bound 0\.\d"
BLOCKS = "A group has no block sizes"
PREPARE = "depend on the number of items; call prepare"
LINKS = TABLE.cell_counts
POINTS_SHAPE = r"have the shape \(3,\); they must be a table"
NOT_FINITE = "The points: row 1 contains a non-finite value"
FIELD = "Field 1 has the code 2147483647; number the levels"  # without gaps
ENTRY = r"Cells: entry \(1, 0\) is 7; .* between 0 and 5"  # the first that is wrong
REFUSED = [
    (ConfigError, None, lambda: Schedule(0.5, 10)),
    (ConfigError, None, lambda: Schedule(0, 10, 1, (1.5,))),
    (ConfigError, None, lambda: Schedule(2**31 - 1, 1)),
    (ConfigError, None, lambda: sweep(prior_power=0.0)),
    (ConfigError, None, lambda: moves.SplitMerge(n_scans=0.5)),
    (ConfigError, None, lambda: moves.Chaperones(moves.Pairs(3), n_pairs=1.5)),
    (ConfigError, None, lambda: GammaHyperprior(50.0, 1.0, 1e-10)),
    (ConfigError, None, lambda: BetaHyperprior(300.0, 1.0, 1e-3)),
    (ConfigError, None, lambda: BetaHyperprior.from_moments(0.5, 1e-200)),
    (ConfigError, None, lambda: BetaHyperprior.from_moments(0.5, np.inf)),
    (ConfigError, None, lambda: BetaHyperprior.from_moments(np.nan, 0.1)),
    (ConfigError, None, lambda: BetaHyperprior.from_moments("a", 0.1)),
    (ConfigError, None, lambda: likelihoods.WishartDistances(DISTANCES, 3, dtype=np.float16)),
    (ConfigError, RULED_OUT, lambda: priors.DirichletProcess(1.0, LOW)),
    (ConfigError, RULED_OUT, lambda: priors.PitmanYor(1.0, 0.2, LOW)),
    (ConfigError, RULED_OUT, lambda: priors.NBNB(r=1.0, r_hyperprior=LOW)),
    (ConfigError, RULED_OUT, lambda: priors.NBNB(p=0.5, p_hyperprior=LOW_BETA)),
    (ConfigError, RULED_OUT, lambda: priors.ESCNB(r=1.0, r_hyperprior=LOW)),
    (ConfigError, RULED_OUT, lambda: priors.ESCD(r=1.0, r_hyperprior=LOW)),
    (ConfigError, RULED_OUT, lambda: likelihoods.CategoricalRecords(CODES, 1.0, hyperprior=LOW)),
    (ConfigError, RULED_OUT, lambda: likelihoods.HitMissRecords(CODES, 0.5, hyperprior=LOW_BETA)),
    (ConfigError, PREPARE, lambda: priors.NBD().log_prob([1, 2])),
    (ConfigError, PREPARE, lambda: priors.NBNB().log_prob([1, 2])),
    (DataError, BLOCKS, lambda: priors.DirichletProcess(1.0).log_prob_groups([[1, 2], []])),
    (DataError, BLOCKS, lambda: priors.PitmanYor(1.0, 0.5).log_prob_groups([[1, 2], []])),
    (DataError, POINTS_SHAPE, lambda: dissimilarities.squared_distances([1.0, 2.0, 3.0])),
    (DataError, POINTS_SHAPE, lambda: dissimilarities.subtract_row_means([1.0, 2.0, 3.0])),
    (DataError, "must be a table", lambda: dissimilarities.squared_distances(POINTS[:0])),
    (DataError, "must be a table", lambda: dissimilarities.subtract_row_means(POINTS[:0])),
    (DataError, NOT_FINITE, lambda: dissimilarities.squared_distances([[0, 1], [np.nan, 2]])),
    (DataError, NOT_FINITE, lambda: dissimilarities.subtract_row_means([[0, 1], [np.nan, 2]])),
    (DataError, FIELD, lambda: likelihoods.RecordIndex([[0, 2**31 - 1], [1, 0]])),
    (DataError, r"labels were given|Label 0\.5", lambda: LINKS([0] * 5, [0] * 5)),
    (DataError, r"labels were given|Label 0\.5", lambda: LINKS([0] * 6, [0] * 6)),
    (DataError, r"labels were given|Label 0\.5", lambda: LINKS([0.5] * 6, [0] * 5)),
    (DataError, ENTRY, lambda: as_whole([[0, 1], [7, 9]], "Cells", 0, 5)),
]


@pytest.mark.parametrize(("error", "sentence", "act"), REFUSED)
def test_what_cannot_be_used_is_refused(error, sentence, act):
    with pytest.raises(error, match=sentence):
        act()


def test_more_blocks_than_there_are_have_no_probability():
    prior = priors.FiniteDirichlet(2)
    assert prior.log_prob([1, 1, 1]) == -np.inf < prior.log_prob([1, 2])


def test_whole_numbers_may_be_written_as_floats():
    schedule = Schedule(np.int64(2), 1e1, thin=2.0, snapshots=(np.float64(3.0),))
    assert schedule == Schedule(2, 10, 2, (3,))
    assert all(type(n) is int for n in (schedule.burn_in, schedule.n_samples, schedule.thin))
    assert priors.FiniteDirichlet(3.0).max_blocks == 3
    assert type(likelihoods.Similarity("edit", 2.0, 3.0, most=5.0).most) is int
    labels = kmeans_labels(POINTS, 2, n_restarts=3.0)
    assert np.array_equal(labels, kmeans_labels(POINTS, 2, n_restarts=3))


# ---- masks -----------------------------------------------------------------------------------


def records(codes):
    levels = (("a", "b", "c"),) * codes.shape[1]
    ids = np.arange(len(codes)).astype(str)
    return Records(codes, tuple("wxyz"), levels, None, ids)


MASKED = {
    "counts": (COUNTS, canonical_counts),
    "DirichletMultinomial": (COUNTS, likelihoods.DirichletMultinomial),
    "LinkTable": (COUNTS, likelihoods.LinkTable),
    "held out": ([[0, 0], [1, 1]], lambda x: likelihoods.LinkTable(COUNTS, x)),
    "fit_em": (COUNTS, lambda x: fit_em(x, 2, rng=np.random.default_rng(0))),
    "starting labels": (LABELS, lambda x: fit_em(COUNTS, 4, start="labels", labels=x, rng=SOME)),
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
    "dissimilarities": (DISTANCES, dissimilarities.check_dissimilarities),
    "centred similarities": (DISTANCES, dissimilarities.centred_similarities),
    "looks unsquared": (np.tile(DISTANCES, (2, 2)), dissimilarities.looks_unsquared),
    "classical scaling": (DISTANCES, dissimilarities.classical_scaling),
    "landmarks": (DISTANCES[:, :3], lambda x: dissimilarities.landmark_scaling(x, np.arange(3))),
    "squared distances": (POINTS, dissimilarities.squared_distances),
    "from similarities": (POINTS @ POINTS.T, dissimilarities.from_similarities),
    "row means": (POINTS, dissimilarities.subtract_row_means),
    "WishartDistances": (DISTANCES, lambda x: likelihoods.WishartDistances(x, 3)),
    "WishartSimilarities": (POINTS @ POINTS.T, lambda x: likelihoods.WishartSimilarities(x, 3)),
    "PointSums": (POINTS, likelihoods.PointSums),
    "GaussianReferences": (POINTS, likelihoods.GaussianReferences),
    "features": ([0, 1, 2], lambda x: likelihoods.GaussianReferences(POINTS, x)),
    "groups": (LABELS, lambda x: likelihoods.ExplicitMeans(POINTS, BY_BLOCK, groups=x)),
    "groups of a sweep": (LABELS, moves.RestrictedSweep),
    "groups of a model": (LABELS, lambda x: GroupedModel(PROCESS, DOCUMENTS(), (), x)),
    "RecordIndex": (CODES, likelihoods.RecordIndex),
    "SimilarPairs": (CODES, lambda x: moves.SimilarPairs(x, np.random.default_rng(0))),
    "ListedPairs": ([[0, 1], [1, 2]], lambda x: moves.ListedPairs(moves.Pairs(N), x)),
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
        moves.gibbs_sweep(*parts, items)
    for move in (moves.RestrictedSweep, moves.SplitMerge):
        with pytest.raises(ValueError, match="items"):
            move(items=items)(*parts)


@pytest.mark.parametrize("wrong", [0.7, -2, 2**63, np.nan])
def test_classes_and_codes_are_neither_rounded_nor_wrapped(wrong):
    with pytest.raises(DataError, match="The classes.*entry 1"):
        moves.ClampedSweep([0, wrong, 1])
    with pytest.raises(DataError, match="The codes: entry"):
        moves.SimilarPairs([[0, 1], [wrong, 0]], np.random.default_rng(0))
    with pytest.raises(DataError, match="canopies|neighbours"):
        moves.RestrictedSweep(canopies=([0, 1, 2], [0, wrong]))


# ---- messages that each door shows in words of its own ---------------------------------------


def test_errors_carry_a_parameter_that_each_door_calls_by_its_own_name():
    for act, parameter, value, said in (
        (lambda: check_whole("n_chains", 0, 1), "n_chains", 0, "--chains is 0; it must be a whole"),
        (lambda: check_choice("prior", "{x}", ["a"]), "prior", "{x}", "--prior is '{x}'; it must"),
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
