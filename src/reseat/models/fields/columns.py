"""Columns of a table of records, and the kind of values that each of them has."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.special import pdtrc

from reseat.errors import DataError
from reseat.files.texts import marks
from reseat.likelihoods import Similarity
from reseat.models.fields.matches import STRANGE, followed_fields

#: Fields with at most this many values are categories: sexes, months, days, states.
FEW_VALUES = 40
#: But not if they are names, which more than this share of more than so many records do not share.
MOSTLY_DIFFERENT, FEW_RECORDS = 0.8, 20
#: A field has phrases if more than this share of its values have several words.
SEVERAL_WORDS = 0.25
#: Distances from which values count as far: letters of codes and of names; share of a phrase.
REACH = {"code": 2.0, "name": 3.0, "phrase": 0.4}
#: A whole number: its sign, its digits, and a fraction of zero, as written if a cell is empty.
WHOLE = re.compile(r"([-+]?)(\d+)(?:\.0+)?", re.ASCII)
DIGIT = re.compile(r"\d")
#: Up to this many letters, two mistakes would make any two values alike.
SHORT = 5
#: Measured numbers count as far from this share of their interquartile range.
NEAR_NUMBERS = 0.1


@dataclass(frozen=True)
class FieldKind:
    """How a field is compared."""

    #: ``category``, ``code``, ``name``, ``phrase`` or ``number``.
    name: str
    #: None for a category.
    similarity: Similarity | None = None


def kind_of(column: Sequence) -> FieldKind:
    """Return the kind of a field."""
    known = [value for value in column if value is not None]
    times = Counter(known)
    values = np.array(sorted(times))
    counts = np.array([times[value] for value in values.tolist()])
    if len(values) <= FEW_VALUES and not _are_names(times):
        return FieldKind("category")
    weight = counts / counts.sum()
    log_values = float(-np.log(np.sum(weight**2)))
    if values.dtype.kind == "f":
        low, high = np.quantile(np.array(known), [0.25, 0.75])
        reach = NEAR_NUMBERS * float(high - low) or 1.0
        return FieldKind("number", Similarity("difference", 2 * log_values / reach, reach))
    length = float(np.median([len(value) for value in values]))
    name, measure, letter = ("code" if length <= SHORT else "name"), "edit", 1.0
    if np.mean([" " in value for value in values]) > SEVERAL_WORDS:
        name, measure, letter = "phrase", "words", 1 / length
    # A value next to a typical one, only one letter away from it, is then as likely to be a mistake
    # for it as all far values together.
    scale = max(log_values, 1.0) / (REACH[name] - letter)
    return FieldKind(name, Similarity(measure, scale, REACH[name]))


def _are_names(times: Counter) -> bool:
    """Return whether hardly two records share a value, and most values have no digits."""
    n_known = times.total()
    if n_known <= FEW_RECORDS or len(times) <= MOSTLY_DIFFERENT * n_known:
        return False
    n_names = sum(isinstance(value, str) and not DIGIT.search(value) for value in times)
    return 2 * n_names > len(times)


class Columns(list):
    """Columns of a table, and how they are compared, which is determined on first use."""

    @classmethod
    def of(cls, columns: Sequence[Sequence]) -> Columns:
        """Return the columns themselves if they are of this class already."""
        return columns if isinstance(columns, cls) else cls(columns)

    @cached_property
    def kinds(self) -> list[FieldKind]:
        """The kind of each field."""
        return [*map(kind_of, self)]

    @cached_property
    def repeating(self) -> dict[int, list[int]]:
        """Fields that others nearly determine, as its parts do a full name, with these."""
        return repeating_fields(self)

    @cached_property
    def followed(self) -> dict[int, list[int]]:
        """Fields that follow others or repeat them, with these."""
        return self.following() | self.repeating

    def following(self, strange: float = STRANGE) -> dict[int, list[int]]:
        """Return `followed_fields` of the fields that do not repeat others."""
        # If mistakes in a part and in the whole both counted, one entity would seem to be two.
        others = [field for field in range(len(self)) if field not in self.repeating]
        found = followed_fields([self[field] for field in others], strange)
        return {others[k]: [others[leader] for leader in found[k]] for k in found}


def as_columns(cells: np.ndarray) -> Columns:
    """Return the columns of a table, each of numbers, or of lower-case words and digits."""
    # Only columns with numbers alone, some not whole, are of numbers: others may be years or codes.
    return Columns(_as_column(list(column)) for column in np.asarray(cells, dtype=object).T)


#: How much more usual exchanged words must be the other way round, unless there are many; least
#: share of such records, and largest share with a word that is then more usual in the other column.
MORE_USUAL, MIN_EXCHANGED, MAX_COMMON = 20.0, 0.01, 0.2
#: Number of times that each word counts in either column besides, the most passes over the records,
#: and how improbable by chance as many records must be whose words are both more usual elsewhere.
SELDOM, MOST_PASSES, BY_CHANCE = 0.1, 20, 0.001


def in_place(columns: Columns) -> tuple[Columns, dict[tuple[int, int], int]]:
    """Return columns with exchanged words, such as names, put back, and how many by two fields."""
    columns, found = Columns(columns), {}
    times = [Counter(column) for column in columns]
    texts = [
        field
        for field, values in enumerate(times)
        if not any(isinstance(value, float) or DIGIT.search(value or "") for value in values)
    ]
    for a, b in combinations(texts, 2):
        in_a, in_b = times[a].copy(), times[b].copy()
        if not in_a.keys() & in_b.keys() - {None}:
            continue
        pairs, turned = [*zip(columns[a], columns[b], strict=True)], set()
        # Each pair of words counts once, because people of one household may share them.
        elsewhere = [
            (_how_much_rather(x, in_a, in_b) > 1, _how_much_rather(y, in_b, in_a) > 1)
            for x, y in {*pairs}
        ]
        # Where words are common for another reason, a record has no more often two of them.
        both = sum(map(all, elsewhere))
        expected = math.prod(map(sum, zip(*elsewhere, strict=True))) / len(elsewhere)
        if not both or pdtrc(both - 1, expected) > BY_CHANCE:
            continue
        # Each record that is put right tells more of where words belong, and how many are wrong.
        # One after the other, so that of two that are each other's opposites only one is turned.
        for _ in range(MOST_PASSES):
            n_moves, more_usual = 0, min(MORE_USUAL, len(pairs) / max(1, len(turned)))
            for row, (x, y) in enumerate(pairs):
                odds = _how_much_rather(x, in_a, in_b) * _how_much_rather(y, in_b, in_a)
                if x != y and odds > (1 / more_usual if row in turned else more_usual):
                    turned ^= {row}
                    pairs[row] = y, x
                    in_a.update({x: -1, y: 1})
                    in_b.update({x: 1, y: -1})
                    n_moves += 1
            if not n_moves:
                break
        common = sum(_how_much_rather(x, in_a, in_b) > 1 for x, _ in pairs)
        if len(turned) >= MIN_EXCHANGED * len(pairs) and common <= MAX_COMMON * len(pairs):
            columns[a], columns[b] = map(list, zip(*pairs, strict=True))
            found[a, b] = len(turned)
    return columns, found


def _how_much_rather(word: str | None, here: Counter, there: Counter) -> float:
    """Return how much more usual a word of one column is in the other, by all other records."""
    return 1.0 if word is None else (there[word] + SELDOM) / (here[word] - 1 + SELDOM)


#: A field repeats others if their words are among its own in this share of so many records, and if
#: they have at least this share of its number of values.
WITHIN, LOOKED_AT, MIN_VALUES = 0.9, 2_000, 0.5


def repeating_fields(columns: Sequence[Sequence]) -> dict[int, list[int]]:
    """Return the fields that others nearly determine, as its parts do a full name, with these."""
    rows = range(0, len(columns[0]), 1 + len(columns[0]) // LOOKED_AT)
    words = [
        [{*column[row].split()} if isinstance(column[row], str) else None for row in rows]
        for column in columns
    ]

    def within(part: int, whole: int) -> float:
        pairs = zip(words[part], words[whole], strict=True)
        found = [x <= y for x, y in pairs if x is not None and y is not None]
        return sum(found) / max(1, len(found))

    found = {}
    for whole, column in enumerate(columns):
        if max(map(len, filter(None, words[whole])), default=0) < 2:
            continue
        parts = [
            part
            for part in range(len(columns))
            if part != whole and within(part, whole) >= WITHIN > within(whole, part)
        ]
        values = {*zip(*(columns[part] for part in parts), strict=True)}
        if parts and len(values) >= MIN_VALUES * len({*column}):
            found[whole] = parts
    return found


def compared_by_letters(columns: Sequence[Sequence]) -> bool:
    """Return whether some field has near values, so that not all fields are categories."""
    return any(kind.similarity is not None for kind in Columns.of(columns).kinds)


def _as_column(column: list) -> list:
    if {*map(type, column)} <= {str, type(None)}:
        # Few are distinct, so each is converted once.  This only works for strings: 1 equals True.
        different = [*{*column}]
        told = dict(zip(different, _converted(different), strict=True))
        return [told[value] for value in column]
    return _converted(column)


def _converted(column: list) -> list:
    lacking = [*map(is_missing, column)]
    known = [value for value, lacks in zip(column, lacking, strict=True) if not lacks]
    whole = all(WHOLE.fullmatch(str(value).strip()) for value in known)
    convert = float if known and _measured(known) else _whole if whole else _plain
    return [None if lacks else convert(v) for v, lacks in zip(column, lacking, strict=True)]


def is_missing(value) -> bool:
    """Return whether a cell is None, NaN, NA or NaT."""
    if isinstance(value, (float, np.floating)):
        return value != value
    return value is None or value is pd.NA or value is pd.NaT


def _measured(values: list) -> bool:
    try:
        numbers = np.array([float(value) for value in values])
    except (OverflowError, TypeError, ValueError):
        return False
    return bool(np.isfinite(numbers).all() and (numbers != np.round(numbers)).any())


def _whole(value) -> str:
    sign, digits = WHOLE.fullmatch(str(value).strip()).groups()
    return sign.replace("+", "") + digits


def _plain(value) -> str | None:
    if isinstance(value, (float, np.floating)) and value == int(value):
        value = int(value)
    if isinstance(value, (list, dict, set)):
        raise DataError(f"The value {value!r} is neither a string nor a number.")
    text = str(value).casefold()
    return text if text.isalnum() else " ".join(_word().findall(text)) or text.strip() or None


@lru_cache
def _word() -> re.Pattern:
    """Return a pattern for words, in which marks and zero-width joiners do not end a word."""
    return re.compile(rf"\w(?:[\w{marks()}]|[\u200c\u200d](?=\w))*")


#: Share of a field's values that must be numbers for a remark on the other values.
MOSTLY_NUMBERS = 0.8
#: A decimal comma, or one between thousands.
COMMA = re.compile(r"\s*[-+]?\d+(?:,\d+)+\s*", re.ASCII)


def fields_in_words(names: Sequence[str], columns: Sequence[Sequence]) -> str:
    """Return how the fields are compared, in words."""
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
    """Return a sentence about each field that is compared as text because of a few values."""
    said = []
    for name, column in zip(names, cells.T, strict=True):
        times = Counter(value for value in column.tolist() if not is_missing(value))
        found = pd.to_numeric(pd.Series([*times], dtype=object), errors="coerce").to_numpy(float)
        numbers, n_times = np.isfinite(found), np.array([*times.values()])
        commas = np.array([COMMA.fullmatch(str(value)) is not None for value in times])
        fractions, others = numbers & (found != np.round(found)), n_times[~numbers].sum()
        if commas.any() and n_times[numbers | commas].sum() >= MOSTLY_NUMBERS * n_times.sum():
            said.append(
                f"{n_times[commas].sum():,} of {n_times.sum():,} values of {name!r} have commas "
                f"between digits, such as {str([*times][int(np.argmax(commas))])!r}, and are "
                "compared as text; write decimals with a point, and thousands without any mark."
            )
        elif fractions.any() and 0 < others <= (1 - MOSTLY_NUMBERS) * n_times.sum():
            odd = [*times][int(np.argmin(numbers))]
            said.append(
                f"{others:,} of {n_times.sum():,} values of {name!r} are not numbers, such as "
                f"{str(odd)!r}, so that it is compared as text; correct these values or leave them "
                "empty, and it is compared by differences."
            )
    return said
