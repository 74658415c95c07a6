"""Keys that records of one entity are likely to share, whatever was mistyped."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from reseat.errors import DataError
from reseat.likelihoods.field_values import ranked_values

__all__ = ["phonetic_key", "record_keys"]

#: letters at the beginning and at the end of a string that make a key
PREFIX = 3
#: values next to each other in order that share a key
NEIGHBOURS = 8
#: sounds of a phonetic key
SOUNDS = 4

# Letters that sound alike, as in Soundex.
_SOUND = {
    letter: sound
    for sound, letters in enumerate(("BFPVW", "CGJKQSXZ", "DT", "L", "MN", "R"), start=1)
    for letter in letters
}


def phonetic_key(text: str) -> str:
    """The first consonants of a string, letters that sound alike being one.

    The first letter counts by its sound too, so that Karl and Carl agree; a string without
    consonants gives the empty key.

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
    """Several keys of each field, for `SimilarPairs` to choose from.

    Of every field: the value itself and, twice with other bounds, which of the values next to
    each other in order it belongs to; of a field of strings also its phonetic key, its first and
    its last letters, and the order of the words read backwards.  All come from sorting, in
    ``O(n log n)``.

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
        If there is no field, or they are not equally long.
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
            # The last stands for missing values.
            key = np.append(of_values, -1).astype(np.int32)[level]
            if len(values) > 1 and key.tobytes() not in seen:
                seen.add(key.tobytes())
                keys.append(key)
                fields.append(field)
    return np.stack(keys, axis=1), np.array(fields)


def _keys_of(values: list) -> Iterator[np.ndarray]:
    """Keys of sorted values, all but the values themselves."""
    yield from _runs(np.arange(len(values)))
    if all(isinstance(value, str) for value in values):
        yield _numbered(values, phonetic_key)
        yield _numbered(values, lambda text: text[:PREFIX])
        yield _numbered(values, lambda text: text[-PREFIX:])
        backwards = sorted(range(len(values)), key=lambda k: values[k][::-1])
        yield from _runs(np.argsort(backwards))


def _runs(rank: np.ndarray) -> Iterator[np.ndarray]:
    """Which run of neighbours a value is in, and the same with the bounds moved by half a run."""
    yield rank // NEIGHBOURS
    yield (rank + NEIGHBOURS // 2) // NEIGHBOURS


def _numbered(values: list, key: Callable[[str], str]) -> np.ndarray:
    """A whole number for each value, the same for those of one key."""
    return np.unique([key(value) for value in values], return_inverse=True)[1]
