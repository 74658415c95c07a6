"""Matrices as numpy and scipy write them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse as sp

from reseat.errors import DataError

__all__ = ["TABLES", "read_counts", "read_dense_archive"]

#: Endings of the files that `read_counts` reads.
TABLES = (".npz", ".mtx", ".mtx.gz", ".npy")


def read_counts(path: Path) -> sp.sparray:
    """Read a matrix: ``.npz`` as `scipy.sparse.save_npz` writes it, ``.mtx``, or dense, ``.npy``.

    Raises
    ------
    DataError
        If the file is damaged or of another kind.
    """
    try:
        if path.suffix.lower() == ".npz":
            return sp.csr_array(sp.load_npz(path))
        if path.suffix.lower() == ".npy":
            return sp.csr_array(np.load(path, allow_pickle=False))
        return sp.csr_array(scipy.io.mmread(path))
    except Exception as error:
        # zipfile, numpy and scipy each have their own way to say so, and numpy's is to advise
        # that what is in the file be run.
        raise DataError(
            f"{path} is no matrix that scipy.sparse.save_npz, scipy.io.mmwrite or numpy.save "
            "wrote; write it again by one of these."
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
        raise DataError(
            f"{path} is not a whole npz file of numbers; write it again by numpy.savez."
        ) from error
