"""What a parser hands over: raw texts, or counts for data that come as counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

__all__ = ["RawCounts", "RawDocuments", "index_labels"]


@dataclass(frozen=True)
class RawDocuments:
    """Texts as they were published.

    Attributes
    ----------
    texts : list of str
    labels : ndarray of int32, shape (n_documents,)
    label_names : tuple of str
    document_ids : list of str
    has_headers : bool
        Whether each text is a message: header lines, a blank line, the body.
    """

    texts: list[str]
    labels: np.ndarray
    label_names: tuple[str, ...]
    document_ids: list[str]
    has_headers: bool


@dataclass(frozen=True)
class RawCounts:
    """Counts as they were published, to which no feature rule can be applied.

    Attributes
    ----------
    counts : scipy.sparse.csr_array, shape (n_documents, n_features)
    vocabulary : list of str
    labels, label_names, document_ids
        As in `RawDocuments`.
    rule : dict
        What the publishers did, for the record of the preprocessing.
    """

    counts: sp.csr_array
    vocabulary: list[str]
    labels: np.ndarray
    label_names: tuple[str, ...]
    document_ids: list[str]
    rule: dict[str, Any] = field(default_factory=dict)


def index_labels(classes: Sequence[str]) -> tuple[np.ndarray, tuple[str, ...]]:
    """Number the classes of the documents alphabetically.

    Returns
    -------
    labels : ndarray of int32, shape (n_documents,)
    label_names : tuple of str
    """
    names = sorted(set(classes))
    number = {name: index for index, name in enumerate(names)}
    return np.array([number[name] for name in classes], dtype=np.int32), tuple(names)
