"""The published run: the part of one run that the repository keeps, and comparisons with it."""

import lazy_loader

# Imported on first use.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
