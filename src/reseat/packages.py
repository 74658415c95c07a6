"""The packages whose version can change a number or a picture."""

from __future__ import annotations

import platform
from functools import cache
from importlib import metadata

__all__ = ["PACKAGES", "installed_versions"]

#: Name by which each is imported to the name by which it is installed.
PACKAGES = {
    "numpy": "numpy",
    "scipy": "scipy",
    "pandas": "pandas",
    "sklearn": "scikit-learn",
    "xarray": "xarray",
    "h5py": "h5py",
    "h5netcdf": "h5netcdf",
    "arviz": "arviz",
    "parasail": "parasail",
    "rapidfuzz": "rapidfuzz",
    "matplotlib": "matplotlib",
}


@cache
def installed_versions() -> dict[str, str]:
    """Versions of Python and of those of :data:`PACKAGES` that are installed.

    They are not imported for it.

    Returns
    -------
    dict of str to str
        By the name of the import.
    """
    versions = {"Python": platform.python_version()}
    for name, distribution in PACKAGES.items():
        try:
            versions[name] = metadata.version(distribution)
        except metadata.PackageNotFoundError:
            continue
    return versions
