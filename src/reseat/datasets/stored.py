"""Base class of processed data sets: their identity, and how they are saved, loaded and hashed."""

from __future__ import annotations

import copy
import hashlib
import json
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import scipy

from reseat.checks import check_unmasked
from reseat.datasets.card import Card
from reseat.datasets.identity import UNNAMED, DatasetIdentity
from reseat.datasets.npz import decode_strings, encode_strings, open_archive, save_archive
from reseat.io import atomic_folder

__all__ = ["Stored", "store", "store_draws"]

# Incremented when the layout of the files of all kinds changes.
LAYOUT = 2


class Stored:
    """Base class of processed data sets, which are frozen dataclasses with a field ``identity``.

    A field may hold an array, a sparse matrix, texts, plain values, or tuples, mappings and
    dataclasses of these, and is stored as such.  `load` passes the same values to the class, except
    that a dataclass becomes a mapping of its fields.

    Attributes
    ----------
    KIND : str
        Name of the kind of data set in messages.
    FORMAT : int
        Format version of the class, incremented when the meaning of its fields changes.
    identity : DatasetIdentity
        `UNNAMED` until `reseat.datasets.build` sets it.

    Examples
    --------
    >>> from reseat.datasets import Points, Stored
    >>> issubclass(Points, Stored), Points([[0.0], [0.1], [5.0]], [0, 0, 1], {}).identity.status
    (True, 'generated')
    """

    KIND: ClassVar[str]
    FORMAT: ClassVar[int] = 1
    identity: DatasetIdentity = UNNAMED

    def __post_init__(self):
        """Refuse masked entries; subclasses check everything else about their fields."""
        for field in fields(self):
            value = getattr(self, field.name)
            parts = value.values() if isinstance(value, Mapping) else value
            for part in parts if isinstance(value, Mapping | tuple) else (value,):
                check_unmasked(f"{self._where}, {field.name}", part)

    @property
    def _where(self) -> str:
        """Start of a message about the data set."""
        return f"{self.KIND} {self.identity.name!r}" if self.identity.name else self.KIND

    def _set(self, **values: Any) -> None:
        """Set fields of the frozen instance to their checked values."""
        for key, value in values.items():
            object.__setattr__(self, key, value)

    def identified(self, identity: DatasetIdentity) -> Self:
        """Return the same data with another identity, without checking them again."""
        other = copy.copy(self)
        object.__setattr__(other, "identity", identity)
        return other

    def summary(self) -> dict[str, Any]:
        """Return the sizes that a table of data sets shows."""
        return {}

    def digest(self, *keys: str) -> str:
        """Return the SHA-256 of the data without the identity, or of the fields `keys` alone."""
        others = [field.name for field in fields(self) if keys and field.name not in keys]
        header, arrays = self._packed(others)
        found = hashlib.sha256(json.dumps(header, ensure_ascii=False).encode())
        for array in arrays.values():
            found.update(f"{array.dtype.str} {array.shape}".encode())
            found.update(np.ascontiguousarray(array))
        return found.hexdigest()

    def source(self) -> dict[str, Any]:
        """Return what identifies the data for their chains, on whatever processor they are made.

        Returns
        -------
        dict
            ``data``, the identity, and ``content``, a hash of the data or, if their last bits
            depend on the processor, of what they were computed from.  In this case there is also
            a ``weighted sum``, to be compared with a tolerance, which shows whether other code has
            made the data.
        """
        data = self.identity.to_dict()
        data["preprocessing"].pop("computed", None)
        if not self.identity.derived_from:
            return {"data": data, "content": self.digest()}
        computed = [array for array in self._packed()[1].values() if array.dtype.kind == "f"]
        # Of squares of one sign only, so that terms do not cancel and reflections are noticed.
        sums = [
            sum(n * float(np.square(np.maximum(row, 0.0)).sum()) for n, row in enumerate(array, 1))
            for array in computed
        ]
        return {"data": data, "content": self.identity.derived_from, "weighted sum": sums}

    def save(self, path: str | os.PathLike) -> None:
        """Write the data set to `path` (``.npz``) atomically; equal data give equal bytes."""
        self._save(path)

    @classmethod
    def load(cls, path: str | os.PathLike) -> Self:
        """Read a data set that `save` wrote.

        Raises
        ------
        DataError
            If the file is absent or truncated, or is not of this kind and version.
        """
        return cls._load(path)

    def _save(self, path: str | os.PathLike, leave_out: Collection[str] = ()) -> None:
        content, arrays = self._packed(leave_out)
        header = {"format": self._version(), "fields": content, "identity": self.identity.to_dict()}
        save_archive(path, header, arrays)

    @classmethod
    def _load(cls, path: str | os.PathLike, **others: Any) -> Self:
        """Read what `_save` wrote; `others` supplies the fields that it left out."""
        with open_archive(path, cls.KIND, cls._version()) as (header, arrays):
            values = {key: _unpack(packed, arrays) for key, packed in header["fields"]}
            identity = DatasetIdentity.from_dict(header["identity"])
            return cls(**values, **others, identity=identity)

    @classmethod
    def _version(cls) -> str:
        return f"{LAYOUT}.{cls.FORMAT}"

    def _packed(self, leave_out: Collection[str] = ()) -> tuple[list, dict[str, np.ndarray]]:
        arrays: dict[str, np.ndarray] = {}
        own = [field.name for field in fields(self) if field.name not in ("identity", *leave_out)]
        return [[key, _pack(getattr(self, key), key, arrays)] for key in own], arrays


