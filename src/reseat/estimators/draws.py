"""Draws of the chains as one list, all of them or some evenly."""

from __future__ import annotations

import numpy as np

__all__ = ["flat", "thinned"]


def flat(draws: np.ndarray) -> np.ndarray:
    """Draws of shape (n_chains, n_draws, n_items) one chain after the other."""
    return draws.reshape(-1, draws.shape[-1])


def thinned(draws: np.ndarray, most: int) -> np.ndarray:
    """No more draws than `most`, evenly from all of them, shape (n_draws, n_items)."""
    return draws[np.linspace(0, len(draws) - 1, min(len(draws), most)).astype(int)]
