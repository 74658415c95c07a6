"""The likelihood of records with similar mistakes against its definition, and in chains."""

import re
from functools import partial

import exact
import numpy as np
import pytest
import similar
from partition_laws import LAWS, process
from places import ROOT
from test_record_likelihoods import check_moves, check_predictives, draw_codes

from reseat.chains import MixtureModel
from reseat.errors import ConfigError, DataError
from reseat.likelihoods import RecordIndex, SimilarityIndex, SimilarRecords
from reseat.moves import Chaperones, Pairs, RestrictedSweep, SplitMerge, gibbs_sweep
from reseat.priors import PitmanYor
from reseat.priors.hyperpriors import BetaHyperprior, GammaHyperprior

SHAPES = {
    "two levels": ([2], 0.0, 0.3),
    "three fields": ([3, 2, 5], 0.0, 0.5),
    "missing values": ([3, 2, 9, 4], 0.3, 0.05),
    "a value for each field": ([3, 7, 5], 0.2, [0.05, 0.5, 0.9]),
    "hardly a mistake": ([6, 8], 0.0, 1e-12),
    "hardly a hit": ([6, 8], 0.0, 1 - 1e-9),
}


def draw_all_near(rng, n_levels, **options):
    """Draw similar levels of all fields but the first, which has none."""
    return [None, *(similar.draw_near(rng, n, **options) for n in n_levels[1:])]


def steeper(near, steepness):
    """Return similar values with all factors raised to a power."""
    return [pairs and (pairs[0], pairs[1], steepness * np.asarray(pairs[2])) for pairs in near]


def ratios(log_marginal, codes, sources, pairs):
    """Return the log ratios of pairs of records, together and apart, from the definition."""
    return [
        log_marginal(codes[pair], [0, 0], sources[pair])
        - log_marginal(codes[pair], [0, 1], sources[pair])
        for pair in pairs
    ]


def check_ratios(likelihood, log_marginal, codes, sources=None):
    """Compare the log ratios of some pairs with their definition; item 0 has the last source."""
    n = len(codes)
    sources = np.zeros(n, dtype=int) if sources is None else sources
    pairs = np.array([[0, 1], [7, 0], [3, 12], [0, n - 1]])
    expected = ratios(log_marginal, codes, sources, pairs)
    assert likelihood.log_ratios(pairs) == pytest.approx(expected, rel=1e-12, abs=1e-9)


def check_values(likelihood, log_marginal, codes, labels, sources):
    """Compare marginal, ratios and predictives of some items with their definition."""
    n = len(codes)
    whole = log_marginal(codes, labels, sources)
    assert likelihood.log_marginal() == pytest.approx(whole, rel=1e-12, abs=1e-9)
    check_ratios(likelihood, log_marginal, codes, sources)
    for item in range(0, n, 3):
        known = {n: sources, n - 1: np.delete(sources, item)}
        check_predictives(
            likelihood, lambda x, z, s=known: log_marginal(x, z, s[len(x)]), codes, labels, [item]
        )


def check_scores(likelihood, codes, labels, items, *law, **options):
    """Compare marginal and predictives of some items, after these labels are assigned."""
    likelihood.assign(labels, max(labels) + 2)
    check_predictives(
        likelihood, lambda x, z: similar.log_similar(x, z, *law, **options), codes, labels, items
    )


def test_true_values_are_more_frequent_than_those_seen(rng):
    codes = draw_codes(rng, 16, [4, 5], 0.2)
    gamma = exact.marginals(codes)
    near = draw_all_near(rng, [len(law) for law in gamma])
    correct, labels = [0.8, 0.95], rng.integers(0, 5, 16)
    for beta in (0.2, 0.9):  # all products are above one, or some are not
        likelihood = SimilarRecords(SimilarityIndex(codes, near, correct=correct), beta)
        law = partial(similar.log_similar, beta=beta, gamma=gamma, near=near, correct=correct)
        check_scores(likelihood, codes, labels, range(16), beta, gamma, near, correct=correct)
        check_ratios(likelihood, lambda x, z, _sources, law=law: law(x, z), codes)


