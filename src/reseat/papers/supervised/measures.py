"""The metrics of Daumé and Marcu (2005) under the names that their tables print."""

from reseat.metrics import as_contingency, declared

#: Columns of Tables 1 to 4, in their order.
PRINTED = ("RI", "P", "R", "F", "CED", "NES", "VI", "NVI")

#: Metrics that follow them: as defined in the text, by Pantel and Lin, and chance-corrected.
SUPPLEMENT = ("NES (text)", "CED (text)", "CED (Pantel & Lin)", "ARI")


def measure(labels_true, labels_pred=None) -> dict[str, float]:
    """Score a clustering by every metric of the paper, edits over items and VI in nats."""
    table = as_contingency(labels_true, labels_pred)
    return {name: float(declared(name).function(table)) for name in (*PRINTED, *SUPPLEMENT)}


def measured(labels_true, labels_pred) -> list[dict]:
    """Return a row with the columns `metric` and `value` for each score of `measure`."""
    scores = measure(labels_true, labels_pred).items()
    return [{"metric": metric, "value": value} for metric, value in scores]


def identity_of(references, dataset, role) -> dict[str, str]:
    """Return the columns with which rows of results on a data set begin."""
    return {"dataset": dataset, "status": references.identity.status, "role": role}
