"""ArviZ, in several processes at once, without write access, and with or without numba."""

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
    processes that do so at the same time race for the file, and in a read-only home it cannot be
    written.  If the import fails for such a reason, it is repeated with a temporary cache folder.

    Raises
    ------
    OSError
        If ArviZ cannot be imported with a temporary cache folder either.
    """
    try:
        import arviz
    except OSError:
        before = os.environ.get("XDG_CACHE_HOME")
        with tempfile.TemporaryDirectory() as folder:
            os.environ["XDG_CACHE_HOME"] = folder
            try:
                import arviz
            finally:
                del os.environ["XDG_CACHE_HOME"]
                if before is not None:
                    os.environ["XDG_CACHE_HOME"] = before
    return arviz
