"""A fit of relations, of whose restarts the best is kept, and its result."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from scipy.special import betaln, logsumexp
from threadpoolctl import threadpool_limits

from reseat.checks import check_between, check_flag, check_strength, check_whole
from reseat.errors import DataError
from reseat.numerics import TIE_BITS, product, rounded
from reseat.threads import Stopped, in_threads
from reseat.variational.ascent import Ascent, merge_clusters
from reseat.variational.parts import coincidences
from reseat.variational.problem import Problem, start
from reseat.variational.restarts import streams

# Numbers in memory at a time while cells are predicted.
_CHUNK = 2**21
# Sums of probabilities below this may have lost terms to underflow.
_SMALLEST = 1e-280


@dataclass(frozen=True)
class RelationalPosterior:
    """The variational posterior of one restart, with clusters by decreasing expected size.

    With `reorder` off, or if that has the higher bound, they are in the order of the start.

    Attributes
    ----------
    types : list of tuple of str
        The type at each place, for each relation.
    memberships : dict of ndarray of float64, (n_entities, n_clusters)
        q(z) of each type.
    tau : list of ndarray of float64, (2, n_clusters of each place...)
        Parameters of q(eta) = Beta(tau[0], tau[1]), for each relation.
    elbo : float
        In nats, without the u line; restarts are compared by it.
    entity_draws : float
        The u line, a constant of the data; ``elbo + entity_draws`` bounds the log evidence.
    elbo_trace : ndarray of float64, (n_iter + 1,)
        ELBO at the start and after each iteration.
    n_iter : int
    converged : bool
    restarts : DataFrame
        One row per restart: elbo, n_iter, converged, seconds of CPU time, and n_clusters_TYPE.

    Examples
    --------
    >>> from reseat.variational import Relation, fit_relational
    >>> relation = Relation.from_matrix([[5, 5, 0], [5, 5, 0], [0, 0, 5]])
    >>> sizes = {"row": 3, "column": 3}
    >>> fit_relational(relation, sizes, sizes, n_restarts=3, rng=1).n_clusters
    {'row': 2, 'column': 2}
    """

    types: list[tuple[str, ...]]
    memberships: dict[str, np.ndarray]
    tau: list[np.ndarray]
    elbo: float
    entity_draws: float
    elbo_trace: np.ndarray
    n_iter: int
    converged: bool
    restarts: pd.DataFrame = field(default=None, repr=False)

    @property
    def labels(self) -> dict[str, np.ndarray]:
        """Most probable cluster of each entity, the first among equals, int64, for each type."""
        return {kind: q.argmax(axis=1) for kind, q in self.memberships.items()}

    @property
    def sizes(self) -> dict[str, np.ndarray]:
        """Expected cluster sizes of each type, (n_clusters,)."""
        return {kind: q.sum(axis=0) for kind, q in self.memberships.items()}

    @property
    def n_clusters(self) -> dict[str, int]:
        """Number of clusters of each type that are most probable for some entity."""
        return {kind: np.unique(labels).size for kind, labels in self.labels.items()}

    def ordered(self, orders: Mapping[str, np.ndarray]) -> RelationalPosterior:
        """Return the same posterior with its clusters in another order.

        Parameters
        ----------
        orders : mapping of ndarray of int, (n_clusters,)
            Current number of the cluster at each new position, for each type.
        """
        memberships = {
            kind: np.ascontiguousarray(q[:, orders[kind]]) for kind, q in self.memberships.items()
        }
        places = [[np.arange(2), *(orders[kind] for kind in types)] for types in self.types]
        tau = [tau[np.ix_(*at)] for tau, at in zip(self.tau, places, strict=True)]
        return replace(self, memberships=memberships, tau=tau)

    def expected_link(self, relation: int = 0) -> np.ndarray:
        """Return E eta, the probability of a link in each combination of clusters.

        Parameters
        ----------
        relation : int
            Number of the relation in the order of the fit.

        Returns
        -------
        ndarray of float64, (n_clusters of each place...)
        """
        tau = self.tau[relation]
        return tau[0] / tau.sum(axis=0)

    def log_predictive(self, relation: int, coordinates, values, trials=None) -> np.ndarray:
        """Return the log probability of each of several further observations, nats.

        Parameters
        ----------
        relation : int
            As for `expected_link`.
        coordinates : array_like of int, (n_cells, n_places)
        values : array_like of int, (n_cells,)
            0 for one observation of no link, c > 0 for c observations of a link in the cell.
        trials : array_like of int, (n_cells,), optional
            Observations with and without a link, at least as many as the value.

        Returns
        -------
        ndarray of float64, (n_cells,)

        Raises
        ------
        DataError
            If a cell lies outside the table or a value is negative or not whole.
        """
        types, tau = self.types[relation], self.tau[relation]
        coordinates, values = np.asarray(coordinates), np.asarray(values)
        shape = [len(self.memberships[kind]) for kind in types]
        if coordinates.ndim != 2 or coordinates.shape[1] != len(types):
            raise DataError(
                f"coordinates must have one column for each of the {len(types)} places, but has "
                f"shape {coordinates.shape}."
            )
        if values.shape != (len(coordinates),):
            raise DataError(f"values must contain one number for each of {len(coordinates)} cells.")
        outside = np.flatnonzero(((coordinates < 0) | (coordinates >= shape)).any(axis=1))
        if outside.size:
            raise DataError(
                f"row {outside[0]}: the cell {tuple(coordinates[outside[0]].tolist())} is outside "
                f"the table, which has the shape {tuple(shape)}."
            )
        wrong = np.flatnonzero(~((values >= 0) & (values < np.inf) & (values == np.floor(values))))
        if wrong.size:
            raise DataError(
                f"row {wrong[0]} has the value {values[wrong[0]]}; values must be whole numbers, "
                "0 or more."
            )
        missed = values == 0 if trials is None else np.asarray(trials) - values
        result = np.empty(len(coordinates))
        for value, more in np.unique(np.stack([values, missed]), axis=1).T:
            log = betaln(tau[0] + value, tau[1] + more) - betaln(*tau)
            chosen = np.flatnonzero((values == value) & (missed == more))
            mean = self._mean(np.exp(log - log.max()), types, coordinates[chosen])
            # Far from all large entries, terms may underflow: sum such cells on the log scale.
            low = mean < _SMALLEST
            result[chosen[~low]] = np.log(mean[~low]) + log.max()
            for cell in chosen[low]:
                result[cell] = self._log_mean(log, types, coordinates[cell])
        return result

    def _log_mean(self, log: np.ndarray, types, cell: np.ndarray) -> float:
        """Return the log of the expectation of the exponential of a table's entry, for one cell."""
        groups = coincidences(types, cell[None])
        axes, places = next((axes, places) for axes, places, _, belongs in groups if belongs[0])
        terms = np.einsum(log, list(axes), list(range(len(places))))
        with np.errstate(divide="ignore"):
            for axis, place in enumerate(places):
                weights = np.log(self.memberships[types[place]][cell[place]])
                terms = terms + weights.reshape([-1 if i == axis else 1 for i in range(terms.ndim)])
        return float(logsumexp(terms))

    def _mean(self, table: np.ndarray, types, coordinates: np.ndarray) -> np.ndarray:
        """Return the expectation of a table's entry at the clusters of each cell's entities."""
        result = np.empty(len(coordinates))
        for axes, places, _, belongs in coincidences(types, coordinates):
            chosen = np.flatnonzero(belongs)
            part = np.einsum(table, list(axes), list(range(len(places))))
            first = part.reshape(len(part), -1)
            step = max(_CHUNK // first.shape[1], 1)
            for begin in range(0, chosen.size, step):
                cells = chosen[begin : begin + step]
                rows = (self.memberships[types[k]][coordinates[cells, k]] for k in places)
                rest = product(next(rows), first).reshape(len(cells), *part.shape[1:])
                for row in rows:
                    rest = np.einsum("na,na...->n...", row, rest)
                result[cells] = rest.reshape(len(cells))
        return result


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
    """Cluster the entities of relations by variational inference (Kurihara et al. 2006, section 6).

    Each restart climbs from a start of its own until the ELBO hardly changes.

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
        Memberships are 0.9 on a random cluster, Dirichlet(0.1) or (1), or 0.9 on one of profiles.
    reorder : bool
        Whether clusters are sorted by decreasing size, which the prior favours, during the ascent.
    merge : bool
        Whether clusters are merged when a restart has converged, before it continues, until no
        merge gains more than `tol` of the ELBO or `max_iter` is reached.
    n_restarts, threads : int
        Number of restarts, and of those that run at a time, which does not change the result.
    tol, max_iter : float, int
        Relative change of the ELBO, or number of updates of every block, at which ascents stop.
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
        relations, n_entities, truncation, concentration=concentration, beta=beta, reorder=reorder
    )
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