@pytest.mark.parametrize("n_sources", [1, 3])
@pytest.mark.parametrize("shape", SHAPES)
def test_predictives_are_ratios_of_marginals(shape, n_sources, rng):
    n_levels, missing, beta = SHAPES[shape]
    sources = rng.integers(0, n_sources, 20)
    sources[0] = n_sources - 1
    for n_blocks in (1, 3, 9, 20):
        codes = draw_codes(rng, 20, n_levels, missing)
        gamma = exact.marginals(codes)
        near = draw_all_near(rng, [len(law) for law in gamma])
        table = np.broadcast_to(beta, (n_sources, len(n_levels)))
        table = table * rng.uniform(0.5, 1, (n_sources, 1)) if n_sources > 1 else table
        labels = rng.integers(0, n_blocks, 20)
        likelihood = SimilarRecords(
            SimilarityIndex(codes, steeper(near, 0.5)), table, sources=sources, steepness=2.0
        )
        likelihood.assign(labels, 23)

        def log_marginal(x, z, kept, gamma=gamma, near=near, table=table):
            return similar.log_similar(x, z, table, gamma, near, kept)

        check_values(likelihood, log_marginal, codes, labels, sources)


def test_values_that_do_not_occur_can_be_true(rng):
    """Given marginals have levels beyond those of the records, and one of probability zero."""
    codes = draw_codes(rng, 12, [3, 4])
    gamma = [np.array([0.2, 0.3, 0.1, 0.4]), np.array([0.1, 0.2, 0.3, 0.2, 0.0, 0.2])]
    near = [similar.draw_near(rng, 4), similar.draw_near(rng, 6, share=0.8)]
    labels = rng.integers(0, 5, 12)
    likelihood = SimilarRecords(SimilarityIndex(RecordIndex(codes, gamma), near), 0.2)
    check_scores(likelihood, codes, labels, range(12), 0.2, gamma, near)


def test_unseen_values_beside_others_take_their_share_of_the_mistakes(rng):
    codes = draw_codes(rng, 12, [4, 4])
    gamma = [np.array([0.2, 0.3, 0.1, 0.1, 0.3]), np.array([0.2, 0.2, 0.1, 0.1, 0.4])]
    unseen = [([0.05, 0.15, 0.0, 0.1, 0.0], 1.3), ([0.2, 0.1, 0.0, 0.1, 0.0], 0.0)]
    near = [similar.draw_near(rng, 4), similar.draw_near(rng, 4, share=0.8)]
    labels = rng.integers(0, 4, 12)
    index = SimilarityIndex(RecordIndex(codes, gamma), near, unseen=unseen)
    for steepness in (1.0, 1.7):
        likelihood = SimilarRecords(index, 0.2, steepness=steepness)
        law = 0.2, gamma, steeper(near, steepness)
        beside = [(row, steepness * log_gain) for row, log_gain in unseen]
        check_scores(likelihood, codes, labels, range(12), *law, unseen=beside)


def test_a_field_of_one_value_says_nothing():
    codes = np.zeros((4, 1), dtype=int)
    likelihood = SimilarRecords(SimilarityIndex(codes, [None]), 0.3)
    likelihood.assign([0, 0, 0, 1], 3)
    assert likelihood.log_marginal() == pytest.approx(0.0, abs=1e-12)
    assert likelihood.log_predictive(0, 0) == pytest.approx([0.0] * 4, abs=1e-12)


def test_large_blocks(rng):
    codes = draw_codes(rng, 300, [4, 3, 40], 0.2)
    gamma = exact.marginals(codes)
    near = draw_all_near(rng, [4, 3, 40], share=0.1)
    labels = np.repeat([0, 1, 2, 3, 4], [150, 70, 48, 30, 2])
    likelihood = SimilarRecords(SimilarityIndex(codes, near), 0.1)
    check_scores(likelihood, codes, labels, (0, 160, 240, 299), 0.1, gamma, near)


