"""Functions that draw tidy data frames as `matplotlib.figure.Figure`, in one house style."""

import lazy_loader

# Imported on first use, because a figure needs only one of them.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
