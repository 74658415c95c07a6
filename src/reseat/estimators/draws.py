"""Draws of all chains as one sequence, complete or evenly thinned."""

from __future__ import annotations

import numpy as np

__all__ = ["flat", "thinned"]


def flat(draws: np.ndarray) -> np.ndarray:
    """Return draws of shape (n_chains, n_draws, n_items) with one chain after the other."""
    return draws.reshape(-1, draws.shape[-1])


def thinned(draws: np.ndarray, most: int) -> np.ndarray:
    """Return at most `most` draws, evenly spaced among all, shape (n_draws, n_items)."""
    return draws[np.linspace(0, len(draws) - 1, min(len(draws), most)).astype(int)]
