"""Likelihoods: how well the items of a block fit together."""

import lazy_loader

# Imported lazily: a chain needs the compiled code of one likelihood, not of all of them.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
