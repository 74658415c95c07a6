"""Labels of each partition of a coupled model, from those that a chain stores for all."""

from collections.abc import Mapping
from itertools import accumulate, pairwise

import numpy as np


def split_labels(labels: np.ndarray, part_sizes: Mapping[str, int]) -> dict[str, np.ndarray]:
    """Split the labels of all parts, as a chain stores them, into those of each part.

    Parameters
    ----------
    labels : ndarray, shape (..., n_items)
    part_sizes : mapping of str to int
        Number of items of each part, in the order of the model.

    Returns
    -------
    dict of str to ndarray, shape (..., n_items of the part)
        Views of `labels`.
    """
    ends = list(accumulate(part_sizes.values(), initial=0))
    if labels.shape[-1] != ends[-1]:
        raise ValueError(f"There are {labels.shape[-1]} labels for parts of {dict(part_sizes)}.")
    pieces = (labels[..., start:end] for start, end in pairwise(ends))
    return dict(zip(part_sizes, pieces, strict=True))
