"""Checks of arguments that all parts of the library share."""

import math
from collections.abc import Collection
from numbers import Real

import numpy as np

from reseat._labels import lie_below
from reseat.configuration import did_you_mean
from reseat.errors import ConfigError, DataError, shown_value

#: Largest number of chains or threads; a larger one is a typing error.
MAX_CHAINS = 10_000
#: Items, slots and sweeps are counted in C integers of 32 bits.
MAX_COUNT = int(np.iinfo(np.int32).max)

#: Bounds of a parameter of a prior, beyond which it alone, or rounding, would decide the result.
WEAKEST, STRONGEST = 1e-9, 1e9
#: Bound of the sum of many such parameters; above it, rounding errors exceed 1e-5.
MAX_TOTAL = 1e10

#: Type of labels in memory.
SLOTS = np.dtype(np.intc)


def refusal(name: str, value, fault: str) -> ConfigError:
    """Return the error about a parameter; its fault may name others (`reseat.errors.Message`)."""
    return ConfigError("{parameter} is {value}" + fault, parameter=name, value=value)


def check_positive(name: str, value, hint: str = "") -> float:
    """Return a positive parameter as a float."""
    if not (_is_finite(value) and value > 0):
        raise refusal(name, value, f"; it must be positive and finite{hint}.")
    return float(value)


def check_between(
    name: str, value, low: float, high: float = math.inf, ends: str = "[]", hint: str = ""
) -> float:
    """Return a finite parameter between two bounds; `ends` says, as "(]", which are allowed."""
    fine = _is_finite(value) and low <= value <= high
    if not fine or (ends[0] == "(" and value == low) or (ends[1] == ")" and value == high):
        if high < math.inf:
            rule = f"lie in {ends[0]}{low:g}, {high:g}{ends[1]}"
        else:
            rule = f"be finite and {'at least' if ends[0] == '[' else 'above'} {low:g}"
        raise refusal(name, value, f"; it must {rule}{hint}.")
    return float(value)


def check_start(name: str, value: float, law) -> None:
    """Raise a ConfigError if a parameter starts where its prior rules it out."""
    if law is not None and not math.isfinite(law.log_density(value)):
        fault = f", which its prior rules out; start at or below the bound {law.upper}."
        raise refusal(name, value, fault)


def check_whole(name: str, value, least: int = 0, most: int = MAX_COUNT, hint: str = "") -> int:
    """Return a parameter that must be a whole number as an int."""
    if isinstance(value, bool | np.bool_) or not _is_whole(value, least, most):
        rule = f"a whole number, at least {least} and at most {most}"
        raise refusal(name, value, f"; it must be {rule}{hint}.")
    return int(value)


def check_choice(name: str, value, choices: Collection[str]) -> None:
    """Raise a ConfigError unless `value` is one of `choices`."""
    if not isinstance(value, str) or value not in choices:
        hint = did_you_mean(shown_value(value), choices)
        raise refusal(name, value, hint or f"; it must be one of {', '.join(choices)}.")


def check_strength(name: str, value, weakest: float = WEAKEST) -> float:
    """Return a concentration, or another strength, that log gamma functions can resolve."""
    value = check_positive(name, value)
    return check_between(name, value, weakest, STRONGEST, "[]" if weakest > 0 else "(]")


def check_total(name: str, value: float, number: int, what: str) -> None:
    """Raise a ConfigError if a strength that `number` things have is too large as a sum."""
    if value * number > MAX_TOTAL:
        raise ConfigError(
            f"{{parameter}} is {value:g} for each of {number:,} {what}, which adds up to more than "
            f"{MAX_TOTAL:g}; with {what} that many, it must be at most {MAX_TOTAL / number:g}.",
            parameter=name,
            value=value,
        )


def check_finite(name: str, values: np.ndarray, remedy: str = "remove the item") -> None:
    """Raise a DataError that names the first row with an entry that is not finite."""
    fine = np.isfinite(values)
    if not fine.all():
        row = int(np.argwhere(~fine)[0, 0])
        raise DataError(f"{name}: row {row} contains a non-finite value; {remedy}.")


def check_unmasked(name: str, values, remedy: str = "fill them, or remove their rows") -> None:
    """Raise a DataError for masked entries, because numpy passes on the values below the mask."""
    if np.ma.is_masked(values):
        raise DataError(f"{name}: masked entries would be read as if they were not; {remedy}.")