@pytest.mark.parametrize("n_sources", [1, 2])
@pytest.mark.parametrize("beta", [0.1, 0.97], ids=["no product below one", "products below one"])
def test_blocks_of_few_records_whose_values_are_near_to_many(beta, n_sources, rng):
    codes = draw_codes(rng, 60, [25, 40], 0.05)
    gamma = exact.marginals(codes)
    near = [
        similar.draw_near(rng, len(gamma[k]), share=share) for k, share in enumerate((0.7, 0.3))
    ]
    sources = np.arange(60) % n_sources
    likelihood = SimilarRecords(SimilarityIndex(codes, near), beta, sources=sources)

    def log_marginal(x, z, kept):
        return similar.log_similar(x, z, beta, gamma, near, kept)

    for size in (2, 3, 4):
        labels = rng.permutation(60) // size
        likelihood.assign(labels, 60)
        expected = log_marginal(codes, labels, sources)
        assert likelihood.log_marginal() == pytest.approx(expected, rel=1e-12, abs=1e-9)
    pairs = rng.permutation(60).reshape(-1, 2)
    expected = ratios(log_marginal, codes, sources, pairs)
    assert likelihood.log_ratios(pairs) == pytest.approx(expected, rel=1e-12, abs=1e-9)


def test_factors_beyond_floating_point():
    """There are a thousand copies of a rare value, and similar values with enormous factors."""
    codes = np.zeros((1_200, 1), dtype=int)
    codes[1_000:, 0] = np.arange(1, 201)
    gamma = [np.append(1e-3, np.full(200, (1 - 1e-3) / 200))]
    near = [(np.zeros(100, dtype=int), np.arange(1, 101), np.full(100, 30.0))]
    labels = np.append(np.zeros(1_000, dtype=int), np.arange(200) % 20)
    likelihood = SimilarRecords(SimilarityIndex(RecordIndex(codes, gamma), near), 1e-3)
    likelihood.assign(labels, 21)
    expected = similar.log_similar(codes, labels, 1e-3, gamma, near)
    assert likelihood.log_marginal() == pytest.approx(expected, rel=1e-12)
    assert np.isfinite(likelihood.log_predictive(0, 0)).all()


def test_thousands_of_moves_leave_the_statistics_as_if_they_were_built_anew(rng):
    codes = draw_codes(rng, 150, [4, 3, 17], 0.1)
    index = SimilarityIndex(codes, draw_all_near(rng, [4, 3, 17]))
    check_moves(SimilarRecords(index, 0.1), SimilarRecords(index, 0.1), 60, 0.3, rng)


N = 5
CODES = np.array([[0, 1], [0, 2], [1, 1], [2, 0], [-1, 2]])
GAMMA = [np.array([0.5, 0.3, 0.2]), np.array([0.4, 0.3, 0.3])]
NEAR = [([0], [1], [1.5]), ([1], [2], [2.5])]
INDEX = SimilarityIndex(RecordIndex(CODES, GAMMA), NEAR)
#: Groups of fields that may change together, and records of which they may.
BOTH = [(0, 1), (1,)]
CHANGING = SimilarityIndex(RecordIndex(CODES, GAMMA), NEAR, BOTH)

PRIORS = {
    **{name: LAWS[name] for name in ("nbnb", "nbd", "esc-nb", "esc-d")},
    "pitman-yor": (lambda: PitmanYor(0.4, 0.45), process(0.4, 0.45)),
}
MOVES = {
    "gibbs": lambda: (gibbs_sweep,),
    "chaperones": lambda: (Chaperones(Pairs(N)),),
    "restricted": lambda: (RestrictedSweep(),),
    "split-merge": lambda: (SplitMerge(n_proposals=4, n_scans=1), RestrictedSweep()),
}


