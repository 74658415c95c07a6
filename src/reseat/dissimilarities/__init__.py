"""Dissimilarities: symmetric matrices of how far apart objects are, taken as squared distances.

``read_dissimilarities`` reads a matrix, and ``check_dissimilarities`` checks it. It is of negative
type if it holds squared distances of some points, as ``to_negative_type`` returns.
"""

import lazy_loader

# Imported on first use: a chain needs an embedding, but not the readers of files.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
