"""Prediction of the clusters of new items from the posterior draws of the fitted items."""

from collections.abc import Callable

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from reseat.chains import MixtureModel
from reseat.estimators.sampling import thinned
from reseat.moves import RestrictedSweep

#: Label of an item that belongs to none of the clusters of the fit.
NEW = -1
#: Largest number of draws to which new items are added, and sweeps over the new items in the first
#: of them and in each of the others.
N_DRAWS, N_FIRST, N_SWEEPS = 50, 10, 2

#: Called as ``build(rng, labels, moves)`` with labels of all items, the new ones last.
Build = Callable[[np.random.Generator, np.ndarray, tuple], MixtureModel]


class Predicting:
    """Mixin of estimators that can assign new items to clusters.

    Subclasses have ``_extended(X)``, which returns a `Build` for the items of the last fit followed
    by those of X, and the number of the latter; and optionally ``_check_extensible()``, which
    raises an AttributeError if new items are not possible.  Both are called on an estimator with
    the parameters of the last fit.
    """

    #: Items of the fit that the model counts; others are copies of these.
    _kept_items = slice(None)

    def _check_extensible(self) -> bool:
        return True

    def _seats(self) -> np.ndarray:
        """Return the draws to which new items are added, shape (n_draws, n_items)."""
        return self._flat_draws()

    @available_if(lambda self: self._of_fit()._check_extensible())
    def predict(self, X):
        """Return the cluster of each new item.

        Parameters
        ----------
        X : array, shape (n_new, ...)
            As for `fit`; the items are seated together, so that the cluster of one can depend on
            the others.

        Returns
        -------
        ndarray of int64, shape (n_new,)
            One of `labels_`, or -1 where a cluster without an item of the fit is likelier than each
            of them.
        """
        share = self.predict_proba(X)
        best = share.argmax(axis=1)
        return np.where(best == share.shape[1] - 1, NEW, best)

    @available_if(lambda self: self._of_fit()._check_extensible())
    def predict_proba(self, X):
        """Return the posterior probability of each cluster for each new item.

        In each of up to 50 draws of the partition, the new items are seated by Gibbs sweeps while
        the others keep their places.  The probabilities of each seat, given all other seats, are
        then averaged over the draws; those of a cluster in a draw count for the clusters of
        `labels_` in proportion to how many of its old members belong to each.

        Parameters
        ----------
        X : array, shape (n_new, ...)
            As for `fit`; the items are seated together.

        Returns
        -------
        ndarray of float64, shape (n_new, n_clusters + 1)
            Rows sum to one; the last column is for clusters without an item of the fit.
        """
        total, n_draws = 0.0, 0
        for old_labels, model in self._seated(X):
            chance = _seat_probabilities(model, len(old_labels))
            overlap = np.zeros((chance.shape[1], int(self.n_clusters_) + 1))
            np.add.at(overlap, (old_labels, self.labels_[self._kept_items]), 1)
            overlap[overlap.sum(axis=1) == 0, -1] = 1
            total += chance @ (overlap / overlap.sum(axis=1, keepdims=True))
            n_draws += 1
        return total / n_draws

    @available_if(lambda self: self._of_fit()._check_extensible())
    def score(self, X, y=None):
        """Return how much likelier new items are where they are seated than each alone.

        The score compares clusterings under the parameters of the fit and is not a predictive
        density: do not choose parameters by it, as a parameter search without another ``scoring``
        would.

        Parameters
        ----------
        X : array, shape (n_new, ...)
            As for `fit`.
        y : ignored

        Returns
        -------
        float
            Mean log likelihood ratio in nats per item; the larger it is, the better the clusters of
            the fit suit the new items.
        """
        return float(np.mean([_gain(model, len(old)) for old, model in self._seated(X)]))

    def _seated(self, X):
        """Yield the labels of the old items, and a model with the new ones seated, by draw.

        New items start where they sat in the draw before: with the first old member of their
        cluster, or apart from all old ones; in the first draw, each alone.
        """
        check_is_fitted(self, "draws_")
        fitted = self._of_fit()
        build, n_new = fitted._extended(X)
        draws = thinned(self._seats(), N_DRAWS)[:, self._kept_items]
        n_old = draws.shape[1]
        move = RestrictedSweep(items=np.arange(n_old, n_old + n_new))
        rng = np.random.default_rng(self._seed)
        labels, n_sweeps = n_old + np.arange(n_new), N_FIRST
        for draw in draws:
            old = np.unique(draw, return_inverse=True)[1]
            places = np.append(old, old.max() + 1 + np.arange(n_new))
            start = np.unique(np.append(old, places[labels]), return_inverse=True)[1]
            if fitted.max_clusters:
                start[start >= fitted.max_clusters] = 0
            model = build(rng, start, (move,))
            for _ in range(n_sweeps):
                model.sweep(rng)
            now = np.asarray(model.labels)
            first = np.unique(now, return_index=True)
            labels = first[1][np.searchsorted(first[0], now[n_old:])]
            n_sweeps = N_SWEEPS
            yield now[:n_old], model


def _seat_probabilities(model: MixtureModel, n_old: int) -> np.ndarray:
    """Return the full conditionals of the items from `n_old` on: of each slot and a new cluster."""
    prior, likelihood, labels = model.prior, model.likelihood, np.asarray(model.labels)
    sizes = np.bincount(labels, minlength=likelihood.capacity)
    found = np.empty((labels.size - n_old, likelihood.capacity + 1))
    for row, own in zip(found, labels[n_old:], strict=True):
        prior.resize(sizes[own], sizes[own] - 1)
        sizes[own] -= 1
        log_join, log_open = prior.tables
        row[:-1] = np.where(sizes > 0, log_join[sizes], -np.inf)
        row[-1] = log_open[np.count_nonzero(sizes)]
        sizes[own] += 1
        prior.resize(sizes[own] - 1, sizes[own])
    for item, row in enumerate(found, start=n_old):
        row += likelihood.log_predictive(item, labels[item])
    found = np.exp(found - found.max(axis=1, keepdims=True))
    return found / found.sum(axis=1, keepdims=True)


def _gain(model: MixtureModel, n_old: int) -> float:
    """Return the log likelihood ratio of new items as seated against alone, per item."""
    likelihood, labels = model.likelihood, np.asarray(model.labels).astype(np.intc)
    together = likelihood.log_marginal()
    apart = labels.copy()
    apart[n_old:] = labels.max() + 1 + np.arange(labels.size - n_old)
    likelihood.assign(apart, int(apart.max()) + 1)
    return (together - likelihood.log_marginal()) / (labels.size - n_old)
