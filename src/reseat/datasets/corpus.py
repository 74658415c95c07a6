"""Corpora: sparse matrices of word counts with their words, classes and identity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from reseat.counts import canonical_counts
from reseat.datasets.identity import UNNAMED, DatasetIdentity
from reseat.datasets.stored import Stored
from reseat.errors import DataError

__all__ = ["Corpus"]


@dataclass(frozen=True, eq=False)
class Corpus(Stored):
    """Documents as word counts.

    Attributes
    ----------
    counts : scipy.sparse.csr_array of int32, shape (n_documents, n_features)
        Canonical: column indices sorted, no duplicates, no stored zeros.  A
        document without features is an empty row.  Any array that
        `scipy.sparse` can read is accepted and converted to this form.
    vocabulary : ndarray of str, shape (n_features,)
    labels : ndarray of int32, shape (n_documents,), or None
        Class of each document, an index into `label_names`.
    label_names : tuple of str
    document_ids : ndarray of str, shape (n_documents,)
    identity : DatasetIdentity

    Raises
    ------
    DataError
        If a count is negative, not a whole number, not a number or too large,
        if there are no documents or no features, if a word occurs twice, if a label
        is not the index of a class, or if lengths disagree.

    Examples
    --------
    >>> from reseat.datasets import Corpus
    >>> corpus = Corpus(
    ...     counts=[[2, 0], [0, 3], [1, 1]],
    ...     vocabulary=["cat", "dog"],
    ...     labels=[0, 1, 0],
    ...     label_names=("felines", "canines"),
    ...     document_ids=["a", "b", "c"],
    ... )
    >>> corpus.counts.nnz, corpus.identity.status
    (4, 'generated')
    """

    KIND = "corpus"

    counts: sp.csr_array
    vocabulary: np.ndarray
    labels: np.ndarray | None
    label_names: tuple[str, ...]
    document_ids: np.ndarray
    identity: DatasetIdentity = UNNAMED

    def __post_init__(self):
        super().__post_init__()
        ids = np.asarray(self.document_ids, dtype=np.str_).reshape(-1)
        words = np.asarray(self.vocabulary, dtype=np.str_).reshape(-1)

        def name_row(row: int) -> str:
            return f"document {row} ({ids[row]})" if row < len(ids) else f"document {row}"

        counts = canonical_counts(self.counts, f"{self._where}: ", name_row)
        n_documents, n_features = counts.shape
        self._check_length("document_ids", len(ids), "documents", n_documents)
        self._check_length("vocabulary", len(words), "features", n_features)
        if len(np.unique(words)) != n_features:
            raise DataError(f"{self._where}: a word occurs twice in the vocabulary")
        names = tuple(str(label) for label in self.label_names)
        self._set(counts=counts, vocabulary=words, document_ids=ids, label_names=names)
        if self.labels is not None:
            self._set(labels=self._checked_labels(n_documents))

    def _checked_labels(self, n_documents: int) -> np.ndarray:
        given = np.asarray(self.labels)
        self._check_length("labels", given.size, "documents", n_documents)
        if given.ndim != 1 or given.dtype.kind not in "iu":
            raise DataError(f"{self._where}: labels must be a vector of whole numbers")
        n_classes = len(self.label_names)
        wrong = np.flatnonzero((given < 0) | (given >= n_classes))
        if wrong.size:
            raise DataError(
                f"{self._where}: document {str(self.document_ids[wrong[0]])!r} has label "
                f"{given[wrong[0]]}, but label_names names the classes 0 to {n_classes - 1}"
            )
        return np.ascontiguousarray(given, dtype=np.int32)

    def _check_length(self, what: str, found: int, things: str, wanted: int) -> None:
        if found != wanted:
            raise DataError(f"{self._where}: {what} has {found} entries for {wanted} {things}")

    @property
    def n_documents(self) -> int:
        """Number of documents, including those without features."""
        return self.counts.shape[0]

    @property
    def n_features(self) -> int:
        """Number of distinct words kept."""
        return self.counts.shape[1]

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 if the documents are unlabelled."""
        return len(self.label_names) if self.labels is not None else 0

    def summary(self) -> dict[str, int]:
        """Return the sizes that a table of data sets shows."""
        return {
            "documents": self.n_documents,
            "features": self.n_features,
            "tokens": int(self.counts.sum(dtype=np.int64)),
            "nonzeros": int(self.counts.nnz),
            "empty_documents": int(np.count_nonzero(np.diff(self.counts.indptr) == 0)),
            "classes": self.n_classes,
        }
