"""Prediction of the clusters of new items from the posterior draws of the fitted items."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from reseat.chains import MixtureModel
from reseat.estimators.sampling import thinned
from reseat.moves import RestrictedSweep

__all__ = ["NEW", "Predicting"]

#: Label of an item that belongs to none of the clusters of the fit.
NEW = -1
#: Largest number of draws to which new items are added, and sweeps over the new items in each.
N_DRAWS, N_SWEEPS = 50, 3

#: Called as ``build(rng, labels, moves)`` with labels of all items, the new ones last.
Build = Callable[[np.random.Generator, np.ndarray, tuple], MixtureModel]


class Predicting:
    """Mixin of estimators that can assign new items to clusters.

    Subclasses have ``_extended(X)``, which returns a `Build` for the items of the last fit followed
    by those of X, and the number of the latter; and optionally ``_check_extensible()``, which
    raises an AttributeError if new items are not possible.  Both are called on an estimator with
    the parameters of the last fit.
    """

    def _check_extensible(self) -> bool:
        return True

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
        the others keep their places.  A new item is then assigned to the clusters of `labels_` in
        proportion to how many old members of its cluster in the draw belong to each.

        Parameters
        ----------
        X : array, shape (n_new, ...)
            As for `fit`; the items are seated together.

        Returns
        -------
        ndarray of float64, shape (n_new, n_clusters + 1)
            Rows sum to one; the last column is for clusters without an item of the fit.
        """
        known, new = self._seated(X)[:2]
        n_new, n_clusters = new.shape[1], int(self.n_clusters_)
        found = np.zeros((n_new, n_clusters + 1))
        for old_labels, new_labels in zip(known, new, strict=True):
            n_slots = int(max(old_labels.max(), new_labels.max())) + 1
            overlap = np.zeros((n_slots, n_clusters + 1))
            np.add.at(overlap, (old_labels, self.labels_), 1)
            overlap[overlap.sum(axis=1) == 0, n_clusters] = 1
            found += (overlap / overlap.sum(axis=1, keepdims=True))[new_labels]
        return found / len(known)

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
        _, new, gained = self._seated(X)
        return float(np.mean(gained) / new.shape[1])

    def _seated(self, X):
        """Return labels of old and new items in some draws, and each log likelihood ratio."""
        check_is_fitted(self, "draws_")
        fitted = self._of_fit()
        build, n_new = fitted._extended(X)
        draws = thinned(self._flat_draws(), N_DRAWS)
        n_old = draws.shape[1]
        move = RestrictedSweep(items=np.arange(n_old, n_old + n_new))
        rng = np.random.default_rng(self._seed)
        known, new, gained = [], [], []
        for draw in draws:
            old = np.unique(draw, return_inverse=True)[1]
            # Each new item starts alone, or, if the number of clusters is limited, in the first.
            alone = old.max() + 1 + np.arange(n_new) if not fitted.max_clusters else np.zeros(n_new)
            model = build(rng, np.concatenate([old, alone.astype(np.int64)]), (move,))
            for _ in range(N_SWEEPS):
                model.sweep(rng)
            labels = np.asarray(model.labels, dtype=np.int64)
            known.append(labels[:n_old])
            new.append(labels[n_old:])
            gained.append(_gain(model, n_old))
        return np.array(known), np.array(new), np.array(gained)


def _gain(model: MixtureModel, n_old: int) -> float:
    """Return the log likelihood ratio of the items from `n_old` on, as seated against alone."""
    likelihood, labels = model.likelihood, np.asarray(model.labels).astype(np.intc)
    together = likelihood.log_marginal()
    apart = labels.copy()
    apart[n_old:] = labels.max() + 1 + np.arange(labels.size - n_old)
    likelihood.assign(apart, int(apart.max()) + 1)
    return together - likelihood.log_marginal()
