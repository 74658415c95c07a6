"""ArviZ, also where several processes import it at once or where it may not write."""

from __future__ import annotations

import os
import tempfile
from types import ModuleType

__all__ = ["import_arviz"]


def import_arviz() -> ModuleType:
    """ArviZ as a module; slow the first time.

    As it is imported, ArviZ notes in the user's cache folder when it last warned.  Two processes
    that do so at the same time take the file from each other, and in a home that is read-only
    there is none: then the note is written to a temporary folder instead.

    Raises
    ------
    OSError
        If ArviZ cannot be imported then, either.
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
