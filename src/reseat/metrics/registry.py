"""Declarations of metrics and other quantities: printed name, better direction and meaning."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass

from reseat.metrics.contingency import of_labels

__all__ = ["Quantity", "metric", "quantity"]


@dataclass(frozen=True)
class Quantity:
    """The quantity that a column of a table holds.

    Attributes
    ----------
    name : str
        Printed name.
    better : {+1, -1, 0}
        +1 if larger is better, -1 if smaller is, 0 if neither.
    what : str
        Its meaning, in one sentence.
    measured : bool
        Whether it is a time or computed from times, so that it differs between machines.
    unit : {"s", "min", "h", "d"}, optional
        Unit of a time.
    function : callable, optional
        For a metric, the function of two label vectors or a `Contingency` that computes it.

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


#: Everything that has been declared so far, by printed name.
DECLARED: dict[str, Quantity] = {}


def quantity(name: str, better: int, what: str, **others) -> Quantity:
    """Declare a column that is not a metric of a partition.

    Parameters
    ----------
    name, better, what, **others
        As for `Quantity`.

    Raises
    ------
    ValueError
        If the name is taken.
    """
    if name in DECLARED:
        raise ValueError(f"'{name}' is declared twice; rename one of them.")
    DECLARED[name] = Quantity(name, better, what, **others)
    return DECLARED[name]


def metric(name: str, *, better: int) -> Callable[[Callable], Callable]:
    """Declare a function of a `Contingency` as a metric; it then takes two label vectors as well.

    Parameters
    ----------
    name, better
        As for `Quantity`.

    Raises
    ------
    ValueError
        If the name is taken.
    """

    def declare(function):
        called = of_labels(function)
        quantity(name, better, inspect.getdoc(called).partition("\n\n")[0], function=called)
        return called

    return declare
