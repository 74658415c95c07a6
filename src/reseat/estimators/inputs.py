"""Refuse, in one sentence, input of an estimator that scikit-learn would misunderstand."""

import math
import sys
import warnings
from collections.abc import Hashable, Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from numbers import Number

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.utils.validation import validate_data

from reseat.counts import checked_sparse
from reseat.errors import ColumnWarning, DataError, ReseatWarning, shown_value
from reseat.files.texts import composed
from reseat.models.fields.columns import FEW_RECORDS, MOSTLY_DIFFERENT
from reseat.reading.values import MISSING_CELLS, PLAIN, may_mean_missing

#: Tags of estimators that take counts, of which the last is the only one for whole numbers.
TAKES_COUNTS = ("sparse", "positive_only", "categorical")
#: Sparse formats that keep duplicate entries separate.
SPARSE = ("csr", "coo")
#: Squares of values between these limits can be added up in double precision.
SMALLEST, LARGEST = 1e-150, 1e150
#: Larger whole numbers are rounded when they are converted to floats, which can merge some.
EXACT = 2**53
#: Multiples of the rounding error of its numbers by which a column must vary.
MIN_STEPS = 1000
#: Python converts no longer whole numbers to texts.
MAX_CONVERTED = 10**4000

#: Messages about texts, by kind of estimator.
OF_TEXTS = (
    "X contains texts; count their words first, for example with "
    "sklearn.feature_extraction.text.CountVectorizer, and pass the counts."
)
OF_CELLS = "X contains texts; it must be a table of numbers."
OF_DATES = "X contains dates or times; convert them to numbers, such as days since the first."
#: Types of dates, times and periods as objects.
DATES = (date, time, timedelta, np.datetime64, np.timedelta64, pd.Period)
#: Types of the values of a column, by what they are called; the first that suits counts.
KINDS = {
    "bytes": bytes,
    "texts": str,
    "numbers": (Number, np.bool_),
    "times": (datetime, np.datetime64),
    "dates": date,
}
#: These two begin like the messages of scikit-learn, which other programs look for.
OF_COMPLEX = "Complex data not supported: X contains complex numbers; give real ones."
OF_SHAPE = (
    "Reshape your data: X has the shape {}; it must be a table with one row per item and one "
    "column per feature."
)


def check_number_table(X, remedy: str = OF_CELLS, condensed: bool = False) -> None:
    """Raise a DataError for objects that are not numbers, masked entries and what is no table."""
    if sp.issparse(X):
        return
    _check_is_table(X)
    if np.ma.is_masked(X):
        raise DataError("X has masked entries; fill them, or remove their rows.")
    if isinstance(X, str | bytes):
        raise DataError(remedy)
    if isinstance(X, pd.DataFrame):
        for kind in X.dtypes:
            if isinstance(kind, pd.PeriodDtype) or kind.kind in "mM":
                raise DataError(OF_DATES)
    try:
        values = np.asarray(X)
    except ValueError:
        rows = [row if isinstance(row, list | tuple) else [row] for row in X]
        texts = any(isinstance(cell, str | bytes) for row in rows for cell in row)
        raise DataError(remedy if texts else _said_of_rows(X)) from None
    objects = values.ravel() if values.dtype.kind == "O" else ()
    if values.dtype.kind in "mM" or any(isinstance(cell, DATES) for cell in objects):
        raise DataError(OF_DATES)
    if values.dtype.kind in "US" or any(isinstance(cell, str | bytes) for cell in objects):
        raise DataError(remedy)
    if values.ndim != 2 and not (condensed and values.ndim == 1):
        raise DataError(OF_SHAPE.format(values.shape))
    if values.dtype.kind == "c":
        raise DataError(OF_COMPLEX)
    for number, value in enumerate(objects):
        # Objects of other kinds, such as mappings, are refused when the array is converted.
        odd = value is None or value is pd.NA or isinstance(value, Number)
        if odd and not _is_finite(value):
            place = np.unravel_index(number, values.shape)
            raise DataError(_said_of_entry(place, value, getattr(X, "columns", None)))


