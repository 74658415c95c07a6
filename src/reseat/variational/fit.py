"""Restarts of the ascent in threads; the best is kept."""

import threading
import time
from dataclasses import replace

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from reseat.checks import check_between, check_flag, check_strength, check_whole
from reseat.numerics import TIE_BITS, rounded
from reseat.threads import Stopped, in_threads
from reseat.variational.ascent import Ascent, merge_clusters
from reseat.variational.posterior import RelationalPosterior
from reseat.variational.problem import Problem, start
from reseat.variational.restarts import streams


def fit_relational(
    relations,
    n_entities,
    truncation,
    *,
    concentration=1.0,
    beta: float = 0.1,
    alpha: float = 1.0,
    initialisation: str = "hard",
    reorder: bool = True,
    merge: bool = False,
    n_restarts: int = 30,
    threads: int = 1,
    tol: float = 1e-6,
    max_iter: int = 500,
    rng=None,
    on_restart=None,
) -> RelationalPosterior:
    """Cluster the entities of relations by variational inference.

    Kurihara, Kameya & Sato (2006), for any number of types (their section 6).  Each restart climbs
    from a start of its own until the relative change of the ELBO is at most `tol`.

    Parameters
    ----------
    relations : Relation or sequence of Relation
        A type may take part in several.
    n_entities, truncation : dict of int
        Number of entities and largest number of clusters of each type.
    concentration : float or dict of float
        Concentration of the stick-breaking prior (gamma in the paper) of all types, or of each.
    beta : float
        Both parameters of the Beta prior of the probability of a link.
    alpha : float
        Parameter of the Dirichlet prior of which entities are drawn, for `entity_draws`.
    initialisation : {"hard", "dirichlet_01", "dirichlet_1", "k_means"}
        See `reseat.variational.problem`.
    reorder : bool
        Whether clusters are sorted by decreasing size, which the prior favours, during the ascent.
    merge : bool
        Whether clusters are merged when a restart has converged, before it continues, until no
        merge gains more than `tol` of the ELBO or `max_iter` is reached.
    n_restarts : int
    threads : int
        Number of restarts that run at a time, which does not change the result.
    tol : float
        Relative change of the ELBO at which the ascent stops.
    max_iter : int
        Largest number of iterations; each updates every block once.
    rng : int, numpy.random.SeedSequence or numpy.random.Generator, optional
        Source of the random streams of the restarts, none of which depends on their number.
    on_restart : callable (restart, RelationalPosterior), optional
        Called in the restart's own thread when it has ended.

    Returns
    -------
    RelationalPosterior
        That of the restart with the largest ELBO, the first among equals, with the table of all.

    Raises
    ------
    DataError, ConfigError
        If a relation or a setting cannot be used; the message says why.
    """
    problem = Problem.of(
        relations, n_entities, truncation,
        concentration=concentration, beta=beta, reorder=reorder,
    )  # fmt: skip
    n_restarts = check_whole("n_restarts", n_restarts, 1)
    threads = check_whole("threads", threads, 1)
    check_flag("merge", merge)
    max_iter = check_whole("max_iter", max_iter, 1)
    tol = check_between("tol", tol, 0)
    alpha = check_strength("alpha", alpha)
    draws = problem.entity_draws(alpha)
    seeds = streams(rng, n_restarts)
    best: list[tuple[tuple[float, int], RelationalPosterior]] = []
    lock, stop = threading.Lock(), threading.Event()

    def run(restart: int) -> dict:
        if stop.is_set():
            raise Stopped(f"restart {restart} was not started")
        begin = time.thread_time()
        memberships = start(initialisation, problem, np.random.default_rng(seeds[restart]))
        posterior = _climb(problem, memberships, draws, tol, max_iter, stop.is_set, merge)
        seconds = time.thread_time() - begin
        if on_restart is not None:
            on_restart(restart, posterior)
        # Restarts that reached the same bound may differ in the last digits.
        key = (float(rounded(posterior.elbo, TIE_BITS)), -restart)
        with lock:
            if not best or key > best[0][0]:
                best[:] = [(key, posterior)]  # no other one has to be kept
        return {
            "restart": restart, "elbo": posterior.elbo, "n_iter": posterior.n_iter,
            "converged": posterior.converged, "seconds": seconds,
            **{f"n_clusters_{kind}": n for kind, n in posterior.n_clusters.items()},
        }  # fmt: skip

    # One thread per product: the last bits of a sum must not depend on how threads divide it.
    with threadpool_limits(1, user_api="blas"):
        rows = in_threads(run, range(n_restarts), threads, stop)
    return replace(best[0][1], restarts=pd.DataFrame(rows))


def _climb(problem, memberships, draws, tol, max_iter, stopped, merge) -> RelationalPosterior:
    ascent = Ascent(problem, memberships)
    trace = [ascent.elbo()]

    def run_cavi() -> bool:
        while len(trace) <= max_iter and not stopped():
            ascent.sweep()
            trace.append(ascent.elbo())
            if abs(trace[-1] - trace[-2]) <= tol * abs(trace[-2]):
                return True
        return False

    converged = run_cavi()
    # Only if a sweep can follow: the bound of what was merged is not in the trace.
    while merge and converged and len(trace) <= max_iter:
        merged = merge_clusters(ascent, tol * abs(trace[-1]))
        if merged is None:
            break
        ascent.take(merged)
        converged = run_cavi()
    found = RelationalPosterior(
        types=[relation.types for relation in problem.relations],
        memberships=ascent.memberships,
        tau=[links.tau for links in ascent.links],
        elbo=trace[-1],
        entity_draws=draws,
        elbo_trace=np.array(trace),
        n_iter=len(trace) - 1,
        converged=bool(converged),
    )
    return found.ordered({kind: sticks.order for kind, sticks in ascent.sticks.items()})
