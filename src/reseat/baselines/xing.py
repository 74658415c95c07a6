"""A diagonal metric learned from pairs, after Xing, Ng, Jordan and Russell (2002)."""

from dataclasses import KW_ONLY, dataclass

import numpy as np
from scipy.optimize import minimize
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from reseat.baselines import item_pairs
from reseat.checks import as_whole, check_between, check_finite, check_unmasked, check_whole
from reseat.errors import DataError
from reseat.numerics import rounded

#: A feature on which all similar pairs agree would get an infinite weight, so its sum of squares is
#: taken to be this share of the mean over the features.
FLOOR = 1e-6
#: Binary digits of the weights: three decimal ones.
WEIGHT_BITS = 12


def xing_objective(weights, similar, dissimilar, constant, scale=1.0):
    """Return the objective of the diagonal metric, which is to be minimised, and its gradient.

    ``sum_S ||x - y||_A^2 - constant log sum_D ||x - y||_A`` with a diagonal A.

    Parameters
    ----------
    weights : ndarray, shape (n_features,)
        Diagonal of A.
    similar : ndarray, shape (n_features,)
        Squared distances in each feature, summed over the similar pairs.
    dissimilar : ndarray, shape (n_pairs, n_features)
        Squared distances of each dissimilar pair; none is 0 in all features.
    constant : float
    scale : float
        Number of dissimilar pairs that each of the given ones represents.

    Returns
    -------
    value : float
    gradient : ndarray, shape (n_features,)
    """
    root = np.sqrt(dissimilar @ weights)
    total = root.sum()
    value = similar @ weights - constant * np.log(scale * total)
    return value, similar - constant / (2 * total) * ((1 / root) @ dissimilar)


