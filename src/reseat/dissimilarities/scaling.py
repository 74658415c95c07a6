"""Classical scaling of objects, some of which may be identical."""

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from reseat.checks import check_finite, check_unmasked
from reseat.dissimilarities.checks import EVERY_PAIR
from reseat.dissimilarities.embedding import principal_coordinates
from reseat.errors import DataError
from reseat.numerics import on_grid, with_signs

TIE = 1e-6  # entries of a column that differ by less, relative to the largest, count as tied
EQUAL = 1e-9  # the same for eigenvalues


@dataclass(frozen=True)
class Scaling:
    """Points found by classical scaling, and how well they represent the distances.

    Attributes
    ----------
    points : ndarray of float64, shape (n_objects, n_kept)
        The coordinate with the largest eigenvalue first; weighted means are 0.
    positive_mass, negative_mass : float
        Sums of the positive eigenvalues and of the sizes of the negative ones.
    share : float
        Share of the positive mass that is in the kept coordinates.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.dissimilarities import classical_scaling
    >>> found = classical_scaling(np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]]))
    >>> found.points.shape, round(found.share, 6)
    ((3, 1), 1.0)
    """

    points: np.ndarray
    positive_mass: float
    negative_mass: float
    share: float


def classical_scaling(
    distances: np.ndarray,
    weights: np.ndarray | None = None,
    mass: float = 1.0,
    most: int | None = None,
) -> Scaling:
    """Find points whose distances are nearest to those given.

    With weights w that add up to 1, and J = I - 1w', the points are from the eigenvectors of
    ``-W^(1/2) J D^2 J' W^(1/2) / 2``; an object of weight k/n stands for k of n that are identical.

    Parameters
    ----------
    distances : ndarray, shape (n_objects, n_objects)
        Symmetric, not squared; it need not be Euclidean.
    weights : ndarray, shape (n_objects,), optional
        Above 0; by default all are equal.
    mass : float
        The fewest leading coordinates are kept that hold this share of the positive mass ...
    most : int, optional
        ... but no more than this many.

    Returns
    -------
    Scaling
        The first of the largest entries of each coordinate is positive.  Coordinates of equal
        eigenvalues, whose basis depends on rounding, are along the projections of fixed directions.

    Raises
    ------
    DataError
        If a distance is masked or not finite, or a weight is missing, not positive or not finite.
    """
    check_unmasked("The distances", distances, EVERY_PAIR)
    n_objects = len(distances)
    weights = np.ones(n_objects) if weights is None else np.asarray(weights, dtype=np.float64)
    if weights.shape != (n_objects,) or not ((weights > 0) & np.isfinite(weights)).all():
        raise DataError(
            f"The weights must be {n_objects} positive and finite numbers, one per object; leave "
            "out objects of weight 0."
        )
    weights = weights / weights.sum()
    roots = np.sqrt(weights)
    inner = np.array(distances, dtype=np.float64, order="F")
    inner *= inner
    means = inner @ weights
    check_finite("The distances", means, EVERY_PAIR)
    inner -= means[:, None]
    inner -= means[None, :]
    inner += means @ weights
    inner *= -0.5 * roots[:, None]
    inner *= roots[None, :]
    reduced, diagonal, beside, factors = _tridiagonal(inner)
    spectrum = linalg.eigvalsh_tridiagonal(diagonal, beside)[::-1]
    rounding = 1e-12 * n_objects * np.abs(spectrum).max(initial=0.0)
    positive = spectrum[spectrum > rounding]
    total = float(positive.sum())
    n_kept = int(np.searchsorted(np.cumsum(positive), mass * total * (1 - 1e-12))) + 1
    n_kept = min(n_kept, len(positive), n_objects if most is None else most)
    negative = float(-spectrum[spectrum < -rounding].sum())
    if n_kept == 0:
        return Scaling(np.zeros((n_objects, 0)), total, negative, 1.0)
    groups = _equal(spectrum, n_kept)
    wanted = (n_objects - groups[-1].stop, n_objects - 1)
    kept, vectors = linalg.eigh_tridiagonal(diagonal, beside, select="i", select_range=wanted)
    vectors = _rotated(reduced, factors, vectors)[:, ::-1]
    for group in groups:
        if group.stop > group.start + 1:
            vectors[:, group] = _fixed_basis(vectors[:, group])
    kept, vectors = kept[::-1][:n_kept], vectors[:, :n_kept]
    points = vectors * np.sqrt(kept) / roots[:, None]
    sizes = np.abs(points)
    first = (sizes >= (1 - TIE) * sizes.max(axis=0)).argmax(axis=0)
    points = points * np.sign(points[first, np.arange(n_kept)])
    return Scaling(points, total, negative, float(kept.sum() / total))


