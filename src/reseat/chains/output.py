"""One finished chain as a netCDF file that arviz and xarray can open directly."""

from __future__ import annotations

import io
import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import h5py
import numpy as np

from reseat.chains.record import ChainRecord
from reseat.errors import DataError, unforeseen
from reseat.files.atomic import atomic_path, seal, seal_fault

if TYPE_CHECKING:
    import xarray as xr

_COMPRESSED = {"compression": "gzip", "compression_opts": 3, "shuffle": False}
# The name that netCDF gives to the scale of a dimension without coordinates.
_NO_VARIABLE = "This is a netCDF dimension but not a netCDF variable."
_STATISTICS = ("log_joint", "n_moved")


def write_chain(
    path: Path,
    chain: int | str,
    record: ChainRecord,
    attributes: dict,
    finished: Mapping[str, np.ndarray] | None = None,
) -> None:
    """Write a finished chain atomically, sealed by a checksum, in groups of variables."""
    schedule = record.schedule
    # HDF5 has a separate type for strings of any length.
    chain = np.array([chain], dtype=h5py.string_dtype() if isinstance(chain, str) else None)
    sweeps = np.arange(1, schedule.n_sweeps + 1)
    burn_in = slice(0, schedule.burn_in)
    kept = slice(schedule.burn_in, None)
    groups = {}
    for prefix, part in (("", kept), ("warmup_", burn_in)):
        if sweeps[part].size == 0:
            continue
        coordinates = {"chain": (("chain",), chain), "draw": (("draw",), sweeps[part])}
        values = {
            name: (("chain", "draw"), trace[None, part]) for name, trace in record.traces.items()
        }
        statistics = {name: values.pop(name) for name in _STATISTICS if name in values}
        groups[f"{prefix}posterior"] = coordinates | values
        groups[f"{prefix}sample_stats"] = coordinates | statistics
    stored = [s for s in sweeps if schedule.is_draw(s)]
    if stored:
        groups["partition"] = {
            "chain": (("chain",), chain),
            "draw": (("draw",), np.asarray(stored)),
            "labels": (("chain", "draw", "item"), record.draws()[None]),
        }
    if schedule.snapshots:
        groups["snapshots"] = {
            "sweep": (("snapshot",), np.asarray(schedule.snapshots)),
            "labels": (("snapshot", "item"), record.snapshots),
        }
    groups["summary"] = {"map": (("item",), record.best_labels)}
    if record.marginal is not None:
        marginal = record.marginal.labels().astype(record.dtype)
        groups["summary"]["marginal"] = (("item",), marginal)
    if finished is not None:
        groups["finish"] = {
            name: (("item",), record.stored(np.asarray(labels)))
            for name, labels in finished.items()
        }
    # First written to memory: on a full disk HDF5 cannot even close its file, and may crash.
    content = io.BytesIO()
    with h5py.File(content, "w") as file:
        for name, value in attributes.items():
            file.attrs[name] = json.dumps(value)
        for name, variables in groups.items():
            _write_group(file.create_group(name, track_order=True), variables)
        best = file["summary"].attrs
        best["map_sweep"], best["map_log_joint"] = record.best_sweep, record.best_log_joint
        if "snapshots" in groups:
            # Only coordinates that have the name of their dimension are recognised otherwise.
            file["snapshots"]["labels"].attrs["coordinates"] = "sweep"
    with atomic_path(path) as temporary:
        temporary.write_bytes(content.getvalue())
        seal(temporary)


def _write_group(group, variables):
    """Write the variables of a netCDF group, whose dimensions are dataset scales in HDF5."""
    scales = {}
    for name, (dimensions, values) in variables.items():
        dataset = group.create_dataset(
            name, data=values, **(_COMPRESSED if values.size > 1000 else {})
        )
        if values.dtype.kind == "f":
            dataset.attrs["_FillValue"] = np.array([np.nan], dtype=values.dtype)
        if dimensions == (name,):
            dataset.make_scale(name)
            scales[name] = dataset
    for dimensions, values in variables.values():
        for dimension, size in zip(dimensions, values.shape, strict=True):
            if dimension not in scales:
                scales[dimension] = group.create_dataset(dimension, (size,), dtype=">f4")
                scales[dimension].make_scale(f"{_NO_VARIABLE}{size:10}")
    for name, (dimensions, _) in variables.items():
        if name not in scales:
            for place, dimension in zip(group[name].dims, dimensions, strict=True):
                place.attach_scale(scales[dimension])


def read_groups(
    path: Path, only: Collection[str] | None = None
) -> tuple[dict[str, dict[str, np.ndarray]], dict]:
    """Read a chain file as plain arrays, which is many times faster than `open_chain`.

    Parameters
    ----------
    path : path
    only : collection of str, optional
        Groups to read; all by default.

    Returns
    -------
    groups : dict of str to dict of str to ndarray
        Values by group and by variable; the first axis of what was sampled is the chain.
    attributes : dict
        Attributes of the file, decoded from their JSON strings.

    Raises
    ------
    DataError
        If the file cannot be read as the file of a chain, or is not as it was written.
    """
    _check_seal(path)
    with (
        unforeseen(f"{path} cannot be read as the file of a chain", "folder"),
        h5py.File(path, "r") as stored,
    ):
        groups = {
            group: {name: _read(values) for name, values in _inside(found)}
            for group, found in _inside(stored)
            if isinstance(found, h5py.Group) and (only is None or group in only)
        }
        attributes = {
            name: json.loads(text)
            for name, text in stored.attrs.items()
            if not name.startswith("_")  # attributes of the file format
        }
    return groups, attributes


def _check_seal(path: Path) -> None:
    # Before HDF5 opens the file: a damaged one can leave its locks held for the whole process.
    fault = seal_fault(path)
    if fault:
        raise DataError(
            "{path} cannot be read as the file of a chain ({fault}); delete the file to have this "
            "chain made again, or {alternative}.",
            parameter="folder",
            path=path,
            fault=fault,
            alternative="choose another place for the chains",
        )


def _inside(group: h5py.Group) -> Iterator[tuple[str, h5py.Group | h5py.Dataset]]:
    """Yield the members of a group, refusing links, which may lead to other files."""
    for name in group:
        if not isinstance(group.get(name, getlink=True), h5py.HardLink):
            raise DataError(
                "{path} has a link, {link}, which no chain has.",
                parameter="folder",
                path=group.file.filename,
                link=repr(name),
            )
        yield name, group[name]


def _read(dataset) -> np.ndarray:
    return (dataset if h5py.check_string_dtype(dataset.dtype) is None else dataset.asstr())[...]


def open_chain(path: Path) -> xr.DataTree:
    """Read a chain file into memory, and decode its attributes from their JSON strings.

    Parameters
    ----------
    path : path-like

    Raises
    ------
    DataError
        If the file is not as it was written.
    """
    import xarray as xr

    _check_seal(path)
    with xr.open_datatree(path, engine="h5netcdf") as stored:
        tree = stored.load()
    tree.attrs = {
        name: json.loads(value) if isinstance(value, str) else value
        for name, value in tree.attrs.items()
    }
    return tree
