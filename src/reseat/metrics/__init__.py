"""External metrics of a clustering, each computed exactly as defined.

Every metric takes `(labels_true, labels_pred)` or one `Contingency`, and `evaluate` returns all of
them. Labels may be anything hashable. Each metric is declared where it is defined, with its printed
name and better direction (`metric`), by which `declared` finds it, as other columns (`quantity`).
"""

from reseat.declarations import export_modules

# Imported on first use, because a score needs only one metric.
__getattr__, __dir__, __all__ = export_modules(__name__, __file__)
