"""How the values of each field of records are compared, told from the values.

Nothing has to be set: the law of mistakes (`reseat.likelihoods.SimilarRecords`) learns how steeply
they fall with distance, and the rules below only say where it begins.

The scale is such that the nearest values of a typical one, all but one letter (or one step) away
from it, are as likely for a mistake as all the far ones together: one near value is weighed
``exp(c (D - 1)) = 1 / sum_v gamma_v^2``, the number of values that the field has in effect.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from reseat.errors import DataError
from reseat.likelihoods import (
    RecordIndex,
    Similarity,
    SimilarityIndex,
    SimilarRecords,
    code_columns,
)
from reseat.models.aliases import aliases, joined
from reseat.models.changes import changing_fields
from reseat.models.frequencies import correct_shares, frequencies
from reseat.models.matches import agreement_by_chance, matches

__all__ = [
    "Columns",
    "FieldKind",
    "Learned",
    "agreeing",
    "as_columns",
    "compared_by_letters",
    "fields_in_words",
    "followed_fields",
    "index_fields",
    "kind_of",
    "remarks_on_numbers",
]

#: Values up to which a field is taken as it is: sexes, months, days, states.
FEW_VALUES = 40
#: Share of values with several words from which a field has phrases.
SEVERAL_WORDS = 0.25
#: Distances from which values are far: letters of a short value, of a name; share of a phrase.
REACH = {"code": 2.0, "name": 3.0, "phrase": 0.4}
WORD = re.compile(r"\w+")
#: Letters up to which two mistakes would make any two values alike.
SHORT = 5
#: Share of the spread of measured numbers (between the quartiles) from which they are far.
NEAR_NUMBERS = 0.1
#: Share of a field's values that must be numbers for the others to be remarked on.
MOSTLY_NUMBERS = 0.8
#: Of pairs that do not agree in a field by chance, the share that must from which it follows.
FOLLOWS = 0.5
#: Of pairs that agree in two fields, or might, the share that must be strangers who do.
STRANGE = 0.3
#: Others that a record may agree with by chance where a chain begins.
STRANGERS = 0.1
#: Pairs of strangers without which nothing is said of two fields, and places they are apart.
ENOUGH, STEPS = 30, 3


@dataclass(frozen=True)
class FieldKind:
    """How a field is compared.

    Attributes
    ----------
    name : {"category", "code", "name", "phrase", "number"}
        A category agrees or does not.  A code is short, and one letter may be wrong; in a name
        it may be two; of a phrase words are compared in any order; a number by differences.
    similarity : Similarity or None
        None for a category.
    """

    name: str
    similarity: Similarity | None = None


def kind_of(column: Sequence) -> FieldKind:
    """The kind of a field.

    Parameters
    ----------
    column : sequence of str, float or None
        As `as_columns` gives it.
    """
    known = [value for value in column if value is not None]
    times = Counter(known)
    values = np.array(sorted(times))
    counts = np.array([times[value] for value in values.tolist()])
    if len(values) <= FEW_VALUES:
        return FieldKind("category")
    weight = counts / counts.sum()
    log_values = float(-np.log(np.sum(weight**2)))
    if values.dtype.kind == "f":
        low, high = np.quantile(np.array(known), [0.25, 0.75])
        reach = NEAR_NUMBERS * float(high - low) or 1.0
        return FieldKind("number", Similarity("difference", 2 * log_values / reach, reach))
    length = float(np.median([len(value) for value in values]))
    if np.mean([" " in value for value in values]) > SEVERAL_WORDS:
        name = "phrase"
    else:
        name = "code" if length <= SHORT else "name"
    letter = 1 / length if name == "phrase" else 1.0
    measure = "words" if name == "phrase" else "edit"
    scale = max(log_values, 1.0) / (REACH[name] - letter)
    return FieldKind(name, Similarity(measure, scale, REACH[name]))


class Columns(list):
    """Columns of a table, and how they are compared, which is told when it is first asked for.

    Parameters
    ----------
    columns : sequence of sequences, one of length n_items a field
    """

    @classmethod
    def of(cls, columns: Sequence[Sequence]) -> Columns:
        """The columns themselves, if it is known of them already."""
        return columns if isinstance(columns, cls) else cls(columns)

    @cached_property
    def kinds(self) -> list[FieldKind]:
        """The kind of each field."""
        return [*map(kind_of, self)]

    @cached_property
    def followed(self) -> dict[int, list[int]]:
        """See `followed_fields`."""
        return followed_fields(self)


def as_columns(cells: np.ndarray) -> Columns:
    """Columns of a table, each of numbers or of strings: words and digits in small letters.

    Numbers are measured ones: a column all of whose values are numbers, some of them not whole.
    Whole numbers stand for themselves, such as years or postal codes, and are compared letter
    by letter.  A value without letters and digits is missing.

    Parameters
    ----------
    cells : ndarray of object, shape (n_records, n_fields)
        Strings or numbers; None and NaN are missing values.
    """
    return Columns(_as_column(list(column)) for column in np.asarray(cells, dtype=object).T)


def compared_by_letters(columns: Sequence[Sequence]) -> bool:
    """Whether there is a field with near values, so that records are not only categories."""
    return any(kind.similarity is not None for kind in Columns.of(columns).kinds)


def followed_fields(columns: Sequence[Sequence]) -> dict[int, list[int]]:
    """Fields that others determine, as a post code does a city: for each of them the others.

    The likelihood takes the fields of a record for independent, so that two strangers of one post
    code would agree twice.  Looked at are pairs of records that agree in one field and disagree in
    most of the rest, so that they hardly are duplicates: if they agree in a second one in more
    than half of the cases in which it does not happen by chance, that one follows the first.  A
    field is not followed if most pairs that agree in it agree in the rest, as with telephone
    numbers: it tells who it is.

    Parameters
    ----------
    columns : sequence of sequences, one of length n_items a field

    Returns
    -------
    dict of int to list of int
        A field has fewer different values than those that it follows.
    """
    codes = np.column_stack([_coded(column) for column in columns])
    n_items, n_fields = codes.shape
    n_values = codes.max(axis=0) + 1
    chance = [agreement_by_chance(code) for code in codes.T]
    found: dict[int, list[int]] = {}
    for leader in range(n_fields):
        one, other = _agreeing(codes[:, leader])
        known = (codes[one] >= 0) & (codes[other] >= 0)
        agree = known & (codes[one] == codes[other])
        for field in np.flatnonzero(n_values < n_values[leader]):
            rest = np.setdiff1d(np.arange(n_fields), (leader, field))
            n_known = known[:, rest].sum(axis=1)
            told = (n_known > 0) & known[:, field]
            strangers = told & (2 * agree[:, rest].sum(axis=1) < n_known)
            both = np.count_nonzero(agree[strangers, field])
            if strangers.sum() < ENOUGH or both < STRANGE * told.sum():
                continue
            share = both / strangers.sum()
            if share - chance[field] > FOLLOWS * (1 - chance[field]):
                found.setdefault(int(field), []).append(leader)
    return found


def _coded(column: Sequence) -> np.ndarray:
    """Numbers of the values in the order in which they first appear; -1 where one is missing."""
    from pandas import factorize  # slow to import, and most chains have no need of it

    return factorize(np.array(column, dtype=object))[0]


def _agreeing(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Some pairs of records with the same value, a few for each record."""
    order = np.argsort(codes, kind="stable")
    order = order[codes[order] >= 0]
    pairs = [(order[:-step], order[step:]) for step in range(1, STEPS + 1)]
    one, other = (np.concatenate(part) for part in zip(*pairs, strict=True))
    same = codes[one] == codes[other]
    return one[same], other[same]