def _said_of_rows(X: Sequence) -> str:
    """Return a sentence on rows of different lengths, which NumPy cannot turn into an array."""
    lengths = [len(row) if hasattr(row, "__len__") else 1 for row in X]
    place = next((row for row, length in enumerate(lengths) if length != lengths[0]), None)
    if place is None:
        return "Some entries of X are lists; every entry must be a single value."
    return (
        f"Row 0 of X has length {lengths[0]}, but row {place} has length {lengths[place]}; all "
        "rows must have the same length."
    )


def _check_is_table(X) -> None:
    """Raise a DataError for None, dictionaries, structured arrays and iterators."""
    if X is None:
        raise DataError(
            "X is None; it must be a table with one row per item and one column per feature."
        )
    if hasattr(X, "collect") and not hasattr(X, "__len__"):
        raise DataError("X is a lazy frame, which has no rows yet; pass X.collect().")
    if isinstance(X, np.ndarray) and X.dtype.names:
        raise DataError("X is a structured array; pass pandas.DataFrame(X), which is a table.")
    if isinstance(X, Iterator):
        raise DataError("X is an iterator, such as a generator; pass list(X), which is a table.")
    rows = X if isinstance(X, list | tuple) and len(X) else (X,)
    if isinstance(rows[0], Mapping) and not sp.issparse(X):  # some sparse arrays are both
        raise DataError("X contains dictionaries; pass pandas.DataFrame(X), which is a table.")


def as_counts(fitted, X, of_texts: str = OF_CELLS, **options):
    """Return a table that may be sparse and has no negative numbers (`check_number_table`)."""
    check_number_table(X, of_texts)
    if sp.issparse(X):
        X = checked_sparse(X, "X: ")
    return _validated(fitted, X, accept_sparse=SPARSE, ensure_non_negative=True, **options)


def as_numbers(fitted, X, dtype=(np.float64, np.float32), **options) -> np.ndarray:
    """Return a table of numbers that can be squared (`check_number_table`)."""
    check_number_table(X)
    X = _validated(fitted, X, dtype=dtype, **options)
    # Without a copy, and whatever is missing.
    ends = np.fmax.reduce(X, axis=None, initial=0.0), np.fmin.reduce(X, axis=None, initial=0.0)
    largest = max(float(ends[0]), -float(ends[1]))
    if largest > LARGEST or 0 < largest < SMALLEST:
        size = "large" if largest > LARGEST else "small"
        raise DataError(
            f"The greatest value of X is {largest:g}, too {size} to be squared; change its unit."
        )
    return X


def _validated(fitted, X, **options):
    """Return X as scikit-learn validates it, with clearer errors."""
    try:
        return validate_data(fitted, X, **options)
    except ValueError as error:
        said = _said_of_entries(X, options.get("ensure_all_finite") == "allow-nan")
        if said:
            raise DataError(said) from error
        raise


def _said_of_entries(X, may_be_missing: bool) -> str:
    """Return a sentence on the first entry that is not a finite real number, or "" if all are."""
    entries = X.tocoo() if sp.issparse(X) else None
    values = np.asarray(X) if entries is None else entries.data
    if values.dtype.kind == "c":
        return OF_COMPLEX
    if values.dtype.kind != "f":
        return ""
    wrong = np.argwhere(np.isinf(values) if may_be_missing else ~np.isfinite(values))
    if not wrong.size:
        return ""
    at = place = tuple(wrong[0])
    if entries is not None:
        at = [axis[place] for axis in entries.coords]
    return _said_of_entry(at, values[place], getattr(X, "columns", None))


def _said_of_entry(place: Sequence[int], value, columns) -> str:
    """Return a sentence on an entry that is not a finite real number."""
    where = f"Entry {int(place[0])}"
    if len(place) == 2:
        name = int(place[1]) if columns is None else repr(columns[place[1]])
        where = f"Row {int(place[0])}, column {name}"
    is_nan = value is pd.NA or (isinstance(value, float | np.floating) and np.isnan(value))
    return (
        f"{where} of X is {'NaN' if is_nan else shown_value(value)}; every entry must be a finite "
        "number: fill it in, or leave the row or the column out."
    )


