"""Matrices written by NumPy or SciPy, and counts of words in the formats of other programs."""

import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import scipy.io
import scipy.sparse as sp

from reseat.counts import checked_sparse, native
from reseat.errors import DataError
from reseat.files.packed import check_npz, check_shape, read_npy, size_of
from reseat.reading.source import Source

TABLES = (".npz", ".mtx", ".npy")  # endings of the files that `read_counts` reads
UCI = "docword."  # beginning of the file names of UCI's bags of words
DIGITS = 16
FIRST = 20  # lines by which the format of a file is recognised
UCI_LINE = re.compile(r"\s*[0-9]{1,15}\s+[0-9]{1,15}\s+[0-9]{1,15}\s*")
LDA_C = re.compile(r"[0-9]+( [0-9]+:[0-9]+)*\s*$")
SVMLIGHT = re.compile(r"[-+]?[0-9.]+(,[0-9.]+)*(\s+qid:[0-9]+)?(\s+[0-9]+:[-+.0-9e]+)+\s*(#.*)?$")


@contextmanager
def _refused(said: str) -> Iterator[None]:
    """Turn any other error into a DataError; NumPy's advises pickles, which would run code."""
    try:
        yield
    except DataError:
        raise
    except Exception as error:
        raise DataError(said) from error


def read_counts(path: Path | Source) -> sp.sparray:
    """Read a sparse matrix (``.npz`` as scipy saves it, ``.mtx``) or a dense ``.npy``."""
    source = Source.of(path)
    with _refused(
        f"{path} is not a matrix written by scipy.sparse.save_npz, scipy.io.mmwrite or numpy.save; "
        "write it again with one of these."
    ):
        file = source.as_file()
        if source.ending == ".npy":
            return _as_matrix(read_npy(file, source), source)
        if source.ending == ".npz":
            arrays = _arrays(file, source, sparse=True)
            if "format" not in arrays:
                return _as_matrix(*arrays.values(), source)
            found = _sparse(arrays)
        else:
            n_rows, n_columns, n_entries, *_ = scipy.io.mminfo(file)
            # An entry takes at least two bytes, a digit and a blank.
            if n_entries > size_of(file) // 2:
                raise DataError(
                    f"{source} claims {n_rows:,} x {n_columns:,} cells with {n_entries:,} entries, "
                    "more than the file can contain; it may be truncated."
                )
            found = scipy.io.mmread(_at_start(file))
        if isinstance(found, np.ndarray):  # a Matrix Market file of the kind "array"
            return _as_matrix(found, source)
        found = checked_sparse(found, f"{source}: ")
        check_shape(found.shape, found.nnz, source)
        return found


def _at_start(file: Path | io.BytesIO) -> Path | io.BytesIO:
    if isinstance(file, io.BytesIO):
        file.seek(0)
    return file


def _arrays(file: Path | io.BytesIO, path: Source, sparse: bool = False) -> dict[str, np.ndarray]:
    """Read the only array of a ``.npz`` file, or those of a sparse matrix of SciPy, by name."""
    check_npz(file, path)
    with np.load(_at_start(file), allow_pickle=False) as stored:
        names = stored.files
        if len(names) != 1 and not (sparse and "format" in names):
            raise DataError(
                f"{path} contains {len(names)} arrays ({', '.join(names)}); it must contain only "
                "the matrix."
            )
        return {name: stored[name] for name in names}


def _sparse(arrays: dict[str, np.ndarray]) -> SimpleNamespace:
    """Return a sparse matrix of SciPy, whose parts are arrays; `load_npz` truncates indices."""
    parts, form = dict(arrays), arrays["format"].item()
    parts["format"] = form if isinstance(form, str) else form.decode("ascii")
    if "row" in parts:
        parts["coords"] = parts["row"], parts["col"]
    return SimpleNamespace(**parts)


def _as_matrix(values: np.ndarray, path: Source) -> sp.csr_array:
    """Return a dense matrix of numbers as a sparse one."""
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


def read_dense_archive(path: Path | Source) -> np.ndarray:
    """Read the only array of a ``.npz`` file."""
    path = Source.of(path)
    with _refused(
        f"{path} is not a complete npz file of numbers; write it again with numpy.savez."
    ):
        (values,) = _arrays(path.as_file(), path).values()
        return values


