"""Conversion of points to dissimilarities and back (Vogt et al. 2010, sections 2 to 5).

Dissimilarities are squared distances of points if and only if -QDQ/2, with Q = I - 11'/n, has no
negative eigenvalue.
"""

import logging
from numbers import Integral

import numpy as np
import scipy
from numpy.typing import DTypeLike
from scipy import linalg

from reseat.checks import check_finite, check_unmasked
from reseat.dissimilarities.checks import EVERY_PAIR, upper_tiles
from reseat.errors import ConfigError, DataError
from reseat.numerics import on_grid, with_signs

logger = logging.getLogger(__name__)


def squared_distances(points: np.ndarray, dtype: DTypeLike = np.float64) -> np.ndarray:
    """Return the mean squared differences of the rows, ``||x_i - x_j||^2 / d``.

    With S = XX'/d these are ``S_ii + S_jj - 2 S_ij``, as the model wants them.

    Parameters
    ----------
    points : array_like, shape (n_items, d)
    dtype : data type of the result

    Returns
    -------
    ndarray, shape (n_items, n_items)
        Exactly symmetric, with a zero diagonal.

    Raises
    ------
    DataError
        If the points are not a table, or coordinates are masked or not finite.
    """
    points = _table(points)
    values = np.empty((len(points), len(points)), dtype=dtype)
    for rows, columns in upper_tiles(len(points)):
        # Sums of squares of differences, whose order does not depend on the processor.
        squares = scipy.spatial.distance.cdist(points[rows], points[columns], "sqeuclidean")
        values[rows, columns] = squares / points.shape[1]
        values[columns, rows] = values[rows, columns].T
    return values


def _table(points) -> np.ndarray:
    """Return points as a table of finite numbers with one row per point and at least one column."""
    check_unmasked("The points", points)
    points = np.asarray(points, dtype=np.float64)
    if points.ndim != 2 or not points.size:
        raise DataError(
            f"The points have the shape {points.shape}; they must be a table with a row for each "
            "point and a column for each coordinate."
        )
    check_finite("The points", points, "remove the point")
    return points


def from_similarities(similarities: np.ndarray, dtype: DTypeLike = np.float64) -> np.ndarray:
    """Turn similarities S into dissimilarities, ``S_ii + S_jj - 2 S_ij``.

    Parameters
    ----------
    similarities : ndarray, shape (n_items, n_items)
        Symmetric; positive semi-definite for squared distances.
    dtype : data type of the result

    Returns
    -------
    ndarray, shape (n_items, n_items)
        With a zero diagonal; entries that are negative by rounding are set to 0.

    Raises
    ------
    DataError
        If similarities are masked.
    """
    check_unmasked("The similarities", similarities, EVERY_PAIR)
    own = np.diagonal(similarities).astype(np.float64)
    values = np.empty(similarities.shape, dtype=dtype)
    for rows, columns in upper_tiles(len(values)):
        tile = own[rows, None] + own[None, columns] - 2.0 * similarities[rows, columns]
        scale = np.maximum(own[rows, None], own[None, columns])
        tile[(tile < 0) & (tile > -1e-12 * scale)] = 0
        values[rows, columns] = tile
        values[columns, rows] = values[rows, columns].T
    np.fill_diagonal(values, 0)
    return values


def centred_similarities(values: np.ndarray) -> np.ndarray:
    """Return -QDQ/2, the inner products of points around their mean.

    Parameters
    ----------
    values : ndarray, shape (n_items, n_items)
        Symmetric dissimilarities D.

    Returns
    -------
    ndarray of float64, shape (n_items, n_items)
        Its rows and columns add up to 0.

    Raises
    ------
    DataError
        If an entry is masked or not finite.
    """
    check_unmasked("The dissimilarities", values, EVERY_PAIR)
    centred = np.array(values, dtype=np.float64)
    means = centred.mean(axis=1)
    # A row with an entry that is not finite has no finite mean.
    check_finite("The dissimilarities", means, EVERY_PAIR)
    centred -= means[:, None]
    centred -= means[None, :]
    centred += means.mean()
    centred *= -0.5
    return centred


def kernel_pca(values: np.ndarray, n_components: int | None = None) -> np.ndarray:
    """Return the coordinates V Λ^(1/2) of the largest eigenvalues of -QDQ/2.

    Parameters
    ----------
    values : ndarray, shape (n_items, n_items)
        Dissimilarities.
    n_components : int, optional
        Number of eigenvalues; by default all that are positive by more than rounding.

    Returns
    -------
    ndarray of float64, shape (n_items, rank)
        The largest eigenvalue first.  The entry of largest size in each column is positive, and all
        are on the grid of `reseat.numerics.on_grid`.

    Raises
    ------
    DataError
        If a dissimilarity is masked or not finite.

    Notes
    -----
    If D is of negative type, ``squared_distances(c * sqrt(rank))`` of all columns ``c`` is D again.
    """
    return with_signs(on_grid(principal_coordinates(values, n_components)))


def principal_coordinates(values: np.ndarray, n_components: int | None = None) -> np.ndarray:
    """Return the coordinates of `kernel_pca` with either sign and with all their digits."""
    n_items = len(values)
    similarities = centred_similarities(values)
    wanted = None
    if n_components is not None and n_components < n_items:
        wanted = (n_items - n_components, n_items - 1)
    spectrum, vectors = linalg.eigh(
        similarities, subset_by_index=wanted, overwrite_a=True, check_finite=False
    )
    kept = np.flatnonzero(spectrum > 1e-12 * n_items * np.abs(spectrum).max(initial=0.0))[::-1]
    return vectors[:, kept] * np.sqrt(spectrum[kept])


def subtract_row_means(points: np.ndarray) -> np.ndarray:
    """Subtract from each row its mean over the columns (WD_R of Vogt et al. 2010, section 5).

    Parameters
    ----------
    points : array_like, shape (n_items, d)

    Returns
    -------
    ndarray of float64, shape (n_items, d)
        Its rows add up to 0.

    Raises
    ------
    DataError
        If the points are not a table, or coordinates are masked or not finite.
    """
    points = _table(points)
    return points - points.mean(axis=1, keepdims=True)


# ---- Whether dissimilarities are squared distances, and a correction if not --------------------

METHODS = ("exact", "randomised")
N_TESTED = 2000  # objects; the eigenvalues of more take minutes
# For `looks_unsquared`: most objects used, relative size of rounding, and fewest objects.
N_LOOKED_AT, ROUNDED, MIN_ITEMS = 300, 1e-6, 8


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
        basis = rng.standard_normal((n_items, min(rank + oversampling, n_items)))
        for _ in range(n_power + 1):
            basis = linalg.qr(similarities @ basis, mode="economic", check_finite=False)[0]
        small = basis.T @ similarities @ basis
        spectrum, vectors = linalg.eigh((small + small.T) / 2, check_finite=False)
        vectors = basis @ vectors
    kept = np.flatnonzero(spectrum > 0)[::-1][:rank]
    # On this grid, the products of up to 8,192 coordinates add up without rounding.
    points = on_grid(vectors[:, kept] * np.sqrt(spectrum[kept]))
    dtype = values.dtype if values.dtype.kind == "f" else np.float64
    return from_similarities(points @ points.T, dtype)
