"""Moves: how does the partition change?"""

import lazy_loader

# Imported on first use, because a chain needs only one or two moves.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
