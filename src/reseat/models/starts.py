"""Starts of the chains of a mixture."""

import numpy as np

from reseat.chains import MixtureModel
from reseat.errors import ConfigError


def begin(model: MixtureModel, start: str | int | np.ndarray, rng: np.random.Generator) -> None:
    """Place a model in ``one`` block, ``singletons``, random ones of a number, or given labels."""
    if isinstance(start, (int, np.integer)):
        model.start_at_random(start, rng)
    elif not isinstance(start, str):
        model.start(start)
    elif start == "one":
        model.start(np.zeros(model.n_items, dtype=int))
    elif start == "singletons":
        model.start(np.arange(model.n_items))
    else:
        raise ConfigError(f"start is {start!r}; it must be one, singletons, a number, or labels.")
