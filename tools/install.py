"""Install reseat into the running environment and show how far the compiler is.

    list of source files | python tools/install.py BUILD_FOLDER [options for pip]

The files named on standard input are copied to BUILD_FOLDER and the package is
made from the copies, so that nothing else that lies about in the source tree,
such as a module compiled there, can get into it.  Only what changed since the
last time is compiled again.

pip keeps the output of a build to itself until something fails, which is a
minute of silence.  This shows the compiler's steps as they come, and everything
if it fails.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

STEP = re.compile(r"\[(\d+)/(\d+)\] (Compiling|Linking)\b.*?(\w+)\.cpython")


def main(folder: str, *options: str) -> int:
    """Copy, build and install; return pip's exit code."""
    build = Path(folder).resolve()
    source = build / "source"
    copy_sources(sys.stdin.read().splitlines(), source)
    command = [
        *(sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input"),
        *("install", "--verbose", "--no-deps", "--no-build-isolation", "--force-reinstall"),
        *(f"--config-settings=build-dir={build / 'ninja'}", *options, str(source)),
    ]
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    lines = []
    for line in process.stdout:
        lines.append(line)
        if step := STEP.search(line):
            number, total, verb, name = step.groups()
            print(f"      {number}/{total} {verb.lower()} {name}", flush=True)
    if process.wait():
        sys.stderr.writelines(lines)
    return process.returncode


def copy_sources(names: list[str], target: Path) -> None:
    """Make `target` hold these files and no others, leaving alone what has not changed."""
    wanted = {target / name: Path(name) for name in names}
    for file in [path for path in target.rglob("*") if path.is_file()]:
        if file not in wanted:
            file.unlink()
    for copy, original in wanted.items():
        content = original.read_bytes()
        if not copy.is_file() or copy.read_bytes() != content:
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(original, copy)  # dated now, which is what ninja goes by


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
