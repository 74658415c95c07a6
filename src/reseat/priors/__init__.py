"""Partition priors: how likely are these block sizes?"""

import lazy_loader

# Imported on first use, because a chain needs only one prior.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
