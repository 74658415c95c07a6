"""Keys that records of one entity are likely to share despite typing errors."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from reseat.errors import DataError
from reseat.likelihoods.field_values import ranked_values

__all__ = ["phonetic_key", "record_keys"]

#: Number of letters at the beginning, or at the end, of a string that make a key.
PREFIX = 3
#: Number of consecutive values, in sorted order, that share a key.
NEIGHBOURS = 8
#: Largest number of sounds in a phonetic key.
SOUNDS = 4

# Letters that sound alike, as in Soundex.
_SOUND = {
    letter: sound
    for sound, letters in enumerate(("BFPVW", "CGJKQSXZ", "DT", "L", "MN", "R"), start=1)
    for letter in letters
}


def phonetic_key(text: str) -> str:
    """Return the sounds of the first consonants of a string, the same for letters that sound alike.

    The first letter is replaced by its sound too, so that Karl and Carl agree.  The key of a
    string without consonants is empty.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
        At most four digits.
    """
    plain = unicodedata.normalize("NFKD", text.upper())
    key, last = "", None
    for letter in plain:
        if unicodedata.combining(letter):
            continue
        sound = _SOUND.get(letter)
        if sound is not None and sound != last:
            key += str(sound)
            if len(key) == SOUNDS:
                break
        last = sound
    return key


def record_keys(columns: Sequence[Sequence]) -> tuple[np.ndarray, np.ndarray]:
    """Return several keys of each field, for `SimilarPairs` to choose from.

    Every field has as keys the value itself and, with two different sets of boundaries, the run of
    consecutive sorted values that the value belongs to.  A field of strings also has the phonetic
    key, the first and the last letters, and the runs when the strings are sorted backwards, from
    the last letter to the first.  All are found by sorting, in ``O(n log n)``.

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
        yield _numbered(values, phonetic_key)
        yield _numbered(values, lambda text: text[:PREFIX])
        yield _numbered(values, lambda text: text[-PREFIX:])
        backwards = sorted(range(len(values)), key=lambda k: values[k][::-1])
        yield from _runs(np.argsort(backwards))


def _runs(rank: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the run of each value, and then the same with boundaries shifted by half a run."""
    yield rank // NEIGHBOURS
    yield (rank + NEIGHBOURS // 2) // NEIGHBOURS


def _numbered(values: list, key: Callable[[str], str]) -> np.ndarray:
    """Return a whole number for each value, the same for values with equal keys."""
    return np.unique([key(value) for value in values], return_inverse=True)[1]