def _is_finite(value) -> bool:
    """Return whether an object is a number that is finite as a float."""
    try:
        return math.isfinite(value)
    except (TypeError, ValueError, OverflowError):
        return False


def warn_of_rounding(X: np.ndarray) -> None:
    """Warn of columns that vary hardly more than their numbers are rounded."""
    low, high = X.min(axis=0), X.max(axis=0)
    step = np.spacing(np.maximum(np.abs(low), np.abs(high)))
    rough = np.flatnonzero((low < high) & (high - low < MIN_STEPS * step))
    if rough.size:
        place = rough[0]
        warn_caller(
            f"Column {place} of X varies by {high[place] - low[place]:.3g}, but its numbers are so "
            f"large that they are rounded to multiples of {step[place]:.3g}; subtract a constant "
            "from the column when it is made, or leave it out."
        )


def as_cells(X):
    """Return a table of composed texts, with None for missing values, and others as they are."""
    _check_cells(X)
    X = _as_pandas(X)
    if isinstance(X, pd.DataFrame):
        if any(kind.kind == "c" for kind in X.dtypes):
            raise DataError(OF_COMPLEX)
        twice = X.columns[X.columns.duplicated()]
        if twice.size:
            raise DataError(f"Two columns of X are called {twice[0]!r}; rename one of them.")
        numeric = all(isinstance(kind, np.dtype) and kind.kind in "biuf" for kind in X.dtypes)
        if numeric and not _would_be_merged(X):
            return X
        cells = X.astype(object)
        values = cells.where(X.notna() & ~_is_blank(cells.to_numpy()), None).to_numpy()
    elif sp.issparse(X) or hasattr(X, "__dataframe__"):
        return X
    else:
        try:
            given = np.asarray(X)
        except ValueError:
            raise DataError(_said_of_rows(X)) from None
        if given.ndim != 2:
            raise DataError(OF_SHAPE.format(given.shape))
        if given.dtype.kind == "c":
            raise DataError(OF_COMPLEX)
        try:
            # An array has been rounded before.
            of_floats = given.dtype.kind == "f" and not isinstance(X, np.ndarray)
            rounded = of_floats and (np.abs(given) >= EXACT).any()
            if given.dtype.kind not in "OUSTmM" and not rounded:
                return X
            # In a list with a text, NumPy would also convert NaN and None to texts.
            if given.dtype.kind in "mM":
                # In microseconds, so that they equal those of Python: as objects, those of a finer
                # unit would be whole numbers, and days would have no time.
                values = given.astype(f"{given.dtype.kind}8[us]").astype(object)
            else:
                values = np.array(X, dtype=object)
        except ValueError:  # an entry is a list
            return X
        values[pd.isna(values) | _is_blank(values)] = None
        if isinstance(X, np.ndarray) and X.dtype.kind in "US":
            values[absent_texts("X", X)] = None
    spelt = np.frompyfunc(lambda cell: composed(cell) if isinstance(cell, str) else cell, 1, 1)
    values = spelt(values)
    unfit = [_is_no_category(value) for value in values.flat]
    if any(unfit):
        row, column = np.unravel_index(np.argmax(unfit), values.shape)
        raise DataError(
            f"Row {row}, column {column} of X is {shown_value(values[row, column])}; correct "
            "it, or use None if the value is missing."
        )
    if isinstance(X, pd.DataFrame):
        return pd.DataFrame(values, index=X.index, columns=X.columns)
    return values


def _is_no_category(value) -> bool:
    """Return whether a cell is infinite, or has no text, or only one that names its address."""
    if isinstance(value, str):
        return False
    if isinstance(value, float | np.floating):
        return bool(np.isinf(value))
    if isinstance(value, int):
        return abs(value) >= MAX_CONVERTED
    return type(value).__str__ is object.__str__ and type(value).__repr__ is object.__repr__


