"""Read matrices written by NumPy or SciPy."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import scipy.io
import scipy.sparse as sp

from reseat.counts import checked_sparse, native
from reseat.errors import DataError
from reseat.files.packed import UNPACKED, check_npy, check_npz, check_shape

__all__ = ["TABLES", "read_counts", "read_dense_archive"]

#: Endings of the files that `read_counts` reads.
TABLES = (".npz", ".mtx", ".mtx.gz", ".npy")


def read_counts(path: Path) -> sp.sparray:
    """Read a sparse matrix (``.npz`` as scipy saves it, ``.mtx``) or a dense ``.npy``."""
    try:
        if path.suffix.lower() == ".npy":
            with open(path, "rb") as file:
                check_npy(file, path.stat().st_size, path)
            return _as_matrix(np.load(path, allow_pickle=False), path)
        if path.suffix.lower() == ".npz":
            check_npz(path)
            if not _is_sparse(path):
                return _as_matrix(read_dense_archive(path), path)
            found = _read_parts(path)
        else:
            _check_market(path)
            found = scipy.io.mmread(path)
        if isinstance(found, np.ndarray):  # a Matrix Market file of the kind "array"
            return _as_matrix(found, path)
        found = checked_sparse(found, f"{path}: ")
        check_shape(found.shape, found.nnz, path)
        return found
    except DataError:
        raise
    except Exception as error:
        # zipfile, NumPy and SciPy each raise their own errors, and that of NumPy advises to allow
        # pickles, which would run code from the file.
        raise DataError(
            f"{path} is not a matrix written by scipy.sparse.save_npz, scipy.io.mmwrite or "
            "numpy.save; write it again with one of these."
        ) from error


def _is_sparse(path: Path) -> bool:
    """Return whether a ``.npz`` file is a sparse matrix of SciPy, whose parts are arrays."""
    with np.load(path, allow_pickle=False) as stored:
        return "format" in stored.files


def _read_parts(path: Path) -> SimpleNamespace:
    """Read the parts of a sparse matrix as they are; `scipy.sparse.load_npz` truncates indices."""
    with np.load(path, allow_pickle=False) as stored:
        parts = {name: stored[name] for name in stored.files}
    form = parts["format"].item()
    parts["format"] = form if isinstance(form, str) else form.decode("ascii")
    if "row" in parts:
        parts["coords"] = parts["row"], parts["col"]
    return SimpleNamespace(**parts)


def _as_matrix(values: np.ndarray, path: Path) -> sp.csr_array:
    """Return a dense matrix of numbers as a sparse one; raise a DataError for other arrays."""
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
    """Read the only array of a ``.npz`` file."""
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
    """Raise a DataError if a Matrix Market file is too short for the entries that it announces."""
    n_rows, n_columns, n_entries, *_ = scipy.io.mminfo(path)
    # An entry takes at least two bytes, a digit and a blank.
    most = (UNPACKED if path.suffix.lower() == ".gz" else path.stat().st_size) // 2
    if n_entries > most:
        raise DataError(
            f"{path} claims {n_rows:,} x {n_columns:,} cells with {n_entries:,} entries, more "
            "than the file can contain; it may be truncated."
        )
