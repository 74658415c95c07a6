"""Matrices as numpy and scipy write them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse as sp

from reseat.errors import DataError

__all__ = ["read_dense_archive", "read_sparse"]


def read_sparse(path: Path) -> sp.sparray:
    """Read a sparse matrix: ``.npz`` as `scipy.sparse.save_npz` writes it, or ``.mtx``.

    Raises
    ------
    DataError
        If the file is damaged or of another kind.
    """
    try:
        if path.suffix.lower() == ".npz":
            return sp.csr_array(sp.load_npz(path))
        return sp.csr_array(scipy.io.mmread(path))
    except Exception as error:  # zipfile, numpy and scipy each have their own way to say so
        raise DataError(
            f"{path} is no sparse matrix that scipy.sparse.save_npz or scipy.io.mmwrite wrote "
            f"({error})."
        ) from error


def read_dense_archive(path: Path) -> np.ndarray:
    """Read the one array of a ``.npz``.

    Raises
    ------
    DataError
        If the file is damaged or has several arrays.
    """
    try:
        with np.load(path, allow_pickle=False) as stored:
            if len(stored.files) != 1:
                raise DataError(
                    f"{path} holds {len(stored.files)} arrays ({', '.join(stored.files)}); give "
                    "the matrix alone."
                )
            return stored[stored.files[0]]
    except DataError:
        raise
    except Exception as error:
        raise DataError(f"{path} is not a whole npz file of numbers ({error}).") from error
