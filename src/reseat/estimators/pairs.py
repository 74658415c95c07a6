"""Pairs of items: decisions of people, which a fit takes as given, and why two are together."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from reseat.checks import check_choice
from reseat.errors import DataError
from reseat.models.fields.matches import components

SAME, DIFFERENT, UNSURE = ANSWERS = ("same", "different", "unsure")


def settle(
    decisions,
    n_items: int,
    what: str = "item",
    names: Sequence[str] | None = None,
    place: np.ndarray | None = None,  # the item of the model that each one is a copy of
) -> dict[str, Any] | None:
    """Return the units and what stays apart (`DecidedModel`), or None if nothing is decided."""
    if decisions is None:
        return None
    names = names if names is not None else range(n_items)
    place = place if place is not None else np.arange(n_items)
    rows = pd.DataFrame(decisions).to_numpy(dtype=object)
    if len(rows) and rows.shape[1] != 3:
        raise DataError(
            f"The decisions have {rows.shape[1]} columns; give two {what}s and one of "
            f"{', '.join(ANSWERS)} in each row."
        )
    pairs = {answer: [] for answer in ANSWERS}
    for row in rows:
        one, other = (place_of(item, n_items, what) for item in row[:2])
        check_choice("decisions", row[2], ANSWERS)
        if one == other:
            raise DataError(f"A decision is about {what} {names[one]} alone; give two {what}s.")
        pairs[row[2]].append((one, other))
    if not pairs[SAME] and not pairs[DIFFERENT]:
        return None
    same, different = (np.array(pairs[a], dtype=int).reshape(-1, 2) for a in (SAME, DIFFERENT))
    units = pd.factorize(components(place[same], int(place.max()) + 1))[0]
    apart = units[place[different]]
    broken = apart[:, 0] == apart[:, 1]
    if broken.any():
        one, other = different[broken.argmax()]
        raise DataError(
            f"The {what}s {names[one]} and {names[other]} are decided to be different, but are "
            "the same as copies or by other decisions; remove a decision."
        )
    return {"units": units, "apart": np.unique(np.sort(apart, axis=1), axis=0)}


def place_of(item, n_items: int, what: str = "item") -> int:
    """Return the number of an item, or raise a DataError if it is none."""
    try:
        place = int(item)
    except (TypeError, ValueError, OverflowError):
        place = -1
    if not 0 <= place < n_items or place != item:
        raise DataError(f"There is no {what} {item!r}; they are numbered from 0 to {n_items - 1}.")
    return place


class Explaining:
    """Mixin of estimators that explain clusters by the parts of a likelihood.

    ``_explained()`` returns the prior, the likelihood, the names of the parts of `_log_gain`, and a
    function of an item that returns its values in these parts, or in the first of them.
    """

    #: Whether rows or columns are explained, whose hyperparameters have traces of their own.
    _side = ""

    def _log_gain(self, likelihood, item: int, others: Sequence[int]) -> np.ndarray:
        """Return the log odds of the data that an item is with others against alone, by part."""
        return (
            likelihood.log_parts([item, *others])
            - likelihood.log_parts(others)
            - likelihood.log_parts([item])
        )

    def explain(self, first: int, second: int) -> pd.DataFrame:
        """Return the log odds that an item is in the cluster of another one, part by part.

        The odds are those of joining the cluster of the second item in `labels_` against being
        alone, given all other items and the posterior means of the parameters.

        Parameters
        ----------
        first, second : int
            Numbers of two items.

        Returns
        -------
        DataFrame
            One row for each part of the likelihood that says something, such as a field, and one
            for the prior, with the values of both items, ``first`` and ``second``; what these say,
            ``pair``; what the others of the cluster add, ``others``; and the sum, ``log_odds``.

        Raises
        ------
        ValueError
            If there are no two such items, or one is a copy that does not count.
        """
        return next(self._explanations([(first, second)]))

    def _explanations(self, pairs: Iterable[tuple[int, int]]) -> Iterator[pd.DataFrame]:
        """Yield the table of each pair."""
        check_is_fitted(self, "draws_")
        fitted = self._of_fit()
        prior, likelihood, names, values_of = fitted._explained()
        end = f"_{self._side}" if self._side else ""
        for part in (prior, likelihood):
            traces = {name: f"{name}{end}" for name in part.hyperparameters}
            if traces and self.traces_:
                part.restore({k: float(self.traces_[name].mean()) for k, name in traces.items()})
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
                    fitted._log_gain(likelihood, first, items),
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
