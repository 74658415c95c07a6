"""Conversion of points to dissimilarities and back (Vogt et al. 2010, sections 2 and 5)."""

import numpy as np
import scipy
from numpy.typing import DTypeLike

from reseat.checks import check_finite, check_unmasked
from reseat.dissimilarities.checks import EVERY_PAIR, upper_tiles
from reseat.errors import DataError
from reseat.numerics import on_grid, with_signs


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
    spectrum, vectors = scipy.linalg.eigh(
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
