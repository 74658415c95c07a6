"""Dissimilarities: symmetric matrices of how far apart objects are, taken as squared distances.

``read_dissimilarities`` reads a matrix, ``check_dissimilarities`` raises an error if it is invalid.
A matrix is of negative type if it holds the squared distances of some points; ``negative_mass``
measures how far it is from that, and ``to_negative_type`` repairs it.
"""

import lazy_loader

# Imported on first use: a chain needs an embedding, but not the readers of files.
__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "checks": ["check_dissimilarities"],
        "embedding": ["from_similarities", "kernel_pca", "squared_distances", "subtract_row_means"],
        "negative_type": [
            "centred_similarities",
            "looks_unsquared",
            "negative_mass",
            "to_negative_type",
            "warn_if_not_euclidean",
        ],
        "reading": ["read_dissimilarities", "read_named_dissimilarities"],
        "scaling": ["Scaling", "classical_scaling", "landmark_scaling"],
    },
)
