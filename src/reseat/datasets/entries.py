"""What an entry of the registry says about a data set and its files."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

__all__ = ["Archive", "DataFile", "Dataset", "FileForm"]


@dataclass(frozen=True)
class Archive:
    """An archive that holds what a form is made from, such as that of a commit.

    Attributes
    ----------
    urls : tuple of str
        Its addresses, tried in this order.
    folder : str
        The part of it that is wanted; ``*`` is any one folder.
    into : str
        What that folder is called in the form.
    at_most : int
        Bytes after which a download is given up: hosts do not promise the same ones every time.
    derive : str
        The table that ``data/derive.py`` makes from it and that is the form, unpacked; if empty,
        the form is a tar of what is wanted.
    repository : str
        ``owner/name``, of which the script thinks that it reads it.
    """

    urls: tuple[str, ...]
    folder: str
    into: str
    at_most: int
    derive: str = ""
    repository: str = ""


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
    archives : tuple of Archive
        What it can be made from.
    """

    path: str
    sha256: str
    bytes: int
    urls: tuple[str, ...] = ()
    archives: tuple[Archive, ...] = ()

    @property
    def addresses(self) -> list[tuple[str, Archive | None]]:
        """Every address, and what has to be done with what is there, in the order of trying."""
        packed = [(url, archive) for archive in self.archives for url in archive.urls]
        return [*((url, None) for url in self.urls), *packed]


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
    """An entry of the registry; the keys are explained in the schema file.

    Examples
    --------
    >>> from reseat.datasets import Dataset
    >>> entry = Dataset(
    ...     name="pets",
    ...     title="Pets",
    ...     about="Names of pets.",
    ...     family="records",
    ...     licence="CC0-1.0",
    ...     citation="The town register.",
    ...     status="faithful",
    ... )
    >>> entry.content["status"], "citation" in entry.content, "about" in entry.content
    ('faithful', True, False)
    """

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

    @property
    def content(self) -> dict[str, Any]:
        """What the processed data depend on, in plain types.

        Not where the files can be had, nor what is said of them only in lists of data sets.
        """
        elsewhere = {"about", "origin", "files", "user_path", "obtainable", "standins"}
        known = {item.name: getattr(self, item.name) for item in fields(self)}
        forms = {
            role: [{"path": form.path, "sha256": form.sha256} for form in file.forms]
            for role, file in self.files.items()
        }
        return {key: known[key] for key in known if key not in elsewhere} | {"files": forms}
