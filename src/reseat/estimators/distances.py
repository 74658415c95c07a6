"""Estimator for objects of which only distances are known: the Wishart-Dirichlet process."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy import linalg
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances
from threadpoolctl import threadpool_limits

from reseat.chains import MixtureModel, by_turns, chain_seed
from reseat.checks import check_between, check_flag, check_whole, refusal
from reseat.dissimilarities import (
    centred_similarities,
    check_dissimilarities,
    landmark_scaling,
    squared_distances,
    to_negative_type,
)
from reseat.dissimilarities.checks import check_rows
from reseat.dissimilarities.reading import from_condensed
from reseat.errors import DataError
from reseat.estimators.base import PosteriorClustering, keeps_previous_fit, seed_of
from reseat.estimators.inputs import as_numbers, check_number_table, warn_of_rounding
from reseat.estimators.misfit import misfits_of_distances, misfits_of_spread
from reseat.estimators.pairs import Explaining, settle
from reseat.estimators.prediction import Extended, Predicting
from reseat.estimators.sampling import check_matrix_fits, data_hash, evenly, splits_and_sweep
from reseat.models.distances import build, likelihood
from reseat.priors import make_prior

#: Share of the sum of positive eigenvalues that the kept dimensions make up by default.
KEPT_SHARE = 0.95
#: Largest number of objects for which all eigenvalues are computed, since more would take minutes;
#: and the number of dimensions for more objects, which is that of the paper.
FEW_OBJECTS, MANY_DIMENSIONS = 3000, 600
#: Largest number of degrees of freedom; a larger one is a typing error.
MAX_DIMENSIONS = 1_000_000
#: Largest number of objects whose distances are looked at for signs of something else.
LOOKED_AT = 500
#: Number of clusters of the random starts.
STARTING_CLUSTERS = 30
EUCLIDEAN = ("euclidean", "l2", "minkowski", "nan_euclidean")
#: Largest number of objects for which distances are kept in double precision; for more points
#: under the Euclidean metric, none are kept.
DOUBLE_UP_TO = 2000


@dataclass(eq=False, repr=False)
class WishartDirichlet(Explaining, Predicting, PosteriorClustering):
    """Clusters from distances only, whatever the objects are.

    They are taken to be those of points, of any location and scale, that are Gaussian in a cluster.

    Parameters
    ----------
    prior : str
    metric : str or callable
        ``precomputed`` if X is a square matrix; otherwise X contains points, and this is
        the metric of `sklearn.metrics.pairwise_distances`.  ``seuclidean`` and ``mahalanobis``
        use the variances and covariances of the points given to `fit`, also for new points.
    square : bool
        Whether to square dissimilarities first, which are otherwise treated as squared distances.
        Euclidean distances of points, which are also those of ``l2``, ``minkowski`` and
        ``nan_euclidean``, are always squared.
    dim : float, optional
        Degrees of freedom, the number of dimensions that the points span.  By default, the rank of
        the centred points under the Euclidean metric (of few, the number of columns that vary), or
        the number of leading eigenvalues that make up 95 % of the positive ones (600 for more than
        3,000 objects without landmarks).
    landmarks : int, optional
        Number of random objects by whose distances all others are placed, if those between all do
        not fit into memory: a few hundred to a few thousand, and no fewer than dimensions.  Only
        their rows are read from a matrix, which may be memory-mapped (``numpy.load(path,
        mmap_mode="r")``).  By default, and of no more objects, all distances are used.
    concentration, discount, max_clusters, n_chains, n_burn_in, n_samples, thin, folder, n_jobs, \
