"""Import of ArviZ that also works in several processes at once, and without a home to write to."""

from __future__ import annotations

import os
import tempfile
from types import ModuleType

__all__ = ["import_arviz"]


def import_arviz() -> ModuleType:
    """Import ArviZ and return the module; slow the first time.

    During its import, ArviZ records in the user's cache folder when it last issued a warning.  Two
    processes that do so at the same time race for the file, in a read-only home it cannot be
    written, and a user without an account may have no home.  If the import fails for such a reason,
    it is repeated with a temporary folder.

    Raises
    ------
    OSError
        If ArviZ cannot be imported with a temporary folder either.
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
