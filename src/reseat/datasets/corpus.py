"""Corpora: sparse matrices of word counts with their words, classes and identity."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from reseat.counts import canonical_counts
from reseat.datasets.identity import UNNAMED, DatasetIdentity
from reseat.datasets.stored import Stored, counted


@dataclass(frozen=True, eq=False)
class Corpus(Stored):
    """Documents as word counts.

    Attributes
    ----------
    counts : scipy.sparse.csr_array of int32, shape (n_documents, n_features)
        Canonical, without stored zeros; any array that `scipy.sparse` can read is converted.
    vocabulary : ndarray of str, shape (n_features,)
    labels : ndarray of int32, shape (n_documents,), or None
        Class of each document, an index into `label_names`.
    label_names : tuple of str
    document_ids : ndarray of str, shape (n_documents,)
    identity : DatasetIdentity

    Raises
    ------
    DataError
        If a count is not a whole number of at least 0, if there are no documents or features, if
        a word occurs twice, if a label is not the index of a class, or if lengths disagree.

    Examples
    --------
    >>> from reseat.datasets import Corpus
    >>> corpus = Corpus([[2, 0], [0, 3]], ["cat", "dog"], [0, 1], ("pets", "dogs"), ["a", "b"])
    >>> corpus.counts.nnz, corpus.identity.status
    (2, 'generated')
    """

    KIND = "corpus"

    counts: sp.csr_array
    vocabulary: np.ndarray
    labels: np.ndarray | None
    label_names: tuple[str, ...]
    document_ids: np.ndarray
    identity: DatasetIdentity = UNNAMED

    n_documents = counted("document_ids", "documents, including those without features")
    n_features = counted("vocabulary", "distinct words kept")

    def __post_init__(self):
        super().__post_init__()
        ids = np.asarray(self.document_ids, dtype=np.str_).reshape(-1)
        words = np.asarray(self.vocabulary, dtype=np.str_).reshape(-1)

        def name_row(row: int) -> str:
            return f"document {row} ({ids[row]})" if row < len(ids) else f"document {row}"

        counts = canonical_counts(self.counts, f"{self._where}: ", name_row)
        n_documents, n_features = counts.shape
        names = tuple(str(label) for label in self.label_names)
        self._set(counts=counts, vocabulary=words, document_ids=ids, label_names=names)
        self._check_lengths(n_documents, "documents", "document_ids", "labels")
        self._check_lengths(n_features, "features", "vocabulary")
        self._check_distinct("features", words.tolist())
        if self.labels is not None:
            self._set(labels=self._whole("labels", 0, len(names) - 1))

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 if the documents are unlabelled."""
        return len(self.label_names) if self.labels is not None else 0

    def summary(self) -> dict[str, int]:
        return {
            "documents": self.n_documents,
            "features": self.n_features,
            "tokens": int(self.counts.sum(dtype=np.int64)),
            "nonzeros": int(self.counts.nnz),
            "empty_documents": int(np.count_nonzero(np.diff(self.counts.indptr) == 0)),
            "classes": self.n_classes,
        }
