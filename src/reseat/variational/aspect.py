"""The aspect model of pairs, p(a, n) = sum_c p(c) p(a | c) p(n | c) (Hofmann & Puzicha 1998).

Steps of EM are extrapolated (SQUAREM of Varadhan & Roland 2008): EM crawls along flat ridges.
"""

import threading
import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from reseat.checks import check_between, check_whole
from reseat.counts import canonical_counts
from reseat.errors import DataError
from reseat.numerics import rounded
from reseat.threads import Stopped, in_threads
from reseat.variational import _aspect
from reseat.variational.restarts import Seed, streams

#: Binary digits of a log likelihood that are the same on every processor.
SURE_BITS = 40

#: An extrapolation leaves each weight at least this share of what EM gives it.
LEAST = 0.1


@dataclass(eq=False, repr=False)
class AspectModel(BaseEstimator):
    """Soft classes of pairs, fitted to counts by EM from several starts.

    Parameters
    ----------
    n_classes : int
    n_starts, threads : int
        Number of starts, with all distributions drawn from Dirichlet(1), of which the best is kept,
        and of those that run at a time, on which the result does not depend.
    max_iter, tol : int, float
        Largest number of iterations, of three steps of EM each, and relative change of the log
        likelihood in one at which a start stops.
    random_state : int, numpy.random.SeedSequence, Generator or RandomState, optional

    Attributes
    ----------
    class_weights_ : ndarray of float64, (n_classes,)
        p(c).
    row_weights_, column_weights_ : ndarray of float64, (n_rows or n_columns, n_classes)
        p(a | c) and p(n | c); columns add up to 1.
    log_likelihood_ : float
        Nats: sum of C log p(a, n).
    log_likelihood_trace_ : ndarray of float64, (n_iter,)
        At the beginning of each iteration; it never falls.
    starts_ : DataFrame
        One row per start: log_likelihood, n_iter, converged.
    weights_ : list of tuple of ndarray
        The weights of classes, rows and columns, as above, of each start.

    Examples
    --------
    >>> from reseat.variational import AspectModel
    >>> model = AspectModel(n_classes=2, n_starts=3, random_state=1).fit([[9, 0], [8, 0], [0, 7]])
    >>> model.class_weights_.round(2).tolist()
    [0.29, 0.71]
    """

    n_classes: int = 50
    n_starts: int = 10
    max_iter: int = 500
    tol: float = 1e-7
    threads: int = 1
    random_state: Seed = None

    def fit(self, X, y=None):
        """Fit the classes to a table of counts.

        Parameters
        ----------
        X : sparse or dense matrix of counts, (n_rows, n_columns)
            A row without pairs gets probability 0 in every class.
        y : ignored

        Returns
        -------
        self

        Raises
        ------
        DataError
            If a count is negative, not whole or not a number, or all are 0.
        ConfigError
            If a setting is below 1, or `tol` below 0.

        Warns
        -----
        ConvergenceWarning
            If the best start did not converge within `max_iter` iterations.
        """
        n_classes = check_whole("n_classes", self.n_classes, 1)
        n_starts = check_whole("n_starts", self.n_starts, 1)
        max_iter = check_whole("max_iter", self.max_iter, 1)
        threads = check_whole("threads", self.threads, 1)
        tol = check_between("tol", self.tol, 0)
        counts = canonical_counts(X, "the table: ", "row {}".format)
        if not counts.nnz:
            raise DataError("the table has no positive counts, so there is nothing to fit.")
        indices = counts.indices.astype(np.int32)
        pairs = counts.indptr.astype(np.int64), indices, counts.data.astype(float)
        sources = streams(self.random_state, n_starts)

        validate_data(self, X, skip_check_array=True)  # sets the number and names of columns
        stop = threading.Event()

        def run(number: int) -> _Start:
            if stop.is_set():
                raise Stopped(f"start {number} was not run")
            start = _Start(counts.shape, n_classes, np.random.default_rng(sources[number]))
            start.climb(pairs, max_iter, tol, stop.is_set)
            return start

        starts = in_threads(run, range(n_starts), threads, stop)
        best = max(starts, key=lambda start: start.trace[-1])
        self.weights_ = [start.parts for start in starts]
        self.class_weights_, self.row_weights_, self.column_weights_ = best.parts
        self.log_likelihood_trace_ = np.array(best.trace)
        self.log_likelihood_ = best.trace[-1]
        rows = [(start.trace[-1], len(start.trace), start.converged) for start in starts]
        self.starts_ = pd.DataFrame(rows, columns=["log_likelihood", "n_iter", "converged"])
        if not best.converged:
            warnings.warn(
                f"The best start did not converge within max_iter={max_iter} iterations; increase "
                "max_iter or tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def pair_labels(self, rows: slice | None = None, start: int | None = None) -> np.ndarray:
        """Return the most probable class, the lowest among equals, of pairs of a row and a column.

        Parameters
        ----------
        rows : slice, optional
            All by default; all columns are taken.
        start : int, optional
            Number of the start whose classes these are; the best by default.

        Returns
        -------
        ndarray of int32, (n_rows, n_columns)

        Raises
        ------
        NotFittedError
            Before `fit`.
        """
        check_is_fitted(self, "row_weights_")
        parts = self.class_weights_, self.row_weights_, self.column_weights_
        p_class, p_row, p_column = parts if start is None else self.weights_[start]
        chosen = np.ascontiguousarray(p_row[slice(None) if rows is None else rows] * p_class)
        best, labels = np.empty(len(p_column)), np.empty((len(chosen), len(p_column)), np.int32)
        _aspect.label_pairs(chosen, np.ascontiguousarray(p_column.T), best, labels)
        return labels


class _Start:
    """One start: its parameters, and the log likelihood at the beginning of each iteration."""

    def __init__(self, shape, n_classes: int, rng):
        classes = rng.dirichlet(np.ones(n_classes))
        #: p(c, a) of all rows and, below them, p(c, n) of all columns.
        found = [rng.dirichlet(np.ones(n), size=n_classes).T for n in shape]
        self.weights = np.ascontiguousarray(np.concatenate(found) * classes)
        self.n_rows = shape[0]
        self.trace: list[float] = []
        self.converged = False

    @property
    def parts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """p(c), p(a | c) and p(n | c)."""
        rows, columns = self.weights[: self.n_rows], self.weights[self.n_rows :]
        return rows.sum(axis=0) / rows.sum(), _shares(rows), _shares(columns)

    def climb(self, pairs, max_iter: int, tol: float, stopped) -> None:
        """Make iterations of EM with squared extrapolation, none of which lowers the likelihood."""
        while not stopped():
            likelihood, once = self._step(pairs, self.weights)
            self.trace.append(likelihood)
            if len(self.trace) > 1:
                change = abs(likelihood - self.trace[-2])
                self.converged = bool(change <= tol * abs(self.trace[-2]))
            if self.converged or len(self.trace) == max_iter:
                break
            lowest, twice = self._step(pairs, once)
            speed = once - self.weights
            bend = twice - once - speed
            curved = (bend * bend).sum()
            length = np.sqrt((speed * speed).sum() / curved) if curved > 0 else 1.0
            far = self.weights + 2 * length * speed + length * length * bend
            reached, after = self._step(pairs, np.maximum(far, LEAST * twice))
            # Where EM has arrived, they differ in digits that depend on the processor.
            falls = rounded(reached, SURE_BITS) < rounded(lowest, SURE_BITS)
            self.weights = twice if falls else after

    def _step(self, pairs, weights: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the log likelihood of weights, and those to which a step of EM leads from them."""
        rows, columns = weights[: self.n_rows], weights[self.n_rows :]
        sums = np.empty_like(weights)
        likelihood = _aspect.expectation(
            *pairs, rows / rows.sum(), _shares(columns), sums[: self.n_rows], sums[self.n_rows :]
        )
        return likelihood, sums / sums[: self.n_rows].sum()


def _shares(weights: np.ndarray) -> np.ndarray:
    """Return the distribution of each class; one that has lost all its pairs has none."""
    return weights / np.maximum(weights.sum(axis=0), np.finfo(float).tiny)
