"""The section of the run configuration that says where data come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reseat.errors import ConfigError

__all__ = ["MISSING_CHOICES", "DataSettings"]

MISSING_CHOICES = ("stop", "skip", "standin")


@dataclass(frozen=True)
class DataSettings:
    """Where to look for raw files, and what to do about those that are not found.

    Attributes
    ----------
    mirrors : tuple of Path
        Folders with copies of the raw files, tried in this order.  They are never written to.
    raw : Path
        Folder for downloads and for the record of verified hashes.
    paths : dict of str to Path
        For each data set name, a file or folder of the user's own, such as licensed data.
    missing : {"stop", "skip", "standin"}
        What to do when a data set is not available.
    download : bool
        Whether files may be downloaded.
    progress : bool
        Whether downloads are announced in the log.
    unreachable : dict of str to str
        Addresses known to have no file, and the reason for each; they are treated as absent.
        `reseat.datasets.missing` finds them.
    root : Path, optional
        Folder of the project, whose ``data/derive.py`` makes some of the files.

    Examples
    --------
    >>> from pathlib import Path
    >>> from reseat.datasets import DataSettings
    >>> settings = DataSettings(mirrors=(Path("data"),), missing="skip", download=False)
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
            Folder of the project, to which relative mirrors refer; without it, and for all other
            relative paths, that is the working directory.

        Raises
        ------
        ConfigError
            If a key is unknown or a value has the wrong type.
        """
        # Imported here, so that it is loaded only where a configuration is read.
        from reseat.datasets.registry_file import DataSection
        from reseat.sections import read_section

        data = dict(data or {})
        read_section(DataSection, data, "config", ("data",))
        if root is not None and "mirrors" in data:
            data["mirrors"] = [root / folder for folder in data["mirrors"]]
        return cls(**data, root=root)
