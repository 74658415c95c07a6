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
