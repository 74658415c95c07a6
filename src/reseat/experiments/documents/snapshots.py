"""Labels of single samples of a chain, read without its draws."""

from __future__ import annotations

import numpy as np
import xarray as xr

from reseat.errors import DataError


def read_snapshot(path, sweep):
    """Labels after a sweep, or after the stored sweep next to it.

    Parameters
    ----------
    path : path-like
        A chain file (netCDF) with the group ``snapshots``.
    sweep : int
        Counted from the start of the chain, burn-in included.

    Returns
    -------
    labels : ndarray of int64, shape (n_items,)
    found : int
        The sweep that the labels were stored after; the earlier of two that are equally near.

    Raises
    ------
    DataError
        If the chain kept no snapshot.
    """
    try:
        with xr.open_dataset(path, group="snapshots", engine="h5netcdf") as stored:
            sweeps = stored["sweep"].to_numpy()
            if sweeps.size == 0:
                raise DataError(f"{path} kept no snapshot; add one to the chain's schedule.")
            place = int(np.argmin(np.abs(sweeps - sweep)))
            labels = stored["labels"].isel(snapshot=place).to_numpy()
    except (KeyError, OSError) as error:
        raise DataError(
            f"{path} has no readable group 'snapshots' ({error}); run the chain again."
        ) from error
    return labels.astype(np.int64), int(sweeps[place])
