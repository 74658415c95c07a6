"""Import of ArviZ that also works in several processes at once and without write access."""

from __future__ import annotations

import os
import tempfile
from types import ModuleType

__all__ = ["import_arviz"]


def import_arviz() -> ModuleType:
    """Import ArviZ and return the module; slow the first time.

    During its import, ArviZ records in the user's cache folder when it last issued a warning.  Two
    processes that do so at the same time race for the file, and in a read-only home it cannot be
    written.  If the import fails for such a reason, it is repeated with a temporary cache folder.
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
