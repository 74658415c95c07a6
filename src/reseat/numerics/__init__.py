"""Arithmetic whose results do not depend on the processor: fixed grids, and K-means.

Additions, products, quotients and square roots of doubles are the same everywhere if their order
is.  Linear algebra adds up in an order that depends on the processor, and elementary functions may
differ in the last bit, so that what they give is put on a grid before it decides anything.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
