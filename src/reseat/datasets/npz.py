"""Archives of arrays in which equal data give equal bytes."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from reseat.errors import DataError
from reseat.io import atomic_path

__all__ = ["decode_strings", "encode_strings", "open_archive", "save_archive"]

# A zip entry carries a date; it is fixed so that equal arrays give equal bytes.
FIXED_DATE = (1980, 1, 1, 0, 0, 0)


def save_archive(
    path: str | os.PathLike, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]
) -> None:
    """Write a header and arrays to `path` (``.npz``) atomically.

    The entries keep the order of `arrays` and have a fixed date.  `numpy.load` can open
    the file without pickle.
    """
    text = json.dumps(header, sort_keys=True, ensure_ascii=False)
    with atomic_path(path) as temporary:
        with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
            for key, array in {"header": encode_strings([text]), **arrays}.items():
                entry = zipfile.ZipInfo(f"{key}.npy", date_time=FIXED_DATE)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o644 << 16
                entry.create_system = 3
                buffer = io.BytesIO()
                np.lib.format.write_array(buffer, array, version=(1, 0), allow_pickle=False)
                archive.writestr(entry, buffer.getvalue())


@contextmanager
def open_archive(
    path: str | os.PathLike, kind: str, version: int
) -> Iterator[tuple[dict[str, Any], dict[str, np.ndarray]]]:
    """Yield the header and arrays of a file that `save_archive` wrote.

    Any exception in the block is also attributed to the file.
    """
    path = Path(path)
    if not path.is_file():
        raise DataError(f"{path}: {kind} file not found")
    try:
        with np.load(path, allow_pickle=False) as stored:
            arrays = {key: stored[key] for key in stored.files}
        header = json.loads(decode_strings(arrays["header"])[0])
        if header["format"] != version:
            raise DataError(
                f"{path}: written in {kind} format {header['format']}, this version reads "
                f"format {version}; delete the file and make it again"
            )
        yield header, arrays
    except DataError:
        raise
    except Exception as error:
        # zipfile, zlib, json and numpy each raise exceptions of their own for a bad file, and that
        # of numpy advises to allow pickles, which would run code from the file.
        raise DataError(
            f"{path}: not a complete {kind} file; delete it and make it again"
        ) from error


def encode_strings(strings: Iterable[str]) -> np.ndarray:
    """Return the UTF-8 bytes of the strings, each ended by a zero byte, shape (n_bytes,)."""
    strings = list(strings)
    wrong = next((text for text in strings if "\0" in text), None)
    if wrong is not None:
        raise DataError(f"{wrong!r} contains a character with the code 0; remove it")
    return np.frombuffer("".join(f"{text}\0" for text in strings).encode(), dtype=np.uint8)


def decode_strings(array: np.ndarray) -> list[str]:
    """Return the strings that `encode_strings` encoded."""
    return array.tobytes().decode().split("\0")[:-1]
