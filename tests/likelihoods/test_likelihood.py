"""The documents likelihood: invariances, extremes and bad input."""

import subprocess
import sys

import exact
import numpy as np
import pytest
import scipy.sparse as sp

from reseat.chains import MixtureModel
from reseat.errors import ConfigError, DataError
from reseat.likelihoods import DirichletMultinomial, TermIndex
from reseat.moves import gibbs_sweep
from reseat.partition import Partition
from reseat.priors import DirichletProcess, FiniteDirichlet, PitmanYor


def test_counts_beyond_the_tables_lose_nothing_but_rounding():
    """Log gamma of four thousand million is 8e10, with a last place of 1e-5."""
    counts = np.array([[2_000_000_000, 0, 7], [9, 1_500_000_000, 0], [5, 600_000_000, 1]])
    likelihood = DirichletMultinomial(counts, 0.3)
    likelihood.assign([0, 1, 1], 2)
    expected = exact.log_dirichlet_multinomial(counts, [0, 1, 1], 0.3)
    moved = exact.log_dirichlet_multinomial(counts, [0, 1, 0], 0.3)
    assert likelihood.log_marginal() == pytest.approx(expected, abs=1e-4)
    assert likelihood.log_marginal_at([0.3]) == pytest.approx([expected], abs=1e-4)
    scores = likelihood.log_predictive(2, 1)
    assert scores[0] - scores[1] == pytest.approx(moved - expected, abs=1e-4)


def test_input_is_left_alone():
    counts = sp.csr_array(np.array([[0, 2, 1], [4, 0, 0]]))
    before = counts.copy()
    labels = np.array([0, 1])
    partition = Partition(labels)
    likelihood = DirichletMultinomial(counts)
    likelihood.assign(labels, 2)
    prior = DirichletProcess(1.0)
    prior.prepare(2)
    gibbs_sweep(partition, prior, likelihood, np.random.default_rng(0))
    assert (counts != before).nnz == 0
    assert list(labels) == [0, 1]


def test_document_of_thousands_of_tokens_does_not_underflow():
    """Its weights are far below the smallest double; the right cluster still wins."""
    rng = np.random.default_rng(2)
    topics = rng.dirichlet(np.full(500, 0.05), 2)
    counts = np.array([rng.multinomial(3000, topics[d % 2]) for d in range(12)])
    model = MixtureModel(FiniteDirichlet(2), DirichletMultinomial(counts))
    model.start_at_random(2, rng)
    for _ in range(10):
        model.sweep(rng)
    assert exact.canonical(model.labels) == tuple(d % 2 for d in range(12))


def sweep_with_a_prior_of_four():
    prior = DirichletProcess(1.0)
    prior.prepare(4)
    likelihood = DirichletMultinomial(np.eye(3, dtype=int))
    likelihood.assign([0, 0, 0], 1)
    gibbs_sweep(Partition([0, 0, 0]), prior, likelihood, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (
            lambda: TermIndex(np.array([[1, -2], [0, 1]])),
            DataError,
            "document 0 has the count -2 in column 1",
        ),
        (lambda: TermIndex(np.zeros((0, 3), int)), DataError, "at least one row and one column"),
        (lambda: TermIndex(np.zeros((3, 0), int)), DataError, "at least one row and one column"),
        (lambda: TermIndex(np.zeros((3, 2), int)), DataError, "no document has a feature"),
        (
            lambda: MixtureModel(FiniteDirichlet(5), DirichletMultinomial(np.eye(3, dtype=int))),
            ConfigError,
            "5 blocks were requested, but there are only 3 items",
        ),
        (lambda: FiniteDirichlet(2.5), ConfigError, "n_blocks is 2.5"),
        (lambda: PitmanYor(1.0, 1.0), ConfigError, r"discount is 1.0; it must lie in \[0, 1\)"),
        (lambda: PitmanYor(-0.5, 0.3), ConfigError, "above minus the discount"),
        (lambda: Partition([0, 4], max_capacity=3), DataError, "Label 4 is beyond the 3 blocks"),
        (sweep_with_a_prior_of_four, ValueError, "3 items, the prior was prepared for 4"),
        (lambda: DirichletMultinomial([[1]], []), ConfigError, "beta is .*name at least one value"),
    ],
)
def test_what_cannot_be_used_is_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()


FEW = np.random.default_rng(1).poisson(1.0, (6, 4)) + 1


