"""Bayesian clustering as prior × likelihood × move."""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("reseat")
except PackageNotFoundError:  # run from the source tree, not installed
    __version__ = "0+unknown"

# Imported when they are asked for: a program that needs one kernel need not load scikit-learn.
_ESTIMATORS = (
    "Microclustering",
    "MultinomialMixture",
    "RelationalModel",
    "SupervisedClustering",
    "WishartDirichlet",
)

__all__ = ["__version__", *_ESTIMATORS]


def __getattr__(name: str):
    if name in _ESTIMATORS:
        return getattr(import_module("reseat.estimators"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_ESTIMATORS})