# The moves know priors only by their weights, and whether these change with the sizes of other
# blocks. So each move takes the prior with a discount, and one of those that change.
PAIRED = [
    *(("pitman-yor", move, 0.0) for move in MOVES),
    *(("nbnb", "gibbs", 0.0), ("nbd", "restricted", 0.0)),
    *(("esc-nb", "chaperones", 0.0), ("esc-d", "split-merge", 0.0)),
    *(("esc-nb", "gibbs", 0.4), ("esc-nb", "chaperones", 0.4), ("esc-nb", "split-merge", 0.4)),
]


@pytest.mark.parametrize(("prior", "move", "change"), PAIRED)
def test_chains_reach_the_enumerated_posterior(prior, move, change):
    make, log_prior = PRIORS[prior]
    groups, chances = (BOTH, [change / 2] * 2) if change else ((), ())
    target = exact.normalise(
        {
            z: log_prior(np.bincount(z).tolist())
            + similar.log_changing(CODES, z, 0.2, GAMMA, NEAR, groups, chances)
            for z in exact.partitions(N)
        }
    )
    given = {"change": change} if change else {}
    likelihood = SimilarRecords(CHANGING if change else INDEX, 0.2, **given)
    model = MixtureModel(make(), likelihood, MOVES[move]())
    model.start(np.zeros(N, dtype=int))
    rng = np.random.default_rng(4)
    counted = exact.visits(lambda: model.sweep(rng), lambda: model.labels, 10_000)
    assert exact.total_variation(target, counted) < 0.03


BETA = BetaHyperprior(1.5, 4.0)


def updated(likelihood, name, n, rng):
    """Return the values of a parameter after each of `n` updates, a row each."""
    draws = []
    for _ in range(n):
        likelihood.update(None, rng)
        draws.append(getattr(likelihood, name))
    return np.array(draws)


def check_mean(drawn, density, grid, slack=1e-3, log=True):
    """Compare the mean of correlated draws with that of a density on a grid."""
    density = np.exp(density - np.max(density)) if log else density
    error = np.reshape(drawn, (50, -1)).mean(axis=1).std(ddof=1) / 50**0.5
    assert abs(np.mean(drawn) - density @ grid / np.sum(density)) < 4 * error + slack


def test_probabilities_of_mistakes_reach_their_posterior(rng):
    """There are two sources; the posterior given the partition is found by quadrature."""
    sources, labels = np.array([0, 1, 0, 1, 1]), np.array([0, 0, 1, 1, 1])
    likelihood = SimilarRecords(INDEX, 0.2, BETA, sources)
    likelihood.assign(labels, 3)
    grid = (np.arange(60) + 0.5) / 60
    one = CODES[:, :1]
    density = np.zeros((60, 60))
    for j, k in np.ndindex(density.shape):
        a, b = grid[j], grid[k]
        density[j, k] = similar.log_similar(one, labels, [[a], [b]], GAMMA[:1], NEAR[:1], sources)
        density[j, k] += BETA.log_density(a) + BETA.log_density(b)
    density = np.exp(density - density.max())
    draws = updated(likelihood, "beta", 3_000, rng)[:, :, 0]
    for source, drawn in enumerate(draws.T):
        check_mean(drawn, density.sum(axis=1 - source), grid, log=False)


STEEPNESS = GammaHyperprior(2.0, 1.5)


def log_steepness(grid, near, *given):
    """Return the log posterior density of the steepness on a grid, given all else."""
    return np.array(
        [similar.log_similar(*given, steeper(near, s)) + STEEPNESS.log_density(s) for s in grid]
    )


def test_steepness_reaches_its_posterior(rng):
    """The posterior given the partition and the probabilities is found by quadrature."""
    labels = np.array([0, 0, 0, 1, 1])
    likelihood = SimilarRecords(INDEX, [0.3, 0.6], steepness_hyperprior=STEEPNESS)
    likelihood.assign(labels, 3)
    grid = np.linspace(0.02, 12, 300)
    for field, drawn in enumerate(updated(likelihood, "steepness", 3_000, rng).T):
        own = slice(field, field + 1)
        given = CODES[:, own], labels, [0.3, 0.6][field], GAMMA[own]
        check_mean(drawn, log_steepness(grid, NEAR[own], *given), grid)


