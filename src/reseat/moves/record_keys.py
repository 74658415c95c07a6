"""Keys that records of one entity are likely to share, and pairs of records that share one."""

import unicodedata
from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np

from reseat.equal_pairs import equal_pairs
from reseat.errors import DataError
from reseat.likelihoods.similar_values import ranked_values
from reseat.moves._pairs import bucket_keys, draw_subsets

#: Number of letters at the beginning, or at the end, of a string that make a key.
PREFIX = 3
#: Number of consecutive values, in sorted order, that share a key.
NEIGHBOURS = 8
#: Largest number of sounds in a phonetic key.
SOUNDS = 4

# Digits of letters that sound alike, as in Soundex.
_SOUND = dict(zip("BFPVWCGJKQSXZDTLMNR", "1111122222222334556", strict=True))


def phonetic_key(text: str) -> str:
    """Return the sounds of the first consonants of a string, so that Karl and Carl agree.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
        At most four digits; none if there are no consonants.
    """
    plain = unicodedata.normalize("NFKD", text.upper())
    sounds = (_SOUND.get(letter, "") for letter in plain if not unicodedata.combining(letter))
    return "".join(sound for sound, _run in groupby(sounds))[:SOUNDS]


def record_keys(columns: Sequence[Sequence]) -> tuple[np.ndarray, np.ndarray]:
    """Return several keys of each field, for `SimilarPairs` to choose from.

    These are the value itself and, with two sets of boundaries, its run of consecutive sorted
    values.  A field of strings also has the phonetic key, the first and the last letters, and the
    runs when the strings are sorted from their last letters.  All takes ``O(n log n)``.

    Parameters
    ----------
    columns : sequence of sequences, one of length n_items a field
        Strings or numbers; a missing value is None.

    Returns
    -------
    keys : ndarray of int32, shape (n_items, n_keys)
        Equal numbers in a column are equal keys; -1 where the value is missing.
    fields : ndarray of int, shape (n_keys,)
        Field of each key.

    Raises
    ------
    DataError
        If there are no fields, or their lengths differ.
    """
    if not len(columns):
        raise DataError("There are no fields; give at least one.")
    if len({len(column) for column in columns}) != 1:
        raise DataError("The fields have different lengths; each needs one value per record.")
    keys, fields = [], []
    for field, column in enumerate(columns):
        values, places = ranked_values(column)
        level = np.array(places, dtype=np.int32)
        seen = {level.tobytes()}
        keys.append(level)
        fields.append(field)
        for of_values in _keys_of(values):
            # Missing values have the level -1, which picks the last entry.
            key = np.append(of_values, -1).astype(np.int32)[level]
            if len(values) > 1 and key.tobytes() not in seen:
                seen.add(key.tobytes())
                keys.append(key)
                fields.append(field)
    return np.stack(keys, axis=1), np.array(fields)


def _keys_of(values: list) -> Iterator[np.ndarray]:
    """Yield the keys of sorted values, other than the values themselves."""
    yield from _runs(np.arange(len(values)))
    if all(isinstance(value, str) for value in values):
        for key in (phonetic_key, lambda text: text[:PREFIX], lambda text: text[-PREFIX:]):
            yield np.unique([key(value) for value in values], return_inverse=True)[1]
        backwards = sorted(range(len(values)), key=lambda k: values[k][::-1])
        yield from _runs(np.argsort(backwards))


def _runs(rank: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the run of each value, and then the same with boundaries shifted by half a run."""
    yield rank // NEIGHBOURS
    yield (rank + NEIGHBOURS // 2) // NEIGHBOURS


# ---- Pairs of records that share rare keys, found by sorting ---------------------------------

#: Number of records times number of combinations of keys, and bounds of the latter.
WORK, SUBSETS = 2_000_000, (127, 400)
#: The same for the number of others with which a record shares the keys of one by chance.
MET, STRANGERS = 500_000, (3.0, 30.0)
#: Largest number of records with all keys of a combination in common that give pairs.
CROWD = 20


def pairs_by_keys(
    keys: np.ndarray, fields: np.ndarray, rng: np.random.Generator, first: int = 0
) -> Iterator[np.ndarray]:
    """Yield pairs of records that share several keys which unrelated records rarely share.

    Keys of different fields are taken in random order until a record is expected to share all of
    them with few others by chance; any two that do are a pair.  This is repeated for many such
    combinations, each of which takes the time of a sort; for few records, more are tried.

    Parameters
    ----------
    keys : ndarray of int, shape (n_items, n_keys)
        As returned by `record_keys`; a missing value, -1, is shared with no other record.
    fields : ndarray of int, shape (n_keys,)
        Field of each key.
    rng : numpy.random.Generator
    first : int
        If given, only pairs with an item from this one on are yielded, in less time.

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
            key = bucket_keys(keys[:, subset])
            chosen = np.flatnonzero(np.isin(key, key[first:])) if first else np.arange(len(key))
            pairs = chosen[np.stack(equal_pairs(key[chosen], CROWD), axis=1)]
            yield pairs[pairs[:, 1] >= first]
