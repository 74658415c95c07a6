"""Packages whose version can affect a number or a figure."""

from __future__ import annotations

import platform
from functools import cache
from importlib import metadata

__all__ = ["PACKAGES", "installed_versions"]

#: Name under which each package is imported, mapped to the name under which it is installed.
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
    """Return the versions of Python and of those of :data:`PACKAGES` that are installed.

    The packages are not imported.
    """
    versions = {"Python": platform.python_version()}
    for name, distribution in PACKAGES.items():
        try:
            versions[name] = metadata.version(distribution)
        except metadata.PackageNotFoundError:
            continue
    return versions
