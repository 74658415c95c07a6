"""What an entry of the registry says about a data set and its files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["DataFile", "Dataset", "FileForm"]


@dataclass(frozen=True)
class FileForm:
    """One form in which a raw file exists, for instance packed or unpacked.

    Attributes
    ----------
    path : str
        Below a mirror folder.
    sha256 : str
    bytes : int
    urls : tuple of str
        Pinned addresses of this very file.
    """

    path: str
    sha256: str
    bytes: int
    urls: tuple[str, ...] = ()


@dataclass(frozen=True)
class DataFile:
    """A raw file: its forms in order of preference, and where it was taken from."""

    forms: tuple[FileForm, ...]
    origin: str

    @property
    def path(self) -> str:
        """Path of the preferred form."""
        return self.forms[0].path


@dataclass(frozen=True)
class Dataset:
    """An entry of the registry; the keys are explained in the schema file."""

    name: str
    title: str
    about: str
    family: str
    licence: str
    citation: str
    status: str
    stands_for: str = ""
    note: str = ""
    origin: str = ""
    parser: str | None = None
    options: dict[str, Any] = field(default_factory=dict)
    features: dict[str, Any] = field(default_factory=dict)
    files: dict[str, DataFile] = field(default_factory=dict)
    texts_sha256: str = ""
    user_path: str = ""
    obtainable: bool = True
    standins: tuple[str, ...] = ()
