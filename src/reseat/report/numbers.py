"""Numbers and spans of time as short text."""

from __future__ import annotations

import math

#: Width of an interval, relative to the estimate, from which its digits say nothing of it.
UNDETERMINED = 1e4


def absent(value):
    """True for None and NaN."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def decimals(values):
    """Decimals of a column whose numbers stand below each other: four, fewer for large ones."""
    known = [abs(float(v)) for v in values if not absent(v) and not math.isinf(v)]
    if not known or all(value == int(value) for value in known):
        return 0
    largest = max(known)
    return 0 if largest >= 1000 else 1 if largest >= 100 else 2 if largest >= 10 else 4


def number(value, digits=None):
    """A number as text, with a true minus sign and thin spaces between thousands.

    Parameters
    ----------
    value : float or None
        A dash stands for None and NaN.
    digits : int, optional
        Decimals. Without it a score has four, a large number fewer and a whole one none.
    """
    if absent(value):
        return "\N{EN DASH}"
    value = float(value)
    if math.isinf(value):
        return "\N{INFINITY}" if value > 0 else "\N{MINUS SIGN}\N{INFINITY}"
    if digits is None:
        whole = value == int(value) and abs(value) >= 1
        digits = 0 if whole else decimals([value])
        if 0 < abs(value) < 0.5 * 10**-digits:
            return f"{value:.1e}".replace("-", "\N{MINUS SIGN}")
    value = round(value, digits) + 0.0  # no minus before a zero
    return f"{value:,.{digits}f}".replace("-", "\N{MINUS SIGN}")


def sort_key(value):
    """What a column sorts by where its text does not say it; empty for None and NaN, the last.

    Infinity is spelt as JavaScript reads it.
    """
    return "" if absent(value) else repr(float(value)).replace("inf", "Infinity")


def with_error(value, error, digits=None):
    """A number and its standard error, which has two significant digits and sets those of both.

    Parameters
    ----------
    value : float
    error : float or None
        None, NaN and 0 are no error.
    digits : int, optional
        Decimals of a number without an error.

    Returns
    -------
    value, error : str
        The error is empty if there is none.
    """
    if absent(error) or error == 0 or math.isinf(error) or absent(value):
        return number(value, digits), ""
    places = 1 - math.floor(math.log10(float(f"{abs(error):.1e}")))
    shown = max(0, places)
    return number(round(value, places), shown), number(round(error, places), shown)


def interval(low, high):
    """Ends of an interval to two significant digits of its width.

    Returns
    -------
    str
        Empty if there is none, or its ends are one.
    """
    if absent(low) or absent(high) or low == high:
        return ""
    if math.isinf(low) or math.isinf(high):
        return f"{effect(low)} to {effect(high)}"
    if _whole(low, high):
        return f"{number(low, 0)} to {number(high, 0)}"
    if low > 0 and high / low > 20:  # each to two digits of its own
        return f"{effect(low)} to {effect(high)}"
    places = max(0, 1 - math.floor(math.log10(high - low)))
    return f"{number(low, places)} to {number(high, places)}"


def effect(value, low=None, high=None):
    """An estimate to the digits of its interval, or to two significant ones."""
    if value == 0 or math.isinf(value) or _whole(value, low, high):
        return number(value, 0)
    if not absent(low) and not absent(high) and 0 < high - low < UNDETERMINED * abs(value):
        return number(value, max(0, 1 - math.floor(math.log10(high - low))))
    if abs(value) < 1e-4:
        return number(value)
    return number(value, max(0, 1 - math.floor(math.log10(abs(value)))))


def _whole(*values):
    """Whether all that are known are whole numbers: then they count something."""
    return all(absent(value) or (math.isfinite(value) and value == int(value)) for value in values)


def signed(value, digits=None):
    """A difference, always with its sign."""
    text = number(value, digits)
    positive = not absent(value) and float(value) > 0 and text.strip("0.")
    return f"+{text}" if positive else text


def count(value):
    """A whole number, its thousands set apart by commas."""
    if absent(value):
        return "\N{EN DASH}"
    return f"{int(value):,}".replace("-", "\N{MINUS SIGN}")


def size(value):
    """A size of a data set: a count, another number, or words such as 80 x 160."""
    if isinstance(value, str):
        return value.replace(" x ", " \N{MULTIPLICATION SIGN} ")
    return number(value)


def duration(seconds):
    """Seconds as 35 ms, 0.4 s, 12 s, 3 min 20 s or 2 h 05 min."""
    if absent(seconds):
        return "\N{EN DASH}"
    seconds = float(seconds)
    if 0 < seconds < 0.1:
        return f"{1000 * seconds:.3g} ms"
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min"
