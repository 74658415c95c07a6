"""What the EM functions demand of their input, said in sentences."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from reseat.counts import canonical_counts
from reseat.errors import ConfigError, DataError

__all__ = ["Documents", "check_choice", "check_documents", "check_labels", "check_settings"]


class Documents(NamedTuple):
    """Term counts as the kernels read them: sparse rows without a stored zero."""

    indptr: np.ndarray  # int64, (n_documents + 1,)
    indices: np.ndarray  # int32, (n_stored,)
    counts: np.ndarray  # int32, (n_stored,), all positive
    n_documents: int
    n_features: int


def check_documents(counts) -> Documents:
    """Read a matrix of counts, or say what is wrong with it; never changes it."""
    if isinstance(counts, Documents):
        return counts
    matrix = canonical_counts(counts)
    return Documents(
        matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data, *matrix.shape
    )


def check_settings(documents: Documents, n_clusters, max_iterations, tolerance) -> None:
    """Refuse settings, and corpora, for which EM means nothing."""
    if not documents.counts.size:
        raise DataError("The corpus is empty: no document has a feature.")
    if not isinstance(n_clusters, (int, np.integer)) or n_clusters < 1:
        raise ConfigError(f"n_clusters must be a whole number of at least 1, not {n_clusters!r}.")
    if n_clusters > documents.n_documents:
        raise ConfigError(
            f"n_clusters is {n_clusters}, but there are only {documents.n_documents} documents: "
            "ask for at most one cluster per document."
        )
    if not isinstance(max_iterations, (int, np.integer)) or max_iterations < 1:
        raise ConfigError(
            f"max_iterations must be a whole number of at least 1, not {max_iterations!r}."
        )
    if not tolerance >= 0:
        raise ConfigError(f"tolerance must be at least 0, not {tolerance!r}.")


def check_choice(name: str, value, choices) -> None:
    """Refuse a word that is not one of the choices."""
    if value not in choices:
        raise ConfigError(f"{name} must be {' or '.join(map(repr, choices))}, not {value!r}.")


def check_labels(labels, n_documents: int, n_clusters: int) -> np.ndarray:
    """Read one starting label a document, int32, or say what is wrong with them."""
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
