"""Evaluation of a clustering by all metrics at once, and look-up by printed name."""

from difflib import get_close_matches
from operator import attrgetter

import pandas as pd

from reseat.declarations import import_modules
from reseat.errors import DataError
from reseat.metrics.contingency import as_contingency
from reseat.metrics.registry import DECLARED, Quantity

__all__ = ["declared", "evaluate", "is_measured", "known_quantity", "metrics", "untimed"]


def metrics() -> dict:
    """Return all metrics of a partition by function name, in the order of `evaluate`."""
    import_modules("reseat.metrics")
    found = [quantity.function for quantity in DECLARED.values() if quantity.function is not None]
    # Not in the order in which the modules of the metrics happened to be imported.
    return {function.__name__: function for function in sorted(found, key=attrgetter("__module__"))}


def known_quantity(name: str) -> Quantity | None:
    """Return what `declared` returns, or None if nothing of that name was declared.

    Parameters
    ----------
    name : str
        As for `declared`.
    """
    names = (name, name.partition(", ")[0])
    if not DECLARED.keys() & names:
        import_modules("reseat.metrics")
    return next((DECLARED[known] for known in names if known in DECLARED), None)


def declared(name: str) -> Quantity:
    """Return a metric or another quantity by its printed name.

    Parameters
    ----------
    name : str
        The part after a comma says to what the quantity refers: ``gain, F`` is a ``gain``.

    Raises
    ------
    DataError
        If nothing of that name was declared.
    """
    known = known_quantity(name)
    if known is not None:
        return known
    near = get_close_matches(name, DECLARED, n=1)
    hint = f" (did you mean '{near[0]}'?)" if near else ""
    raise DataError(
        f"'{name}' is not a declared quantity{hint}; declare it with `metric` or `quantity` in "
        "src/reseat/metrics, and state which direction is better."
    )


def evaluate(labels_true, labels_pred=None):
    """Score a clustering by every metric, counting the contingency table once.

    Parameters
    ----------
    labels_true, labels_pred
        As for `as_contingency`.

    Returns
    -------
    dict of str to float
        One entry for each of `metrics` (entropies in nats), and `n_clusters` and `n_classes`.

    Raises
    ------
    ValueError
        If the label vectors differ in length or are empty, or a label is missing.
    """
    table = as_contingency(labels_true, labels_pred)
    scores = {name: metric(table) for name, metric in metrics().items()}
    return scores | {"n_clusters": table.n_clusters, "n_classes": table.n_classes}


#: Columns with the ends of an interval for the column before them.
ENDS = ("low", "high")


def is_measured(name: str) -> bool:
    """Return whether a quantity is a measured time or is computed from measured times.

    Parameters
    ----------
    name : str
        As for `declared`; an undeclared quantity is not measured.
    """
    quantity = known_quantity(name)
    return quantity is not None and quantity.measured


def untimed(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table without its columns and rows of measured times.

    Parameters
    ----------
    table : pandas.DataFrame

    Returns
    -------
    pandas.DataFrame
        The remaining rows keep their index.
    """
    timed, measured = [], False
    for column in table:
        measured = measured if column in ENDS else is_measured(column)
        if measured:
            timed.append(column)
    rows = pd.Series(False, table.index)
    for column in {"metric", "quantity"} & set(table):  # which say what a row holds
        rows |= table[column].astype(str).map(is_measured).astype(bool)
    return table[~rows].drop(columns=timed)