random_state, verbose
        See `reseat.estimators.base.PosteriorClustering`, as for `prior` and common attributes.

    Attributes
    ----------
    dim_ : float
        Degrees of freedom that were used.
    landmarks_ : ndarray of int, shape (n_landmarks,), or None
        The objects to which distances were used; None if all distances were.

    References
    ----------
    Vogt et al. (2010), sections 3 and 4; landmarks: de Silva and Tenenbaum (2004), section 2.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat import WishartDirichlet
    >>> points = np.random.default_rng(1).normal(size=(30, 5)) + np.repeat([[0], [9]], 15, axis=0)
    >>> WishartDirichlet(metric="euclidean", random_state=1).fit(points).n_clusters_
    2
    """

    _: KW_ONLY
    metric: str | Callable = "precomputed"
    square: bool = False
    dim: float | None = None
    landmarks: int | None = None
    n_burn_in: int = 300
    n_samples: int = 600
    thin: int = 3

    @keeps_previous_fit
    def fit(self, X, y=None, decisions=None) -> Self:
        """Cluster objects.

        Parameters
        ----------
        X : array, shape (n_items, n_items) or (n_items, n_features)
            Dissimilarities, symmetric with a zero diagonal, or their condensed form of shape
            (n_items * (n_items - 1) / 2,), as `scipy.spatial.distance.pdist` returns it; or points.
        y : ignored
        decisions : array-like or data frame, shape (n_decisions, 3), optional
            What is known of pairs: two numbers, and ``"same"``, ``"different"`` or ``"unsure"``.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If X is not a dissimilarity matrix, there are fewer than three objects, or a
            parameter cannot be used.

        Warns
        -----
        ConvergenceWarning
            If the chains do not agree on the number of clusters or on the log joint.
        """
        check_number_table(X, condensed=self.metric == "precomputed")
        seed = seed_of(self.random_state)
        if self.metric == "precomputed":
            X, landmarks = read_matrix(self, X, self.landmarks, seed)
        else:
            X = as_numbers(self, X, ensure_min_samples=3)
            landmarks = draw_landmarks(len(X), self.landmarks, seed)
            warn_of_rounding(X)
        # The last bits of eigenvectors, and so all draws, would depend on the number of threads.
        with threadpool_limits(1, user_api="blas"):
            scales = _scales(self.metric, X)
            distances, dim = self._distances(X, self.dim, seed, landmarks, scales)
        n_items = len(distances)
        self._check_prior_fits(n_items)
        decided = settle(decisions, n_items, "object")
        self._forget()
        # A copy, because the user may change X.
        self._points = np.array(X)
        self._scales = scales
        self.dim_, self.landmarks_ = dim, landmarks
        if not self._is_euclidean():
            doubt_distances(self, X, landmarks)
        settings = {**self._settings(distances), "decided": decided}
        # Starts with one cluster and with many: if both end alike, the start has been forgotten.
        starts = "one", min(STARTING_CLUSTERS, self._most_clusters or n_items, n_items)
        data = distances, dim

        def start(rng: np.random.Generator, number: int) -> MixtureModel:
            return build(settings, data, rng, by_turns(starts, number), splits_and_sweep())

        self._run(start, data_hash(X, *(decided or {}).values()), seed)
        if settings["likelihood"] == "distances":
            self._doubt(misfits_of_spread(distances, self.labels_))
        return self

    def _settings(self, data: np.ndarray) -> dict[str, Any]:
        few = len(data) <= DOUBLE_UP_TO
        by_points = self.landmarks_ is not None or (self._is_euclidean() and not few)
        return {
            **self._prior_settings(),
            "likelihood": "points" if by_points else "distances",
            "precision": "double" if few else "single",
        }

    def _explained(self):
        data = self._distances_again(self._points)
        settings = self._settings(data[0])
        prior = make_prior(settings, len(data[0]))
        prior.prepare(len(data[0]))
        made = likelihood[settings["likelihood"]](settings, *data)
        return prior, made, ["distances"], lambda item: []

    def _log_gain(self, likelihood, item, others):
        labels, log_marginals = self.labels_.copy(), []
        labels[others] = labels.max() + 1  # if they are not the whole cluster, the rest stays
        for cluster in (labels[others[0]], labels.max() + 1):
            labels[item] = cluster
            numbers = np.unique(labels, return_inverse=True)[1]
            likelihood.assign(numbers, numbers.max() + 1)
            log_marginals.append(likelihood.log_marginal())
        return np.array([log_marginals[0] - log_marginals[1]])

    def _extended(self, X):
        if self.metric == "precomputed":
            X, between = new_rows(self, X, self._points.shape[1])
            table = self._with_rows(X, between)
        else:
            X = as_numbers(self, X, reset=False)
            table = np.concatenate([self._points, X])
        data = self._distances_again(table)
        return Extended(partial(build, self._settings(data[0]), data), len(X))

    def _with_rows(self, rows: np.ndarray, between: np.ndarray | None) -> np.ndarray:
        """Return the matrix of the fit with new objects, or the rows of the landmarks with them."""
        if self.landmarks_ is not None:
            return np.hstack([self._points, rows[:, self.landmarks_].T])
        if between is None:
            power = 2 if self.square else 1
            between = between_new(self._points**power, rows**power) ** (1 / power)
        return np.block([[self._points, rows.T], [rows, between]])

    def check_settings(self) -> None:
        super().check_settings()
        check_flag("square", self.square)
        if not (callable(self.metric) or isinstance(self.metric, str)):
            raise refusal("metric", self.metric, "; it must be a name, or a function.")
        if self.dim is not None:
            check_between("dim", self.dim, 1, MAX_DIMENSIONS)
        if self.landmarks is not None:
            check_whole("landmarks", self.landmarks, 3)
            if self._is_euclidean():
                why = "no distances are kept of many points; leave it out."
                fault = "is set, but points under the Euclidean metric need no landmarks"
                raise self._refused("landmarks", f"{{parameter}} {fault}: {why}")

    @property
    def _takes(self) -> tuple[str, ...]:
        return ("pairwise",) if self.metric == "precomputed" else ()

    def _is_euclidean(self) -> bool:
        return isinstance(self.metric, str) and self.metric in EUCLIDEAN

    def _distances_again(self, X: np.ndarray) -> tuple[np.ndarray, float]:
        """Return what the model sees of a table by the metric and the dimensions of the fit."""
        scales = getattr(self, "_scales", {})  # files of earlier versions have none
        with threadpool_limits(1, user_api="blas"):  # as in fit
            return self._distances(X, self.dim_, self._seed, self.landmarks_, scales)

    def _distances(self, X: np.ndarray, dim, seed: int, landmarks, scales):
        """Return squared distances, or the points if there are many; and the degrees of freedom."""
        if landmarks is not None:
            if self.metric != "precomputed":
                X = pairwise_distances(X, X[landmarks], metric=self.metric, **scales).T
            to_landmarks = squares_of(X, landmarks, self.square)
            dim = float(_dimension(to_landmarks[landmarks]) if dim is None else dim)
            most = min(int(dim), len(landmarks) - 1)
            return landmark_scaling(to_landmarks, landmarks, most), dim
        if self._is_euclidean():
            dim = float(_spanned(X) if dim is None else dim)
            if len(X) > DOUBLE_UP_TO:
                return X.astype(np.float64), dim
            found = squared_distances(X)
            check_dissimilarities(found, "the distances")
            return found, dim
        check_matrix_fits(len(X))
        if self.metric != "precomputed":
            X = pairwise_distances(X, metric=self.metric, **scales)
        found = squares_of(X, None, self.square)
        few = len(found) <= FEW_OBJECTS
        if dim is None:
            dim = _dimension(found) if few else MANY_DIMENSIONS
        rank = max(1, min(int(dim), len(found) - 1))
        rng = np.random.default_rng(seed)
        return to_negative_type(found, rank, "exact" if few else "randomised", rng), float(dim)


def _scales(metric, X: np.ndarray) -> dict[str, np.ndarray]:
    """Return what a metric learns from the points; scikit-learn would relearn it from new ones."""
    if metric == "seuclidean":
        spread = np.var(X, axis=0, ddof=1)
        if not spread.all():
            raise DataError(
                f"Column {int(np.argmin(spread))} of X is constant, so the metric 'seuclidean' "
                "cannot divide by its variance; leave it out."
            )
        return {"V": spread}
    if metric == "mahalanobis":
        try:
            # Rounding can hide from the inverse that columns follow from others.
            with np.errstate(divide="ignore", invalid="ignore"):  # of constant columns
                correlations = np.atleast_2d(np.corrcoef(X.T))
            if np.linalg.matrix_rank(correlations) < len(correlations):
                raise np.linalg.LinAlgError
            return {"VI": np.linalg.inv(np.atleast_2d(np.cov(X.T))).T}
        except np.linalg.LinAlgError:
            raise DataError(
                "The covariance matrix of the columns of X has no inverse, which the metric "
                "'mahalanobis' needs; leave out columns that are constant or follow from others."
            ) from None
    return {}


def read_matrix(
    fitted: PosteriorClustering, X, n_landmarks: int | None, seed: int, more_than: int = 0
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return a matrix or, of more objects than both numbers, the rows of landmarks; and these."""
    if sp.issparse(X):
        raise DataError(
            "X is sparse, such as a graph of nearest neighbours, and entries that are not stored "
            "would be distances of 0; pass the distances of all pairs, or the points."
        )
    if np.ndim(X) == 1 and np.asarray(X).dtype.kind in "fiu":
        X = from_condensed(np.asarray(X), "X")
    rows, columns = (list(X.index), list(X.columns)) if hasattr(X, "columns") else ([], [])
    landmarks = None
    if n_landmarks is not None:
        X = X if hasattr(X, "shape") else np.asarray(X)
        if X.ndim == 2 and more_than < X.shape[0] == X.shape[1]:
            landmarks = draw_landmarks(len(X), n_landmarks, seed)
    if landmarks is not None:
        X = np.asarray(X)[landmarks]  # the only rows that are read from the disk
        if X.dtype.kind in "fiu":
            check_rows(X, landmarks, "the matrix")
    X = as_numbers(fitted, X, ensure_min_samples=3)
    if landmarks is None and X.shape[0] != X.shape[1]:
        raise DataError(
            f"X is {X.shape[0]} x {X.shape[1]}, not square; it must have one row and one column "
            "per object. If its rows are points, use metric='euclidean'."
        )
    if rows != columns and all(isinstance(name, str) for name in (*rows, *columns)):
        raise DataError(
            "X has different names for rows and columns; use the same names in the same order."
        )
    return X, landmarks


