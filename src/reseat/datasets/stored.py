"""Base class of processed data sets: their identity, and how they are saved, loaded and hashed."""

import copy
import hashlib
import io
import json
import os
import zipfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import scipy

from reseat.checks import MAX_COUNT, as_whole, check_unmasked
from reseat.datasets.identity import UNNAMED, DatasetIdentity
from reseat.errors import DataError
from reseat.files.atomic import atomic_folder, atomic_path, stored_json, write_text
from reseat.files.texts import first_twice

# Incremented when the layout of the files of all kinds changes.
LAYOUT = 2


class Stored:
    """Base class of processed data sets, which are frozen dataclasses with a field ``identity``.

    A field may hold an array, a sparse matrix, texts, plain values, or tuples, mappings and
    dataclasses of these.  `load` passes what `save` wrote to the class, with mappings in the place
    of dataclasses.

    Attributes
    ----------
    KIND : str
        Name of the kind of data set in messages.
    FORMAT : int
        Incremented when the meaning of the fields changes.
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
    # Fields that a subclass stores in files of their own.
    _APART: ClassVar[tuple[str, ...]] = ()
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

    def _fault(self, text: str) -> DataError:
        """Return an error that names the data set."""
        return DataError(text, source=self._where)

    def _set(self, **values: Any) -> None:
        """Set fields of the frozen instance to their checked values."""
        for key, value in values.items():
            object.__setattr__(self, key, value)

    def _set_texts(self, *keys: str) -> None:
        """Set fields to tuples of texts."""
        self._set(**{key: tuple(str(text) for text in getattr(self, key)) for key in keys})

    def _whole(self, key: str, low: int = 0, high: int = MAX_COUNT) -> np.ndarray:
        """Return a field of whole numbers between two bounds."""
        return as_whole(getattr(self, key), f"{self._where}: {key}", low, high, np.int32)

    def _check_lengths(self, number: int, what: str, *keys: str) -> None:
        """Raise a DataError unless fields have one entry for each of a number of things."""
        for key in keys:
            values = getattr(self, key)
            if values is not None and np.shape(values)[:1] != (number,):
                raise self._fault(f"{key} has {len(values):,} entries for {number:,} {what}")

    def _check_distinct(self, what: str, names: Sequence[str]) -> None:
        """Raise a DataError if a name occurs twice."""
        twice = first_twice(names)
        if twice is not None:
            raise self._fault(f"two {what} are called {twice!r}; names must differ")

    def identified(self, identity: DatasetIdentity) -> Self:
        """Return the same data with another identity, without checking them again."""
        other = copy.copy(self)
        other._set(identity=identity)
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
            depend on the processor, of what they were computed from; and then a ``weighted sum``,
            which shows whether the same code made the data.
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
        content, arrays = self._packed(self._APART)
        header = {"format": self._version(), "fields": content, "identity": self.identity.to_dict()}
        save_archive(path, header, arrays)

    @classmethod
    def load(cls, path: str | os.PathLike, **apart: Any) -> Self:
        """Read a data set that `save` wrote; a subclass gives the fields that it stores itself.

        Raises
        ------
        DataError
            If the file is absent or truncated, or is not of this kind and version.
        """
        path = Path(path)
        if not path.is_file():
            raise DataError(f"{path}: {cls.KIND} file not found")
        try:
            with np.load(path, allow_pickle=False) as stored:
                arrays = dict(stored)
            header = json.loads(decode_strings(arrays["header"])[0])
            if header["format"] != cls._version():
                raise DataError(
                    f"{path}: written in {cls.KIND} format {header['format']}, this version reads "
                    f"format {cls._version()}; delete the file and make it again"
                )
            values = {key: _unpack(packed, arrays) for key, packed in header["fields"]}
            return cls(**values, **apart, identity=DatasetIdentity.from_dict(header["identity"]))
        except DataError:
            raise
        except Exception as error:
            # zipfile, zlib, json and numpy each raise exceptions of their own for a bad file, and
            # that of numpy advises to allow pickles, which would run code from the file.
            raise DataError(
                f"{path}: not a complete {cls.KIND} file; delete it and make it again"
            ) from error

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
        The ``.npz`` file; the card goes beside it.
    """
    dataset.save(path)
    Card(dataset.identity, dataset.summary()).save(path)


