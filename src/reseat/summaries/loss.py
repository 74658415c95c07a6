"""Posterior expected loss of a partition."""

from __future__ import annotations

import numpy as np

from reseat.metrics import Contingency, rand_index, vi
from reseat.summaries.draws import as_draws


def _binder(table):
    return 1.0 - rand_index(table)


LOSSES = {"binder": _binder, "vi": vi}


def check_loss(loss):
    """Raise a ValueError unless `loss` names one of `LOSSES`."""
    if loss not in LOSSES:
        raise ValueError(f"unknown loss {loss!r}: choose one of {', '.join(sorted(LOSSES))}.")


def expected_loss(draws, labels, loss="vi"):
    """Return the mean loss of a partition over the draws.

    Parameters
    ----------
    draws : array_like of int, shape (n_draws, n_items)
        Draws from the posterior of a partition.
    labels : array_like of hashable, shape (n_items,)
        The partition to judge.
    loss : {"vi", "binder"}
        Variation of information in nats (Meila 2003; Wade and Ghahramani 2018), or the share of
        pairs of items on which two partitions disagree (Binder 1978), 1 - Rand index.

    Returns
    -------
    float
        The exact Monte Carlo mean, from one contingency table per draw.

    Raises
    ------
    ValueError
        If the loss is unknown, or labels and draws do not match.
    """
    check_loss(loss)
    draws = as_draws(draws)
    function = LOSSES[loss]
    losses = [function(Contingency.from_labels(labels, draw)) for draw in draws]
    return float(np.mean(losses))
