"""Bayesian clustering as prior × likelihood × move."""

from importlib.metadata import PackageNotFoundError, version

import lazy_loader

try:
    __version__ = version("reseat-bayes")
except PackageNotFoundError:  # run from the source tree, not installed
    __version__ = "0+unknown"

# Imported on first use, so that a program that needs one kernel does not load scikit-learn.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ += ["__version__"]
