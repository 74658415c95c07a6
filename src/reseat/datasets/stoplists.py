"""Stop lists by name."""

from __future__ import annotations

import re
from pathlib import Path

from reseat.errors import ConfigError, DataError

__all__ = ["STOP_LISTS", "STOP_LIST_FILES", "read_stop_list"]

# Role of the file in the data set `stoplists`; None: no file is needed.
STOP_LIST_FILES = {
    "snowball": "snowball_en",
    "mallet": "mallet_en",
    "smart": "smart_en",
    "sklearn": None,
    "none": None,
}
STOP_LISTS = tuple(STOP_LIST_FILES)


def read_stop_list(name: str, path: Path | None = None, split: bool = False) -> frozenset[str]:
    """Return the words of a stop list.

    Parameters
    ----------
    name : {"snowball", "mallet", "smart", "sklearn", "none"}
        Lists of 174, 524 and 571 lines (the last two have ``would`` twice),
        the list shipped with scikit-learn, or no words.
    path : Path, optional
        The file of the list, one word a line, for the first three.
    split : bool
        Also stop the pieces of entries with an apostrophe (``don't`` gives
        ``don`` and ``t``), which is how a tokeniser of letters sees them.

    Raises
    ------
    ConfigError
        If the name is unknown.
    DataError
        If the file cannot be read or is empty.
    """
    if name not in STOP_LIST_FILES:
        raise ConfigError(f"stop_list is {name!r}; it must be one of {', '.join(STOP_LISTS)}")
    if name == "none":
        return frozenset()
    if name == "sklearn":
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        words = set(ENGLISH_STOP_WORDS)
    else:
        words = _read(name, path)
    if split:
        words |= {piece for word in words for piece in re.findall("[a-z]+", word)}
    return frozenset(words)


def _read(name: str, path: Path | None) -> set[str]:
    if path is None:
        raise DataError(f"the stop list {name!r} needs its file, of the data set 'stoplists'")
    try:
        words = set(path.read_text(encoding="utf-8").split())
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} cannot be read as a stop list ({error})") from error
    if not words:
        raise DataError(f"{path} holds no stop words")
    return words
