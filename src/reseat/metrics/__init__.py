"""External metrics of a clustering, each exact on its definition.

Every metric takes `(labels_true, labels_pred)` or one `Contingency`, and `evaluate` returns all of
them from one table. Labels may be anything hashable; only the partitions matter. Each is declared
where it is defined, with its printed name and which way is better (`metric`); `declared` finds it
by that name, as it finds the other quantities that tables have as columns (`quantity`).
"""

from reseat.modules import show_modules

# Imported when they are asked for: a score needs one metric.
__getattr__, __dir__, __all__ = show_modules(__name__, __file__)
