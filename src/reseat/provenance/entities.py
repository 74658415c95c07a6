"""Entities of an RO-Crate, each of which is stored once."""

from __future__ import annotations

import mimetypes
import re
import unicodedata
from pathlib import Path
from typing import Any
from urllib.parse import quote

__all__ = ["Graph", "ref"]

#: Media types that the standard library does not know, or not on all systems.
_FORMATS = {
    ".csv": "text/csv",
    ".npz": "application/zip",
    ".npy": "application/octet-stream",
    ".nc": "application/x-netcdf",
    ".py": "text/x-python",
    ".svg": "image/svg+xml",
    ".yaml": "application/yaml",
}


def ref(name: str) -> dict[str, str]:
    """Return a reference to an entity."""
    return {"@id": name if "://" in name or name.startswith("#") else quote(name)}


class Graph:
    """The entities of a crate."""

    def __init__(self, root: Path):
        self._root = Path(root)
        self._entities: dict[str, dict[str, Any]] = {}
        self._data: dict[str, None] = {}

    def add(self, name: str, kind: Any, /, **properties: Any) -> dict[str, str]:
        """Add an entity, or properties to an existing one; properties that are None are omitted.

        Return a reference to it.
        """
        reference = ref(name)
        entity = self._entities.setdefault(reference["@id"], {**reference, "@type": kind})
        entity.update({key: value for key, value in properties.items() if value is not None})
        return reference

    def text(self, group: str, words: str, kind: str = "CreativeWork") -> dict[str, str]:
        """Add an entity that is known only by its name, such as a licence or a person."""
        bare = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode().lower()
        return self.add(f"#{group}-{re.sub(r'[^a-z0-9]+', '-', bare).strip('-')}", kind, name=words)

    def file(
        self,
        path: str,
        sha256: str | None = None,
        size: int | None = None,
        kind: Any = (),
        **properties: Any,
    ) -> dict[str, str]:
        """Add a file or folder of the run.

        A file outside the folder of the crate is described, but is not a part of it. `kind` has
        types in addition to that of a file or folder.
        """
        folder = (self._root / path).is_dir()
        kinds = [kind] if isinstance(kind, str) else list(kind)
        inside = not path.startswith(("../", "/"))
        name = f"{path}/" if folder else path
        kinds = (["Dataset" if folder else "File"] if inside or kinds else ["CreativeWork"]) + kinds
        if ref(name)["@id"] not in self._entities:
            properties = {"name": path} | properties
        reference = self.add(
            name,
            kinds[0] if len(kinds) == 1 else kinds,
            sha256=sha256,
            contentSize=None if size is None else str(size),
            encodingFormat=None if folder else _format(path),
            **properties,
        )
        if inside:
            self._data[reference["@id"]] = None
        return reference

    def data_entities(self) -> list[dict[str, str]]:
        """Return references to the files and folders of the crate."""
        return [{"@id": name} for name in self._data]

    def entities(self) -> list[dict[str, Any]]:
        """Return all entities in the order of addition, with lists of one value as that value."""
        return [
            {
                key: value[0] if isinstance(value, list) and len(value) == 1 else value
                for key, value in entity.items()
                if value != []
            }
            for entity in self._entities.values()
        ]


def _format(path: str) -> str:
    known = _FORMATS.get(Path(path).suffix)
    return known or mimetypes.guess_type(path)[0] or "application/octet-stream"
