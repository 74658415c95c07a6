"""Pairs of records that share rare keys, found by sorting."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from reseat.equal_pairs import equal_pairs
from reseat.moves._pairs import bucket_keys, draw_subsets

__all__ = ["pairs_by_keys"]

#: Records times combinations of keys that are looked at, and least and most of the latter.
WORK, SUBSETS = 2_000_000, (127, 400)
#: Records times others that one is expected to share the keys of a combination with by chance, and
#: least and most of the latter.
MET, STRANGERS = 500_000, (3.0, 30.0)
#: Records beyond which those that share all keys of a combination are a crowd, not one thing.
CROWD = 20


def pairs_by_keys(
    keys: np.ndarray, fields: np.ndarray, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """Pairs of records that share several keys which strangers hardly share.

    Keys of different fields are taken in random order until a record is expected to share all of
    them with a few others by chance; every two that share them are a pair.  This is repeated for
    many such combinations, each in the time of a sort and with a few pairs for each record; of few
    records more combinations are looked at, and more frequent ones.

    Parameters
    ----------
    keys : ndarray of int, shape (n_items, n_keys)
        As `record_keys` makes them; -1, a missing value, is shared with nobody.
    fields : ndarray of int, shape (n_keys,)
        Field of each key.
    rng : numpy.random.Generator
        Draws the combinations.

    Yields
    ------
    ndarray of int64, shape (n_pairs, 2)
        Of one combination; the lower item first.
    """
    keys = np.array(keys)
    n_subsets = int(np.clip(WORK // len(keys), *SUBSETS))
    strangers = float(np.clip(MET / len(keys), *STRANGERS))
    for column in keys.T:
        missing = np.flatnonzero(column < 0)
        column[missing] = column.max() + 1 + np.arange(missing.size)
    for subset in draw_subsets(keys, rng, n_subsets, strangers, fields):
        if subset.any():
            yield np.stack(equal_pairs(bucket_keys(keys[:, subset]), CROWD), axis=1)
