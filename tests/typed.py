"""What a type checker must know of the public names; `make lint` lets mypy read it."""

from typing import assert_type

import reseat
from reseat import MultinomialMixture
from reseat.chains import Schedule
from reseat.priors import DirichletProcess
from reseat.summaries import MarginalCounts

assert_type(reseat.__version__, str)

model = MultinomialMixture("nbnb", n_chains=2)
assert_type(model.fit([[1, 0], [0, 1]]), MultinomialMixture)
assert_type(model.n_chains, int)
MultinomialMixture(n_chains="2")  # type: ignore[arg-type]

assert_type(Schedule(5, 10).n_draws, int)
Schedule("5", 10)  # type: ignore[arg-type]
assert_type(DirichletProcess(1.0), DirichletProcess)
assert_type(MarginalCounts(3, 2), MarginalCounts)
reseat.MultinomialMixtures()  # type: ignore[attr-defined]
