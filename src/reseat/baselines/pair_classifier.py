"""A support vector machine that separates similar pairs of items from dissimilar ones."""

import warnings
from dataclasses import KW_ONLY, dataclass

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.validation import check_is_fitted

from reseat.checks import as_whole
from reseat.errors import DataError
from reseat.numerics import on_grid

#: Number of kernel values in memory at a time, 8 bytes each.
KERNEL_CELLS = 4_000_000


@dataclass(eq=False, repr=False)
class PairClassifier(ClassifierMixin, BaseEstimator):
    """RBF support vector machine on the standardised distances of pairs.

    Parameters
    ----------
    gamma : float
        Coefficient in the kernel ``exp(-gamma ||u - v||^2)``.
    C : float
        Cost of a training pair on the wrong side.
    max_iter : int
        Largest number of steps of the solver, of which the last change little; -1 for no bound.

    Attributes
    ----------
    support_vectors_ : ndarray of float64, shape (n_support, n_features)
        Standardised.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.baselines import PairClassifier
    >>> distances = np.array([[0.1], [0.2], [0.1], [2.0], [2.5], [3.0]])
    >>> model = PairClassifier(gamma=1.0, C=1.0).fit(distances, [1, 1, 1, 0, 0, 0])
    >>> model.predict([[0.15], [2.6]]).tolist()
    [True, False]
    """

    gamma: float = 1.0
    C: float = 1.0
    _: KW_ONLY
    max_iter: int = 200_000

    def fit(self, X, y):
        """Fit the classifier to labelled pairs.

        Parameters
        ----------
        X : array_like, shape (n_pairs, n_features)
            Distances of each pair in each feature.
        y : array_like of bool, shape (n_pairs,)
            Whether the pair is similar.

        Returns
        -------
        self

        Raises
        ------
        DataError
            If all pairs are of the same kind, or a label is not True, False, 1 or 0.
        """
        y = as_whole(y, "y, whether each pair is similar", 0, 1).astype(bool)
        if y.all() or not y.any():
            raise DataError(
                f"all {y.size} training pairs are {'similar' if y.any() else 'dissimilar'}: a "
                "classifier needs both kinds."
            )
        self.classes_ = np.array([False, True])
        self._scaler = StandardScaler().fit(X)
        self._machine = SVC(C=self.C, gamma=self.gamma, max_iter=self.max_iter, cache_size=500)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # if the steps are exhausted
            self._machine.fit(self._scaled(X), y)
        self.support_vectors_ = self._machine.support_vectors_
        self.n_features_in_ = self.support_vectors_.shape[1]
        return self

    def decision_function(self, X) -> np.ndarray:
        """Return the decision values, positive for similar pairs, shape (n_pairs,).

        Matrix products are many times faster than the solver's own loop.

        Raises
        ------
        NotFittedError
            Before `fit`.
        """
        check_is_fitted(self, "support_vectors_")
        X, machine = self._scaled(X), self._machine
        norms = (self.support_vectors_**2).sum(axis=1)
        values = np.empty(len(X))
        step = max(1, KERNEL_CELLS // max(norms.size, 1))
        for start in range(0, len(X), step):
            rows = X[start : start + step]
            kernel = rows @ self.support_vectors_.T
            kernel *= 2 * machine.gamma
            kernel -= machine.gamma * norms
            kernel -= machine.gamma * (rows**2).sum(axis=1)[:, None]
            np.exp(kernel, out=kernel)
            values[start : start + step] = kernel @ machine.dual_coef_[0]
        return on_grid(values + machine.intercept_[0])

    def _scaled(self, X) -> np.ndarray:
        """Return standardised features on a grid on which inner products are exact."""
        return on_grid(self._scaler.transform(X))

    def predict(self, X) -> np.ndarray:
        """Return whether each pair is similar, shape (n_pairs,)."""
        return self.decision_function(X) > 0
