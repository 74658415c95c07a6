"""The registry of data sets, read from ``config/datasets.yaml`` and checked."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from reseat.configuration import MERGED, Place, did_you_mean, read_yaml
from reseat.datasets.identity import DatasetIdentity
from reseat.datasets.parsers import KINDS, PARSERS, WITHOUT_FILES, check_options
from reseat.errors import ConfigError
from reseat.vocabulary import GENERATED, MISSING_CHOICES, OWN, STAND_IN

#: Defaults for keys that the user's own entries may omit.
OWN_DEFAULTS = {"licence": "not stated", "citation": "none", "status": OWN}


class Registry(dict):
    """Mapping of names to data sets, which `Registry.load` reads from a file.

    Examples
    --------
    >>> from reseat.datasets import Dataset, Registry
    >>> entry = Dataset("pets", "Pets", "Names of pets.", "records", "CC0-1.0", "", "faithful")
    >>> registry = Registry({"pets": entry})
    >>> registry["pets"].title, "cars" in registry
    ('Pets', False)
    """

    def __init__(self, datasets: Mapping[str, Dataset], source: str = "the registry"):
        super().__init__(datasets)
        self.source = source

    def __missing__(self, name: str) -> Dataset:
        said = f"data set {name!r} not found in {self.source}{did_you_mean(name, self)}"
        raise ConfigError(said)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike,
        check_parsers: bool = True,
        own: Mapping[str, Any] | None = None,
    ) -> Registry:
        """Read and check a registry file.

        Parameters
        ----------
        path : path-like
            The YAML file, usually ``config/datasets.yaml``.
        check_parsers : bool
            Whether to check parsers and their options, which imports all parsers.
        own : mapping, optional
            The user's own entries, under names that are not in the file.  They may omit
            ``licence``, ``citation`` and ``status``.

        Raises
        ------
        ConfigError
            If the file is absent or not YAML, a key is wrong, a name in `own` is taken, a parser or
            stand-in is unknown, or stand-ins form a circle.
        """
        from reseat.datasets.registry_file import SECTION  # here, so that few jobs load it
        from reseat.sections import read_section

        path = Path(path)
        document = read_yaml(path)
        read_section(SECTION, document, Place(path.name))
        entries = dict(document["datasets"])
        own = {
            name: {**OWN_DEFAULTS, **entry} if isinstance(entry, Mapping) else entry
            for name, entry in (own or {}).items()
        }
        if own:
            read_section(SECTION, {"datasets": own}, Place(MERGED))
        for name in own.keys() & entries.keys():
            raise ConfigError(
                f"{path.name} has a data set of this name; choose another one for yours, or "
                "specify your copy of its files in data.paths",
                source=Place(MERGED, ("datasets", name)),
            )
        datasets = {name: _dataset(name, entry) for name, entry in (entries | own).items()}
        for name in datasets:
            place = Place(MERGED if name in own else path.name, ("datasets", name))
            _check_meaning(name, datasets, place, check_parsers)
        return cls(datasets, path.name)

    def identity(self, name: str) -> DatasetIdentity:
        """Return the `DatasetIdentity` of a data set as far as the registry specifies it."""
        entry = self[name]
        hashes = {file.forms[0].path: file.forms[0].sha256 for file in entry.files.values()}
        known = ("title", "status", "stands_for", "licence", "citation", "note")
        return DatasetIdentity(
            name=name, sha256=hashes, **{key: getattr(entry, key) for key in known}
        )


def _dataset(name: str, entry: Mapping[str, Any]) -> Dataset:
    values = {**entry, "standins": tuple(entry.get("standins", ())), "files": {}}
    for role, file in entry.get("files", {}).items():
        own = {key: value for key, value in file.items() if key not in ("origin", "also")}
        forms = tuple(FileForm(**form) for form in (own, *file.get("also", ())))
        values["files"][role] = DataFile(forms, file.get("origin", entry.get("origin", "")))
    return Dataset(name=name, **values)


def _check_meaning(
    name: str, datasets: Mapping[str, Dataset], place: Place, check_parsers: bool
) -> None:
    """Check what concerns several entries or a parser: parsers, their options, and stand-ins."""
    entry = datasets[name]
    # Generated data may stand for other data, but need not.
    if entry.status != GENERATED and (entry.status == STAND_IN) != bool(entry.stands_for):
        raise ConfigError(
            "it must be empty for a faithful data set and for your own data; for a stand-in it "
            "must say what the paper used",
            source=place.at("stands_for"),
        )
    if entry.parser in PARSERS:
        _check_parser(entry, place)
    if check_parsers and entry.parser is not None:
        check_options(entry.parser, entry.options, place)
    for standin in entry.standins:
        if standin not in datasets:
            said = f"unknown data set {standin!r}{did_you_mean(standin, datasets)}"
            raise ConfigError(said, source=place.at("standins"))
    _check_circle(name, name, datasets, place)


def _check_parser(entry: Dataset, place: Place) -> None:
    """Raise a ConfigError if a parser is of another family or has nothing to read."""
    kind = KINDS[PARSERS.kind_of(entry.parser)]
    # A family that no kind belongs to, such as that of a new paper, may use any parser.
    families = {other.family for other in KINDS.values()}
    if entry.family in families and kind.family != entry.family:
        raise ConfigError(
            f"{entry.parser} gives {kind.what}, which is for the family {kind.family}, not "
            f"{entry.family}; correct one of them",
            source=place.at("parser"),
        )
    without_files = entry.parser.startswith(WITHOUT_FILES)
    if without_files and entry.user_path:
        raise ConfigError(
            f"{entry.parser} reads no file of yours; remove the key, or choose another parser",
            source=place.at("user_path"),
        )
    if not (entry.files or entry.user_path or without_files):
        raise ConfigError(
            "it has neither files nor user_path; add user_path, which says in words what "
            "data.paths names",
            source=place,
        )


def _check_circle(start: str, name: str, datasets, place: Place, depth: int = 0) -> None:
    for standin in datasets[name].standins:
        if standin == start or depth > len(datasets):
            said = f"it is a stand-in for itself by way of {name!r}"
            raise ConfigError(said, source=place.at("standins"))
        if standin in datasets:
            _check_circle(start, standin, datasets, place, depth + 1)


def configured(
    config: Mapping[str, Any], root: Path, check_parsers: bool = True
) -> tuple[Registry, DataSettings]:
    """Read the registry of the project, including the user's own data sets, and ``data``.

    Parameters
    ----------
    config : mapping
        Configuration of the workflow; its ``datasets`` has entries like those of the registry.
    root : Path
        Folder of the project.
    check_parsers : bool
        As for `Registry.load`.

    Raises
    ------
    ConfigError
        On the first error found.
    """
    path = Path(root, "config", "datasets.yaml")
    registry = Registry.load(path, check_parsers, own=config.get("datasets"))
    return registry, DataSettings.from_config(config["data"], Path(root))


@dataclass(frozen=True)
class Archive:
    """An archive that a form of a file is made from; see `registry_file`."""

    urls: Sequence[str]
    folder: str
    into: str
    at_most: int
    derive: str = ""
    repository: str = ""


@dataclass(frozen=True)
class FileForm:
    """One form in which a raw file exists, such as compressed or uncompressed."""

    path: str
    sha256: str
    bytes: int
    urls: Sequence[str] = ()
    #: Mappings of the fields of an archive, as in a file, are converted.
    archives: tuple[Archive, ...] = ()

    def __post_init__(self):
        given = (each if isinstance(each, Archive) else Archive(**each) for each in self.archives)
        object.__setattr__(self, "archives", tuple(given))

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
    >>> entry = Dataset("pets", "Pets", "Names of pets.", "records", "CC0-1.0", "", "faithful")
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
        keys = [item.name for item in fields(self) if item.name not in elsewhere]
        forms = {
            role: [{"path": form.path, "sha256": form.sha256} for form in file.forms]
            for role, file in self.files.items()
        }
        return {key: getattr(self, key) for key in keys} | {"files": forms}


@dataclass(frozen=True)
class DataSettings:
    """Where to look for raw files, and what to do about those that are not found.

    Attributes
    ----------
    mirrors : tuple of Path
        Folders with copies of the raw files, tried in this order and never written to.
    raw : Path
        Folder for downloads and for the record of verified hashes.
    paths : dict of str to Path
        For each data set name, a file or folder of the user's own, such as licensed data.
    missing : {"stop", "skip", "standin"}
        What to do when a data set is not available.
    download, progress : bool
        Whether files may be downloaded, and whether the log says so.
    unreachable : dict of str to str
        Addresses known to have no file, and why (`reseat.datasets.missing`).
    root : Path, optional
        Folder of the project, whose ``data/derive.py`` makes some of the files.

    Examples
    --------
    >>> from reseat.datasets import DataSettings
    >>> settings = DataSettings(mirrors=("data",), missing="skip", download=False)
    >>> settings.missing, settings.download
    ('skip', False)
    """

    mirrors: tuple[Path, ...] = (Path("data"), Path("../shared/data"))
    raw: Path = Path("data/raw")
    paths: dict[str, Path] = field(default_factory=dict)
    missing: str = "stop"
    download: bool = True
    progress: bool = True
    unreachable: dict[str, str] = field(default_factory=dict)
    root: Path | None = None

    def __post_init__(self):
        object.__setattr__(self, "mirrors", tuple(Path(folder) for folder in self.mirrors))
        object.__setattr__(self, "raw", Path(self.raw))
        paths = {name: Path(path) for name, path in self.paths.items() if path}
        object.__setattr__(self, "paths", paths)
        if self.missing not in MISSING_CHOICES:
            raise ConfigError(
                f"data.missing is {self.missing!r}; it must be one of {', '.join(MISSING_CHOICES)}"
            )

    @classmethod
    def from_config(cls, data: Mapping[str, Any] | None, root: Path | None = None) -> DataSettings:
        """Read the ``data`` section of the run configuration.

        Parameters
        ----------
        data : mapping
        root : Path, optional
            Folder to which relative mirrors refer; all other paths refer to the working directory.

        Raises
        ------
        ConfigError
            If a key is unknown or a value has the wrong type.
        """
        from reseat.datasets.registry_file import DataSection  # here, so that few jobs load it
        from reseat.sections import read_section

        data = dict(data or {})
        read_section(DataSection, data, Place(MERGED, ("data",)))
        if root is not None and "mirrors" in data:
            data["mirrors"] = [root / folder for folder in data["mirrors"]]
        return cls(**data, root=root)
