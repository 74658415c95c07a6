"""Tests of whether dissimilarities are squared distances of points, and a correction if not.

They are if and only if -QDQ/2, with Q = I - 11'/n, has no negative eigenvalue (Vogt et al. 2010).
"""

import logging
from numbers import Integral

import numpy as np
from scipy import linalg

from reseat.checks import check_finite, check_unmasked
from reseat.dissimilarities.checks import EVERY_PAIR
from reseat.dissimilarities.embedding import centred_similarities, from_similarities
from reseat.errors import ConfigError
from reseat.numerics import on_grid

METHODS = ("exact", "randomised")
N_TESTED = 2000  # objects; the eigenvalues of more take minutes
# For `looks_unsquared`: most objects used, relative size of rounding, and fewest objects.
N_LOOKED_AT, ROUNDED, MIN_ITEMS = 300, 1e-6, 8

logger = logging.getLogger(__name__)


def negative_mass(values: np.ndarray) -> float:
    """Return the share of the absolute spectrum of -QDQ/2 that is negative.

    Parameters
    ----------
    values : ndarray, shape (n_items, n_items)
        Dissimilarities.

    Returns
    -------
    float
        From 0 to 1; for squared Euclidean distances 0 up to rounding.

    Raises
    ------
    DataError
        If a dissimilarity is masked or not finite.
    """
    spectrum = linalg.eigvalsh(
        centred_similarities(values), overwrite_a=True, check_finite=False, driver="evd"
    )
    total = np.abs(spectrum).sum()
    return float(np.abs(spectrum[spectrum < 0]).sum() / total) if total > 0 else 0.0


def looks_unsquared(values: np.ndarray) -> bool:
    """Return whether a matrix looks like plain Euclidean distances rather than their squares.

    Squared distances of points in p dimensions have p positive eigenvalues of -QDQ/2 and no
    negative one; plain ones have n - 1 positive ones.  For many dimensions, the answer is False.

    Parameters
    ----------
    values : ndarray, shape (n_items, n_items)

    Returns
    -------
    bool

    Raises
    ------
    DataError
        If a dissimilarity is masked or not finite.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.dissimilarities import looks_unsquared
    >>> points = np.random.default_rng(1).normal(size=(50, 3))
    >>> distances = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    >>> looks_unsquared(distances), looks_unsquared(distances**2)
    (True, False)
    """
    n_items = len(values)
    if n_items < MIN_ITEMS:
        return False
    check_unmasked("The dissimilarities", values, EVERY_PAIR)
    part = np.asarray(_some(values, min(n_items, N_LOOKED_AT)), dtype=np.float64)
    check_finite("The dissimilarities", part, EVERY_PAIR)
    largest = part.max()
    if largest == 0:
        return False
    part /= largest
    squared, plain = (linalg.eigvalsh(centred_similarities(v)) for v in (part**2, part))
    bound = ROUNDED * np.abs(squared).max()
    rank = int((squared > bound).sum())
    rank_of_plain = int((plain > ROUNDED * np.abs(plain).max()).sum())
    return bool(squared.min() > -bound and 2 * rank < min(len(part) - 1, rank_of_plain))


def _some(values: np.ndarray, number: int) -> np.ndarray:
    chosen = np.linspace(0, len(values) - 1, number).astype(np.int64)
    return values[np.ix_(chosen, chosen)]


def warn_if_not_euclidean(
    values: np.ndarray, name: str, bound: float = 0.05, n_tested: int = N_TESTED
) -> float:
    """Log a warning if dissimilarities are far from squared Euclidean distances.

    Parameters
    ----------
    values : ndarray, shape (n_items, n_items)
    name : str
        Beginning of the message.
    bound : float
        Share of the absolute spectrum that may be negative without a warning.
    n_tested : int
        If there are more objects, this many are tested, evenly spaced.

    Returns
    -------
    float
        The negative share that was found.

    Raises
    ------
    DataError
        If a dissimilarity is masked or not finite.
    """
    part = ""
    if len(values) > n_tested:
        part = f" (tested on {n_tested:,} of {len(values):,} objects)"
        values = _some(values, n_tested)
    share = negative_mass(values)
    if share > bound:
        logger.warning(
            f"{name}: far from squared Euclidean distances: {share:.1%} of the absolute "
            f"eigenvalues of the centred matrix are negative{part}, but the model assumes none; "
            "correct this with reseat.dissimilarities.to_negative_type (in a run, with the key "
            "rank of distances.objects)"
        )
    return share


def to_negative_type(
    values: np.ndarray,
    rank: int | None = None,
    method: str = "exact",
    rng: np.random.Generator | None = None,
    oversampling: int = 10,
    n_power: int = 2,
) -> np.ndarray:
    """Return the squared distances of the best points of some rank (Vogt et al. 2010, section 4.4).

    The largest positive eigenvalues of -QDQ/2 are kept.

    Parameters
    ----------
    values : ndarray, shape (n_items, n_items)
        Dissimilarities.
    rank : int, optional
        Largest number of eigenvalues that are kept, by default all positive ones: the dimension.
    method : {"exact", "randomised"}
        All eigenvalues, or a randomised range finder (Halko, Martinsson & Tropp 2011, algorithm
        4.4, symmetric), which needs a `rank`.  The paper does not specify its random projection.
    rng : numpy.random.Generator, optional
        Source of the test matrix of the randomised method.
    oversampling, n_power : int
        Columns of the test matrix beyond `rank`, and number of power iterations.

    Returns
    -------
    ndarray of the type of `values`, float64 for whole numbers, shape (n_items, n_items)
        Symmetric with a zero diagonal.

    Raises
    ------
    ConfigError
        If the method is unknown, the rank is not from 1 to n_items - 1, or one or `rng` is missing.
    DataError
        If a dissimilarity is masked or not finite.
    """
    n_items = len(values)
    if method not in METHODS:
        raise ConfigError(f"method is {method!r}; it must be one of {', '.join(METHODS)}")
    whole = isinstance(rank, Integral) and not isinstance(rank, bool)
    if rank is not None and not (whole and 1 <= rank < n_items):
        raise ConfigError(
            f"rank is {rank!r}; it must be a whole number from 1 to {n_items - 1}, one below the "
            "number of objects"
        )
    similarities = centred_similarities(values)
    if method == "exact":
        spectrum, vectors = linalg.eigh(similarities, overwrite_a=True, check_finite=False)
    else:
        if rank is None or rng is None:
            raise ConfigError("the randomised method needs a rank and rng, a random generator")
        spectrum, vectors = _randomised(similarities, rank + oversampling, rng, n_power)
    kept = np.flatnonzero(spectrum > 0)[::-1][:rank]
    # On this grid, the products of up to 8,192 coordinates add up without rounding.
    points = on_grid(vectors[:, kept] * np.sqrt(spectrum[kept]))
    dtype = values.dtype if values.dtype.kind == "f" else np.float64
    return from_similarities(points @ points.T, dtype)


def _randomised(similarities, n_columns, rng, n_power) -> tuple[np.ndarray, np.ndarray]:
    n_items = len(similarities)
    basis = rng.standard_normal((n_items, min(n_columns, n_items)))
    for _ in range(n_power + 1):
        basis = linalg.qr(similarities @ basis, mode="economic", check_finite=False)[0]
    small = basis.T @ similarities @ basis
    spectrum, vectors = linalg.eigh((small + small.T) / 2, check_finite=False)
    return spectrum, basis @ vectors