@dataclass(eq=False, repr=False)
class XingMetric(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Feature weights under which similar pairs are near and dissimilar ones are far apart.

    The objective is convex.  All C > 0 have the same weights up to their scale; for C = 0 all are
    equal.  The search converges here, while the published code stops before that.

    Parameters
    ----------
    C : float
        Constant of the objective, at least 0.
    feature_of : array_like of int, shape (n_coordinates,), optional
        Feature of each coordinate, from 0, which has its weight; by default each is a feature.
    max_dissimilar : int
        If there are more dissimilar pairs, about this many are drawn.
    random_state : int, numpy.random.SeedSequence or numpy.random.Generator

    Attributes
    ----------
    weights_ : ndarray of float64, shape (n_features,)
        Diagonal of A.
    n_similar_, n_dissimilar_, n_drawn_ : int
        Numbers of pairs of the training items, and of dissimilar ones that were used.
    n_iter_ : int

    References
    ----------
    Xing et al. (2002), section 2.1; the constant as in Daumé and Marcu (2005), section 7.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.baselines import XingMetric
    >>> points = np.array([[0.0, 5.0], [0.1, -5.0], [3.0, 4.0], [3.1, -4.0]])
    >>> metric = XingMetric().fit(points, [0, 0, 1, 1])
    >>> metric.transform(points).shape
    (4, 2)
    """

    C: float = 1.0
    _: KW_ONLY
    feature_of: np.ndarray | None = None
    max_dissimilar: int = 20_000
    random_state: int | np.random.SeedSequence | np.random.Generator = 0

    def fit(self, X, y, groups=None):
        """Learn the weights from training items.

        Parameters
        ----------
        X : array_like, shape (n_items, n_coordinates)
        y : array_like, shape (n_items,)
            Entity of each item.
        groups : array_like, shape (n_items,), optional
            Only items of the same group form pairs.

        Raises
        ------
        DataError
            If a coordinate is masked or not finite, or pairs of a kind are missing or all equal.
        ConfigError
            If C is negative or not finite, or `max_dissimilar` is not a whole number of at least 1.
        """
        given, X = X, _finite(X)
        check_between("C", self.C, 0)
        max_dissimilar = check_whole("max_dissimilar", self.max_dissimilar, 1)
        entities, groups = item_pairs.check_items(y, groups)
        if X.ndim != 2 or len(X) != len(entities):
            raise DataError(
                f"X has the shape {X.shape} and y {len(entities)} items; each needs a row."
            )
        validate_data(self, given, skip_check_array=True)  # records number and names of features
        self.n_similar_, self.n_dissimilar_ = count = item_pairs.count_pairs(entities, groups)
        self.n_drawn_ = self.n_iter_ = 0
        self._feature_of = features = self._features()
        if self.C == 0:
            self.weights_ = np.ones(features.max() + 1)
            return self
        item_pairs.require_both_kinds(count, "Xing-K")
        first, second = item_pairs.draw_dissimilar(
            entities, groups, max_dissimilar, np.random.default_rng(self.random_state)
        )
        self.n_drawn_ = first.size
        sum_over = np.equal.outer(features, np.arange(features.max() + 1)).astype(np.float64)
        dissimilar = (X[first] - X[second]) ** 2 @ sum_over
        # Equal items of two entities are at distance 0 whatever the weights.
        dissimilar = dissimilar[dissimilar.any(axis=1)]
        if not dissimilar.size:
            raise DataError(
                "every dissimilar pair consists of equal items: no metric can separate them."
            )
        similar = _sums_of_squares(X, entities) @ sum_over
        if not similar.any():
            raise DataError(
                "all similar training items are equal in every feature: Xing-K needs at least one "
                "similar pair that differs."
            )
        similar = np.maximum(similar, FLOOR * similar.mean())
        self.weights_ = self._minimise(similar, dissimilar, self.n_dissimilar_ / self.n_drawn_)
        return self

    def transform(self, X):
        """Scale the coordinates so that their Euclidean distances are those of the metric.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before `fit`.
        DataError
            If a coordinate is masked or not finite, or there are not as many as in `fit`.
        """
        check_is_fitted(self)
        given, X = X, _finite(X)
        if X.ndim != 2 or X.shape[1] != self.n_features_in_:
            raise DataError(
                f"X has the shape {X.shape}; the weights are of {self.n_features_in_} coordinates."
            )
        validate_data(self, given, reset=False, skip_check_array=True)
        return X * np.sqrt(self.weights_)[self._feature_of]

    def _features(self) -> np.ndarray:
        if self.feature_of is None:
            return np.arange(self.n_features_in_)
        found = as_whole(self.feature_of, "feature_of")
        if found.shape != (self.n_features_in_,) or np.unique(found).size != found.max() + 1:
            raise DataError(
                f"feature_of must name a feature for each of {self.n_features_in_} coordinates, "
                "and every feature from 0 to the last one."
            )
        return found

    def _minimise(self, similar, dissimilar, scale) -> np.ndarray:
        # The optimum is well scaled in units in which similar pairs weigh the same in all features.
        dissimilar = dissimilar / similar
        # For C = 1, because any other C has these weights times C, and a large one has a gradient
        # that is next to nothing anywhere.  At the optimum the first term is 1 / 2 whatever the
        # data, since the second is the logarithm of a homogeneous function of degree 1/2.
        start = np.full(similar.size, 0.5 / similar.size)
        found = minimize(
            xing_objective,
            start,
            (np.ones_like(similar), dissimilar, 1.0, scale),
            jac=True,
            method="L-BFGS-B",
            bounds=[(1e-12 * start[0], None)] * start.size,
            options={"maxiter": 5000, "maxfun": 20_000, "ftol": 0.0, "gtol": 1e-9, "maxcor": 30},
        )
        self.n_iter_ = int(found.nit)
        # Where the search ends depends on rounding in digits beyond these.
        return rounded(self.C * found.x / similar, WEIGHT_BITS)


def _finite(X) -> np.ndarray:
    """Return points as an array of finite numbers."""
    check_unmasked("X", X)
    X = np.asarray(X, dtype=np.float64)
    check_finite("X", X)
    return X


def _sums_of_squares(X: np.ndarray, entities: np.ndarray) -> np.ndarray:
    """Return squared differences by coordinate, summed over all pairs of items of one entity."""
    codes, sizes = np.unique(entities, return_inverse=True, return_counts=True)[1:]
    means = np.zeros((sizes.size, X.shape[1]))
    np.add.at(means, codes, X)
    means /= sizes[:, None]
    return sizes[codes] @ (X - means[codes]) ** 2