def store_draws(draws: Sequence[Stored], folder: str | os.PathLike) -> None:
    """Write the draws of a data set and their card to a folder, whose name is that of the data set.

    Parameters
    ----------
    draws : sequence of Stored
        Saved as ``0.npz``, ``1.npz``, ...; of data that are not drawn, there is one.
    folder : path-like
        Written atomically.
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
    texts = isinstance(value, tuple) and all(isinstance(text, str) for text in value)
    if texts or isinstance(value, np.ndarray):
        arrays[key] = encode_strings(value)
        return {"texts": key, "as": "array" if isinstance(value, np.ndarray) else "tuple"}
    if isinstance(value, tuple):
        return {"tuple": [_pack(part, f"{key}.{n}", arrays) for n, part in enumerate(value)]}
    if is_dataclass(value):
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, Mapping):
        return {"mapping": [[k, _pack(v, f"{key}.{k}", arrays)] for k, v in value.items()]}
    return {"plain": value}


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


# ---- Cards, which give names and sizes without unpacking the data ----------------------------

NAME = "card.json"


@dataclass(frozen=True)
class Card:
    """The identity and sizes of a processed data set, without its data.

    Attributes
    ----------
    identity : DatasetIdentity
        For several draws, that of the first draw under the name of the data set.
    sizes : dict
        The ``summary`` of the data set.

    Examples
    --------
    >>> from reseat.datasets import Card, DatasetIdentity
    >>> card = Card(DatasetIdentity("pets", "Pets", "own"), {"records": 12})
    >>> card.title, card.status, card.sizes["records"]
    ('Pets', 'own', 12)
    """

    identity: DatasetIdentity
    sizes: Mapping[str, Any]

    @property
    def title(self) -> str:
        """Name in tables and figures."""
        return self.identity.title

    @property
    def status(self) -> str:
        """Status of the data, such as ``faithful`` or ``stand-in``; see `DatasetIdentity`."""
        return self.identity.status

    @staticmethod
    def path_of(dataset: str | os.PathLike) -> Path:
        """Return the path of the card of a data set: in its folder, or beside its file."""
        dataset = Path(dataset)
        is_file = dataset.suffix == ".npz"
        return dataset.with_suffix(f".{NAME}") if is_file else dataset / NAME

    def save(self, dataset: str | os.PathLike) -> None:
        """Write the card of the data set in a file or folder."""
        content = {"title": self.title, "status": self.status, "sizes": dict(self.sizes)}
        content["identity"] = self.identity.to_dict()
        text = json.dumps(content, indent=2, ensure_ascii=False)
        write_text(self.path_of(dataset), f"{text}\n")

    @classmethod
    def load(cls, dataset: str | os.PathLike) -> Self:
        """Read the card of the data set in a file or folder.

        Raises
        ------
        DataError
            If the card is absent or damaged.
        """
        path = cls.path_of(dataset)
        if not path.exists():
            raise DataError(f"{path}: file not found; make the data set again")
        content = stored_json(path)
        try:
            return cls(DatasetIdentity.from_dict(content["identity"]), content["sizes"])
        except (KeyError, TypeError, DataError) as error:
            raise DataError(
                f"{path}: not a complete card ({error}); delete it and make the data set again"
            ) from error


def save_archive(
    path: str | os.PathLike, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]
) -> None:
    """Write header and arrays to an ``.npz`` file atomically, with a fixed date and order."""
    text = json.dumps(header, sort_keys=True, ensure_ascii=False)
    with atomic_path(path) as temporary:
        with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
            for key, array in {"header": encode_strings([text]), **arrays}.items():
                entry = zipfile.ZipInfo(f"{key}.npy")  # of a fixed date, by default
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o644 << 16
                entry.create_system = 3
                buffer = io.BytesIO()
                np.lib.format.write_array(buffer, array, version=(1, 0), allow_pickle=False)
                archive.writestr(entry, buffer.getvalue())


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


def counted(key: str, things: str) -> property:
    """Return a property that is the length of a field."""

    def number(self) -> int:
        return len(getattr(self, key))

    return property(number, doc=f"Number of {things}.")


class TestedItems:
    """Mixin that counts the items and entities of a class with arrays `entities` and `test`."""

    entities: np.ndarray
    test: np.ndarray

    @property
    def n_test(self) -> int:
        """Number of items to be clustered."""
        return int(np.count_nonzero(self.test))

    @property
    def n_entities(self) -> int:
        """Number of entities."""
        return len(np.unique(self.entities))

    @property
    def n_train_entities(self) -> int:
        """Number of entities with a training item."""
        return len(np.unique(self.entities[~self.test]))
