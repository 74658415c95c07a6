"""The result of a fit of relations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from scipy.special import betaln, logsumexp

from reseat.errors import DataError
from reseat.numerics import product
from reseat.variational.parts import coincidences

# Numbers in memory at a time while cells are predicted.
_CHUNK = 2**21
# Sums of probabilities below this may have lost terms to underflow.
_SMALLEST = 1e-280


@dataclass(frozen=True)
class RelationalPosterior:
    """The variational posterior of one restart, with clusters by decreasing expected size.

    (They are in the order of the start if that has the higher bound, or with `reorder` off.)

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
    >>> import numpy as np
    >>> from reseat.variational import Relation, fit_relational
    >>> relation = Relation.from_matrix(np.kron(np.eye(2, dtype=int), np.full((4, 4), 5)))
    >>> sizes, most = {"row": 8, "column": 8}, {"row": 4, "column": 4}
    >>> posterior = fit_relational(relation, sizes, most, n_restarts=3, rng=1)
    >>> posterior.n_clusters
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
        return replace(
            self,
            memberships={
                kind: np.ascontiguousarray(q[:, orders[kind]])
                for kind, q in self.memberships.items()
            },
            tau=[
                tau[np.ix_(np.arange(2), *(orders[kind] for kind in types))]
                for types, tau in zip(self.types, self.tau, strict=True)
            ],
        )

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
        """Return the log probability of each of several further observations under the posterior.

        Parameters
        ----------
        relation : int
            Number of the relation in the order of the fit.
        coordinates : array_like of int, (n_cells, n_places)
        values : array_like of int, (n_cells,)
            0 for one observation of no link, c > 0 for c observations of a link in the cell.
        trials : array_like of int, (n_cells,), optional
            Observations with and without a link, at least as many as the value.

        Returns
        -------
        ndarray of float64, (n_cells,)
            Nats.

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
                rows = [self.memberships[types[place]][coordinates[cells, place]]
                        for place in places]  # fmt: skip
                rest = product(rows[0], first).reshape(len(cells), *part.shape[1:])
                for row in rows[1:]:
                    rest = np.einsum("na,na...->n...", row, rest)
                result[cells] = rest.reshape(len(cells))
        return result
