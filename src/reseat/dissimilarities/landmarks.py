"""Coordinates of many objects from their distances to a few of them."""

from __future__ import annotations

import numpy as np

from reseat.checks import check_finite, check_unmasked
from reseat.dissimilarities.checks import EVERY_PAIR
from reseat.dissimilarities.embedding import principal_coordinates
from reseat.numerics import on_grid, with_signs

__all__ = ["landmark_scaling"]


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
        The coordinate with the largest spread of the landmarks comes first; fewer than
        `n_components` if fewer have a positive eigenvalue.

    Raises
    ------
    DataError
        If a distance is masked or not finite.

    Notes
    -----
    If the objects are points and the landmarks span their space, the squared distances of the
    result are those given.  Otherwise an object is placed at the projection of its point onto the
    space of the landmarks.

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
