"""A model that goes on from its saved state draws what it would have drawn without a stop."""

import json

import numpy as np
import pytest
import wishart

from reseat.chains import GroupedModel, MixtureModel
from reseat.likelihoods import (
    CategoricalRecords,
    DirichletMultinomial,
    HitMissRecords,
    JointBlocks,
    StudentBlocks,
    WishartDistances,
    WishartSimilarities,
)
from reseat.moves import RestrictedSweep, SplitMerge, gibbs_sweep
from reseat.priors import (
    ESCD,
    ESCNB,
    NBD,
    NBNB,
    BetaHyperprior,
    DirichletProcess,
    FiniteDirichlet,
    GammaHyperprior,
    SampledNBD,
)

N = 40
RNG = np.random.default_rng(3)
COUNTS = RNG.poisson(0.5, (N, 4)).astype(np.int32)
CODES, POINTS, GROUPS = RNG.integers(0, 3, (N, 2)), RNG.normal(size=(N, 4)), np.arange(N) % 13
POINTS[:20] += 1
SHARE = BetaHyperprior(1.0, 1.0)


def documents(prior):
    return MixtureModel(prior, DirichletMultinomial(COUNTS, 0.4))


def of_blocks(likelihood):
    return MixtureModel(DirichletProcess(1.0), likelihood, (SplitMerge(n_proposals=2), gibbs_sweep))


def joint():
    law = GammaHyperprior(shape=1.0, rate=1.0)
    second = CategoricalRecords(CODES, 1.0, per_field=True, hyperprior=law)
    return of_blocks(JointBlocks(StudentBlocks(POINTS[:, :2]), second))


def grouped():
    sweep = RestrictedSweep(GROUPS)
    return GroupedModel(FiniteDirichlet(4, 0.5), DirichletMultinomial(COUNTS, 0.5), [sweep], GROUPS)


MODELS = {
    **{kind.__name__: lambda kind=kind: documents(kind()) for kind in (NBNB, NBD, ESCNB, ESCD)},
    "SampledNBD": lambda: documents(SampledNBD()),
    "missing cells": lambda: of_blocks(
        StudentBlocks(POINTS, missing=([3, 3, 30], np.eye(4)[[0, 2, 1]]))
    ),
    "two likelihoods": joint,
    "mistakes": lambda: of_blocks(HitMissRecords(CODES, 0.1, SHARE)),
    "distances": lambda: of_blocks(
        WishartDistances(wishart.squared_distances(POINTS), 4, hyperprior=SHARE)
    ),
    "similarities": lambda: of_blocks(WishartSimilarities(POINTS @ POINTS.T, 4, hyperprior=SHARE)),
    "groups": grouped,
}


@pytest.mark.parametrize("name", MODELS)
def test_a_restored_model_goes_on_as_if_it_had_not_stopped(name):
    rng, model, other = np.random.default_rng(17), MODELS[name](), MODELS[name]()
    model.start(GROUPS if name == "groups" else np.arange(N) % 7)
    for _ in range(20):
        model.sweep(rng)
    state, stream = model.state(), rng.bit_generator.state
    state["prior"] = json.loads(json.dumps(state["prior"]))
    found = []
    for each in (model, other):
        if each is other:
            other.restore(state)
            rng.bit_generator.state = stream
        moved = [each.sweep(rng) for _ in range(20)]
        found.append((moved, each.labels.tolist(), each.log_joint(), each.hyperparameters))
    assert found[0] == found[1] and any(found[0][0])
    sampled = {"two likelihoods": {"delta_1", "tails"}, "distances": {"theta"}}
    assert sampled.get(name, set()) <= found[0][3].keys()
