"""The environment of the peers: `.venv-peers`, created from `requirements-peers.txt`.

`python benchmarks/peers.py` creates it if it is missing or stale.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

from child import foreign_environment

__all__ = ["PeersUnavailable", "ensure"]

HERE = Path(__file__).resolve().parent
REQUIREMENTS = HERE / "requirements-peers.txt"
FOLDER = HERE.parent / ".venv-peers"
# The Python versions for which the pinned numpy and scikit-learn were built.
VERSIONS = [(3, 12), (3, 11), (3, 10), (3, 9)]


class PeersUnavailable(Exception):
    """The peers cannot be installed here; the message says why."""


def ensure() -> Path:
    """Return the interpreter of the peers' environment, which is created if necessary."""
    wanted = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()
    # Written last, so that an environment whose creation was interrupted has no stamp.
    stamp = FOLDER / "requirements.sha256"
    interpreter = FOLDER / "bin" / "python"
    if interpreter.exists() and stamp.exists() and stamp.read_text().strip() == wanted:
        return interpreter
    print(f"making {FOLDER.name} from {REQUIREMENTS.name}", file=sys.stderr, flush=True)
    _run([_find_python(), "-m", "venv", "--clear", str(FOLDER)])
    _run(
        [str(interpreter), "-m", "pip", "install", "--disable-pip-version-check"]
        + ["--only-binary", ":all:", "-r", str(REQUIREMENTS)]
    )
    stamp.write_text(wanted + "\n")
    return interpreter


def _find_python() -> str:
    if sys.version_info[:2] in VERSIONS:
        return sys.executable
    for major, minor in VERSIONS:
        found = shutil.which(f"python{major}.{minor}")
        if found:
            return found
    raise PeersUnavailable("tweetopic needs Python 3.9 to 3.12 and none was found")


def _run(command: list[str]) -> None:
    # The output of pip goes to the error stream, to keep it out of the table.
    try:
        subprocess.run(command, check=True, stdout=sys.stderr, env=foreign_environment())
    except (OSError, subprocess.CalledProcessError) as error:
        step = "pip install" if "pip" in command else "python -m venv"
        reason = getattr(error, "strerror", None) or f"status {error.returncode}"
        raise PeersUnavailable(
            f"{step} failed ({reason}): is a package index within reach?"
        ) from error


if __name__ == "__main__":
    try:
        print(f"{ensure().parent.parent.name} is ready")
    except PeersUnavailable as unavailable:
        sys.exit(f"The peers cannot be installed: {unavailable}")
