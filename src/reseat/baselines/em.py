"""Expectation-maximisation for the mixture of multinomials, and its restarts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from reseat.baselines import _em
from reseat.checks import as_labels, check_between, check_choice, check_whole
from reseat.counts import canonical_counts
from reseat.errors import ConfigError, DataError
from reseat.threads import Stopped, in_threads

# In the model of Walker & Ringger (2008, section 2), document d belongs to cluster k with
# probability lambda_k, and its words are independent draws from theta_k. EM climbs to a point
# estimate of both, where the paper's sampler integrates them out.

SMOOTHINGS = ("laplace", "mle")
STARTS = ("dirichlet", "uniform", "labels")


@dataclass(frozen=True)
class EMResult:
    """The result of one run of EM.

    Attributes
    ----------
    labels : ndarray of int32, (n_documents,)
        Cluster with the largest responsibility, the lowest if tied.
    log_weights : ndarray of float64, (n_clusters,)
    log_theta : ndarray of float64, (n_clusters, n_features), or None
        Word probabilities, if kept.  With ``mle``, those of words and clusters may be 0.
    objective : ndarray of float64, (n_iterations,)
        What EM increases, in nats, at the parameters of each iteration, the last of which are given
        here: ``log p(w | lambda, theta)`` and, for ``laplace``, ``sum_k log lambda_k + sum_kv log
        theta_kv``, the log Dirichlet(2) priors without their constants.
    n_iterations : int
        Number of E-steps.
    converged : bool
    responsibilities : ndarray of float64, (n_documents, n_clusters), or None
        Posterior probabilities of the clusters, if they were to be kept.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.baselines import fit_em
    >>> counts = np.array([[9, 0], [8, 1], [0, 9], [1, 8]])
    >>> result = fit_em(counts, 2, rng=np.random.default_rng(1))
    >>> result.labels.shape, result.converged
    ((4,), True)
    """

    labels: np.ndarray
    log_weights: np.ndarray
    log_theta: np.ndarray | None
    objective: np.ndarray
    n_iterations: int
    converged: bool
    responsibilities: np.ndarray | None = None


def fit_em(
    counts,
    n_clusters: int,
    *,
    smoothing: str = "laplace",
    start: str = "dirichlet",
    labels=None,
    rng,
    max_iterations: int = 500,
    tolerance: float = 1e-6,
    on_iteration: Callable[[int, float], object] | None = None,
    on_labels: Callable[[int, np.ndarray], object] | None = None,
    keep_responsibilities: bool = False,
    start_concentration: float = 1.0,
) -> EMResult:
    """Climb to a mode of the mixture of multinomials from one starting point.

    The E-step takes g_dk proportional to lambda_k prod_v theta_kv^d_v; the M-step takes, with s = 1
    for ``laplace`` and s = 0 for ``mle``, lambda_k = (s + sum_d g_dk) / (s K + M) and
    theta_kv = (s + sum_d g_dk d_v) / (s V + sum_d g_dk N_d).

    Parameters
    ----------
    counts : sparse or dense matrix of counts, (n_documents, n_features)
        A document without words is shared out by the weights.
    n_clusters : int
        K, at most the number of documents.
    smoothing : {"laplace", "mle"}
        Add-one estimates (the mode under Dirichlet(2) priors), or maximum likelihood, under which a
        cluster without documents dies, and one without words gets uniform probabilities.
    start : {"dirichlet", "uniform", "labels"}
        Equal weights and Dirichlet draws of word probabilities; equal weights and uniform draws
        over their sum, which are more alike; or the M-step of hard labels.
    labels : array of int, (n_documents,), optional
        The labels of ``start="labels"``, in 0..K-1; by default drawn uniformly.
    rng : numpy.random.Generator, SeedSequence or int
        Source of the random start.
    max_iterations : int
    tolerance : float
        Relative change of the objective at which to stop.
    on_iteration : callable (iteration, objective), optional
        Called after each E-step, counted from 1.
    on_labels : callable (iteration, labels), optional
        The same with the labels at that E-step, an array that the next one changes.
    keep_responsibilities : bool
    start_concentration : float
        Parameter of the symmetric Dirichlet of that start: the larger, the more alike.

    Raises
    ------
    reseat.errors.DataError
        For an empty corpus, wrong counts, or labels that do not match the rest.
    reseat.errors.ConfigError
        For K above the number of documents, no `rng` for a draw, or another wrong setting.
    """
    if rng is None and labels is None:
        raise ConfigError("rng is None, but the start is drawn; give a generator or a seed.")
    rng = np.random.default_rng(rng)
    documents = check_documents(counts)
    if not documents.counts.size:
        raise DataError("The corpus is empty: no document has a feature.")
    n_clusters = check_whole("n_clusters", n_clusters, 1)
    max_iterations = check_whole("max_iterations", max_iterations, 1)
    if n_clusters > documents.n_documents:
        raise ConfigError(
            f"n_clusters is {n_clusters}, but there are only {documents.n_documents} documents: "
            "ask for at most one cluster per document."
        )
    check_between("tolerance", tolerance, 0)
    check_choice("smoothing", smoothing, SMOOTHINGS)
    check_choice("start", start, STARTS)
    check_between("start_concentration", start_concentration, 1e-3, 1e6)
    if labels is not None and start != "labels":
        raise DataError(f'labels are given but start is "{start}": set start="labels".')

    state = _State(documents, n_clusters, smoothing)
    if start == "labels":
        if labels is None:
            labels = rng.integers(n_clusters, size=documents.n_documents, dtype=np.int32)
        state.start_from_labels(as_labels(labels, documents.n_documents, n_clusters))
    else:
        shape = (documents.n_features, n_clusters)
        # Independent gamma variates, normalised by cluster, are Dirichlet.
        if start == "uniform":
            draws = rng.random(shape)
        elif start_concentration == 1.0:
            draws = rng.standard_exponential(shape)
        else:
            draws = rng.standard_gamma(start_concentration, shape)
        state.start_from_words(draws)

    objective: list[float] = []
    converged = False
    while True:
        objective.append(state.expectation())
        if on_iteration is not None:
            on_iteration(len(objective), objective[-1])
        if on_labels is not None:
            on_labels(len(objective), state.labels)
        if len(objective) > 1:
            change = abs(objective[-1] - objective[-2])
            # Infinity minus infinity is not convergence: comparisons with NaN are false.
            converged = bool(change <= tolerance * abs(objective[-2]))
        if converged or len(objective) == max_iterations:
            break
        state.maximisation()

    log_weights, log_theta = state.log_weights, state.log_theta
    kept = _predict(documents, log_weights, log_theta)[1] if keep_responsibilities else None
    return EMResult(
        state.labels, log_weights, log_theta.T, np.array(objective), len(objective), converged, kept
    )


def predict_em(counts, log_weights, log_theta) -> tuple[np.ndarray, np.ndarray, float]:
    """Cluster documents, possibly new ones, under given parameters (one E-step).

    Parameters
    ----------
    counts : sparse or dense matrix of counts, (n_documents, n_features)
    log_weights : array_like, (n_clusters,)
    log_theta : array_like, (n_clusters, n_features)
        Both may be -inf, of words without effect on documents without them.

    Returns
    -------
    labels : ndarray of int32, (n_documents,)
        As in `EMResult`.
    responsibilities : ndarray of float64, (n_documents, n_clusters)
        A document that is empty, or impossible under every cluster, gets the mixture weights.
    log_likelihood : float
        Sum over the documents in nats; -inf if one of them is impossible.

    Raises
    ------
    reseat.errors.DataError
        For counts that cannot be read or parameters that do not match them.
    """
    documents = check_documents(counts)
    log_weights = np.ascontiguousarray(log_weights, dtype=float)
    log_theta = np.asarray(log_theta, dtype=float)
    expected = (log_weights.size, documents.n_features)
    if log_weights.ndim != 1 or log_theta.shape != expected or not log_weights.size:
        raise DataError(
            f"log_theta must have one row per cluster and one column per feature, {expected}, but "
            f"has shape {log_theta.shape}."
        )
    for name, values in (("log_weights", log_weights), ("log_theta", log_theta)):
        if not (values < np.inf).all():
            raise DataError(f"{name} must not contain NaN or an infinite weight.")
    if not (log_weights > -np.inf).any():
        raise DataError("log_weights must give weight to at least one cluster.")
    return _predict(documents, log_weights, np.ascontiguousarray(log_theta.T))


def _predict(documents: Documents, log_weights: np.ndarray, log_theta: np.ndarray):
    n_clusters = log_weights.size
    labels = np.empty(documents.n_documents, dtype=np.int32)
    responsibilities = np.empty((documents.n_documents, n_clusters))
    log_likelihood = _em.expectation(
        *documents[:3], log_theta, log_weights, 0.0, np.full(documents.n_documents, -np.inf),
        np.empty_like(log_theta), np.empty(n_clusters), labels, responsibilities,
    )  # fmt: skip
    return labels, responsibilities, log_likelihood


def negligible(documents: Documents, pseudo_count: float) -> np.ndarray:
    """Return the log below which a responsibility of each document adds nothing to sums from 1."""
    if not pseudo_count:
        return np.full(documents.n_documents, -np.inf)
    largest = np.ones(documents.n_documents)
    filled = np.flatnonzero(np.diff(documents.indptr))
    largest[filled] = np.maximum.reduceat(documents.counts, documents.indptr[filled])
    return -60.0 * np.log(2.0) - np.log(largest)


class _State:
    """Parameters, sums and labels of one run; arrays over words are word-major."""

    def __init__(self, documents: Documents, n_clusters: int, smoothing: str):
        self.documents = documents
        self.pseudo_count = 1.0 if smoothing == "laplace" else 0.0
        shape = (documents.n_features, n_clusters)
        self.log_theta = np.empty(shape)
        self.term_sums = np.empty(shape)
        self.log_weights = np.empty(n_clusters)
        self.document_sums = np.empty(n_clusters)
        self.labels = np.empty(documents.n_documents, dtype=np.int32)
        self.log_cutoffs = negligible(documents, self.pseudo_count)

    def start_from_words(self, draws: np.ndarray) -> None:
        # A draw of exactly 0 is possible and would rule out a word for ever.
        np.maximum(draws, np.finfo(float).tiny, out=self.term_sums)
        self._set_log_theta()
        self.log_weights[:] = -np.log(self.log_weights.size)

    def start_from_labels(self, labels: np.ndarray) -> None:
        documents, n_clusters = self.documents, self.document_sums.size
        # Sums of whole numbers are exact in any order.
        cells = documents.indices.astype(np.int64) * n_clusters
        cells += np.repeat(labels, np.diff(documents.indptr))
        sums = np.bincount(cells, documents.counts, minlength=self.term_sums.size)
        self.term_sums[:] = self.pseudo_count + sums.reshape(self.term_sums.shape)
        self.document_sums[:] = self.pseudo_count + np.bincount(labels, minlength=n_clusters)
        self.maximisation()

    def expectation(self) -> float:
        """Make the E-step at the current parameters; return the objective there."""
        objective = _em.expectation(
            *self.documents[:3], self.log_theta, self.log_weights, self.pseudo_count,
            self.log_cutoffs, self.term_sums, self.document_sums, self.labels,
        )  # fmt: skip
        if self.pseudo_count:
            objective += float(self.log_weights.sum() + _em.column_sums(self.log_theta).sum())
        return objective

    def maximisation(self) -> None:
        """Make the M-step from the sums of the last E-step, or of hard labels."""
        with np.errstate(divide="ignore"):
            np.log(self.document_sums / self.document_sums.sum(), out=self.log_weights)
        self._set_log_theta()

    def _set_log_theta(self) -> None:
        totals = _em.column_sums(self.term_sums)
        # Under "mle", a cluster without words, or next to none, may have any distribution.
        wordless = totals < np.finfo(float).tiny
        if wordless.any():
            self.term_sums[:, wordless] = 1.0
            totals[wordless] = self.term_sums.shape[0]
        # numpy's logarithm is vectorised and releases the GIL.
        with np.errstate(divide="ignore"):
            np.log(self.term_sums, out=self.log_theta)
        self.log_theta -= np.log(totals)


def fit_em_restarts(
    counts,
    n_clusters: int,
    *,
    rngs: Sequence,
    labels: Sequence | None = None,
    threads: int = 1,
    keep_parameters: bool = False,
    on_iteration: Callable[[int, int, float], object] | None = None,
    on_labels: Callable[[int, int, np.ndarray], object] | None = None,
    on_restart: Callable[[int, EMResult], object] | None = None,
    **settings,
) -> list[EMResult]:
    """Run EM once for each generator of `rngs`.

    The results do not depend on the number of threads or on the order in which the runs end.

    Parameters
    ----------
    counts, n_clusters
        As for `fit_em`.
    rngs : sequence of numpy.random.Generator, SeedSequence or int
        One source of randomness per restart; a generator must not occur twice.
    labels : sequence of arrays of int, (n_documents,) each, optional
        One labelling per restart for ``start="labels"``.
    threads : int
        Number of runs at a time.  Each needs two tables of n_features × n_clusters doubles.
    keep_parameters : bool
        Whether the results keep `log_theta`, which takes most of their memory.
    on_iteration, on_labels : callable, optional
        As for `fit_em`, but with the number of the restart first, from the run's own thread.
    on_restart : callable (restart, result), optional
        Called from there when the run has ended.
    **settings
        Other settings of `fit_em`.

    Returns
    -------
    list of EMResult
        In the order of `rngs`.

    Raises
    ------
    reseat.errors.DataError, reseat.errors.ConfigError
        As in `fit_em`; or if `labels` do not match, a generator is shared, or `threads` is below 1.
    """
    documents = check_documents(counts)
    rngs = list(rngs)
    threads = check_whole("threads", threads, 1)
    shared = [rng for rng in rngs if isinstance(rng, (np.random.Generator, np.random.BitGenerator))]
    if len({id(rng) for rng in shared}) < len(shared):
        raise ConfigError("rngs contains the same generator twice: each restart needs its own.")
    if labels is None:
        labels = [None] * len(rngs)
    elif len(labels) != len(rngs):
        raise DataError(
            f"There are {len(labels)} labellings for {len(rngs)} restarts: there must be one per "
            "restart."
        )
    stop = threading.Event()

    def run(restart: int) -> EMResult:
        def report(iteration: int, objective: float) -> None:
            if stop.is_set():
                raise Stopped(f"restart {restart} stopped after iteration {iteration}")
            if on_iteration is not None:
                on_iteration(restart, iteration, objective)

        if stop.is_set():
            raise Stopped(f"restart {restart} was not started")
        result = fit_em(
            documents,
            n_clusters,
            labels=labels[restart],
            rng=np.random.default_rng(rngs[restart]),
            on_iteration=report,
            on_labels=None if on_labels is None else partial(on_labels, restart),
            **settings,
        )
        if not keep_parameters:
            result = replace(result, log_theta=None)
        if on_restart is not None:
            on_restart(restart, result)
        return result

    return in_threads(run, range(len(rngs)), threads, stop)


class Documents(NamedTuple):
    """Term counts as the kernels read them: sparse rows without stored zeros."""

    indptr: np.ndarray  # int64, (n_documents + 1,)
    indices: np.ndarray  # int32, (n_stored,)
    counts: np.ndarray  # int32, (n_stored,), all positive
    n_documents: int
    n_features: int


def check_documents(counts) -> Documents:
    """Return counts as `Documents`, or raise a DataError; they are not changed."""
    if isinstance(counts, Documents):
        return counts
    matrix = canonical_counts(counts)
    return Documents(
        matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data, *matrix.shape
    )
