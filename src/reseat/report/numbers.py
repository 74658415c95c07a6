"""Numbers and spans of time as short text."""

from __future__ import annotations

import math

#: Relative difference up to which two numbers count as the same, and as near.
SAME, NEAR = 0.02, 0.10


def absent(value):
    """True for None and NaN."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def number(value, digits=4):
    """A score with four decimals, a large number with fewer, a count with thin spaces."""
    if absent(value):
        return "\N{EN DASH}"
    value = float(value)
    if math.isinf(value):
        return "\N{INFINITY}" if value > 0 else "\N{MINUS SIGN}\N{INFINITY}"
    if value == int(value) and abs(value) >= 1:
        return count(value)
    if abs(value) >= 1000:
        return count(round(value))
    if abs(value) >= 100:
        digits = min(digits, 1)
    elif abs(value) >= 10:
        digits = min(digits, 2)
    elif 0 < abs(value) < 0.5 * 10**-digits:
        return f"{value:.1e}".replace("-", "\N{MINUS SIGN}")
    return f"{value:.{digits}f}".replace("-", "\N{MINUS SIGN}")


def signed(value, digits=4):
    """A difference, always with its sign."""
    text = number(value, digits)
    return f"+{text}" if not absent(value) and float(value) > 0 else text


def count(value):
    """A whole number, its thousands set apart by a narrow no-break space."""
    if absent(value):
        return "\N{EN DASH}"
    return f"{int(value):,}".replace(",", "\N{NARROW NO-BREAK SPACE}").replace(
        "-", "\N{MINUS SIGN}"
    )


def size(value):
    """A size of a data set: a count, another number, or words such as 80 x 160."""
    if isinstance(value, str):
        return value.replace(" x ", " \N{MULTIPLICATION SIGN} ")
    return number(value)


def duration(seconds):
    """Seconds as 0.4 s, 12 s, 3 min 20 s or 2 h 05 min."""
    if absent(seconds):
        return "\N{EN DASH}"
    seconds = float(seconds)
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min"


def closeness(measured, published):
    """`same` (within 2 %), `near` (within 10 %), `far`, or an empty string without both numbers."""
    if absent(measured) or absent(published):
        return ""
    scale = abs(published)
    gap = abs(measured - published)
    if scale == 0:
        return "same" if gap == 0 else "far"
    if gap <= SAME * scale:
        return "same"
    return "near" if gap <= NEAR * scale else "far"
