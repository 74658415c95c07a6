"""Matrices as numpy and scipy write them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse as sp

from reseat.counts import native
from reseat.errors import DataError
from reseat.packed import UNPACKED, check_npy, check_npz, check_shape

__all__ = ["TABLES", "read_counts", "read_dense_archive"]

#: Endings of the files that `read_counts` reads.
TABLES = (".npz", ".mtx", ".mtx.gz", ".npy")


def read_counts(path: Path) -> sp.sparray:
    """Read a matrix: ``.npz`` as `scipy.sparse.save_npz` writes it, ``.mtx``, or dense, ``.npy``.

    Raises
    ------
    DataError
        If the file is damaged, of another kind, or claims more than it holds.
    """
    try:
        if path.suffix.lower() == ".npy":
            with open(path, "rb") as file:
                check_npy(file, path.stat().st_size, path)
            return _as_matrix(np.load(path, allow_pickle=False), path)
        if path.suffix.lower() == ".npz":
            check_npz(path)
            found = sp.load_npz(path)
        else:
            _check_market(path)
            found = scipy.io.mmread(path)
        if sp.issparse(found):
            check_shape(found.shape, found.nnz, path)
        # Duplicates must stay apart until each of them has been looked at.
        return sp.csr_array(found) if found.format == "csr" else sp.coo_array(found)
    except DataError:
        raise
    except Exception as error:
        # zipfile, numpy and scipy each have their own way to say so, and numpy's is to advise
        # that what is in the file be run.
        raise DataError(
            f"{path} is not a matrix written by scipy.sparse.save_npz, scipy.io.mmwrite or "
            "numpy.save; write it again with one of these."
        ) from error


def _as_matrix(values: np.ndarray, path: Path) -> sp.csr_array:
    """A dense array of two dimensions and of numbers of any type."""
    if values.dtype.kind not in "iufb":
        raise DataError(
            f"{path} contains values of type {values.dtype}, not counts; save an array of whole "
            "numbers."
        )
    if values.ndim != 2:
        raise DataError(
            f"{path} contains an array of shape {values.shape}, not a matrix; save an array with "
            "two dimensions, rows and columns."
        )
    return sp.csr_array(native(values))


def read_dense_archive(path: Path) -> np.ndarray:
    """Read the one array of a ``.npz``.

    Raises
    ------
    DataError
        If the file is damaged, has several arrays, or claims more than it holds.
    """
    try:
        check_npz(path)
        with np.load(path, allow_pickle=False) as stored:
            if len(stored.files) != 1:
                raise DataError(
                    f"{path} contains {len(stored.files)} arrays ({', '.join(stored.files)}); it "
                    "must contain only the matrix."
                )
            return stored[stored.files[0]]
    except DataError:
        raise
    except Exception as error:
        raise DataError(
            f"{path} is not a complete npz file of numbers; write it again with numpy.savez."
        ) from error


def _check_market(path: Path) -> None:
    """Check that a Matrix Market file can have as many entries as it says, before it is read."""
    n_rows, n_columns, n_entries, *_ = scipy.io.mminfo(path)
    # An entry takes two bytes at least, a digit and a blank.
    most = (UNPACKED if path.suffix.lower() == ".gz" else path.stat().st_size) // 2
    if n_entries > most:
        raise DataError(
            f"{path} claims {n_rows:,} x {n_columns:,} cells with {n_entries:,} entries, more "
            "than the file can contain; it may be truncated."
        )
