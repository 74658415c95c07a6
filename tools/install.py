"""Install reseat into the running environment and show the progress of the compiler.

    list of source files | python tools/install.py BUILD_FOLDER [options for pip]

The files named on standard input are copied to BUILD_FOLDER and the package is
built from the copies, so that nothing else in the source tree, such as a module
compiled there, can get into it.  Only what has changed since the last time is
compiled again.

pip shows the output of a build only if it fails, which would mean a minute of
silence.  This script shows each step of the compiler as it happens, and the
whole output if the build fails.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

STEP = re.compile(r"\[(\d+)/(\d+)\] (Compiling|Linking)\b.*?(\w+)\.cpython")


def main(folder: str, *options: str) -> int:
    """Copy, build and install the package; return the exit code of pip."""
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
    """Make `target` contain these files and no others, without touching unchanged ones."""
    wanted = {target / name: Path(name) for name in names}
    for file in [path for path in target.rglob("*") if path.is_file()]:
        if file not in wanted:
            file.unlink()
    for copy, original in wanted.items():
        content = original.read_bytes()
        if not copy.is_file() or copy.read_bytes() != content:
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(original, copy)  # with the present date, which ninja compares


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