# ---- Counts of words in text files of UCI, LDA-C and SVMlight --------------------------------


def form_of_counts(lines: Sequence[str], path: Source) -> Callable | None:
    """Return the reader of counts that the name or the first lines call for, or None for texts."""
    if path.inner.startswith(UCI):
        return _read_uci
    start = [line.split() for line in lines[:4]]
    numbers = all(cell.isdecimal() for cells in start for cell in cells)
    if numbers and [len(cells) for cells in start] == [1, 1, 1, 3]:
        return _read_uci
    # A damaged line does not turn counts into texts: the reader reports it.
    for form, read in (LDA_C, _read_lda), (SVMLIGHT, read_svmlight):
        fitting = [line for line in lines[:FIRST] if form.match(line)]
        if form is LDA_C:  # labels that are no numbers of words are those of SVMlight
            announced = [line for line in fitting if _size(line.split()[0]) == line.count(":")]
            fitting = fitting if 2 * len(announced) >= len(fitting) else []
        if 2 * len(fitting) > len(lines[:FIRST]) and any(":" in line for line in fitting):
            return read
    return None


def _read_uci(lines: list[str], path: Source) -> sp.coo_array:
    try:
        n_documents, n_words, n_cells = (_size(line) for line in lines[:3])
    except ValueError:
        raise DataError(
            f"{path} does not begin with three lines giving the numbers of documents, words and "
            "counts; fix these lines, or rename the file if it contains texts."
        ) from None
    check_shape((n_documents, n_words), len(lines) - 3, path)
    cells = np.empty((len(lines) - 3, 3), dtype=np.int64)
    for row, line in enumerate(lines[3:]):
        if not UCI_LINE.fullmatch(line):
            raise DataError(
                f"{path}, line {row + 4}: {line!r} must consist of a document number, a word "
                "number and a count."
            )
        cells[row] = line.split()
    if len(cells) != n_cells:
        raise DataError(
            f"{path} has {len(cells):,} counts, but its header says {n_cells:,}; the file may be "
            "truncated."
        )
    wrong = np.flatnonzero(((cells[:, :2] < 1) | (cells[:, :2] > (n_documents, n_words))).any(1))
    if wrong.size:
        raise DataError(
            f"{path}, line {wrong[0] + 4}: the document must be between 1 and {n_documents}, the "
            f"word between 1 and {n_words}."
        )
    places = (cells[:, 0] - 1, cells[:, 1] - 1)
    return sp.coo_array((cells[:, 2], places), shape=(n_documents, n_words))


def _size(text: str) -> int:
    """Parse a number of at least 0; a long one becomes a number too large for any array."""
    if not (text.isascii() and text.strip().isdecimal()):
        raise ValueError(f"{text!r} is not a number of at least 0")
    return int(text) if len(text.strip()) < DIGITS else 10**DIGITS


def _read_lda(lines: list[str], path: Source) -> sp.csr_array:
    words, counts, ends = [], [], [0]
    for number, line in enumerate(lines, start=1):
        if not LDA_C.match(line):
            raise DataError(
                f"{path}, line {number}: the line does not have the form 'n word:count …'."
            )
        length, *pairs = line.split()
        if length != str(len(pairs)):
            raise DataError(
                f"{path}, line {number}: {len(pairs)} words, but the line announces {length}."
            )
        for pair in pairs:
            word, count = map(_size, pair.split(":"))
            words.append(word)
            counts.append(count)
        ends.append(len(words))
    shape = (len(lines), max(words, default=0) + 1)
    check_shape(shape, len(words), path)
    return sp.csr_array((np.array(counts, dtype=np.int64), np.array(words), ends), shape=shape)


def read_svmlight(lines: list[str], path: Source) -> sp.csr_array:
    """Read the lines of a SVMlight file, without their labels."""
    from sklearn.datasets import load_svmlight_file  # slow to import

    content = io.BytesIO("\n".join(lines).encode())
    several = any("," in line.split()[0] for line in lines if line.strip())
    try:
        found, _ = load_svmlight_file(content, multilabel=several)
    except ValueError as error:
        raise DataError(f"{path} cannot be read as SVMlight ({error}).") from error
    check_shape(found.shape, found.nnz, path)
    return sp.csr_array(found)