def store(dataset: Stored, path: str | os.PathLike) -> None:
    """Write a processed data set and its card.

    Parameters
    ----------
    dataset : Stored
    path : path-like
        Path of the ``.npz`` file; the card goes beside it.
    """
    dataset.save(path)
    Card(dataset.identity, dataset.summary()).save(path)


def store_draws(draws: Sequence[Stored], folder: str | os.PathLike) -> None:
    """Write the draws of a data set and their card to a folder, whose name is that of the data set.

    Parameters
    ----------
    draws : sequence of Stored
        The draws, or a single data set that is not drawn, saved as ``0.npz``, ``1.npz``, ...
    folder : path-like
        Written atomically: it is either complete or absent.
    """
    identity = replace(draws[0].identity, name=Path(folder).name)
    with atomic_folder(folder) as temporary:
        for number, draw in enumerate(draws):
            draw.save(temporary / f"{number}.npz")
        Card(identity, draws[0].summary()).save(temporary)


def _pack(value: Any, key: str, arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    """Return a description of a value in plain types, and add its arrays to `arrays`."""
    if isinstance(value, np.ndarray) and value.dtype.kind != "U":
        arrays[key] = value
        return {"array": key}
    if scipy.sparse.issparse(value):
        parts = {part: getattr(value, part) for part in ("data", "indices", "indptr")}
        arrays |= {f"{key}.{part}": array for part, array in parts.items()}
        return {"sparse": key, "shape": list(value.shape)}
    if isinstance(value, np.ndarray) or _is_texts(value):
        arrays[key] = encode_strings(value)
        return {"texts": key, "as": "array" if isinstance(value, np.ndarray) else "tuple"}
    if isinstance(value, tuple):
        return {"tuple": [_pack(part, f"{key}.{n}", arrays) for n, part in enumerate(value)]}
    if isinstance(value, Mapping) or is_dataclass(value):
        return {"mapping": [[k, _pack(v, f"{key}.{k}", arrays)] for k, v in _entries(value)]}
    return {"plain": value}


def _is_texts(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(text, str) for text in value)


def _entries(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        return iter(value.items())
    return ((field.name, getattr(value, field.name)) for field in fields(value))


def _unpack(packed: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> Any:
    if "array" in packed:
        return arrays[packed["array"]]
    if "sparse" in packed:
        parts = (arrays[f"{packed['sparse']}.{part}"] for part in ("data", "indices", "indptr"))
        return scipy.sparse.csr_array(tuple(parts), shape=tuple(packed["shape"]))
    if "texts" in packed:
        texts = decode_strings(arrays[packed["texts"]])
        return np.array(texts, dtype=np.str_) if packed["as"] == "array" else tuple(texts)
    if "tuple" in packed:
        return tuple(_unpack(part, arrays) for part in packed["tuple"])
    if "mapping" in packed:
        return {key: _unpack(part, arrays) for key, part in packed["mapping"]}
    return packed["plain"]
