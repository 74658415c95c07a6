"""The builders that papers and estimators share: starts, and the effect of settings."""

import numpy as np
import pytest

from reseat.chains import by_turns
from reseat.errors import ConfigError
from reseat.likelihoods import TermIndex
from reseat.models import distances, documents
from reseat.moves import gibbs_sweep
from reseat.priors import PitmanYor

COUNTS = np.random.default_rng(1).poisson(0.6, (12, 9))
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


def test_theta_suits_the_start_before_the_first_sweep(rng):
    """Similarities of points around 40 want a theta near 800, and a sweep at 1 joins blocks."""
    truth = np.repeat([0, 1, 2], 20)
    points = 40 + rng.normal(size=(60, 50)) + rng.normal(size=(3, 50))[truth]
    settings = {"prior": "dirichlet_process", "likelihood": "similarities"}
    model = distances.build(settings, (points @ points.T / 50, 50.0), rng, truth)
    assert 500 < model.hyperparameters["theta"] < 5000
    model.sweep(rng)
    assert len(set(model.labels)) == 3
