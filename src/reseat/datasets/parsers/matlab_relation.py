"""A relation in a Matlab file within an archive, the form in which C. Kemp published his data."""

import pickle
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from reseat.configuration import did_you_mean
from reseat.datasets.parsers.options import check_list, check_types, file_of
from reseat.datasets.relations import Relations
from reseat.errors import ConfigError, DataError
from reseat.reading.archives import read_members
from reseat.relation_tables import RelationTable

#: Program that reads a Matlab file, one wrong byte of which can crash the process.
LOADED = """
import io, pickle, sys
import scipy.io
found = scipy.io.loadmat(io.BytesIO(sys.stdin.buffer.read()))
pickle.dump(found, sys.stdout.buffer)
"""


def parse_matlab_relation(
    paths: Mapping[str, Path],
    member: str,
    variable: str,
    relation: str,
    types: Sequence[str],
    names: Mapping[str, str] | None = None,
    classes: Mapping[str, str] | None = None,
) -> Relations:
    """Read an array of links, in which NaN marks a missing one.

    `paths`: ``archive`` is a tar archive, compressed or not, or the folder that it unpacks to.
    `member`, `variable`: names of the Matlab file (version 5), without folders, and of its array.
    `relation`, `types`: names of the relation, and of the type of entity on each axis.
    `names`, `classes`: for some types, the variables with the names and with the true classes of
        their entities; those of other types are numbered from 1.
    """
    path = file_of(paths, "archive")
    variables = _variables(path, member)
    values = _variable(variables, variable, path, member)
    types = tuple(types)
    if values.ndim != len(types) or values.dtype.kind not in "iufb":
        raise DataError(
            f"{path}, {member}: {variable} must be numbers on {len(types)} axes "
            f"({', '.join(types)}), but has the shape {values.shape}"
        )
    sizes: dict[str, int] = {}
    for kind, size in zip(types, values.shape, strict=True):
        if sizes.setdefault(kind, size) != size:
            raise DataError(f"{path}, {member}: {variable} has two different numbers of {kind!r}")

    def texts(kind: str, key: str) -> list[str]:
        # Matlab stores the text of a cell as an array of its own.
        cells = map(np.ravel, _variable(variables, key, path, member).ravel())
        found = [str(cell[0]).strip() if cell.size else "" for cell in cells]
        if len(found) != sizes[kind]:
            raise DataError(
                f"{path}, {member}: {key} has {len(found)} entries for {sizes[kind]} of {kind!r}"
            )
        return found

    named = {kind: texts(kind, key) for kind, key in (names or {}).items()}
    numbered = {kind: [f"{kind} {i + 1}" for i in range(size)] for kind, size in sizes.items()}
    unknown = np.isnan(values)
    cells = np.argwhere(np.where(unknown, 0, values) != 0)
    return Relations(
        entities={kind: named.get(kind, numbered[kind]) for kind in sizes},
        relations=(
            RelationTable(relation, types, cells, values[tuple(cells.T)], np.argwhere(unknown)),
        ),
        classes={kind: texts(kind, key) for kind, key in (classes or {}).items()},
    )


def _variables(path: Path, member: str) -> dict[str, Any]:
    """Return the variables of a Matlab file in an archive by name."""
    seen, content = [], b""
    for parts, other in read_members(path):  # to the end, where damage to the archive is noticed
        if parts[-1] == member and member not in seen:
            content = other
        seen.append(parts[-1])
    if member not in seen:
        hint = did_you_mean(member, seen) or f"; it has {', '.join(seen)}"
        raise ConfigError(f"{path} has no file {member!r}{hint}")
    done = subprocess.run([sys.executable, "-P", "-c", LOADED], input=content, capture_output=True)
    if done.returncode:
        said = done.stderr.decode(errors="replace").splitlines() or ["it cannot be read"]
        raise DataError(f"{path}, {member}: not a complete Matlab file ({said[-1]})")
    found = pickle.loads(done.stdout)
    return {name: value for name, value in found.items() if not name.startswith("__")}


def _variable(variables: Mapping[str, Any], key: str, path: Path, member: str) -> np.ndarray:
    """Return an array of real numbers, of texts or of cells."""
    if key not in variables:
        hint = did_you_mean(key, variables) or f"; there are {', '.join(variables)}"
        raise DataError(f"{path}, {member}: variable {key!r} not found{hint}")
    found = variables[key]
    if not isinstance(found, np.ndarray) or found.dtype.kind not in "iufbOU":
        raise DataError(
            f"{path}, {member}: {key} is sparse, complex or a structure; store it as a full array "
            "of real numbers, or as a cell array of texts"
        )
    return found


def places_matlab_relation(options: Mapping[str, Any]) -> list[list[str]]:
    """Return the entity type of each place, for the only relation."""
    return [list(options["types"])]


def check_matlab_relation(options: Mapping[str, Any]) -> None:
    """Check that names and classes are given only for types that the array has."""
    check_list("types", options["types"])
    for key in ("names", "classes"):
        check_types(key, options.get(key), options["types"])
