"""Checks of the input of the EM functions, with messages that name the fault."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from reseat.checks import check_between, check_unmasked, check_whole
from reseat.counts import canonical_counts
from reseat.errors import ConfigError, DataError

__all__ = ["Documents", "check_documents", "check_labels", "check_settings"]


class Documents(NamedTuple):
    """Term counts as the kernels read them: sparse rows without stored zeros."""

    indptr: np.ndarray  # int64, (n_documents + 1,)
    indices: np.ndarray  # int32, (n_stored,)
    counts: np.ndarray  # int32, (n_stored,), all positive
    n_documents: int
    n_features: int


def check_documents(counts) -> Documents:
    """Return counts as `Documents`, or raise an error if they are invalid; they are not changed."""
    if isinstance(counts, Documents):
        return counts
    matrix = canonical_counts(counts)
    return Documents(
        matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data, *matrix.shape
    )


def check_settings(documents: Documents, n_clusters, max_iterations, tolerance) -> tuple[int, int]:
    """Check the settings and the corpus; return `n_clusters` and `max_iterations` as ints."""
    if not documents.counts.size:
        raise DataError("The corpus is empty: no document has a feature.")
    n_clusters = check_whole("n_clusters", n_clusters, 1)
    max_iterations = check_whole("max_iterations", max_iterations, 1)
    if n_clusters > documents.n_documents:
        raise ConfigError(
            f"n_clusters is {n_clusters}, but there are only {documents.n_documents} documents: "
            "ask for at most one cluster per document."
        )
    check_between("tolerance", tolerance, 0)
    return n_clusters, max_iterations


def check_labels(labels, n_documents: int, n_clusters: int) -> np.ndarray:
    """Return one starting label per document as int32, or raise a DataError if they are invalid."""
    check_unmasked("labels", labels, "fill them, or remove their documents")
    labels = np.asarray(labels)
    if labels.shape != (n_documents,):
        raise DataError(
            f"labels must hold one label for each of the {n_documents} documents, "
            f"but has shape {labels.shape}."
        )
    if labels.dtype.kind not in "iu":
        raise DataError(f"labels must be whole numbers, not {labels.dtype}.")
    outside = (labels < 0) | (labels >= n_clusters)
    if outside.any():
        row = int(np.flatnonzero(outside)[0])
        raise DataError(
            f"Document {row} has the starting label {labels[row]}: with {n_clusters} clusters, "
            f"labels run from 0 to {n_clusters - 1}."
        )
    return np.ascontiguousarray(labels, dtype=np.int32)