def new_rows(fitted: PosteriorClustering, X, n_old: int) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the distances of new objects to those of a fit and, if X has them, to each other."""
    X = X if hasattr(X, "shape") else np.asarray(X)
    between = None
    if X.ndim == 2 and X.shape[1] == n_old + X.shape[0]:
        X = np.asarray(X)
        X, between = X[:, :n_old], X[:, n_old:]
        check_dissimilarities(between, "the part of X between new objects")
    X = as_numbers(fitted, X, reset=False)
    if (X < 0).any():
        row, column = np.argwhere(X < 0)[0]
        raise DataError(
            f"X has a negative distance, {X[row, column]:g}, in row {row} and column {column}."
        )
    return X, between


@threadpool_limits.wrap(limits=1, user_api="blas")  # as in fit
def between_new(old: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return the squared distances between new objects, as far as those to the old ones tell."""
    n_old = len(old)
    # Classical scaling out of sample.
    placed = landmark_scaling(np.concatenate([old, rows]), np.arange(n_old))
    new = cdist(placed[n_old:], placed, "sqeuclidean")
    # What separates each from the space of the old ones is orthogonal to what separates the others.
    beside = np.maximum((rows - new[:, :n_old]).mean(axis=1), 0)
    found = new[:, n_old:] + beside[:, None] + beside
    np.fill_diagonal(found, 0)
    return found


