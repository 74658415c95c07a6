"""Build the wheel for each interpreter and try it where there is no compiler.

    python tools/wheel.py [INTERPRETER ...]

The wheel is built from a source archive of the last commit, and installed, with the newest versions
of what it needs, into an environment of its own.  Without an interpreter, that of make env is used.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WHEELS = ROOT / "dist"


def main(*interpreters: str) -> int:
    """Build and try the wheels, which stay in dist."""
    run(sys.executable, "-c", f"import mesonpy; print(mesonpy.build_sdist({str(WHEELS)!r}))")
    archive = max(WHEELS.glob("*.tar.gz"), key=os.path.getmtime)
    for interpreter in interpreters or (sys.executable,):
        with tempfile.TemporaryDirectory() as folder:
            run(interpreter, "-m", "venv", folder)
            python = Path(folder, "bin", "python")
            pip = (python, "-m", "pip", "--disable-pip-version-check", "--quiet")
            run(*pip, "wheel", "--no-deps", "--wheel-dir", folder, archive)
            (wheel,) = Path(folder).glob("*.whl")
            run(*pip, "install", "--only-binary", ":all:", wheel)
            bare = {"PATH": str(python.parent), "HOME": folder}
            run(python, ROOT / "tools" / "try_installed.py", cwd=folder, env=bare)
            wheel.replace(WHEELS / wheel.name)
            print(WHEELS / wheel.name, flush=True)
    return 0


def run(*words, **options) -> None:
    """Run a command from the root of the project; an exit code other than 0 ends the program."""
    subprocess.run(words, check=True, **{"cwd": ROOT} | options)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
