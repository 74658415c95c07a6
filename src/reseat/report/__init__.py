"""The report: a static site that shows everything that was made, and how."""

import lazy_loader

# Imported on first use.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
