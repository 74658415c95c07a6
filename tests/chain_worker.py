"""A worker that runs a chain in child processes, for tests that kill them."""

import numpy as np
from strikes import chain_of, serve

from reseat.chains import MixtureModel, Schedule
from reseat.likelihoods import DirichletMultinomial, TermIndex
from reseat.priors import DirichletProcess, GammaHyperprior

COUNTS = np.random.default_rng(8).poisson(0.2, (400, 120))


def build(rng):
    prior = DirichletProcess(1.0, GammaHyperprior())
    model = MixtureModel(prior, DirichletMultinomial(TermIndex(COUNTS), 0.5))
    model.start_at_random(12, rng)
    return model


def chain(folder, n_sweeps=1_000):
    tenth = n_sweeps // 10
    schedule = Schedule(tenth, 9 * tenth, thin=3, snapshots=(5, 5 * tenth, n_sweeps))
    return chain_of(build, folder, schedule, stream=("kill",))


if __name__ == "__main__":
    serve(chain)