def check_flag(name: str, value) -> None:
    """Raise a ConfigError unless a parameter is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise refusal(name, value, "; it must be True or False.")


def check_growth(now: int, wanted: int) -> None:
    """Raise a DataError if fewer slots are `wanted` than there are `now`."""
    if not now <= wanted <= MAX_COUNT:
        raise DataError(
            f"Statistics of {now} slots cannot grow to {wanted} slots; use assign to start with a "
            "different number."
        )


def as_parameters(
    values, name: str, shape: tuple[int, ...], *, positive: bool = False
) -> np.ndarray:
    """Return the parameters of every slot as floats, broadcast to a shape."""
    found = np.asarray(values, dtype=float)
    try:
        found = np.broadcast_to(found, shape)
    except ValueError:
        raise ConfigError(f"{name} has the shape {found.shape}; it must be {shape}.") from None
    fine = np.isfinite(found) & (found > 0) if positive else np.isfinite(found)
    if not fine.all():
        place = tuple(map(int, np.argwhere(~fine)[0]))
        kind = "positive and finite" if positive else "finite"
        raise ConfigError(f"{name}[{place}] is {found[place]:g}; it must be {kind}.")
    return found


def as_whole(values, name: str, low: int = 0, high: int = MAX_COUNT, dtype=np.intp) -> np.ndarray:
    """Return whole numbers of a C type, contiguous; a DataError names the first that is not."""
    check_unmasked(name, values)
    values = np.asarray(values)
    if values.dtype == bool and high > 1:
        raise DataError(
            f"{name}: a mask was given; give whole numbers, such as numpy.flatnonzero of the mask."
        )
    place = first_wrong(values, low, high)
    if place is not None:
        at = place[0] if len(place) == 1 else place
        raise DataError(
            f"{name}: entry {at} is {shown_value(values[place])}; all entries must be whole "
            f"numbers between {low} and {high}."
        )
    return np.ascontiguousarray(values, dtype=dtype)


def as_mask(values, name: str) -> np.ndarray:
    """Return a boolean mask of the items; an entry may also be 0 or 1, but nothing else."""
    values = np.asarray(values)
    return values if values.dtype == bool else as_whole(values, name, 0, 1).astype(bool)


def as_labels(labels, n_items: int | None = None, n_slots: int | None = None) -> np.ndarray:
    """Return labels as slots in memory, int32, shape (n_items,).

    All labels enter the library through this function, which names the first wrong one.
    """
    bound = MAX_COUNT if n_slots is None else n_slots
    if type(labels) is np.ndarray and labels.dtype is SLOTS and labels.ndim == 1 and labels.size:
        # The usual case: they are valid slots in memory already.
        fine = labels.flags.c_contiguous and n_items in (None, labels.size)
        if fine and lie_below(labels, bound):
            return labels
    check_unmasked("The labels", labels, "fill them, or remove their items")
    labels = np.asarray(labels)
    if labels.ndim != 1:
        raise DataError(
            f"The labels have the shape {labels.shape}; they must be a one-dimensional array with "
            "one label per item."
        )
    if n_items is not None and labels.size != n_items:
        raise DataError(f"{labels.size} labels were given for {n_items} items.")
    if labels.size == 0:
        raise DataError("There are no labels; at least one is required.")
    place = first_wrong(labels, 0, bound - 1)
    if place is not None:
        item, label = place[0], labels[place]
        if not _is_whole(label, -math.inf, math.inf):
            wrong = "is not a whole number; number the slots from 0"
        elif label < 0:
            wrong = "is negative; slots are numbered from 0"
        else:
            wrong = f"is too large; there are {bound} slots, numbered from 0 to {bound - 1}"
        raise DataError(f"Label {shown_value(label)} of item {item} {wrong}.")
    return np.ascontiguousarray(labels, dtype=np.intc)


def numbered_names(names, what: str) -> np.ndarray:
    """Return the names of items as numbers from 0, in the order of the sorted names."""
    check_unmasked(what, names, "fill them, or remove their items")
    values = np.asarray(names)
    if values.dtype.kind not in "iub":
        from pandas import isna  # slow to import, and most names are numbers

        # numpy.asarray would turn NaN and 1 in a list with strings into the strings "nan" and "1".
        given = values if hasattr(names, "dtype") else np.array(names, dtype=object)
        missing = isna(given)
        if np.any(missing):
            raise DataError(
                f"{what} has no label (NaN or None) at position {int(np.argmax(missing))}: remove "
                "the item or give it a label."
            )
        if given.dtype.kind == "O":
            texts = [isinstance(name, str | bytes) for name in given.flat]
            if any(texts) and not all(texts):
                said = "has mixed types, such as numbers and texts; convert all of them to texts"
                raise DataError(f"{what} {said}.")
    return np.unique(values, return_inverse=True)[1].reshape(values.shape)


def as_sizes(sizes) -> np.ndarray:
    """Return the sizes of the blocks of a partition, shape (n_blocks,)."""
    sizes = as_whole(sizes, "The block sizes", 1)
    if not sizes.size:
        raise DataError("There are no block sizes; at least one is required.")
    return sizes


def first_wrong(values: np.ndarray, low: int, high: int) -> tuple[int, ...] | None:
    """Return the place of the first entry that is not a whole number from `low` to `high`."""
    kind = values.dtype.kind
    if values.size == 0:
        return None
    if kind in "iub":
        # Usually all entries are valid, which two passes without a mask can tell.
        if low <= int(values.min()) and int(values.max()) <= high:
            return None
        fine = (values >= low) & (values <= high)
    elif kind == "f":
        # The comparisons are false for NaN.
        fine = (values >= low) & (values <= high) & (values == np.floor(values))
    else:
        fine = np.array([_is_whole(v, low, high) for v in values.flat]).reshape(values.shape)
    wrong = np.argwhere(~fine)
    return tuple(wrong[0].tolist()) if wrong.size else None


def _is_finite(value) -> bool:
    try:
        return not isinstance(value, bool | np.bool_) and math.isfinite(value)
    except (TypeError, ValueError, OverflowError):  # not a number, or beyond the range of doubles
        return False


def _is_whole(value, least: float, most: float) -> bool:
    try:
        return (
            isinstance(value, Real | np.bool_)
            and bool(least <= value <= most)
            and value == int(value)
        )
    except (ValueError, OverflowError):  # NaN or infinite
        return False
