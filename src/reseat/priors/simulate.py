"""Draws of block sizes from any partition prior."""

import numpy as np

from reseat.checks import check_whole
from reseat.errors import DataError
from reseat.priors._prior import PartitionPrior
from reseat.priors._sizes import SizeHistogram


def sample_sizes(
    prior: PartitionPrior,
    n_items: int,
    n_draws: int,
    rng: np.random.Generator,
    *,
    burn_in: int = 100,
    thin: int = 10,
    start=None,
) -> list[np.ndarray]:
    """Draw block sizes from a prior by Gibbs sampling, given the number of items.

    Reseating an item takes a time linear in the number of different sizes; sampled hyperparameters
    are updated after every sweep.  Draws are correlated, unlike those of the priors' own methods.

    Parameters
    ----------
    prior : PartitionPrior
        Prepared here for `n_items` items, and left in the state of the last draw.
    n_items, n_draws : int
    rng : numpy.random.Generator
    burn_in, thin : int
        Sweeps before the first draw, and from one draw to the next.
    start : sequence of int, optional
        Initial block sizes; by default, items are alone, or together if blocks are bounded.

    Returns
    -------
    list of ndarray of int
        The block sizes of each draw in increasing order, shape (n_blocks,).

    Raises
    ------
    ConfigError
        If a number of items, draws or sweeps is out of its range.
    DataError
        If the initial sizes are not whole numbers of at least 1, or more than the prior allows.
    """
    n_items, n_draws = check_whole("n_items", n_items, 1), check_whole("n_draws", n_draws)
    burn_in, thin = check_whole("burn_in", burn_in), check_whole("thin", thin, 1)
    prior.prepare(n_items)
    if start is None:
        start = [1] * n_items if prior.max_blocks is None else [n_items]
    if prior.max_blocks is not None and len(start) > prior.max_blocks:
        raise DataError(
            f"start has {len(start)} blocks, but the prior allows at most {prior.max_blocks}."
        )
    prior.enter(start)
    histogram = SizeHistogram(start)
    draws = []
    for sweep in range(1, burn_in + n_draws * thin + 1):
        histogram.sweep(prior, rng)
        sizes = histogram.sizes
        prior.update(sizes, rng)
        if sweep > burn_in and (sweep - burn_in) % thin == 0:
            draws.append(sizes)
    return draws
