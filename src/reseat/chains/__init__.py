"""Chains: seeds, schedules, checkpoints, files."""

import lazy_loader

# Imported on first use: code that only reads chains need not be able to run them.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
