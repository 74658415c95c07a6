"""Stop lists by name."""

from __future__ import annotations

import re
from pathlib import Path

from reseat.errors import ConfigError, DataError
from reseat.files.texts import read_text

__all__ = ["OWN", "OWN_STOP_LIST", "STOP_LISTS", "STOP_LIST_FILES", "read_stop_list"]

LETTERS = re.compile(r"[^\W\d_]+")
# Role of each list's file in the data set `stoplists`; None if it needs no file.
STOP_LIST_FILES = {
    "snowball": "snowball_en",
    "lucene": "lucene_en",
    "mallet": "mallet_en",
    "smart": "smart_en",
    "sklearn": None,
    "none": None,
}
#: Name of the user's own list, and of its file in the folder of the user's texts.
OWN, OWN_STOP_LIST = "own", "stop_words.txt"
STOP_LISTS = (*STOP_LIST_FILES, OWN)


def read_stop_list(name: str, path: Path | None = None, split: bool = False) -> frozenset[str]:
    """Return the words of a stop list.

    The lists ``snowball``, ``lucene``, ``mallet`` and ``smart`` have 174, 33, 524 and 571 lines
    (the last two have ``would`` twice); ``sklearn`` is shipped with scikit-learn, ``own`` is the
    user's, and ``none`` has no words.

    `split`: also include the pieces of entries with an apostrophe (``don't`` gives ``don`` and
        ``t``), because a tokeniser that keeps only letters splits them so.
    """
    if name not in STOP_LISTS:
        raise ConfigError(f"stop_list is {name!r}; it must be one of {', '.join(STOP_LISTS)}")
    if name == "none":
        return frozenset()
    if name == "sklearn":
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        words = set(ENGLISH_STOP_WORDS)
    else:
        words = _read(name, path)
    if name == OWN:
        words |= {word.lower() for word in words}
    if split:
        words |= {piece for word in words for piece in LETTERS.findall(word)}
    return frozenset(words)


def _read(name: str, path: Path | None) -> set[str]:
    if path is None:
        raise DataError(f"the stop list {name!r} needs its file from the data set 'stoplists'")
    try:
        words = set(read_text(path).split())
    except DataError as error:
        raise DataError(f"{path} cannot be read as a stop list ({error})") from error
    if not words:
        raise DataError(f"{path} contains no stop words")
    return words
