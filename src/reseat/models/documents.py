"""Documents as word counts: a mixture of multinomials."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from reseat.chains import AnnealedModel, MixtureModel
from reseat.chains.decided import mixture
from reseat.likelihoods import DirichletMultinomial, TermIndex
from reseat.models.starts import begin
from reseat.moves import SplitMerge, gibbs_sweep
from reseat.priors import make_prior

#: Value of ``beta`` with which it is sampled, and the values that it is then drawn from.
SAMPLED = "sampled"
BETAS = tuple(np.geomspace(0.01, 3.0, 20).round(4).tolist())


def build(
    settings: Mapping[str, Any],
    index: TermIndex,
    rng: np.random.Generator,
    start: str | int | np.ndarray,
    moves: Sequence[Callable] = (gibbs_sweep,),
) -> MixtureModel:
    """Build the model at its start (Walker and Ringger 2008, section 3)."""
    prior = make_prior(settings, index.n_items)
    beta = settings["beta"]
    likelihood = DirichletMultinomial(index, BETAS if beta == SAMPLED else beta)
    if "split_merge" in settings:
        moves = (SplitMerge(**settings["split_merge"]), *moves)
    if "anneal" in settings:
        model = AnnealedModel(prior, likelihood, moves, **settings["anneal"])
    else:
        model = mixture(prior, likelihood, moves, settings.get("decided"))
    begin(model, start, rng)
    return model
