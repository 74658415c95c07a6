"""A corpus: a sparse matrix of word counts with its words, classes and identity."""

from __future__ import annotations

import io
import json
import os
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from reseat.counts import canonical_counts
from reseat.datasets.identity import DatasetIdentity
from reseat.errors import DataError
from reseat.io import atomic_path

__all__ = ["Corpus"]

FORMAT = 1
# A zip entry carries a date; a fixed one makes equal corpora equal bytes.
FIXED_DATE = (1980, 1, 1, 0, 0, 0)


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

        Equal corpora give equal bytes: the entries have a fixed order and a
        fixed date, and strings are stored as UTF-8 (`numpy.load` opens the
        file without pickle).
        """
        labels = np.empty(0, np.int32) if self.labels is None else self.labels
        header = {
            "format": FORMAT,
            "shape": list(self.counts.shape),
            "has_labels": self.labels is not None,
            "identity": self.identity.to_dict(),
        }
        arrays = {
            "header": _encode([json.dumps(header, sort_keys=True, ensure_ascii=False)]),
            "data": self.counts.data,
            "indices": self.counts.indices,
            "indptr": self.counts.indptr,
            "vocabulary": _encode(self.vocabulary),
            "labels": labels,
            "label_names": _encode(self.label_names),
            "document_ids": _encode(self.document_ids),
        }
        with atomic_path(path) as temporary:
            with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
                for key, array in arrays.items():
                    entry = zipfile.ZipInfo(f"{key}.npy", date_time=FIXED_DATE)
                    entry.compress_type = zipfile.ZIP_DEFLATED
                    entry.external_attr = 0o644 << 16
                    entry.create_system = 3
                    buffer = io.BytesIO()
                    np.lib.format.write_array(buffer, array, version=(1, 0), allow_pickle=False)
                    archive.writestr(entry, buffer.getvalue())

    @classmethod
    def load(cls, path: str | os.PathLike) -> Corpus:
        """Read a corpus that `save` wrote.

        Raises
        ------
        DataError
            If the file is absent, cut short or not a corpus of this version.
        """
        path = Path(path)
        if not path.is_file():
            raise DataError(f"{path}: there is no such corpus file")
        try:
            with np.load(path, allow_pickle=False) as stored:
                arrays = {key: stored[key] for key in stored.files}
            header = json.loads(_decode(arrays["header"])[0])
            if header["format"] != FORMAT:
                raise DataError(
                    f"{path}: written in corpus format {header['format']}, this version reads "
                    f"format {FORMAT}; delete the file and make it again"
                )
            parts = (arrays["data"], arrays["indices"], arrays["indptr"])
            return cls(
                counts=sp.csr_array(parts, shape=tuple(header["shape"])),
                vocabulary=np.array(_decode(arrays["vocabulary"]), dtype=np.str_),
                labels=arrays["labels"] if header["has_labels"] else None,
                label_names=tuple(_decode(arrays["label_names"])),
                document_ids=np.array(_decode(arrays["document_ids"]), dtype=np.str_),
                identity=DatasetIdentity.from_dict(header["identity"]),
            )
        except DataError:
            raise
        except Exception as error:
            # zipfile, zlib, json and numpy each have their own way to say so.
            raise DataError(
                f"{path}: not a whole corpus file ({error}); delete it and make it again"
            ) from error


def _same_length(name: str, what: str, found: int, things: str, wanted: int) -> None:
    if found != wanted:
        raise DataError(f"corpus {name!r}: {what} has {found} entries for {wanted} {things}")


def _encode(strings) -> np.ndarray:
    """UTF-8 bytes of the strings, each ended by a zero byte."""
    return np.frombuffer("".join(f"{text}\0" for text in strings).encode(), dtype=np.uint8)


def _decode(array: np.ndarray) -> list[str]:
    return array.tobytes().decode().split("\0")[:-1]
