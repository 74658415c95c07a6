"""ArviZ, in several processes at once, without a home to write to, and with or without numba."""

from __future__ import annotations

import os
import tempfile
from threading import Lock
from types import ModuleType

import numpy as np

__all__ = ["diagnostic", "import_arviz"]

#: Protects the switch that ArviZ has for numba, of which there is one per process.
_switch = Lock()


def diagnostic(name: str, draws: np.ndarray) -> float:
    """Return ``ess``, ``mcse`` or ``rhat`` of draws of shape (n_chains, n_draws), as ArviZ has it.

    Where numba is installed, ArviZ uses it, which changes the last digits and makes arrays of some
    results; so it is switched off for this call.
    """
    az = import_arviz()
    with _switch:
        before = az.utils.Numba.numba_flag
        az.utils.Numba.numba_flag = False
        try:
            return float(getattr(az, name)(draws))
        finally:
            az.utils.Numba.numba_flag = before


def import_arviz() -> ModuleType:
    """Import ArviZ and return the module; slow the first time.

    During its import, ArviZ records in the user's cache folder when it last issued a warning.  Two
    processes that do so at the same time race for the file, in a read-only home it cannot be
    written, and a user without an account may have no home.  If the import fails for such a reason,
    it is repeated with a temporary folder.
    """
    try:
        import arviz
    except (OSError, RuntimeError):  # the latter if no home is known
        before = {name: os.environ.get(name) for name in ("XDG_CACHE_HOME", "HOME")}
        with tempfile.TemporaryDirectory() as folder:
            os.environ["XDG_CACHE_HOME"] = folder
            os.environ.setdefault("HOME", folder)
            try:
                import arviz
            finally:
                for name, value in before.items():
                    del os.environ[name]
                    if value is not None:
                        os.environ[name] = value
    return arviz