@dataclass(frozen=True)
class Learned:
    """What the records themselves say of the mistakes in them.

    Attributes
    ----------
    aliases : dict of int to list of (str, str)
        Values that stand for each other, of the fields that have such.
    changing : list of tuple of int
        Groups of fields that may change together.
    """

    aliases: dict[int, list[tuple[str, str]]]
    changing: list[tuple[int, ...]]


def index_fields(
    columns: Sequence[Sequence], changing: Sequence[Sequence[int]] | None = None
) -> tuple[SimilarityIndex, Learned]:
    """Records whose fields are compared as their values suggest.

    A field that follows others (`followed_fields`) counts where these are missing.  Values that
    stand for each other (`reseat.models.aliases`) are near, whatever their letters; fields that
    change together (`reseat.models.changes`) are looked for, and a value is as frequent as it is
    among the things that the records seem to be of (`reseat.models.frequencies`).

    Parameters
    ----------
    columns : sequence of sequences, one of length n_items a field
        As `as_columns` gives them.
    changing : sequence of sequences of int, optional
        Groups of fields that change together, if they are known already.

    Returns
    -------
    index : SimilarityIndex
    learned : Learned
    """
    columns = Columns.of(columns)
    shown, kinds, followed = {}, columns.kinds, columns.followed
    for field, column in enumerate(columns):
        leaders = [columns[leader] for leader in followed.get(field, ())]
        left = [
            None if any(leader[k] is not None for leader in leaders) else value
            for k, value in enumerate(column)
        ]
        if any(value is not None for value in left):
            shown[field] = left
    codes, by_letters, levels = code_columns(
        [*shown.values()], [kinds[field].similarity for field in shown]
    )
    pairs = matches(codes)
    found = aliases(codes, by_letters, pairs)
    near = [*map(joined, by_letters, found)]
    place = {field: number for number, field in enumerate(shown)}
    follows = [
        (place[field], place[leader])
        for field, leaders in followed.items()
        for leader in leaders
        if field in place and leader in place
    ]

    def indexed(links: np.ndarray, groups: Sequence[Sequence[int]]) -> SimilarityIndex:
        laws = frequencies(codes, links, by_letters)
        records = RecordIndex(codes, [np.append(law.seen, law.unseen) for law in laws])
        beside = [(np.append(law.beside, np.zeros_like(law.unseen)), law.log_gain) for law in laws]
        correct = correct_shares(codes, links, by_letters)
        return SimilarityIndex(records, near, groups, beside, correct)

    def log_odds(groups: Sequence[Sequence[int]]) -> np.ndarray:
        return SimilarRecords(indexed(links, groups)).log_ratios(pairs) - np.log(len(codes))

    links = pairs[:0]
    links = pairs[log_odds(()) > 0]
    if changing is None:
        groups = changing_fields(codes, near, pairs, log_odds, follows)
    else:
        groups = [[place[field] for field in group] for group in changing]
    index = indexed(pairs[log_odds(groups) > 0], groups)
    named = {
        field: [(values[x], values[y]) for x, y in zip(*pairs[:2], strict=True)]
        for field, values, pairs in zip(shown, levels, found, strict=True)
        if len(pairs[0])
    }
    fields = [*shown]
    return index, Learned(named, [tuple(fields[k] for k in group) for group in groups])


