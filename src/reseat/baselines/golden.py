"""Golden-section search for a maximum, in one variable, and in two variables in turn."""

from __future__ import annotations

from collections.abc import Callable

from reseat.errors import ConfigError

__all__ = ["alternate", "golden_section"]

RATIO = (5**0.5 - 1) / 2


def golden_section(
    function: Callable[[float], float], low: float, high: float, n_evaluations: int
) -> tuple[float, float]:
    """Maximise a function with a single peak on an interval (Kiefer 1953).

    Parameters
    ----------
    function : callable
    low, high : float
    n_evaluations : int
        At least 2.  The interval that remains has 0.618^(n_evaluations - 1) times the length of
        the first, and contains the place returned.

    Returns
    -------
    place, value : float
        The best place seen and its value; it need not be near a peak if there are several.

    Raises
    ------
    ConfigError
        If the interval is empty or there are fewer than two evaluations.
    """
    if not low < high:
        raise ConfigError(f"the search needs an interval, low below high, not [{low}, {high}].")
    if n_evaluations < 2:
        raise ConfigError(f"n_evaluations is {n_evaluations}; a search needs at least 2.")
    left, right = high - RATIO * (high - low), low + RATIO * (high - low)
    seen = [(function(left), left), (function(right), right)]
    at_left, at_right = seen[0][0], seen[1][0]
    for _ in range(n_evaluations - 2):
        if at_left >= at_right:
            high, right, at_right = right, left, at_left
            left = high - RATIO * (high - low)
            at_left = function(left)
            seen.append((at_left, left))
        else:
            low, left, at_left = left, right, at_right
            right = low + RATIO * (high - low)
            at_right = function(right)
            seen.append((at_right, right))
    value, place = max(seen, key=lambda pair: pair[0])
    return place, value


def alternate(
    function: Callable[[float, float], float], bounds, n_rounds: int, n_evaluations: int
) -> tuple[tuple[float, float], float]:
    """Maximise a function of two variables by searches along each of them in turn.

    Parameters
    ----------
    function : callable
    bounds : sequence of two (low, high)
        The search starts from the middle of both.
    n_rounds : int
        Number of searches along each variable.
    n_evaluations : int
        Number of evaluations in each golden-section search.

    Returns
    -------
    place : tuple of two float
    value : float
        The value at the best of all places seen.
    """
    place = [sum(bound) / 2 for bound in bounds]
    best = (-float("inf"), tuple(place))
    for _ in range(n_rounds):
        for axis, (low, high) in enumerate(bounds):

            def along(value: float, axis: int = axis) -> float:
                return function(*(value if i == axis else place[i] for i in range(2)))

            found, value = golden_section(along, low, high, n_evaluations)
            # A search does not evaluate the current place, so it can end below the best value.
            if value >= best[0]:
                place[axis] = found
                best = (value, tuple(place))
    return best[1], best[0]
