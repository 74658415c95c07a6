"""Summaries of a sampled quantity over chains, and its trace."""

import math
from collections.abc import Mapping

import numpy as np

from reseat.checks import check_unmasked
from reseat.errors import DataError
from reseat.numerics import on_grid
from reseat.summaries import diagnostics

#: R-hat up to which chains are said to agree.
AGREED = 1.05
#: Share of the companions of an item up to which chains are said to put the same together.
SAME = 0.05
#: Numbers of draws, and of pairs in each, by which chains are compared.
COMPARED = 50, 400
#: Spread of a quantity, relative to its size, up to which it counts as constant but for rounding.
STILL = 1e-9
#: Binary digits of the values, relative to the largest, that decide their ranks.
RANKED_BITS = 30
#: Draws of a chain below which neither its effective sample size nor an R-hat can be estimated.
FEWEST = 4

_STATISTICS = "mean sd mcse ess rhat whisker_low q25 median q75 whisker_high q025 q975".split()


# With only a few draws, variances may be 0, and quotients by them NaN.
@np.errstate(all="ignore")
def describe(draws: np.ndarray) -> dict[str, float]:
    """Return a posterior summary of one quantity.

    Parameters
    ----------
    draws : ndarray, shape (n_chains, n_draws)

    Returns
    -------
    dict
        ``mean``, ``sd``, Monte Carlo error ``mcse``, bulk ``ess`` and rank-normalised ``rhat``
        (NaN for a single chain; infinite if chains are constant and differ, a draw is not finite,
        or there are fewer than :data:`FEWEST` of a quantity that changes by more than :data:`STILL`
        of its size), ``n_chains``, ``n_draws``, the box with Tukey's whiskers and the central 95 %
        interval.  If a draw is not finite, all but `rhat` and the counts are NaN.

    Raises
    ------
    DataError
        If the draws are not a table with a row for each chain, or some are masked or no numbers.
    """
    if np.ndim(draws) != 2 or not np.size(draws):
        raise DataError(
            f"The draws have the shape {np.shape(draws)}; they must be a table with a row for "
            "each chain and a column for each draw, of at least one of both."
        )
    check_unmasked("The draws", draws, "leave them out of all chains")
    try:
        # Differences of small integers may overflow their type, and booleans have no quantiles.
        draws = np.asarray(draws, dtype=float)
    except (TypeError, ValueError) as error:
        raise DataError(f"The draws must be numbers ({error}).") from error
    n_chains, n_draws = draws.shape
    counts = {"n_chains": n_chains, "n_draws": n_draws}
    if not np.isfinite(draws).all():
        rhat = np.nan if n_chains == 1 else np.inf
        return dict.fromkeys(_STATISTICS, np.nan) | {"rhat": rhat} | counts
    flat = draws.ravel()
    q025, q25, median, q75, q975 = np.quantile(flat, [0.025, 0.25, 0.5, 0.75, 0.975]).tolist()
    reach = 1.5 * (q75 - q25)
    constant = _is_still(flat)
    sd = np.nan if flat.size == 1 else 0.0 if constant else float(flat.std(ddof=1))
    if constant:  # as far as these chains can tell, the quantity is known exactly
        ess, mcse, rhat = float(flat.size), 0.0, 1.0
    elif n_draws < FEWEST:
        ess, mcse, rhat = np.nan, np.nan, np.inf
    else:
        # Values that are equal but for rounding must have the same rank.
        ranked = on_grid(draws, RANKED_BITS)
        ess, mcse = diagnostics.bulk_ess(ranked), diagnostics.mcse(ranked)
        stuck = all(map(_is_still, draws))  # each chain at a value of its own
        rhat = np.inf if stuck or n_chains == 1 else diagnostics.rhat(ranked)
    low, high = float(flat[flat >= q25 - reach].min()), float(flat[flat <= q75 + reach].max())
    moments = [float(flat.mean()), sd, mcse, ess, np.nan if n_chains == 1 else rhat]
    quantiles = [low, q25, median, q75, high, q025, q975]
    of_moments = dict(zip(_STATISTICS[:5], moments, strict=True))
    return of_moments | counts | dict(zip(_STATISTICS[5:], quantiles, strict=True))


def _is_still(values: np.ndarray) -> bool:
    return bool(np.ptp(values) <= STILL * np.abs(values).max())


def whole_trace(tree: Mapping, group: str, quantity: str) -> np.ndarray:
    """Return one quantity after every sweep of a chain, burn-in included.

    Parameters
    ----------
    tree : mapping
        Groups that `reseat.chains.read_groups` returned.
    group : {"posterior", "sample_stats"}
    quantity : str

    Returns
    -------
    ndarray, shape (n_sweeps,)
    """
    parts = [f"warmup_{group}", group]
    return np.concatenate([tree[part][quantity][0] for part in parts if part in tree])


def disagreement(draws: np.ndarray) -> float:
    """Return how far chains disagree on what is together.

    Parameters
    ----------
    draws : ndarray of int, shape (n_chains, n_draws, n_items)

    Returns
    -------
    float
        For the chain that differs most: the difference between its probability that an item and a
        companion in some draw are together and that of all chains, relative to the latter, on
        average over a fixed sample of items and companions; 0 if every item is always alone.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.summaries import disagreement
    >>> disagreement(np.array([[[0, 0, 1, 1]], [[0, 1, 2, 3]]]))
    1.0
    """
    rng, pairs = np.random.default_rng(0), []
    every = draws.reshape(-1, draws.shape[-1])
    n_draws, n_pairs = COMPARED
    for draw in every[:: -(-len(every) // n_draws)]:
        order = np.argsort(draw, kind="stable")
        sizes = np.unique(draw, return_counts=True)[1]
        start, size = np.repeat(np.cumsum(sizes) - sizes, sizes), np.repeat(sizes, sizes)
        accompanied = np.flatnonzero(size > 1)
        if accompanied.size:
            one = rng.choice(accompanied, n_pairs)
            other = start[one] + rng.integers(size[one] - 1)
            pairs.append(order[[one, other + (other >= one)]])
    if not pairs:
        return 0.0
    first, second = np.concatenate(pairs, axis=1)
    together = np.stack([(chain[:, first] == chain[:, second]).mean(axis=0) for chain in draws])
    overall = together.mean(axis=0)
    return float((np.abs(together - overall) / overall).mean(axis=1).max())


def rhat_in_words(rhat):
    """Format an R-hat, rounded up so that one above a limit never looks equal to it.

    Parameters
    ----------
    rhat : float
        May be infinite, but not NaN.

    Returns
    -------
    str

    Examples
    --------
    >>> rhat_in_words(1.0501)
    '1.06'
    """
    return "\N{INFINITY}" if math.isinf(rhat) else f"{math.ceil(round(100 * rhat, 6)) / 100:.2f}"
