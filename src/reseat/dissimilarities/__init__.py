"""Dissimilarities: symmetric matrices of how far apart objects are, taken as squared distances.

``read_dissimilarities`` reads a matrix, ``check_dissimilarities`` raises an error if it is invalid.
A matrix is of negative type if it holds the squared distances of some points; ``negative_mass``
measures how far it is from that, and ``to_negative_type`` repairs it.
"""

import lazy_loader

# Imported on first use: a chain needs an embedding, but not the readers of files.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
