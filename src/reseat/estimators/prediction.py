"""Prediction of the clusters of new items from the posterior draws of the fitted items."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from reseat.chains import MixtureModel
from reseat.estimators.sampling import evenly
from reseat.moves import RestrictedSweep

#: Label of an item that belongs to none of the clusters of the fit.
NEW = -1
#: Largest number of draws to which new items are added, and sweeps in the first and in the others.
N_DRAWS, N_FIRST, N_SWEEPS = 50, 10, 2

_if_extensible = available_if(lambda self: self._of_fit()._check_extensible())


class Extended(NamedTuple):
    """The items of a fit, followed by new ones."""

    #: Called with a generator, labels of all items, and moves.
    build: Callable[[np.random.Generator, np.ndarray, tuple], MixtureModel]
    n_new: int
    #: Items whose clusters a new one may join, a row for each item; by default all clusters.
    canopies: sp.csr_array | None = None
    #: The index of the items, and what was learned with it, if the model has one.
    index: tuple | None = None


class Predicting:
    """Mixin of estimators whose ``_extended(X)``, called on `_of_fit()`, adds items to the fit."""

    def _check_extensible(self) -> bool:
        """Raise an AttributeError if new items are not possible."""
        return True

    def _seats(self) -> np.ndarray:
        """Return the draws to which new items are added, shape (n_chains, n_draws, n_items)."""
        return self.draws_

    def _hold(self, model: MixtureModel, place: tuple[int, int], rng) -> bool:
        """Give a model the parameters of a draw; return False if they are sampled instead."""
        return False

    @_if_extensible
    def predict(self, X):
        """Return the cluster of each new item.

        Parameters
        ----------
        X : array, shape (n_new, ...)
            As for `fit`; the items are seated together.  Of distances, a row has those of a new
            object to the objects of the fit; those to the new objects may follow, all or none.

        Returns
        -------
        ndarray of int64, shape (n_new,)
            One of `labels_`, or -1 where a cluster without an item of the fit is likelier than each
            of them.
        """
        share = self.predict_proba(X)
        best = share.argmax(axis=1)
        return np.where(best == share.shape[1] - 1, NEW, best)

    @_if_extensible
    def predict_proba(self, X):
        """Return the posterior probability of each cluster for each new item.

        In each of up to 50 draws, the new items are seated by Gibbs sweeps while the others keep
        their places.  The probabilities of each seat, given all others, are averaged; those of a
        cluster in a draw count for the clusters of `labels_` in proportion to its old members.

        Parameters
        ----------
        X : array, shape (n_new, ...)
            As for `predict`.

        Returns
        -------
        ndarray of float64, shape (n_new, n_clusters + 1)
            Rows sum to one; the last column is for clusters without an item of the fit.
        """
        total, n_draws = 0, 0
        for seated in self._seated(X):
            total, n_draws = total + self._shares(*seated), n_draws + 1
        return total.toarray() / n_draws

    def _shares(self, old_labels: np.ndarray, model: MixtureModel, canopies) -> sp.csr_array:
        """Return the probabilities of one draw, shape (n_new, n_clusters + 1)."""
        chance, n_clusters = _seat_probabilities(model, len(old_labels), canopies), self.n_clusters_
        sizes = np.bincount(old_labels, minlength=chance.shape[1])
        empty = np.flatnonzero(sizes == 0)
        slots = np.append(old_labels, empty)
        clusters = np.append(self.labels_[self._kept_items], np.full(empty.size, n_clusters))
        shape = chance.shape[1], int(n_clusters) + 1
        overlap = sp.csr_array((np.ones(slots.size), (slots, clusters)), shape=shape)
        return chance @ (sp.diags_array(1 / np.maximum(sizes, 1)) @ overlap)

    @_if_extensible
    def score(self, X, y=None):
        """Return how much likelier new items are where they are seated than each alone.

        It is no predictive density: do not choose parameters by it, as searches without another
        ``scoring`` would.

        Parameters
        ----------
        X : array, shape (n_new, ...)
            As for `predict`.
        y : ignored

        Returns
        -------
        float
            Mean log likelihood ratio in nats per item, large if clusters suit the new items.
        """
        return float(np.mean([_gain(model, len(old)) for old, model, _ in self._seated(X)]))

    def _seated(self, X, extended: Extended | None = None):
        """Yield, by draw, the labels of the old items, the model with all seated, and canopies."""
        check_is_fitted(self, "draws_")
        fitted = self._of_fit()
        build, n_new, canopies, _ = extended or fitted._extended(X)
        draws = self._seats()[..., self._kept_items]
        n_chains, n_draws, n_old = draws.shape
        move = RestrictedSweep(items=np.arange(n_old, n_old + n_new), canopies=canopies)
        rng = np.random.default_rng(self._seed)
        labels = n_old + np.arange(n_new)
        n_sweeps, some = N_FIRST, evenly(n_draws, max(1, N_DRAWS // n_chains))
        for place in ((chain, draw) for chain in range(n_chains) for draw in some):
            old = np.unique(draws[place], return_inverse=True)[1]
            # New items start alone or, without canopies, where they sat in the draw before: with
            # the first old member of their cluster, or apart from all old ones.
            start = places = np.append(old, old.max() + 1 + np.arange(n_new))
            if canopies is None:
                start = np.unique(np.append(old, places[labels]), return_inverse=True)[1]
            if fitted.max_clusters:
                start[start >= fitted.max_clusters] = 0
            model = build(rng, start, (move,))
            sweep = model.move if fitted._hold(model, place, rng) else model.sweep
            for _ in range(n_sweeps):
                sweep(rng)
            now = np.asarray(model.labels)
            yield now[:n_old], model, canopies
            if canopies is None:
                first = np.unique(now, return_index=True)
                labels = first[1][np.searchsorted(first[0], now[n_old:])]
                n_sweeps = N_SWEEPS


def _seat_probabilities(model: MixtureModel, n_old: int, canopies) -> sp.csr_array:
    """Return the full conditionals of the items from `n_old` on: of each slot and a new cluster."""
    prior, likelihood, labels = model.prior, model.likelihood, np.asarray(model.labels)
    sizes = np.bincount(labels, minlength=likelihood.capacity)
    n_slots, found = likelihood.capacity, []
    for item in range(n_old, labels.size):
        own = labels[item]
        prior.resize(sizes[own], sizes[own] - 1)
        sizes[own] -= 1
        log_join, log_open = prior.tables
        n_blocks = np.count_nonzero(sizes)
        if canopies is None:
            slots = np.flatnonzero(sizes)
            weights = likelihood.log_predictive(item, own)[np.append(slots, n_slots)]
        else:
            near = canopies.indices[canopies.indptr[item] : canopies.indptr[item + 1]]
            slots = np.unique(labels[near])
            slots = slots[sizes[slots] > 0]
            weights = likelihood.log_predictive(item, own, np.append(slots, -1))
        weights = weights + np.append(log_join[sizes[slots]], log_open[n_blocks])
        sizes[own] += 1
        prior.resize(sizes[own] - 1, sizes[own])
        chances = np.exp(weights - weights.max())
        found.append((chances / chances.sum(), np.append(slots, n_slots)))
    chances, columns = map(np.concatenate, zip(*found, strict=True))
    ends = np.append(0, np.cumsum([len(row) for row, _ in found]))
    return sp.csr_array((chances, columns, ends), shape=(len(found), n_slots + 1))


def _gain(model: MixtureModel, n_old: int) -> float:
    """Return the log likelihood ratio of new items as seated against alone, per item."""
    likelihood, labels = model.likelihood, np.asarray(model.labels).astype(np.intc)
    together = likelihood.log_marginal()
    apart = labels.copy()
    apart[n_old:] = labels.max() + 1 + np.arange(labels.size - n_old)
    likelihood.assign(apart, int(apart.max()) + 1)
    return (together - likelihood.log_marginal()) / (labels.size - n_old)