def assigned(counts, beta):
    """Return the likelihood of six documents in three blocks."""
    likelihood = DirichletMultinomial(counts, beta)
    likelihood.assign([0, 0, 1, 1, 2, 2], 3)
    return likelihood


def test_changing_beta_rebuilds_what_depends_on_it():
    changed, fresh = assigned(FEW, 1.0), assigned(FEW, 0.3)
    changed.beta = 0.3
    assert changed.log_marginal() == fresh.log_marginal()
    assert np.array_equal(changed.log_predictive(2, 1), fresh.log_predictive(2, 1))


def test_the_marginal_at_several_values_of_beta_is_that_of_each():
    rng = np.random.default_rng(2)
    counts, labels = rng.poisson(0.7, (30, 12)), rng.integers(0, 5, 30)
    values = [0.01, 0.4, 3.0]
    sampled = DirichletMultinomial(counts, values)
    with pytest.raises(DataError, match="no partition yet"):
        sampled.log_marginal_at(values)
    sampled.assign(labels, 7)
    expected = [exact.log_dirichlet_multinomial(counts, labels, beta) for beta in values]
    assert sampled.log_marginal_at(values) == pytest.approx(expected, abs=1e-9)
    assert sampled.beta == 0.4 and sampled.log_marginal() == pytest.approx(expected[1], abs=1e-9)


def test_tables_of_values_of_beta_that_an_index_forgets_are_made_again():
    index = TermIndex(FEW)
    first = assigned(index, 0.5)
    scores = first.log_predictive(2, 1)
    for beta in np.linspace(0.1, 2.0, 20):
        DirichletMultinomial(index, beta)
    assert np.array_equal(first.log_predictive(2, 1), scores)
    assert np.array_equal(assigned(index, 0.5).log_predictive(2, 1), scores)


@pytest.mark.parametrize("sharpness", [0.02, 0.3, 5.0])
@pytest.mark.parametrize("prior", [FiniteDirichlet(40, 1.0), DirichletProcess(30.0)])
def test_blocks_ruled_out_by_bounds_change_no_draw(prior, sharpness):
    """Each visit of a sweep is compared with a draw from the scores of all blocks."""
    rng = np.random.default_rng(3)
    words = rng.dirichlet(np.full(60, 0.05), 40)
    topics = np.repeat(np.arange(40), 4)
    laws = (sharpness * words[topics] + 1 / 60) / (1 + sharpness)
    counts = [rng.multinomial(1 + 3 * (i % 9), law) for i, law in enumerate(laws)]
    model = MixtureModel(prior, DirichletMultinomial(counts, 0.2))
    model.start(np.where(rng.random(topics.size) < 0.8, topics, rng.integers(0, 40, topics.size)))
    log_join, log_open = prior.tables
    ours, theirs = np.random.default_rng(4), np.random.default_rng(4)
    n_moved = n_wide = 0
    for item in np.tile(np.arange(topics.size), 5):
        own, sizes = model.labels[item], model.partition.size_array
        sizes[own] -= 1
        weights = model.likelihood.log_predictive(item, own)
        weights += np.append(log_join[sizes], log_open[np.count_nonzero(sizes)])
        sums = np.cumsum(np.exp(weights - weights.max()))
        place = np.searchsorted(sums, theirs.random() * sums[-1], side="right")
        n_moved += gibbs_sweep(model.partition, prior, model.likelihood, ours, [item])
        found = model.labels[item]
        if place < sizes.size:
            assert found == place
        else:  # a new block
            assert found >= sizes.size or sizes[found] == 0
        n_wide += np.count_nonzero(sizes) > 24
    assert 0 < n_moved < 5 * topics.size and n_wide > 100


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and a limit of addresses")
def test_scores_without_memory_for_them_are_an_error():
    """This is a separate process, whose memory is limited to little more than it uses."""
    code = """
import resource
import numpy as np, scipy.sparse as sp
from reseat.likelihoods import DirichletMultinomial
counts = sp.csr_array(([1], ([0], [0])), shape=(8_000_000, 1), dtype=np.int32)
likelihood = DirichletMultinomial(counts, 1.0)
pages = int(open("/proc/self/statm").read().split()[0])
limit = pages * resource.getpagesize() + 16_000_000
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
try:
    likelihood.begin(np.random.default_rng(0))
except MemoryError as error:
    print(error)
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "There is no memory for the scores of 8000002 slots.\n"