def agreeing(columns: Sequence[Sequence]) -> np.ndarray:
    """Labels of records, equal for those that agree in fields in which strangers hardly do.

    Fields with more values come first, and so many are taken that a record is expected to agree
    with `STRANGERS` others by chance, or fewer.

    Parameters
    ----------
    columns : sequence of sequences, one of length n_items a field

    Returns
    -------
    ndarray of int, shape (n_items,)
        A record in which one of these fields is missing is alone.
    """
    codes = [_coded(column) for column in columns]
    chosen, strangers = [], float(len(columns[0]))
    for code in sorted(codes, key=lambda code: -int(code.max())):
        if strangers <= STRANGERS:
            break
        chosen.append(code)
        strangers *= agreement_by_chance(code)
    table = np.column_stack(chosen)
    alone = (table < 0).any(axis=1)
    table[alone] = -1 - np.arange(alone.sum())[:, None]
    return np.unique(table, axis=0, return_inverse=True)[1].reshape(-1)


def fields_in_words(names: Sequence[str], columns: Sequence[Sequence]) -> str:
    """How the fields are compared, in words.

    Parameters
    ----------
    names : sequence of str, length n_fields
    columns : sequence of sequences
        As `as_columns` gives them.
    """
    columns = Columns.of(columns)
    kinds = columns.kinds
    said = {
        "category": "equal or not",
        "code": "up to one wrong letter",
        "name": "up to two wrong letters",
        "phrase": "by words in any order",
        "number": "by differences",
    }
    parts = []
    for name, words in said.items():
        fields = [str(field) for field, kind in zip(names, kinds, strict=True) if kind.name == name]
        if fields:
            parts.append(f"{', '.join(fields)} ({words})")
    for field, leaders in columns.followed.items():
        given = " and ".join(str(names[leader]) for leader in leaders)
        parts.append(f"{names[field]} follows {given} and counts only without")
    return "; ".join(parts)


