"""Why two items are together: the log odds of a pair, part by part."""

from collections.abc import Iterable, Iterator

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from reseat.errors import DataError
from reseat.estimators.decisions import place_of


class Explaining:
    """Mixin of estimators whose likelihood tells parts of the log marginal of a block apart.

    Subclasses have ``_explained()``, which returns a prior and a likelihood of the items of the
    last fit, the name of each part of what ``log_parts`` of the latter returns, and a function of
    an item that returns its values in these parts, or in the first of them.
    """

    #: Items of the fit that the model counts.
    _kept_items = slice(None)

    def explain(self, first: int, second: int) -> pd.DataFrame:
        """Return the log odds that an item is in the cluster of another one, part by part.

        The first item is taken out of its cluster in `labels_`.  The odds are those of joining the
        cluster of the second item against being alone, given where all other items are and the
        posterior means of the parameters.  The logarithm of the odds is the sum of all rows.

        Parameters
        ----------
        first, second : int
            Numbers of two items.

        Returns
        -------
        DataFrame
            One row for each part of the likelihood that says something, such as a field or a word,
            and one for the prior.  The columns are the values of the two items, ``first`` and
            ``second``; what they say by themselves, ``pair``; what the other items of the cluster
            add, ``others``; and ``log_odds``, the sum of both.
        """
        return next(self._explanations([(first, second)]))

    def _explanations(self, pairs: Iterable[tuple[int, int]]) -> Iterator[pd.DataFrame]:
        """Yield the table of each pair."""
        check_is_fitted(self, "draws_")
        prior, likelihood, names, values_of = self._of_fit()._explained()
        for part in (prior, likelihood):
            means = {name: float(self.traces_[name].mean()) for name in part.hyperparameters}
            if means:
                part.restore(means)
        kept = np.arange(self.labels_.size)[self._kept_items]
        labels = np.unique(self.labels_[kept], return_inverse=True)[1]
        sizes = np.bincount(labels)
        prior.enter(sizes)
        for pair in pairs:
            first, second = (self._place_among(kept, item) for item in pair)
            if first == second:
                raise DataError(f"Item {pair[0]} is to be explained by itself; name two items.")
            block = np.flatnonzero(labels == labels[second])
            block = block[block != first]
            own = int(sizes[labels[first]])
            prior.resize(own, own - 1)
            log_join, log_open = prior.tables
            prior.resize(own - 1, own)
            n_others = sizes.size - (own == 1)
            alone, whole = (
                np.append(
                    likelihood.log_parts([first, *items])
                    - likelihood.log_parts(items)
                    - likelihood.log_parts([first]),
                    log_join[len(items)] - log_open[n_others],
                )
                for items in ([second], block)
            )
            shown = [[*values_of(item), "", ""][: len(names)] + [""] for item in (first, second)]
            odds = {"pair": alone, "others": whole - alone, "log_odds": whole}
            found = pd.DataFrame(
                {"first": shown[0], "second": shown[1], **odds},
                index=pd.Index([*names, "prior"], name="part"),
            )
            yield found[(found[["pair", "others"]] != 0).any(axis=1)]

    def _place_among(self, kept: np.ndarray, item: int) -> int:
        """Return the place of an item among those that the model counts."""
        place = np.flatnonzero(kept == place_of(item, self.labels_.size))
        if place.size == 0:
            raise DataError(f"Item {item} is a copy of another one; explain that one.")
        return int(place[0])