def float_types(X) -> list:
    """Return the type of each column of floating-point numbers, and None for other columns."""
    X = _as_pandas(X)
    if isinstance(X, pd.DataFrame):
        kinds = list(X.dtypes)
    elif isinstance(X, np.ndarray) and X.ndim == 2:
        kinds = [X.dtype] * X.shape[1]
    else:
        return []
    return [kind if getattr(kind, "kind", "") == "f" else None for kind in kinds]


def _as_pandas(X):
    """Convert a data frame of another library, which would make floats of whole numbers."""
    if isinstance(X, pd.DataFrame) or not hasattr(X, "columns"):
        return X
    try:
        columns = {name: _as_column(X[name].to_list()) for name in X.columns}
    except (AttributeError, KeyError, TypeError, ValueError):  # a frame with another interface
        return X
    return pd.DataFrame(columns)


def _as_column(values: list) -> pd.Series:
    found = pd.Series(values, dtype=object)
    large = any(isinstance(value, int) and abs(value) > EXACT for value in values)
    return found if large else found.infer_objects()


def _would_be_merged(X: pd.DataFrame) -> bool:
    """Return whether an array of all columns would be of floats and round large whole numbers."""
    if X.empty or np.result_type(*X.dtypes).kind != "f":
        return False
    whole = [X[name].to_numpy() for name in X.columns if X[name].dtype.kind in "iu"]
    return any(((values > EXACT) | (values < -EXACT)).any() for values in whole)


def as_given(values) -> np.ndarray:
    """Return entries as objects: NumPy could turn all into texts, or large integers into floats."""
    if hasattr(values, "to_list") and not isinstance(values, pd.Series | pd.Index):
        values = values.to_list()  # polars would make floats of whole numbers beside missing ones
    return np.asarray(values, dtype=object).reshape(-1)


def _is_blank(values: np.ndarray) -> np.ndarray:
    """Return which values are texts that consist only of blanks."""
    blank = np.frompyfunc(lambda value: isinstance(value, str | bytes) and not value.strip(), 1, 1)
    return blank(values).astype(bool)


