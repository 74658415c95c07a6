"""Compile `lgamma_port.c` and sweep with it."""

from __future__ import annotations

import ctypes
import os
import shlex
import shutil
import subprocess
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from child import reason

__all__ = ["LogGammaPort", "PortUnavailable"]

SOURCE = Path(__file__).resolve().parent / "lgamma_port.c"
FLAGS = ["-O2", "-std=c11", "-ffp-contract=off", "-shared", "-fPIC"]


class PortUnavailable(Exception):
    """The port cannot be compiled here; the message says why."""


class LogGammaPort:
    """The state of a chain, and the C sweep over it."""

    def __init__(self, counts: sp.csr_array, labels, n_clusters, alpha, beta, folder: Path):
        self._sweep = ctypes.CDLL(str(_compile(folder))).sweep
        self._sweep.restype = ctypes.c_int64
        n_documents, n_features = counts.shape
        self.labels = np.array(labels, dtype=np.int32)
        indicator = sp.csr_array(
            (np.ones(n_documents, np.int64), (self.labels, np.arange(n_documents))),
            shape=(n_clusters, n_documents),
        )
        self._indptr = counts.indptr.astype(np.int64)
        self._words = counts.indices.astype(np.int32)
        self._counts = counts.data.astype(np.int32)
        self._n_word = np.ascontiguousarray((indicator @ counts).toarray(), dtype=np.int32)
        self._n_token = self._n_word.sum(axis=1, dtype=np.int64)
        self._n_doc = np.bincount(self.labels, minlength=n_clusters).astype(np.int64)
        self._weight = np.empty(n_clusters)
        self._sizes = n_documents, n_features, n_clusters
        self._alpha, self._beta = alpha, beta

    def sweep(self, uniforms: np.ndarray) -> int:
        """Visit every document once, with one uniform number each; return how many moved."""
        pointers = [
            array.ctypes.data_as(ctypes.c_void_p)
            for array in (
                self._indptr, self._words, self._counts, self.labels,
                self._n_word, self._n_token, self._n_doc, uniforms, self._weight,
            )
        ]  # fmt: skip
        return self._sweep(
            *map(ctypes.c_int64, self._sizes),
            *pointers[:7],
            ctypes.c_double(self._alpha),
            ctypes.c_double(self._beta),
            *pointers[7:],
        )


def _compile(folder: Path) -> Path:
    compiler = shlex.split(os.environ.get("CC", "")) or ["cc"]
    if shutil.which(compiler[0]) is None:
        raise PortUnavailable(f"no C compiler {compiler[0]!r}")
    library = folder / "lgamma_port.so"
    try:
        subprocess.run(
            [*compiler, *FLAGS, str(SOURCE), "-o", str(library), "-lm"],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
    except subprocess.CalledProcessError as error:
        why = reason(error.stderr, error.returncode)
        raise PortUnavailable(f"the C compiler failed: {why}") from error
    return library
