"""Bayesian clustering as prior × likelihood × move."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("reseat")
except PackageNotFoundError:  # run from the source tree, not installed
    __version__ = "0+unknown"

__all__ = ["__version__"]
