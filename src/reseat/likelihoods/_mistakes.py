"""Parameters of mistakes in records: their checks, and their likelihoods given the true values."""

import numpy as np

from reseat.checks import check_between, check_positive, check_start
from reseat.errors import ConfigError, DataError
from reseat.numerics import product


def check_probability(name: str, value, law) -> None:
    """Raise a ConfigError unless a probability lies in (0, 1) and its prior allows it."""
    check_between(name, value, 0, 1, "()")
    check_start(name, value, law)


def as_steepness(given, n_fields: int, law) -> np.ndarray:
    """Return the steepness of each field, after checking it."""
    given = np.asarray(given, dtype=object)
    if given.shape not in ((), (n_fields,)):
        raise ConfigError(
            f"The steepness has the shape {given.shape}; give one number, or one for each of "
            f"the {n_fields} fields."
        )
    for value in given.ravel():
        check_positive("steepness", value)
        check_start("steepness", value, law)
    return np.array(np.broadcast_to(given, n_fields), dtype=float)


def as_table(given, shape: tuple[int, int], law) -> np.ndarray:
    """Return the probabilities of mistakes, checked, as a table of sources and fields."""
    given = np.asarray(given, dtype=object)
    if given.shape not in ((), shape[1:], shape):
        raise ConfigError(
            f"The probabilities beta have the shape {given.shape}; give one, or one for each "
            f"of the {shape[1]} fields, or a table of {shape[0]} sources and {shape[1]} fields."
        )
    for value in given.ravel():
        check_probability("beta", value, law)
    return np.broadcast_to(given, shape)


def log_of_beta(right, wrong, beta):
    """Return the log likelihood of a probability of a mistake, given the true values."""
    return wrong * np.log(beta) + right * np.log1p(-beta)


def log_of_steepness(totals, times, log_near, steepness):
    """Return the log likelihood of the steepness of a field, given the true values."""
    try:
        log_total = totals(steepness)
    except DataError:  # the factors overflow
        return -np.inf
    return steepness * log_near - product(times, log_total)


def step_width(n_wrong) -> float:
    """Return the width of a slice: a few posterior standard deviations, given the mistakes."""
    return float(min(1.0, 3.0 / np.sqrt(1.0 + n_wrong)))