def _equal(spectrum: np.ndarray, n_kept: int) -> list[slice]:
    """Return groups of equal eigenvalues, largest first; the last may extend beyond those kept."""
    ends = np.flatnonzero(-np.diff(spectrum) > EQUAL * spectrum[0]) + 1
    ends = np.append(ends, len(spectrum))
    ends = ends[: np.searchsorted(ends, n_kept) + 1]
    return [slice(*pair) for pair in zip(np.append(0, ends[:-1]), ends, strict=True)]


def _fixed_basis(basis: np.ndarray) -> np.ndarray:
    """Return an orthonormal basis that depends on the space of `basis` alone.

    With axes along single objects, some would not differ from any others in what is kept.
    """
    directions = np.random.default_rng(0).standard_normal(basis.shape)
    turn, _ = np.linalg.qr(basis.T @ directions)
    return basis @ turn


def _tridiagonal(matrix: np.ndarray):
    """Reduce a symmetric matrix to tridiagonal form by Householder's method, in place."""
    if len(matrix) < 2:
        return matrix, np.diagonal(matrix).copy(), np.empty(0), np.empty(0)
    lwork, _ = linalg.lapack.dsytrd_lwork(len(matrix), lower=1)
    reduced, diagonal, beside, factors, info = linalg.lapack.dsytrd(
        matrix, lower=1, lwork=int(lwork), overwrite_a=1
    )
    assert info == 0, info
    return reduced, diagonal, beside, factors


def _rotated(reduced: np.ndarray, factors: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Return the eigenvectors of the matrix, given those of its tridiagonal form."""
    vectors = np.array(vectors, order="F")
    # Below the first row, the reflectors are stored as in a QR factorization.
    below = np.asfortranarray(reduced[1:, :-1])
    size = 64 * max(1, vectors.shape[1])
    found, _, info = linalg.lapack.dormqr("L", "N", below, factors, vectors[1:], size)
    assert info == 0, info
    vectors[1:] = found
    return vectors


def landmark_scaling(
    to_landmarks: np.ndarray, landmarks: np.ndarray, n_components: int | None = None
) -> np.ndarray:
    """Place the landmarks by classical scaling, and every object by its distances to them.

    Reading and memory grow with the number of objects times the number of landmarks.

    Parameters
    ----------
    to_landmarks : ndarray, shape (n_items, n_landmarks)
        Squared distances.
    landmarks : ndarray of int, shape (n_landmarks,)
        Objects that the columns stand for, as rows of `to_landmarks`.
    n_components : int, optional
        Number of coordinates; by default all that the distances between the landmarks need.

    Returns
    -------
    ndarray of float64, shape (n_items, rank)
        The coordinate with the largest eigenvalue first; at most as many as have a positive one.

    Raises
    ------
    DataError
        If a distance is masked or not finite.

    Notes
    -----
    An object is placed at the projection of its point onto the space of the landmarks.

    References
    ----------
    de Silva and Tenenbaum (2004), Sparse multidimensional scaling using landmark points, section 2.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.dissimilarities import landmark_scaling
    >>> line = np.array([0.0, 3.0, 1.0, 7.0])
    >>> landmarks = np.array([0, 1])
    >>> points = landmark_scaling((line[:, None] - line[landmarks]) ** 2, landmarks)
    >>> np.abs(points[3] - points[2]).round(9)
    array([6.])
    """
    check_unmasked("The distances to the landmarks", to_landmarks, EVERY_PAIR)
    check_finite("The distances to the landmarks", to_landmarks, EVERY_PAIR)
    to_landmarks = np.asarray(to_landmarks)
    between = np.asarray(to_landmarks[landmarks], dtype=np.float64)
    placed = principal_coordinates(between, n_components)
    # The columns of `placed` are eigenvectors times the roots of their eigenvalues.
    towards = placed / np.square(placed).sum(axis=0)
    return with_signs(on_grid(-0.5 * (to_landmarks - between.mean(axis=0)) @ towards))