@pytest.mark.parametrize("size", [2, 6])
def test_true_values_that_no_record_has_count_in_the_steepness(size, rng):
    """Nearly all values are mistakes, often for a value that is similar to none.

    The posterior given the rest is found by quadrature.
    """
    n_levels = 40
    law = rng.dirichlet(np.full(n_levels, 2.0))
    near = [similar.draw_near(rng, n_levels, share=0.02, scale=1.0)]
    labels = np.repeat(np.arange(3), size)
    codes = rng.integers(0, n_levels, (labels.size, 1))
    index = SimilarityIndex(RecordIndex(codes, [law]), near)
    likelihood = SimilarRecords(index, 0.9, steepness_hyperprior=STEEPNESS)
    likelihood.assign(labels, 3)
    grid = np.linspace(0.03, 9, 150)
    density = log_steepness(grid, near, codes, labels, 0.9, [law])
    draws = updated(likelihood, "steepness", 2_500, rng)
    check_mean(draws[:, 0], density, grid, slack=3e-3)


@pytest.mark.parametrize(
    ("near", "options", "message"),
    [
        ([None], {}, "1 fields, the records have 2"),
        ([([0], [3], [1.0]), None], {}, "its 3 levels"),
        ([([1], [1], [1.0]), None], {}, "lower one first"),
        ([([0], [1], [0.0]), None], {}, "positive"),
        ([([0], [1], [1.0, 2.0]), None], {}, "one length"),
        ([([0, 0], [1, 1], [1.0, 2.0]), None], {}, "twice"),
        ([None] * 2, {"unseen": [([0.0] * 3, 1), ([0.0] * 2, 1)]}, "one unseen probability for ea"),
        ([None] * 2, {"unseen": [([0.0] * 3, 1.0), ([0.0, 0.0, 1.5], 1.0)]}, "between 0 and 1"),
        ([None] * 2, {"unseen": [([0.0] * 3, -1), ([0.0] * 3, 1)]}, "factors of unseen values"),
        ([None] * 2, {"correct": [0.9]}, "must be 2 numbers"),
        ([None] * 2, {"correct": [0.9, 0]}, "above 0 and"),
        (NEAR, {"changing": [(0, 2)]}, "between 0 and 1"),
        (NEAR, {"changing": [()]}, "change together"),
    ],
)
def test_what_is_no_index_is_refused(near, options, message):
    with pytest.raises(DataError, match=message):
        SimilarityIndex(CODES, near, **options)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"beta": [0.1] * 3}, ConfigError, r"shape \(3,\)"),
        ({"sources": [0, 1]}, DataError, "2 sources .* 5 records"),
        ({"sources": [0, 1, -1, 0, 0]}, DataError, "sources: entry 2 is"),
        ({"steepness": [1.0]}, ConfigError, r"shape \(1,\)"),
        (
            {"steepness": 2.0, "steepness_hyperprior": GammaHyperprior(upper=1.5)},
            ConfigError,
            "start at or below the bound 1.5",
        ),
        ({"change": 1.0}, ConfigError, "change is 1.0"),
        ({"change_hyperprior": BetaHyperprior(upper=0.5)}, ConfigError, "cannot have a bound"),
    ],
)
def test_bad_settings_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        SimilarRecords(CHANGING, **options)
    with pytest.raises(DataError, match="field 0 are too large"):
        SimilarRecords(SimilarityIndex(CODES, [([0], [1], [800.0]), None]))


def test_the_example_of_the_documentation_runs(capsys):
    page = (ROOT / "docs/models/similar-records.md").read_text("utf-8")
    (example,) = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
    exec(example, {})
    found, there = map(int, re.findall(r"\d+", capsys.readouterr().out))
    assert abs(found - there) <= 3
