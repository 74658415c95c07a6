"""The methods with which the papers compare their samplers."""

import lazy_loader

# Imported on first use, so that a program that fits EM does not load scikit-learn.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
