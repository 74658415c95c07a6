"""The registry and the data settings of a run, as its configuration has them."""

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
    """Read the registry of the project, with the data sets of the user's own, and ``data``.

    Parameters
    ----------
    config : mapping
        That of the workflow; ``datasets`` in it has entries like those of the registry.
    root : Path
        Of the project.
    check_parsers : bool
        As for `Registry.load`.

    Raises
    ------
    ConfigError
        One sentence on the first thing that is wrong.
    """
    root = Path(root)
    registry = Registry.load(
        root / "config" / "datasets.yaml",
        root / "workflow" / "schemas" / "datasets.schema.yaml",
        check_parsers,
        own=config.get("datasets"),
    )
    return registry, DataSettings.from_config(config["data"], root)