def remarks_on_numbers(names: Sequence[str], cells: np.ndarray) -> list[str]:
    """A sentence about each field that is compared as text because of a few values.

    Parameters
    ----------
    names : sequence of str, length n_fields
    cells : ndarray of object, shape (n_records, n_fields)
        As `as_columns` takes them.
    """
    said = []
    for name, column in zip(names, cells.T, strict=True):
        times = Counter(value for value in column.tolist() if not _missing(value))
        found = pd.to_numeric(pd.Series([*times], dtype=object), errors="coerce").to_numpy(float)
        numbers, n_times = np.isfinite(found), np.array([*times.values()])
        fractions = numbers & (found != np.round(found))
        if numbers.all() or not fractions.any():
            continue
        others = n_times[~numbers].sum()
        if others <= (1 - MOSTLY_NUMBERS) * n_times.sum():
            odd = [*times][int(np.argmin(numbers))]
            said.append(
                f"{others:,} of {n_times.sum():,} values of {name!r} are not numbers, such as "
                f"{str(odd)!r}, so that it is compared as text; correct these values or leave them "
                "empty, and it is compared by differences."
            )
    return said


def _as_column(column: list) -> list:
    if {*map(type, column)} <= {str, type(None)}:
        # Few are different, and equal strings are alike, which 1 and True are not.
        different = [*{*column}]
        told = dict(zip(different, _converted(different), strict=True))
        return [told[value] for value in column]
    return _converted(column)


def _converted(column: list) -> list:
    lacking = [*map(_missing, column)]
    known = [value for value, lacks in zip(column, lacking, strict=True) if not lacks]
    convert = float if known and _measured(known) else _plain
    return [None if lacks else convert(v) for v, lacks in zip(column, lacking, strict=True)]


def _missing(value) -> bool:
    return value is None or value is pd.NA or value is pd.NaT or _is_nan(value)


def _is_nan(value) -> bool:
    return isinstance(value, (float, np.floating)) and value != value


def _measured(values: list) -> bool:
    try:
        numbers = np.array([float(value) for value in values])
    except (TypeError, ValueError):
        return False
    return bool(np.isfinite(numbers).all() and (numbers != np.round(numbers)).any())


def _plain(value) -> str | None:
    if isinstance(value, (float, np.floating)) and value == int(value):
        value = int(value)
    if isinstance(value, (list, dict, set)):
        raise DataError(f"The value {value!r} is neither a string nor a number.")
    text = str(value).casefold()
    return text if text.isalnum() else " ".join(WORD.findall(text)) or None
