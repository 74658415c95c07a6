"""Bayesian clustering as prior × likelihood × move."""

import lazy_loader

#: The same as in pyproject.toml; asking the installed package for it would double the import time.
__version__ = "0.1.0"

# Imported on first use, so that a program that needs one kernel does not load scikit-learn.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ += ["__version__"]
