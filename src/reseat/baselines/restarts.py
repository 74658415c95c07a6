"""Several runs of EM from different starting points, in threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from reseat.baselines._checks import check_documents
from reseat.baselines.em import EMResult, fit_em
from reseat.errors import ConfigError, DataError
from reseat.threads import Stopped, in_threads

__all__ = ["fit_em_restarts"]


def fit_em_restarts(
    counts,
    n_clusters: int,
    *,
    rngs: Sequence,
    labels: Sequence | None = None,
    threads: int = 1,
    keep_parameters: bool = False,
    on_iteration: Callable[[int, int, float], object] | None = None,
    on_restart: Callable[[int, EMResult], object] | None = None,
    **settings,
) -> list[EMResult]:
    """Run EM once for each generator of `rngs`.

    The runs share nothing but the counts, so the results are the same to the
    byte, whatever the number of threads and the order in which the runs end.

    Parameters
    ----------
    counts : sparse or dense matrix of counts, (n_documents, n_features)
        Read and checked once for all runs.
    n_clusters : int
        K, at most the number of documents.
    rngs : sequence of numpy.random.Generator, SeedSequence or int
        One source of randomness per restart; a generator must not occur twice.
    labels : sequence of arrays of int, (n_documents,) each, optional
        One labelling per restart for ``start="labels"``, for instance the last
        samples of Gibbs chains.
    threads : int
        Number of runs at a time.  Each needs two tables of n_features × n_clusters
        doubles; the counts are shared.
    keep_parameters : bool
        Whether the results keep `log_theta`, which takes most of their memory;
        it is None otherwise.
    on_iteration : callable (restart, iteration, objective), optional
        Called from the run's own thread after each E-step.
    on_restart : callable (restart, result), optional
        Called from the run's own thread when it has ended.
    **settings
        Passed to `fit_em`: smoothing, start, max_iterations, tolerance,
        keep_responsibilities.

    Returns
    -------
    list of EMResult
        In the order of `rngs`.

    Raises
    ------
    reseat.errors.DataError, reseat.errors.ConfigError
        As in `fit_em`; and if `labels` and `rngs` differ in length, a generator
        is shared, or `threads` is below 1.
    """
    documents = check_documents(counts)
    rngs = list(rngs)
    if not isinstance(threads, (int, np.integer)) or threads < 1:
        raise ConfigError(f"threads must be a whole number of at least 1, not {threads!r}.")
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
            **settings,
        )
        if not keep_parameters:
            result = replace(result, log_theta=None)
        if on_restart is not None:
            on_restart(restart, result)
        return result

    return in_threads(run, range(len(rngs)), threads, stop)
