"""Entries of the registry: data sets, and the files that they consist of."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

__all__ = ["Archive", "DataFile", "Dataset", "FileForm"]


@dataclass(frozen=True)
class Archive:
    """An archive, such as that of a commit, from which a form of a file is made."""

    #: Addresses of the archive, tried in this order.
    urls: tuple[str, ...]
    #: Folder of the archive that is wanted; ``*`` matches any one folder name.
    folder: str
    #: Name of that folder in the form.
    into: str
    #: Size in bytes at which a download is abandoned. It is a bound, because hosts do not promise
    #: to pack the same bytes every time.
    at_most: int
    #: The table that ``data/derive.py`` makes from the archive; uncompressed, it is the form. If
    #: empty, the form is a tar of the wanted folder.
    derive: str = ""
    #: ``owner/name`` of the repository for which the archive is passed to that script.
    repository: str = ""


@dataclass(frozen=True)
class FileForm:
    """One form in which a raw file exists, such as compressed or uncompressed."""

    #: Path below a mirror folder.
    path: str
    sha256: str
    bytes: int
    #: Pinned addresses of exactly this file.
    urls: tuple[str, ...] = ()
    #: Archives that it can be made from.
    archives: tuple[Archive, ...] = ()

    @property
    def addresses(self) -> list[tuple[str, Archive | None]]:
        """All addresses in the order in which they are tried, each with its archive or None."""
        packed = [(url, archive) for archive in self.archives for url in archive.urls]
        return [*((url, None) for url in self.urls), *packed]


@dataclass(frozen=True)
class DataFile:
    """A raw file: its forms in order of preference, and where it came from."""

    forms: tuple[FileForm, ...]
    origin: str

    @property
    def path(self) -> str:
        """Path of the preferred form."""
        return self.forms[0].path


@dataclass(frozen=True)
class Dataset:
    """An entry of the registry; the keys are explained in `registry_file`.

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
        """The part of the entry that the processed data depend on, in plain types.

        It leaves out where the files can be obtained, and what is shown only in lists of data sets.
        """
        elsewhere = {"about", "origin", "files", "user_path", "obtainable", "standins"}
        known = {item.name: getattr(self, item.name) for item in fields(self)}
        forms = {
            role: [{"path": form.path, "sha256": form.sha256} for form in file.forms]
            for role, file in self.files.items()
        }
        return {key: known[key] for key in known if key not in elsewhere} | {"files": forms}
