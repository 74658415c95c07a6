"""Where the chains of a mixture begin."""

from __future__ import annotations

import numpy as np

from reseat.chains import MixtureModel
from reseat.errors import ConfigError

__all__ = ["begin"]


def begin(model: MixtureModel, start: str | int | np.ndarray, rng: np.random.Generator) -> None:
    """Put a model at its start.

    Parameters
    ----------
    model : MixtureModel
    start : {"one", "singletons"}, int or ndarray of int, shape (n_items,)
        All items in one block, each in its own, each in one of so many at random, or labels.
    rng : numpy.random.Generator

    Raises
    ------
    ConfigError
        If it is another word.
    """
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
