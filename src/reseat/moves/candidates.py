"""Pairs of records that share rare keys, found by sorting."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from reseat.equal_pairs import equal_pairs
from reseat.moves._pairs import bucket_keys, draw_subsets

__all__ = ["pairs_by_keys"]

#: Number of records times number of combinations of keys, and bounds of the latter.
WORK, SUBSETS = 2_000_000, (127, 400)
#: Number of records times number of others with which a record is expected to share the keys of a
#: combination by chance, and bounds of the latter.
MET, STRANGERS = 500_000, (3.0, 30.0)
#: Largest number of records with all keys of a combination in common that can be one entity; larger
#: sets give no pairs.
CROWD = 20


def pairs_by_keys(
    keys: np.ndarray, fields: np.ndarray, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """Yield pairs of records that share several keys which unrelated records rarely share.

    Keys of different fields are taken in random order until a record is expected to share all of
    them with only a few others by chance; any two records that share them all are a pair.  This is
    repeated for many such combinations, each of which takes the time of a sort and yields a few
    pairs per record.  If there are few records, more combinations are tried, and more common ones.

    Parameters
    ----------
    keys : ndarray of int, shape (n_items, n_keys)
        As returned by `record_keys`; a missing value, -1, is shared with no other record.
    fields : ndarray of int, shape (n_keys,)
        Field of each key.
    rng : numpy.random.Generator
        Draws the combinations.

    Yields
    ------
    ndarray of int64, shape (n_pairs, 2)
        The pairs of one combination, with the lower item first.
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