def draw_landmarks(n_items: int, n_landmarks: int | None, seed: int) -> np.ndarray | None:
    """Return the objects that are landmarks, or None if all distances are used."""
    if n_landmarks is None or n_items <= n_landmarks:
        return None
    rng = np.random.default_rng(chain_seed(seed, "distances", "landmarks"))
    return np.sort(rng.choice(n_items, int(n_landmarks), replace=False))


def squares_of(values: np.ndarray, landmarks: np.ndarray | None, square: bool) -> np.ndarray:
    """Return dissimilarities, or squares, of all pairs, or of all objects to the landmarks."""
    between = values if landmarks is None else values[:, landmarks]
    check_dissimilarities(between, "X" if landmarks is None else "the matrix of the landmarks")
    found = np.array(values.T, dtype=np.float64)
    if landmarks is None:
        found = (found + found.T) / 2
        np.fill_diagonal(found, 0)
    if square:
        found **= 2
    return found


def doubt_distances(fitted: PosteriorClustering, X: np.ndarray, landmarks: np.ndarray | None):
    """Warn of a matrix or metric that is not what the model takes it for, from a sample."""
    objects = np.arange(len(X)) if landmarks is None else landmarks
    chosen = evenly(objects.size, LOOKED_AT)
    if fitted.metric != "precomputed":
        part = pairwise_distances(X[objects[chosen]], metric=fitted.metric, **fitted._scales)
    else:  # of landmarks, X has only their rows
        part = X[np.ix_(chosen, objects[chosen])]
    part = np.asarray(part, dtype=np.float64)
    found = misfits_of_distances(part**2 if fitted.square else part)
    fitted._doubt(found, parameter="square")


def _spanned(points: np.ndarray) -> int:
    """Return how many dimensions the points span, not counting constant or redundant columns."""
    varying = points[:, np.ptp(points, axis=0) > 0]
    if len(varying) > varying.shape[1] > 0:
        return int(np.linalg.matrix_rank(varying - varying.mean(axis=0)))
    return max(1, varying.shape[1])


def _dimension(distances: np.ndarray) -> int:
    spectrum = linalg.eigvalsh(centred_similarities(distances), overwrite_a=True)[::-1]
    held = np.cumsum(spectrum[spectrum > 0])
    return int(np.searchsorted(held, KEPT_SHARE * held[-1] * (1 - 1e-9))) + 1
