"""How metrics and other quantities are declared: printed name, which way is better, what it is."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass

from reseat.metrics.contingency import of_labels

__all__ = ["Quantity", "metric", "quantity"]


@dataclass(frozen=True)
class Quantity:
    """What a column of a table holds.

    Attributes
    ----------
    name : str
        As printed.
    better : {+1, -1, 0}
        +1 if larger is better, -1 if smaller is, 0 if neither.
    what : str
        What it is, in a sentence.
    measured : bool
        Whether it is a measured time or follows from some, so that it is another on each machine.
    unit : {"s", "min", "h", "d"}, optional
        Of a time.
    function : callable, optional
        For a metric, what computes it from two label vectors or a `Contingency`.

    Examples
    --------
    >>> from reseat.metrics import declared
    >>> nvi = declared("NVI")
    >>> nvi.better
    1
    >>> nvi.function([0, 0, 1, 1], [5, 5, 7, 7])
    1.0
    """

    name: str
    better: int
    what: str
    measured: bool = False
    unit: str = ""
    function: Callable | None = None


#: Everything that was declared so far, by printed name.
DECLARED: dict[str, Quantity] = {}


def _declare(declared: Quantity) -> Quantity:
    name, better = declared.name, declared.better
    if better not in (-1, 0, 1):
        raise ValueError(f"better of '{name}' must be one of -1, 0, 1, not {better!r}.")
    if name in DECLARED:
        raise ValueError(f"'{name}' is declared twice; rename one of them.")
    if declared.function is not None:
        _check_function(declared.function)
    DECLARED[name] = declared
    return declared


def _check_function(function: Callable) -> None:
    """Raise a ValueError for a metric whose column would be that of another one, or be lost."""
    others = (other.function for other in DECLARED.values() if other.function is not None)
    taken = {other.__name__ for other in others} | {"n_classes", "n_clusters"}
    if function.__name__ in taken:
        raise ValueError(
            f"A metric {function.__name__!r} is there already; give the function another name."
        )


def quantity(
    name: str, better: int, what: str, *, measured: bool = False, unit: str = ""
) -> Quantity:
    """Declare a column that is no metric of a partition.

    Parameters
    ----------
    name : str
        As printed.
    better : {+1, -1, 0}
    what : str
    measured, unit
        As for `Quantity`.

    Raises
    ------
    ValueError
        If the name is taken, or `better` none of the three.
    """
    return _declare(Quantity(name, better, what, measured, unit))


def metric(name: str, *, better: int) -> Callable[[Callable], Callable]:
    """Declare a function of a `Contingency` as a metric; it then takes two label vectors as well.

    Parameters
    ----------
    name : str
        As printed.
    better : {+1, -1, 0}

    Raises
    ------
    ValueError
        If the name is taken, or `better` none of the three.
    """

    def declare(function):
        if not inspect.getdoc(function):
            raise ValueError(f"The metric {function.__name__!r} has no docstring; say what it is.")
        called = of_labels(function)
        what = inspect.getdoc(called).partition("\n\n")[0]
        _declare(Quantity(name, better, what, function=called))
        return called

    return declare