def warn_caller(text: str, category: type[Warning] = ReseatWarning, **fields) -> None:
    """Warn at the line that called the library, with the fields of `reseat.errors.Message`."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("reseat."):
        frame, level = frame.f_back, level + 1
    warnings.warn(category(text, **fields), stacklevel=level)


def absent_texts(name: str, texts: np.ndarray, words: Sequence[str] = MISSING_CELLS) -> np.ndarray:
    """Return which texts mean a missing value, as NumPy writes NaN and None; warn of words."""
    bare = np.char.strip(texts)
    absent = np.isin(bare, np.array(words, dtype=texts.dtype.kind))
    found = [word for word in np.unique(bare[absent]).astype(str).tolist() if word not in PLAIN]
    if found:
        warn_caller(
            f"Entries of {name} containing {', '.join(map(repr, found))} are treated as missing; "
            "pass an array of dtype object if they are values."
        )
    return absent


def warn_of_words(name: str, values: np.ndarray) -> None:
    """Warn of texts that are treated as values, but may mean that a value is missing."""
    found = pd.Series(values, dtype=object)
    found = found[may_mean_missing(found)]
    if len(found):
        warn_caller(
            f"{len(found):,} of {len(values):,} entries of {name} are "
            f"{' or '.join(map(repr, found.unique()))}, which is treated as a value; use None if "
            "it means a missing value.",
            ColumnWarning,
        )


def one_per_item(
    name: str, values, n_items: int, argument: str | None = None, item: str = "item"
) -> np.ndarray:
    """Return an array with one entry per item, such as "entities", also from a single column."""
    argument = argument or name
    if np.ma.is_masked(values):
        raise DataError(
            f"{argument} has masked entries, which would be read as if they were not; fill them, "
            f"or remove their {item}s."
        )
    try:
        found = np.asarray(values)
    except ValueError:  # lists of different lengths among the entries
        raise DataError(
            f"Some entries of {argument} are lists; there must be one number or text per {item}."
        ) from None
    if found.shape not in ((n_items,), (n_items, 1)):
        given = f"{found.size} {name} are"
        if found.ndim > 1:
            given = f"A table of shape {found.shape} with {name} is"
        raise DataError(
            f"{given} given for {n_items} {item}s; {argument} must have one per {item}."
        )
    return found.reshape(-1)


def plain_array(values: np.ndarray) -> np.ndarray:
    """Return an array of numbers instead of one of objects, if that changes none of them."""
    dates = values.dtype.kind in "mM"  # `tolist` may turn these into whole numbers
    if dates or not all(isinstance(value, int | float) for value in values.tolist()):
        return values
    plain = np.array(values.tolist())
    return plain if plain.tolist() == values.tolist() else values


def kinds_of(cells: np.ndarray) -> set[str]:
    """Return the kinds of values in a column, in words."""
    types = {type(cell) for cell, lacks in zip(cells, pd.isna(cells), strict=True) if not lacks}
    return {_kind_of_type(kind) for kind in types}


def _kind_of_type(kind: type) -> str:
    return next((words for words, base in KINDS.items() if issubclass(kind, base)), "other values")


def encode_table(table: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    """Number the values of each column by first appearance; missing values are -1."""
    if not table.dtype.isnative:  # which pandas cannot number
        table = table.astype(table.dtype.newbyteorder("="))
    codes, categories = np.empty(table.shape, dtype=np.int32), []
    for place in range(table.shape[1]):
        try:
            codes[:, place], found = pd.factorize(table[:, place])
        except TypeError as error:
            raise DataError(f"Field {place} has values that are not categories: {error}.") from None
        categories.append(np.asarray(found))
    return codes, categories


def group_per_item(name: str, values, n_items: int, item: str = "item") -> np.ndarray:
    """Return an array with the group of each item; every item must have one."""
    found = one_per_item(f"{name}s", values, n_items, item=item)
    if found.dtype.kind == "f":  # whole numbers may have been rounded
        found = plain_array(as_given(values))
    lacking = pd.isna(found) | _is_blank(found)
    if lacking.any():
        raise DataError(f"The {name} of the {item} {lacking.argmax()} is missing; give it one.")
    for place, value in enumerate(found.tolist() if found.dtype.kind in "OUS" else ()):
        text = value.decode(errors="replace") if isinstance(value, bytes) else value
        if isinstance(text, str) and text.strip() in MISSING_CELLS:
            raise DataError(
                f"The {name} of the {item} {place} is {text!r}, which means a missing value; give "
                f"it a {name}, or rename this one."
            )
        if not isinstance(value, Hashable):
            raise DataError(
                f"The {name} of the {item} {place} is {value!r}; it must be a number or a text."
            )
    return found


def _check_cells(X) -> None:
    """Raise a DataError for one text per record, masked entries and anything that is no table."""
    _check_is_table(X)
    if np.ma.is_masked(X):
        raise DataError("X has masked entries; use None for missing values.")
    listed = isinstance(X, list | tuple) or (np.ndim(X) == 1 and not sp.issparse(X))
    rows = X if listed else ()
    if isinstance(X, str | bytes) or (
        len(rows) and all(isinstance(row, str | bytes) for row in rows)
    ):
        raise DataError(
            "X contains one text per record; it must be a table with one row per record and one "
            "column per field."
        )


def warn_of_lone_values(codes: np.ndarray) -> None:
    """Warn of fields in which nearly every record has a value of its own."""
    n_values = codes.max(axis=0) + 1
    lone = np.flatnonzero(n_values > MOSTLY_DIFFERENT * len(codes))
    if lone.size and len(codes) > FEW_RECORDS:
        fields = ", ".join(map(str, lone))
        warn_caller(
            f"Nearly every record has its own value in column {fields}, which then says nothing "
            "about which records belong together; remove such columns, or reduce their number of "
            "levels.",
            ColumnWarning,
        )
