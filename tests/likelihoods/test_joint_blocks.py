"""The product of two likelihoods of the same items."""

import exact
import numpy as np
import pytest
import wishart

from reseat.chains import MixtureModel
from reseat.errors import ConfigError, DataError
from reseat.likelihoods import CategoricalRecords, DirichletMultinomial, JointBlocks
from reseat.moves import SplitMerge, gibbs_sweep
from reseat.priors import DirichletProcess

COUNTS = [[3, 0], [2, 1], [0, 4], [1, 2], [2, 0]]
CODES = [[0, 0], [0, -1], [1, 1], [0, 1], [1, 0]]


def joint():
    return JointBlocks(DirichletMultinomial(COUNTS, 0.5), CategoricalRecords(CODES, 0.8))


def test_density_is_the_product_of_those_of_its_parts_for_every_partition():
    both = joint()
    parts = DirichletMultinomial(COUNTS, 0.5), CategoricalRecords(CODES, 0.8)
    for labels in exact.partitions(5):
        for likelihood in (both, *parts):
            likelihood.assign(np.array(labels), 6)
        assert both.log_marginal() == pytest.approx(sum(p.log_marginal() for p in parts))
        for item in range(5):
            score = sum(p.log_predictive(item, labels[item]) for p in parts)
            assert np.allclose(both.log_predictive(item, labels[item]), score)


def test_sampler_reaches_the_posterior_enumerated_over_all_partitions():
    both = joint()
    value = {}
    for labels in exact.partitions(5):
        both.assign(np.array(labels), 6)
        value[labels] = both.log_marginal() + wishart.log_ewens(labels, 1.0)
    expected = exact.normalise(value)
    model = MixtureModel(DirichletProcess(1.0), joint(), (SplitMerge(n_proposals=1), gibbs_sweep))
    model.start(np.zeros(5, dtype=int))
    rng = np.random.default_rng(1)
    got = exact.visits(lambda: model.sweep(rng), lambda: model.labels, 20_000)
    assert exact.total_variation(expected, got) < 0.03


def test_parts_that_do_not_fit_together_are_refused():
    with pytest.raises(DataError, match="5 and 2 items"):
        JointBlocks(DirichletMultinomial(COUNTS, 0.5), CategoricalRecords([[0], [1]]))
    with pytest.raises(ConfigError, match="'delta'"):
        JointBlocks(CategoricalRecords(CODES), CategoricalRecords(CODES))
