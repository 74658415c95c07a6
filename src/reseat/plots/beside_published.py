"""What the two pictures of published numbers against ours share: axes, ticks and error bars."""

import numpy as np

#: Absolute value at which the axes change from linear, near zero, to logarithmic.
NEAR_ZERO = 0.05
#: Space beyond the outermost numbers, as a share of the range.
MARGIN = 0.06
#: Possible ticks in order of preference: few digits first.
TICKS = (
    *(0, 1, 10, 100, 1000, 10_000, 100_000, 1_000_000, -1, -10, -100),
    *(0.1, -0.1, 0.5, 0.2, 2, 5, 20, 50, 200, 500),
)


def scaled(value):
    """Transform numbers for either axis: linearly near zero, logarithmically beyond."""
    return np.arcsinh(np.asarray(value) / NEAR_ZERO)


def limits(values):
    """Return the ends of both axes, on the scale of `scaled`, for numbers of shape (n,)."""
    places = scaled(values)
    low, high = float(places.min()), float(places.max())
    reach = MARGIN * (high - low) or 1.0
    return low - reach, high + reach


def round_ticks(low, high, apart):
    """Return ticks between two ends, a share `apart` from one another, with places in [0, 1]."""
    found = []
    for tick in TICKS:
        place = float((scaled(tick) - low) / (high - low))
        if 0 <= place <= 1 and all(abs(place - other) >= apart for _tick, other in found):
            found.append((tick, place))
    return sorted(found)


def error_of_published(error, combined):
    """Return the standard error of published numbers from the other two, unknown ones being 0."""
    error, combined = (np.nan_to_num(np.asarray(e, dtype=float)) for e in (error, combined))
    return np.sqrt(np.maximum(combined**2 - error**2, 0.0))
