"""External metrics of a clustering, each computed exactly as defined.

Every metric takes `(labels_true, labels_pred)` or one `Contingency`, and `evaluate` returns all of
them from one table. Labels may be anything hashable; only the partitions matter. Each metric is
declared where it is defined, with its printed name and which direction is better (`metric`);
`declared` finds it by that name, as it finds the other quantities that are columns of tables
(`quantity`).
"""

from reseat.declarations import export_modules

# Imported on first use, because a score needs only one metric.
__getattr__, __dir__, __all__ = export_modules(__name__, __file__)
