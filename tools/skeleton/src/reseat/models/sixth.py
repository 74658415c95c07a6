"""The model of Author 2000: a mixture of multinomials over words."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from reseat.chains import MixtureModel
from reseat.likelihoods import DirichletMultinomial, TermIndex
from reseat.models.starts import begin
from reseat.moves import gibbs_sweep
from reseat.priors import make_prior


def build(
    settings: Mapping[str, Any], words: TermIndex, rng: np.random.Generator, start: str
) -> MixtureModel:
    """Build the model at its start.

    See Author (2000), section 1.

    `settings`: ``prior`` and its parameters, and ``beta`` of the prior of words.
    """
    likelihood = DirichletMultinomial(words, settings["beta"])
    model = MixtureModel(make_prior(settings, words.n_items), likelihood, (gibbs_sweep,))
    begin(model, start, rng)
    return model
