"""The registry of data sets, read from ``config/datasets.yaml`` and checked."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from reseat.configuration import did_you_mean, read_yaml
from reseat.datasets.entries import Archive, DataFile, Dataset, FileForm
from reseat.datasets.identity import DatasetIdentity
from reseat.datasets.parsers import KINDS, PARSERS, WITHOUT_FILES, check_options
from reseat.datasets.settings import DataSettings
from reseat.errors import ConfigError
from reseat.vocabulary import GENERATED, OWN, STAND_IN

__all__ = ["Registry", "configured"]


#: Where the user's own entries are, as error messages call it.
CONFIGURATION = "config"
#: Defaults for keys that the user's own entries may omit.
OWN_DEFAULTS = {"licence": "not stated", "citation": "none", "status": OWN}


class Registry(Mapping):
    """Read-only mapping of names to data sets.

    Use `Registry.load` to make one; the values are of the class `Dataset`.

    Examples
    --------
    >>> from reseat.datasets import Dataset, Registry
    >>> entry = Dataset("pets", "Pets", "Names of pets.", "records", "CC0-1.0", "", "faithful")
    >>> registry = Registry({"pets": entry})
    >>> registry["pets"].title, "cars" in registry
    ('Pets', False)
    """

    def __init__(self, datasets: Mapping[str, Dataset], source: str = "the registry"):
        self._datasets = dict(datasets)
        self.source = source

    def __getitem__(self, name: str) -> Dataset:
        try:
            return self._datasets[name]
        except KeyError:
            raise ConfigError(
                f"data set {name!r} not found in {self.source}" + did_you_mean(name, self._datasets)
            ) from None

    def __contains__(self, name) -> bool:
        return name in self._datasets

    def __iter__(self) -> Iterator[str]:
        return iter(self._datasets)

    def __len__(self) -> int:
        return len(self._datasets)

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
            Whether to check parsers and their options, which imports all parsers.  A job needs
            only one of them, and the workflow has checked all before it started the job.
        own : mapping, optional
            The user's own entries, under names that are not in the file.  They may omit
            ``licence``, ``citation`` and ``status``.

        Raises
        ------
        ConfigError
            If a file is absent or not YAML, if a key is wrong (the message
            names the entry and the key), if a name in `own` is taken, if a parser
            or stand-in is unknown, or if stand-ins form a circle.
        """
        # Imported here, so that it is loaded only where the registry is read.
        from reseat.datasets.registry_file import read_entries

        path = Path(path)
        document = read_yaml(path)
        read_entries(document, path.name)
        entries = dict(document["datasets"])
        if own:
            own = {
                name: {**OWN_DEFAULTS, **entry} if isinstance(entry, Mapping) else entry
                for name, entry in own.items()
            }
            read_entries({"datasets": own}, CONFIGURATION)
            for name in own.keys() & entries.keys():
                raise ConfigError(
                    f"{CONFIGURATION}: {path.name} already has a data set {name!r}; choose "
                    "another name for yours, or specify your copy of its files in data.paths"
                )
            entries |= own
        datasets = {name: _dataset(name, entry) for name, entry in entries.items()}
        sources = {name: CONFIGURATION if name in (own or ()) else path.name for name in datasets}
        _check_meaning(datasets, sources, check_parsers)
        return cls(datasets, path.name)

    def identity(
        self, name: str, preprocessing: Mapping[str, Any] | None = None
    ) -> DatasetIdentity:
        """Return the `DatasetIdentity` of a data set as far as the registry specifies it."""
        entry = self[name]
        hashes = {file.forms[0].path: file.forms[0].sha256 for file in entry.files.values()}
        return DatasetIdentity(
            name=name,
            title=entry.title,
            status=entry.status,
            stands_for=entry.stands_for,
            licence=entry.licence,
            citation=entry.citation,
            note=entry.note,
            sha256=hashes,
            preprocessing=dict(preprocessing or {}),
        )


def _dataset(name: str, entry: Mapping[str, Any]) -> Dataset:
    values = dict(entry)
    values["files"] = {
        role: _data_file(file, values.get("origin", ""))
        for role, file in values.get("files", {}).items()
    }
    values["standins"] = tuple(values.get("standins", ()))
    return Dataset(name=name, **values)


def _data_file(file: Mapping[str, Any], origin: str) -> DataFile:
    forms = [file, *file.get("also", ())]
    return DataFile(
        forms=tuple(
            FileForm(
                form["path"],
                form["sha256"],
                form["bytes"],
                tuple(form.get("urls", ())),
                tuple(_archive(archive) for archive in form.get("archives", ())),
            )
            for form in forms
        ),
        origin=file.get("origin", origin),
    )


def _archive(archive: Mapping[str, Any]) -> Archive:
    return Archive(**{**archive, "urls": tuple(archive["urls"])})


def _check_meaning(
    datasets: Mapping[str, Dataset], sources: Mapping[str, str], check_parsers: bool
) -> None:
    """Check what concerns several entries or a parser: parsers, their options, and stand-ins.

    `sources` gives the file that each entry comes from.
    """
    for name, entry in datasets.items():
        where = f"{sources[name]}: data set {name!r}"
        # Generated data may stand for other data, but need not.
        if entry.status != GENERATED and (entry.status == STAND_IN) != bool(entry.stands_for):
            raise ConfigError(
                f"{where}, key 'stands_for': it must be empty for a faithful data set and for "
                "your own data; for a stand-in it must say what the paper used"
            )
        if entry.parser in PARSERS:
            _check_parser(entry, where)
        if check_parsers and entry.parser is not None:
            check_options(entry.parser, entry.options, where)
        for standin in entry.standins:
            if standin not in datasets:
                raise ConfigError(
                    f"{where}, key 'standins': unknown data set "
                    f"{standin!r}{did_you_mean(standin, datasets)}"
                )
        _check_circle(name, name, datasets, sources[name])


def _check_parser(entry: Dataset, where: str) -> None:
    """Raise a ConfigError if a parser is of another family or has nothing to read."""
    kind = KINDS[PARSERS.kind_of(entry.parser)]
    # A family that no kind belongs to, such as that of a new paper, may use any parser.
    families = {other.family for other in KINDS.values()}
    if entry.family in families and kind.family != entry.family:
        raise ConfigError(
            f"{where}, key 'parser': {entry.parser} gives {kind.what}, which is for the family "
            f"{kind.family}, not {entry.family}; correct one of them"
        )
    without_files = entry.parser.startswith(WITHOUT_FILES)
    if without_files and entry.user_path:
        raise ConfigError(
            f"{where}, key 'user_path': {entry.parser} reads no file of yours; remove the key, or "
            "choose another parser"
        )
    if not (entry.files or entry.user_path or without_files):
        raise ConfigError(
            f"{where}: it has neither files nor user_path; add user_path, which says in words what "
            "data.paths names"
        )


def _check_circle(start: str, name: str, datasets, source: str, depth: int = 0) -> None:
    for standin in datasets[name].standins:
        if standin == start or depth > len(datasets):
            raise ConfigError(
                f"{source}: data set {start!r}, key 'standins': it is a stand-in for itself "
                f"by way of {name!r}"
            )
        if standin in datasets:
            _check_circle(start, standin, datasets, source, depth + 1)


# ---- The registry and the data settings that the configuration of a run specifies ------------


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
        On the first error found; the message is one sentence.
    """
    root = Path(root)
    path = root / "config" / "datasets.yaml"
    registry = Registry.load(path, check_parsers, own=config.get("datasets"))
    return registry, DataSettings.from_config(config["data"], root)
