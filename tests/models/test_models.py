"""The builders that papers and estimators share: starts, and the effect of settings."""

import numpy as np
import pytest

from reseat.chains import by_turns
from reseat.errors import ConfigError
from reseat.likelihoods import CategoricalRecords, HitMissRecords, RecordIndex, TermIndex
from reseat.models import distances, documents, records
from reseat.moves import Chaperones, Pairs, SimilarPairs, gibbs_sweep
from reseat.priors import NBNB, DirichletProcess, PitmanYor

COUNTS = np.random.default_rng(1).poisson(0.6, (12, 9))
CODES = np.random.default_rng(2).integers(0, 3, (12, 4))
SETTINGS = {"prior": "pitman_yor", "discount": 0.4, "beta": 0.5}


@pytest.mark.parametrize(
    ("start", "labels"),
    [
        ("one", np.zeros(12)),
        ("singletons", np.arange(12)),
        (3, np.random.default_rng(5).integers(0, 3, 12)),
        (np.arange(12) % 4, np.arange(12) % 4),
    ],
)
def test_chains_begin_where_they_are_told(start, labels):
    model = documents.build(SETTINGS, TermIndex(COUNTS), np.random.default_rng(5), start)
    np.testing.assert_array_equal(model.labels, labels)
    assert isinstance(model.prior, PitmanYor) and model.prior.discount == 0.4
    assert model.likelihood.hyperparameters == {"beta": 0.5} and model.moves == (gibbs_sweep,)


def test_another_word_for_a_start_is_refused(rng):
    with pytest.raises(ConfigError, match="start is 'anywhere'; it must be one, singletons, a num"):
        documents.build(SETTINGS, TermIndex(COUNTS), rng, "anywhere")


def test_chains_take_turns():
    assert [by_turns("ab", number) for number in range(5)] == [*"ababa"]


@pytest.mark.parametrize("kind", [CategoricalRecords, HitMissRecords])
def test_records_have_the_likelihood_and_the_pairs_that_are_asked_for(kind, rng):
    settings = {
        "prior": "nbnb",
        "delta": {"start": 0.3, "shape": 1.0, "rate": 1.0, "bound": None},
        "miss": {"start": 0.2, "mean": 0.1, "sd": 0.05, "bound": 0.5},
        "similar": {"n_subsets": 3, "most_alike": 30},
    }
    if kind is HitMissRecords:
        settings["likelihood"] = "hitmiss"
    pairs = records.make_pairs(settings, CODES, rng)
    assert type(pairs) is SimilarPairs
    assert type(records.make_pairs(settings | {"pairs": "uniform"}, CODES, rng)) is Pairs
    index = RecordIndex(CODES)
    model = records.build(settings, index, rng, "singletons", (Chaperones(pairs),))
    assert type(model.likelihood) is kind and type(model.prior) is NBNB
    np.testing.assert_array_equal(model.labels, np.arange(12))
    # From random labels, sweeps have already merged and split blocks.
    relaxed = records.build(settings, index, np.random.default_rng(7), 12, (Chaperones(pairs),))
    drawn = np.random.default_rng(7).integers(0, 12, 12)
    assert not np.array_equal(relaxed.labels, drawn)


def test_the_variance_ratio_of_distances_is_sampled(rng):
    points = rng.normal(size=(8, 5))
    squared = ((points[:, None] - points) ** 2).sum(axis=2)
    settings = {"prior": "dirichlet_process", "likelihood": "distances", "precision": "double"}
    model = distances.build(settings, (squared, 5.0), rng, "one")
    assert isinstance(model.prior, DirichletProcess) and np.isfinite(model.log_joint())
    drawn = model.hyperparameters["theta"]
    model.sweep(rng)
    assert model.hyperparameters["theta"] not in (1.0, drawn)


def test_theta_suits_the_start_before_the_first_sweep(rng):
    """Similarities of points around 40 want a theta near 800, and a sweep at 1 joins blocks."""
    truth = np.repeat([0, 1, 2], 20)
    points = 40 + rng.normal(size=(60, 50)) + rng.normal(size=(3, 50))[truth]
    settings = {"prior": "dirichlet_process", "likelihood": "similarities"}
    model = distances.build(settings, (points @ points.T / 50, 50.0), rng, truth)
    assert 500 < model.hyperparameters["theta"] < 5000
    model.sweep(rng)
    assert len(set(model.labels)) == 3
