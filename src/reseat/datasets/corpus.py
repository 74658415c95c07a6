"""A corpus: a sparse matrix of word counts with its words, classes and identity."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from reseat.counts import canonical_counts
from reseat.datasets.identity import DatasetIdentity
from reseat.datasets.npz import decode_strings, encode_strings, open_archive, save_archive
from reseat.errors import DataError

__all__ = ["Corpus"]

FORMAT = 1


@dataclass(frozen=True, eq=False)
class Corpus:
    """Documents as word counts.

    Attributes
    ----------
    counts : scipy.sparse.csr_array of int32, shape (n_documents, n_features)
        Canonical: column indices sorted, no duplicates, no stored zeros.  A
        document without features is an empty row.  Any array that
        `scipy.sparse` can read is accepted and brought to this form.
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
        if there are no documents or no features, or if lengths disagree.
    """

    counts: sp.csr_array
    vocabulary: np.ndarray
    labels: np.ndarray | None
    label_names: tuple[str, ...]
    document_ids: np.ndarray
    identity: DatasetIdentity

    def __post_init__(self):
        name = self.identity.name
        ids = np.asarray(self.document_ids, dtype=np.str_).reshape(-1)
        words = np.asarray(self.vocabulary, dtype=np.str_).reshape(-1)

        def name_row(row: int) -> str:
            return f"document {row} ({ids[row]})" if row < len(ids) else f"document {row}"

        counts = canonical_counts(self.counts, f"corpus {name!r}: ", name_row)
        n_documents, n_features = counts.shape
        _same_length(name, "document_ids", len(ids), "documents", n_documents)
        _same_length(name, "vocabulary", len(words), "features", n_features)
        if len(np.unique(words)) != n_features:
            raise DataError(f"corpus {name!r}: a word occurs twice in the vocabulary")
        object.__setattr__(self, "counts", counts)
        object.__setattr__(self, "vocabulary", words)
        object.__setattr__(self, "document_ids", ids)
        object.__setattr__(self, "label_names", tuple(str(label) for label in self.label_names))
        if self.labels is not None:
            object.__setattr__(self, "labels", self._checked_labels(n_documents))

    def _checked_labels(self, n_documents: int) -> np.ndarray:
        name, given = self.identity.name, np.asarray(self.labels)
        _same_length(name, "labels", given.size, "documents", n_documents)
        if given.ndim != 1 or given.dtype.kind not in "iu":
            raise DataError(f"corpus {name!r}: labels must be a vector of whole numbers")
        n_classes = len(self.label_names)
        wrong = np.flatnonzero((given < 0) | (given >= n_classes))
        if wrong.size:
            raise DataError(
                f"corpus {name!r}: document {str(self.document_ids[wrong[0]])!r} has label "
                f"{given[wrong[0]]}, but label_names names the classes 0 to {n_classes - 1}"
            )
        return np.ascontiguousarray(given, dtype=np.int32)

    @property
    def n_documents(self) -> int:
        """Number of documents, those without features included."""
        return self.counts.shape[0]

    @property
    def n_features(self) -> int:
        """Number of distinct words kept."""
        return self.counts.shape[1]

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 if the documents carry no labels."""
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

    def save(self, path: str | os.PathLike) -> None:
        """Write the corpus to `path` (``.npz``) atomically.

        Equal corpora give equal bytes.
        """
        labels = np.empty(0, np.int32) if self.labels is None else self.labels
        header = {
            "format": FORMAT,
            "shape": list(self.counts.shape),
            "has_labels": self.labels is not None,
            "identity": self.identity.to_dict(),
        }
        arrays = {
            "data": self.counts.data,
            "indices": self.counts.indices,
            "indptr": self.counts.indptr,
            "vocabulary": encode_strings(self.vocabulary),
            "labels": labels,
            "label_names": encode_strings(self.label_names),
            "document_ids": encode_strings(self.document_ids),
        }
        save_archive(path, header, arrays)

    @classmethod
    def load(cls, path: str | os.PathLike) -> Corpus:
        """Read a corpus that `save` wrote.

        Raises
        ------
        DataError
            If the file is absent, cut short or not a corpus of this version.
        """
        with open_archive(path, "corpus", FORMAT) as (header, arrays):
            parts = (arrays["data"], arrays["indices"], arrays["indptr"])
            return cls(
                counts=sp.csr_array(parts, shape=tuple(header["shape"])),
                vocabulary=np.array(decode_strings(arrays["vocabulary"]), dtype=np.str_),
                labels=arrays["labels"] if header["has_labels"] else None,
                label_names=tuple(decode_strings(arrays["label_names"])),
                document_ids=np.array(decode_strings(arrays["document_ids"]), dtype=np.str_),
                identity=DatasetIdentity.from_dict(header["identity"]),
            )


def _same_length(name: str, what: str, found: int, things: str, wanted: int) -> None:
    if found != wanted:
        raise DataError(f"corpus {name!r}: {what} has {found} entries for {wanted} {things}")
