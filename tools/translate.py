"""Translate the kernels to C, in one process per core.

    python tools/translate.py OUTPUT_FOLDER [options for cython] kernel.pyx …

Importing Cython takes longer than translating a kernel, so that one process per kernel, as meson
would start, took three times as long.  A C file whose content stays the same is not touched, so
that it is not compiled again.
"""

import filecmp
import os
import shutil
import sys
import tempfile
from multiprocessing import get_context
from pathlib import Path

from Cython.Compiler import Main, ParseTreeTransforms, Pipeline  # noqa: F401
from Cython.Compiler.CmdLine import parse_command_line


def main(folder: str, *arguments: str) -> int:
    """Translate the kernels; return 0 if none has an error, otherwise 1."""
    sources = [name for name in arguments if name.endswith(".pyx")]
    options = [name for name in arguments if not name.endswith(".pyx")]
    tasks = [(Path(folder), options, source) for source in sources]
    # With fork, the imports above are available in every process from the start.
    methods = get_context("fork" if sys.platform == "linux" else None)
    with methods.Pool(min(os.cpu_count() or 1, len(tasks))) as pool:
        return int(not all(pool.imap_unordered(translate, tasks)))


def translate(task: tuple[Path, list[str], str]) -> bool:
    """Translate one kernel, and return whether it has no error."""
    folder, options, source = task
    target = folder / Path(source).with_suffix(".c").name
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        made = Path(scratch, target.name)
        settings, _ = parse_command_line([*options, "-o", str(made), source])
        if Main.compile([source], settings).num_errors:
            return False
        if not (target.exists() and filecmp.cmp(made, target, shallow=False)):
            shutil.move(made, target)
    return True


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
