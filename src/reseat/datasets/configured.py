"""The registry and the data settings that the configuration of a run specifies."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reseat.datasets.registry import Registry
from reseat.datasets.settings import DataSettings

__all__ = ["configured"]


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
    registry = Registry.load(
        root / "config" / "datasets.yaml",
        root / "workflow" / "schemas" / "datasets.schema.yaml",
        check_parsers,
        own=config.get("datasets"),
    )
    return registry, DataSettings.from_config(config["data"], root)
