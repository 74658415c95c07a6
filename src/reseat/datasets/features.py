"""Word counts of texts, as described by Walker and Ringger (2008, section 4).

Stop words are removed, and the words counted are the union of the ten words of highest tf-idf in
each document.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from reseat.checks import check_choice, check_flag, check_whole
from reseat.configuration import did_you_mean
from reseat.errors import ConfigError, DataError
from reseat.files.texts import marks, read_text

BLANK_LINE = re.compile(r"(?:\A|\n)\r?\n")
#: Fields, their continuation lines, and the ``From`` line of a mailbox; a field or that line comes
#: first, because any text may begin with a blank.
HEADER = re.compile(
    r"(?:(?:>?From [^\n]*\n)?[!-9;-~]+:[^\n]*(?:\n|\Z)"
    r"(?:(?:[!-9;-~]+:|[ \t]|>?From )[^\n]*(?:\n|\Z))*)?"
)
SUBJECT = re.compile(r"^subject:[ \t]*(.*(?:\r?\n[ \t]+.*)*)", re.IGNORECASE | re.MULTILINE)
SCORE_DECIMALS = 10  # scores that are mathematically equal may differ in the last bit
MARKS = r"\p{M}"  # stands for combining marks, because `re` does not support Unicode classes
#: A word of the user's own texts: a letter of any alphabet, then letters and marks (see
#: `reseat.files.texts.marks`).  No mark lies below U+0300; the lookahead says so to avoid comparing
#: the blank after a word with every range of marks.  Words may contain zero-width joiners and
#: non-joiners, as in Persian and Malayalam.
ANY_LETTERS = r"[^\W\d_](?:[^\W\d_]+|(?![\0-\u02ff])[\p{M}]+|[\u200c\u200d](?=[^\W\d_]))+"
#: A run of letters that is longer than nearly all words of a script written without spaces.
UNSPACED = re.compile(
    "[\u3041-\u309f\u3400-\u4dbf\u4e00-\u9fff]{9,}|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]{17,}"
)
MAX_UNSPACED = 0.1  # share of such runs among the words above which they are remarked on
MAX_WORD_LETTERS = 1000  # because in an array of NumPy, each word takes the memory of the longest
SOFT_HYPHEN = "\xad"  # where a word may be broken at the end of a line


class NoWordsError(DataError):
    """None of the texts has a word that is counted."""


@dataclass(frozen=True)
class FeatureOptions:
    """Options for turning texts into word counts.

    Attributes
    ----------
    headers : {"none", "subject", "all"}
        What is read of a message's header lines in addition to the body, which begins after the
        first blank line; a text without such lines is read whole.  The default is none, because
        headers of newsgroup articles name the group, which raises scores above those published.
    lowercase : bool
    token_pattern : str
        Regular expression of a word.  The default is a run of at least two letters a-z.  Runs of at
        least one letter give nearly the same counts, and exactly the same with the 524-word list,
        which contains every letter.  For the user's own texts the default is `ANY_LETTERS`.
    stop_list : {"snowball", "lucene", "mallet", "smart", "sklearn", "own", "none"}
        The paper does not say which list it used.  ``own`` is the file ``stop_words.txt`` beside
        the user's texts.
    split_stop_words : bool
        Whether to also remove the pieces of stop words with an apostrophe.
    top_words : int or None
        Number of words that each document contributes by tf-idf, or None for all words.

    Examples
    --------
    >>> from reseat.datasets import FeatureOptions
    >>> FeatureOptions(stop_list="lucene", top_words=None).token_pattern
    '[a-z]{2,}'
    """

    headers: str = "none"
    lowercase: bool = True
    token_pattern: str = "[a-z]{2,}"
    stop_list: str = "snowball"
    split_stop_words: bool = False
    top_words: int | None = 10

    def __post_init__(self):
        check_choice("headers", self.headers, ("none", "subject", "all"))
        check_choice("stop_list", self.stop_list, STOP_LISTS)
        for key in ("lowercase", "split_stop_words"):
            check_flag(key, getattr(self, key))
        if self.top_words is not None:
            # Stored as a plain int, because the options are written to files.
            top = check_whole("top_words", self.top_words, 1, hint=", or null for all words")
            object.__setattr__(self, "top_words", top)
        fault = ""
        try:
            words = _words_of(self.token_pattern)
        except (re.error, TypeError) as error:
            fault = f"is not a regular expression ({error})"
        else:
            if words.groups:
                fault = "must not contain groups"
            elif words.match(""):
                fault = "also matches the empty text; write + instead of *, or leave it out "
                fault += "for the default"
        if fault:
            given = {"value": self.token_pattern, "given": repr(self.token_pattern), "fault": fault}
            raise ConfigError("{parameter} {given} {fault}", parameter="token_pattern", **given)

    @classmethod
    def from_config(cls, values: Mapping[str, Any] | None) -> FeatureOptions:
        """Read the options from a configuration section.

        Raises
        ------
        ConfigError
            If a key is unknown or a value is invalid.
        """
        known = [item.name for item in fields(cls)]
        for key in values or {}:
            if key not in known:
                hint = did_you_mean(key, known) or f"; they are {', '.join(known)}"
                raise ConfigError(f"unknown feature option {key!r}{hint}")
        return cls(**dict(values or {}))

    def to_dict(self) -> dict[str, Any]:
        """Return the options as plain values."""
        return asdict(self)


def _words_of(pattern: str) -> re.Pattern:
    """Return a pattern compiled, with its placeholder for marks replaced by all of them."""
    return re.compile(pattern.replace(MARKS, marks()) if MARKS in pattern else pattern)


def remarks_on_words(words: Sequence[str]) -> list[str]:
    """Return a remark if many words seem to be whole sentences, written without spaces."""
    found = [word for word in words if UNSPACED.search(word)]
    if len(found) <= MAX_UNSPACED * len(words):
        return []
    return [
        f"{len(found):,} of {len(words):,} words, such as {found[0]!r}, seem to be several words "
        "of a language written without spaces; put spaces between the words first."
    ]


def message_parts(text: str) -> tuple[str, str]:
    """Return the header lines of a message, if it begins with such, and its body."""
    blank = BLANK_LINE.search(text)
    head, body = (text[: blank.start()], text[blank.end() :]) if blank else (text, "")
    return (head, body) if HEADER.fullmatch(head) else ("", text)


def message_text(text: str, headers: str = "none") -> str:
    """Return the body of a message after the ``subject``, ``all`` headers, or ``none``."""
    if headers == "all":
        return text
    head, body = message_parts(text)
    if headers == "none":
        return body
    subject = SUBJECT.search(head)
    return f"{subject[1]}\n{body}" if subject else body


def count_features(
    texts: Sequence[str], options: FeatureOptions, stop_words: Collection[str] | None = None
) -> tuple[scipy.sparse.csr_array, np.ndarray]:
    """Count the selected words of every document.

    Parameters
    ----------
    texts : sequence of str
        Texts to which `options.headers` has already been applied.
    options : FeatureOptions
    stop_words : collection of str, optional
        The words of `options.stop_list`, from `read_stop_list`; needed for lists other than
        ``none`` and ``sklearn``.

    Returns
    -------
    counts : csr_array of int32, shape (n_documents, n_features)
        Canonical; a document without any selected word is an empty row.
    vocabulary : ndarray of str, shape (n_features,)
        The selected words in alphabetical order.

    Raises
    ------
    DataError
        If `texts` is no list of texts, none has any words, a word has more than a thousand letters,
        or the stop list is a file whose words are not given.
    """
    if isinstance(texts, str):
        raise DataError("texts is a single text: it must be a list with one text per document")
    for place, text in enumerate(texts):
        if not isinstance(text, str):
            raise DataError(
                f"document {place} is {text!r}, which is no text; leave it out or give it one"
            )
    if stop_words is None:
        if options.stop_list == OWN or STOP_LIST_FILES[options.stop_list] is not None:
            raise DataError(
                f"the stop list {options.stop_list!r} is a file; give its words as stop_words, "
                "read with read_stop_list, or choose the stop_list 'sklearn' or 'none'"
            )
        stop_words = read_stop_list(options.stop_list, split=options.split_stop_words)
    if len(texts) == 0:
        raise DataError("there are no documents to count words in")
    counts, vocabulary = _count_words(texts, options, stop_words)
    if not len(vocabulary):
        raise NoWordsError(
            "no document has any words left; token_pattern or stop_list removes all of them"
        )
    if options.top_words is not None:
        chosen = top_tfidf_words(counts, options.top_words)
        counts, vocabulary = scipy.sparse.csr_array(counts[:, chosen]), vocabulary[chosen]
        counts.sort_indices()
    return counts, vocabulary


def top_tfidf_words(counts: scipy.sparse.csr_array, n_top: int) -> np.ndarray:
    """Return the union of the words of highest tf-idf in each document; ties go to the first word.

    tf is the raw count and idf = ln(M / df), where M is the number of all documents.
    """
    n_documents, n_words = counts.shape
    document_frequency = np.bincount(counts.indices, minlength=n_words)
    with np.errstate(divide="ignore"):
        idf = np.log(n_documents / document_frequency)
    score = np.round(counts.data * idf[counts.indices], SCORE_DECIMALS)
    row = np.repeat(np.arange(n_documents), np.diff(counts.indptr))
    # lexsort is stable and the columns of a row are sorted, so ties stay alphabetical.
    order = np.lexsort((-score, row))
    rank = np.arange(len(order)) - counts.indptr[row]
    return np.unique(counts.indices[order[rank < n_top]])


def _count_words(texts, options, stop_words) -> tuple[scipy.sparse.csr_array, np.ndarray]:
    """Count every word that is not a stop word; columns are in alphabetical order."""
    find = _words_of(options.token_pattern).findall
    # A pattern with marks is meant for any alphabet and any text, which may have soft hyphens.
    left_out = SOFT_HYPHEN if MARKS in options.token_pattern else ""
    number: dict[str, int] = defaultdict()
    number.default_factory = number.__len__
    tokens: list[int] = []
    ends = [0]
    for text in texts:
        text = text.replace(left_out, "") if left_out else text
        words = filter(None, find(text.lower() if options.lowercase else text))
        tokens.extend([number[word] for word in words if word not in stop_words])
        ends.append(len(tokens))
    words = sorted(number)
    longest = max(words, key=len, default="")
    if len(longest) > MAX_WORD_LETTERS:
        raise DataError(
            f"a word has {len(longest):,} letters, more than {MAX_WORD_LETTERS:,}: "
            f"{longest[:20]!r}…; put blanks into it, or remove it"
        )
    place = np.empty(len(words), dtype=np.int32)
    place[[number[word] for word in words]] = np.arange(len(words), dtype=np.int32)
    columns = place[np.array(tokens, dtype=np.int64)] if tokens else np.empty(0, np.int32)
    counts = scipy.sparse.csr_array(
        (np.ones(len(columns), dtype=np.int32), columns, np.array(ends, dtype=np.int64)),
        shape=(len(texts), max(len(words), 1)),
    )
    counts.sum_duplicates()
    return counts, np.array(words, dtype=np.str_)


# ---- Stop lists by name ----------------------------------------------------------------------

LETTERS = re.compile(r"[^\W\d_]+")
# Role of each list's file in the data set `stoplists`; None if it needs no file.
STOP_LIST_FILES: dict[str, str | None] = {
    **{name: f"{name}_en" for name in ("snowball", "lucene", "mallet", "smart")},
    **dict.fromkeys(("sklearn", "none")),
}
#: Name of the user's own list, and of its file in the folder of the user's texts.
OWN, OWN_STOP_LIST = "own", "stop_words.txt"
STOP_LISTS = (*STOP_LIST_FILES, OWN)


def read_stop_list(name: str, path: Path | None = None, split: bool = False) -> frozenset[str]:
    """Return the words of a stop list.

    The lists ``snowball``, ``lucene``, ``mallet`` and ``smart`` have 174, 33, 524 and 571 lines
    (the last two have ``would`` twice). With `split`, the pieces of ``don't`` are words, too.
    """
    check_choice("stop_list", name, STOP_LISTS)
    if name == "none":
        return frozenset()
    if name == "sklearn":
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        words = set(ENGLISH_STOP_WORDS)
    elif path is None:
        raise DataError(f"the stop list {name!r} needs its file from the data set 'stoplists'")
    else:
        try:
            words = set(read_text(path).split())
        except DataError as error:
            raise DataError(f"{path} cannot be read as a stop list ({error})") from error
        if not words:
            raise DataError(f"{path} contains no stop words")
    if name == OWN:
        words |= {word.lower() for word in words}
    if split:
        words |= {piece for word in words for piece in LETTERS.findall(word)}
    return frozenset(words)
