"""Chains of records: Geweke's joint test, simulation-based calibration, resuming."""

from functools import lru_cache

import exact
import numpy as np
import pytest
from record_chain_worker import MODELS, chain
from strikes import contents, interrupt

from reseat.chains import MixtureModel, run_chain
from reseat.likelihoods import CategoricalRecords, HitMissRecords, RecordIndex
from reseat.moves import Chaperones, Pairs
from reseat.priors import NBD, DirichletProcess
from reseat.priors.hyperpriors import BetaHyperprior, GammaHyperprior

N = 6
GAMMA = [np.array([0.5, 0.3, 0.2]), np.array([0.7, 0.3])]
MISSING = np.zeros((N, 2), dtype=bool)
MISSING[1, 0] = MISSING[4, 1] = True
DELTA = GammaHyperprior(1.5, 2.0)
BETA = BetaHyperprior(1.5, 4.0)


def prior_law(log_prior, n):
    """Return the partitions and their probabilities given the number of items."""
    law = exact.normalise({z: log_prior(z) for z in exact.partitions(n)})
    return list(law), np.array(list(law.values()))


def draw_levels(laws, rng):
    """Draw a level from each row of probabilities."""
    upto = np.cumsum(laws[:, :-1], axis=1)
    return (upto < rng.random((len(laws), 1))).sum(axis=1)


def draw_categorical(labels, delta, gamma, rng):
    """Draw records, each from the law that its block has for each field."""
    labels = list(labels)
    codes = np.empty((len(labels), len(gamma)), dtype=int)
    for field, law in enumerate(gamma):
        laws = rng.dirichlet(delta[field] * law, max(labels) + 1)
        codes[:, field] = draw_levels(laws[labels], rng)
    return codes


def draw_hit_miss(labels, beta, gamma, rng):
    labels = list(labels)
    codes = np.empty((len(labels), len(gamma)), dtype=int)
    for field, law in enumerate(gamma):
        laws = np.broadcast_to(law, (len(labels), law.size))
        true, other = draw_levels(laws, rng)[labels], draw_levels(laws, rng)
        codes[:, field] = np.where(rng.random(len(labels)) < beta[field], other, true)
    return codes


CASES = {
    "shared delta, NBD": (
        lambda: NBD(1.3, 0.8),
        lambda z: exact.log_nbd(np.bincount(z).tolist(), 1.3, 0.8, 1.0, 0.5),
        lambda rng: np.full(2, rng.gamma(1.5) / 2.0),
        lambda index, value: CategoricalRecords(index, value[0], hyperprior=DELTA),
        lambda likelihood: likelihood.delta,
        draw_categorical,
    ),
    "hit-miss, DP": (
        lambda: DirichletProcess(1.5),
        lambda z: exact.log_pitman_yor(z, 1.5, 0.0),
        lambda rng: rng.beta(1.5, 4.0, 2),
        lambda index, value: HitMissRecords(index, value, BETA),
        lambda likelihood: likelihood.beta,
        draw_hit_miss,
    ),
}


def summary(labels, value, codes):
    first = codes[:, 0].tolist()
    same = sum(first[i] == first[j] >= 0 for i in range(N) for j in range(i))
    n_blocks = len(set(labels))
    return [
        n_blocks,
        max(labels.count(k) for k in set(labels)),
        float(labels[0] == labels[1]),
        float(labels[2] == labels[5]),
        *np.log(value),
        n_blocks * np.log(value[0]),
        same,
        n_blocks * same,
    ]


@pytest.mark.parametrize("name", CASES)
def test_geweke_joint_distribution(name):
    """Alternating between data | state and state | data leaves prior × likelihood invariant."""
    make_prior, log_prior, draw_value, make, value_of, draw_codes = CASES[name]
    rng = np.random.default_rng(515)
    states, probabilities = prior_law(log_prior, N)

    def draw_data(labels, value):
        codes = draw_codes(labels, value, GAMMA, rng)
        codes[MISSING] = -1
        return codes

    # These draws are cheap, so there are many, and nearly all of the error is the chain's.
    fresh = []
    for place in rng.choice(len(states), 8_000, p=probabilities):
        labels, value = states[place], draw_value(rng)
        fresh.append(summary(labels, value, draw_data(labels, value)))

    @lru_cache(None)
    def index_of(cells):
        # The same few sets of records occur again and again.
        return RecordIndex(np.frombuffer(cells, int).reshape(N, len(GAMMA)), GAMMA)

    labels, value = states[-1], draw_value(rng)
    prior, move, chained = make_prior(), Chaperones(Pairs(N), n_pairs=40), []
    for _ in range(3_000):
        codes = draw_data(labels, value)
        model = MixtureModel(prior, make(index_of(codes.tobytes()), value), (move,))
        model.start(labels)
        model.sweep(rng)
        labels, value = exact.canonical(model.labels), value_of(model.likelihood)
        chained.append(summary(labels, value, codes))

    fresh, chained = np.array(fresh), np.array(chained)
    batches = chained.reshape(40, -1, chained.shape[1]).mean(axis=1)
    error = np.hypot(
        fresh.std(axis=0, ddof=1) / np.sqrt(len(fresh)), batches.std(axis=0, ddof=1) / np.sqrt(40)
    )
    z = (fresh.mean(axis=0) - chained.mean(axis=0)) / error
    assert np.abs(z).max() < 3.5, z


@pytest.mark.parametrize("model", MODELS)
def test_interrupted_at_random_sweeps_the_draws_are_identical(tmp_path, model):
    whole = contents(run_chain(chain(tmp_path / "whole", model, 60)))
    stops = np.sort(np.random.default_rng(31).choice(np.arange(1, 60), 4, replace=False))
    for after in stops:
        interrupt(chain(tmp_path / "stopped", model, 60), after)
    assert contents(run_chain(chain(tmp_path / "stopped", model, 60))) == whole
