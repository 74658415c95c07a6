"""Formatting of numbers and durations as short text."""

import math

#: Ratio of the width of an interval to the estimate from which the width determines no digits.
UNDETERMINED = 1e4


def absent(value):
    """Return whether a value is None or NaN."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def decimals(values):
    """Return the decimals for a column of numbers: four, or fewer for large or whole numbers."""
    known = [abs(float(v)) for v in values if not absent(v) and not math.isinf(v)]
    if not known or all(value == int(value) for value in known):
        return 0
    largest = max(known)
    return 0 if largest >= 1000 else 1 if largest >= 100 else 2 if largest >= 10 else 4


def number(value, digits=None):
    """Format a number, with a true minus sign and commas; a dash for None and NaN."""
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
    value = round(value, digits) + 0.0  # no negative zero
    return f"{value:,.{digits}f}".replace("-", "\N{MINUS SIGN}")


def sort_key(value):
    """Return the sort key of a cell as JavaScript parses it; empty for None and NaN."""
    return "" if absent(value) else repr(float(value)).replace("inf", "Infinity")


def with_error(value, error, digits=None):
    """Format a number and its error, with two digits of the error, or else with `digits`."""
    if absent(error) or error == 0 or math.isinf(error) or absent(value):
        return number(value, digits), ""
    places = 1 - math.floor(math.log10(float(f"{abs(error):.1e}")))
    shown = max(0, places)
    return number(round(value, places), shown), number(round(error, places), shown)


def interval(low, high):
    """Format the ends of an interval, rounded to two digits of its width; empty without any."""
    if absent(low) or absent(high) or low == high:
        return ""
    whole = _whole(low, high)  # not if an end is infinite
    if math.isinf(low) or math.isinf(high) or (not whole and low > 0 and high / low > 20):
        return f"{effect(low)} to {effect(high)}"  # each rounded separately
    places = 0 if whole else max(0, 1 - math.floor(math.log10(high - low)))
    return f"{number(low, places)} to {number(high, places)}"


def effect(value, low=None, high=None):
    """Format an estimate to the digits of its interval, or else to two significant digits."""
    if value == 0 or math.isinf(value) or _whole(value, low, high):
        return number(value, 0)
    if not absent(low) and not absent(high) and 0 < high - low < UNDETERMINED * abs(value):
        return number(value, max(0, 1 - math.floor(math.log10(high - low))))
    if abs(value) < 1e-4:
        return number(value)
    return number(value, max(0, 1 - math.floor(math.log10(abs(value)))))


def _whole(*values):
    """Return whether all known values are whole numbers, and so presumably counts."""
    return all(absent(value) or (math.isfinite(value) and value == int(value)) for value in values)


def signed(value, digits=None):
    """Format a difference, always with its sign."""
    text = number(value, digits)
    positive = not absent(value) and float(value) > 0 and text.strip("0.")
    return f"+{text}" if positive else text


def count(value):
    """Format a whole number, with commas between thousands."""
    if absent(value):
        return "\N{EN DASH}"
    return f"{int(value):,}".replace("-", "\N{MINUS SIGN}")


def span(values):
    """Format the smallest and the largest of some whole numbers, such as 2 to 8."""
    low, high = int(values.min()), int(values.max())
    return str(low) if low == high else f"{low} to {high}"


def size(value):
    """Format a size of a data set: a count, another number, or words such as 80 x 160."""
    if isinstance(value, str):
        return value.replace(" x ", " \N{MULTIPLICATION SIGN} ")
    return number(value)


def duration(seconds):
    """Format seconds as in 35 ms, 0.4 s, 12 s, 3 min 20 s or 2 h 05 min."""
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
