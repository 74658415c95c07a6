"""Contents of results: the chains and the data sets in them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from reseat.provenance.files import list_files

__all__ = ["chains_in", "data_in"]


def chains_in(outputs: Iterable[str]) -> list[dict[str, Any]]:
    """Return the chains that some outputs of a job are or contain.

    `stream` has the names that identify its stream of random numbers.
    """
    found = []
    for path in _files(outputs, ".nc"):
        from reseat.chains.output import read_groups  # loaded only where there are chains

        _, attributes = read_groups(path, only=())
        chain = attributes["configuration"]
        schedule = chain["schedule"]
        found.append(
            {
                "path": path.as_posix(),
                "dataset": chain.get("data", {}).get("name", ""),
                "model": chain.get("model", {}).get("name", ""),
                **{key: chain[key] for key in ("chain", "seed", "stream")},
                **{key: schedule[key] for key in ("burn_in", "n_samples", "thin")},
                "seconds": round(attributes["seconds"], 3),
                "versions": attributes["versions"],
            }
        )
    return found


def data_in(outputs: Iterable[str]) -> list[dict[str, Any]]:
    """Return the identities of the processed data sets that some outputs are or contain."""
    found = []
    for path in _files(outputs, ".npz"):
        import numpy as np

        from reseat.datasets.npz import decode_strings

        with np.load(path, allow_pickle=False) as stored:
            if "header" not in stored.files:
                continue
            header = json.loads(decode_strings(stored["header"])[0])
        if "identity" in header:
            found.append({"path": path.as_posix(), **header["identity"]})
    return found


def _files(outputs, ending):
    for output in map(Path, outputs):
        files = list_files(output) if output.is_dir() else [output]
        yield from (file for file in files if file.suffix == ending)
