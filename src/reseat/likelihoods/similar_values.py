"""Pairs of near values of a field, and tables of records made from columns."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from pandas import isna
from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA, JaroWinkler

from reseat.checks import check_positive, check_whole
from reseat.equal_pairs import distinct, equal_pairs
from reseat.errors import ConfigError, DataError
from reseat.likelihoods._record_index import RecordIndex
from reseat.likelihoods._similarity_index import SimilarityIndex

SCORERS = {
    "jaro-winkler": JaroWinkler.distance,
    "edit": OSA.distance,
    "words": fuzz.token_set_ratio,
}
MEASURES = (*SCORERS, "difference")

#: largest number of values of which all pairs are compared; comparing words takes longer
COMPARE_ALL, COMPARE_ALL_WORDS = 4_000, 2_000
#: number of pairs that are compared at a time
CHUNK = 1 << 22
#: of more values, those up to this many places apart in alphabetical order are compared
WINDOW = 10
#: values equal but for a letter, up to which all are compared; of more, only neighbours in order
CROWD = 100
#: base of polynomial hashes; odd, so that its powers are different 64-bit integers
BASE = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Similarity:
    """How the probability of a mistake falls with the distance from the true value.

    It is proportional to the frequency of the value and to ``exp(-scale min(distance, reach))``.

    Parameters
    ----------
    measure : {"jaro-winkler", "edit", "words", "difference"}
        The distance.  ``jaro-winkler``: one minus the Jaro–Winkler similarity, from 0 to 1.
        ``edit``: the number of letters that are replaced, deleted, inserted or swapped with the
        next one, none of them twice (optimal string alignment).  ``words``: the share of letters,
        from 0 to 1, by which the words that two values do not have in common differ; 0 if all
        words of one are among those of the other.  ``difference``: the absolute difference of
        numbers.
    scale : float
        Rate at which the log probability falls, per unit of the distance.
    reach : float
        Distance beyond which the probability no longer falls, in the unit of the measure.
    most : int
        Largest number of near values of a value; if there are more, those nearest to each other
        are kept.  It bounds the cost of a block.

    Raises
    ------
    ConfigError
        If the measure is not one of these, or a number is out of range.

    Examples
    --------
    >>> from reseat.likelihoods import Similarity, near_values
    >>> first, second, log_gain = near_values(["ann", "anne", "bob"], Similarity("edit", 2.0, 3.0))
    >>> [*zip(first.tolist(), second.tolist(), log_gain.tolist())]
    [(0, 1, 4.0)]
    """

    measure: str
    scale: float
    reach: float
    most: int = 50

    def __post_init__(self):
        if self.measure not in MEASURES:
            raise ConfigError(
                f"measure is '{self.measure}'; it must be one of {', '.join(MEASURES)}."
            )
        check_positive("scale", self.scale)
        check_positive("reach", self.reach)
        object.__setattr__(self, "most", check_whole("most", self.most, 1))


def near_values(values: Sequence, similarity: Similarity) -> tuple[np.ndarray, ...]:
    """Return the pairs of values whose distance is below the reach, for `SimilarityIndex`.

    All pairs of up to 4,000 strings (2,000 for ``words``) are compared; of more strings, only those
    that agree once at most one letter is removed from each, or are close in alphabetical order,
    read forwards or backwards, so that time grows as ``n log n``.

    Parameters
    ----------
    values : sequence of str or float, length n_values
        All different.
    similarity : Similarity

    Returns
    -------
    first, second : ndarray of int, shape (n_pairs,)
        Indices into `values`, the lower one first.
    log_gain : ndarray of float, shape (n_pairs,)
        ``scale (reach - distance)``.
    """
    if not len(values):
        return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp), np.empty(0)
    if similarity.measure == "difference":
        first, second, distance = _near_numbers(np.asarray(values, dtype=float), similarity)
    elif len(values) <= (COMPARE_ALL_WORDS if similarity.measure == "words" else COMPARE_ALL):
        first, second, distance = _compare_all(values, similarity)
    else:
        first, second = _candidates(values)
        distance = np.concatenate(
            [
                process.cpdist(
                    [values[i] for i in first[start : start + CHUNK]],
                    [values[i] for i in second[start : start + CHUNK]],
                    scorer=SCORERS[similarity.measure],
                    dtype=np.float64,
                )
                for start in range(0, first.size, CHUNK)
            ]
        )
        if similarity.measure == "words":
            distance = 1 - distance / 100
    kept = distance < similarity.reach
    first, second, distance = _nearest(
        first[kept], second[kept], distance[kept], len(values), similarity.most
    )
    return first, second, similarity.scale * (similarity.reach - distance)


def _near_numbers(values, similarity):
    """Return the pairs of near numbers, up to `most` places apart in ascending order."""
    order = np.argsort(values, kind="stable")
    ranked = values[order]
    pairs = [(order[:0], order[:0], ranked[:0])]
    for step in range(1, min(similarity.most, values.size - 1) + 1):
        distance = ranked[step:] - ranked[:-step]
        place = np.flatnonzero(distance < similarity.reach)
        if place.size == 0:
            break
        pairs.append((order[place], order[place + step], distance[place]))
    one, other, distance = (np.concatenate(part) for part in zip(*pairs, strict=True))
    return np.minimum(one, other), np.maximum(one, other), distance


def _compare_all(values, similarity):
    pairs = []
    words = similarity.measure == "words"
    cutoff = 100 * (1 - similarity.reach) if words else similarity.reach
    step = max(1, CHUNK // len(values))
    for start in range(0, len(values), step):
        distance = process.cdist(
            values[start : start + step],
            values,
            scorer=SCORERS[similarity.measure],
            score_cutoff=max(cutoff, 0),
            dtype=np.float64,
        )
        if words:
            distance = 1 - distance / 100
        first, second = np.nonzero(distance < similarity.reach)
        distance = distance[first, second]
        kept = first + start < second
        pairs.append((first[kept] + start, second[kept], distance[kept]))
    return tuple(np.concatenate(part) for part in zip(*pairs, strict=True))


def _candidates(values):
    """Return the pairs of strings that are worth comparing, in a time almost linear in `values`."""
    pairs = [_one_letter_apart(values)]
    for order in (
        sorted(range(len(values)), key=values.__getitem__),
        sorted(range(len(values)), key=lambda i: values[i][::-1]),
    ):
        order = np.array(order)
        pairs += [(order[:-step], order[step:]) for step in range(1, WINDOW + 1)]
    one, other = (np.concatenate(part) for part in zip(*pairs, strict=True))
    codes = distinct(np.minimum(one, other) * len(values) + np.maximum(one, other))
    return np.divmod(codes, len(values))


def _one_letter_apart(values):
    """Return the pairs of strings that agree once at most one letter is removed, by hashes."""
    lengths = np.array([len(value) for value in values])
    owners, keys = [], []
    for length in np.unique(lengths):
        places = np.flatnonzero(lengths == length)
        joined = "".join(values[place] for place in places)
        letters = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        powers = BASE ** np.arange(length + 1, dtype=np.uint64)
        letters = letters.reshape(places.size, length).astype(np.uint64) + np.uint64(1)
        before = np.cumsum(letters * powers[:length], axis=1, dtype=np.uint64)
        # The letters after a removed one move one place forward.
        moved = letters[:, 1:] * powers[: max(length - 1, 0)]
        after = np.cumsum(moved[:, ::-1], axis=1, dtype=np.uint64)[:, ::-1]
        key = np.zeros((places.size, length + 1), dtype=np.uint64)
        key[:, 1:] += before
        key[:, : max(length - 1, 0)] += after
        owners.append(np.repeat(places, length + 1))
        keys.append(key.ravel())
    owner, key = np.concatenate(owners), np.concatenate(keys)
    order = np.lexsort((owner, key))
    owner, key = owner[order], key[order]
    new = np.append(True, (owner[1:] != owner[:-1]) | (key[1:] != key[:-1]))
    owner, key = owner[new], key[new]
    one, other = equal_pairs(key, CROWD)
    return owner[one], owner[other]


def _nearest(first, second, distance, n_values, most):
    """Return the pairs that are among the `most` nearest ones of both their values."""
    own = np.concatenate([first, second])
    other = np.concatenate([second, first])
    order = np.lexsort((other, np.concatenate([distance, distance]), own))
    counts = np.bincount(own, minlength=n_values)
    rank = np.empty(own.size, dtype=np.intp)
    rank[order] = np.arange(own.size) - np.repeat(np.cumsum(counts) - counts, counts)
    kept = (rank < most).reshape(2, -1).all(axis=0)
    return first[kept], second[kept], distance[kept]


def index_columns(
    columns: Sequence[Sequence], similarities: Sequence[Similarity | None]
) -> SimilarityIndex:
    """Return the index of records given as columns, with the frequencies of their values.

    Parameters
    ----------
    columns, similarities
        As for `code_columns`, which also lists the errors that are raised.
    """
    codes, near, _ = code_columns(columns, similarities)
    return SimilarityIndex(RecordIndex(codes), near)


def code_columns(
    columns: Sequence[Sequence], similarities: Sequence[Similarity | None]
) -> tuple[np.ndarray, list, list[list]]:
    """Number the values of columns, and find those that are near each other.

    Parameters
    ----------
    columns : sequence of sequences, one of length n_items a field
        Strings or numbers; a missing value is None.
    similarities : sequence of Similarity or None, one a field
        None for a field whose values are all equally far from each other.

    Returns
    -------
    codes : ndarray of int, shape (n_items, n_fields)
        Places of the values among the sorted values of their field, -1 where one is missing.
    near : list of (ndarray, ndarray, ndarray) or None, one a field
        Pairs of near values, as `near_values` gives them.
    levels : list of lists, one a field
        The sorted values of each field.

    Raises
    ------
    DataError
        If the columns differ in length, there is not one similarity for each, or a value has
        another type than its measure needs.  `index_columns` also has the reasons of `RecordIndex`.
    """
    if len(columns) != len(similarities):
        raise DataError(
            f"{len(similarities)} similarities are given for {len(columns)} fields; there must be "
            "one for each field, or None."
        )
    lengths = {len(column) for column in columns}
    if len(lengths) != 1:
        raise DataError("The fields have different lengths; each needs one value per record.")
    codes, near, found = [], [], []
    for field, (column, similarity) in enumerate(zip(columns, similarities, strict=True)):
        levels, places = ranked_values(column)
        _check_type(field, levels, similarity)
        found.append(levels)
        codes.append(places)
        near.append(None if similarity is None else near_values(levels, similarity))
    return np.array(codes, dtype=np.intp).T, near, found


def _check_type(field, levels, similarity):
    """Raise DataError unless a measure can compare all values of a field."""
    if similarity is None:
        return
    wanted, kind = (str, "strings") if similarity.measure in SCORERS else ((int, float), "numbers")
    for value in levels:
        if not isinstance(value, wanted) or value != value:
            raise DataError(
                f"Field {field} has the value {value!r}; the measure '{similarity.measure}' "
                f"compares {kind}."
            )


# ---- The distinct values of a field of records, in order -------------------------------------


def ranked_values(column: Sequence) -> tuple[list, list[int]]:
    """Return the sorted distinct values, numbers first, and each record's place, -1 if missing."""
    column = list(column)
    missing = isna(np.fromiter(column, dtype=object, count=len(column))).tolist()
    known = {value for value, gone in zip(column, missing, strict=True) if not gone}
    values = sorted(known, key=lambda value: (isinstance(value, str), value))
    place = {value: rank for rank, value in enumerate(values)}
    return values, [
        -1 if gone else place[value] for value, gone in zip(column, missing, strict=True)
    ]
