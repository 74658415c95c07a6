"""Dissimilarities: symmetric matrices of how far apart things are, taken as squared distances.

``read_dissimilarities`` reads one, ``check_dissimilarities`` says what is wrong with it.
One is of negative type if points exist whose squared distances it holds; ``negative_mass``
measures how far it is from that and ``to_negative_type`` repairs it.
"""

from reseat.dissimilarities.checks import check_dissimilarities
from reseat.dissimilarities.embedding import (
    from_similarities,
    kernel_pca,
    squared_distances,
    subtract_row_means,
)
from reseat.dissimilarities.negative_type import (
    centred_similarities,
    negative_mass,
    to_negative_type,
    warn_if_not_euclidean,
)
from reseat.dissimilarities.reading import read_dissimilarities, read_named_dissimilarities
from reseat.dissimilarities.scaling import Scaling, classical_scaling

__all__ = [
    "Scaling",
    "centred_similarities",
    "check_dissimilarities",
    "classical_scaling",
    "from_similarities",
    "kernel_pca",
    "negative_mass",
    "read_dissimilarities",
    "read_named_dissimilarities",
    "squared_distances",
    "subtract_row_means",
    "to_negative_type",
    "warn_if_not_euclidean",
]
