"""Install the packages of a lock file into the running environment, with all cores.

    python tools/install_locked.py requirements.lock

pip uses one core, and compiles each package after it has unpacked it.  Here as many pips as there
are cores, at most four, each install a share of the packages, whose hashes they check; then the
packages are compiled at once, without their own tests, which nobody imports.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

PIP = (
    *(sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-input"),
    *("--no-deps", "--require-hashes", "--no-compile", "-r"),
)


def main(lock: str) -> int:
    """Install, and return the exit code of the first pip that failed, or 0."""
    # A requirement begins at the margin, and its hashes stand indented below it.
    entries = re.findall(r"^[^\s#].*(?:\n[ \t]+.*)*", Path(lock).read_text("utf-8"), re.M)
    n_shares = min(os.cpu_count() or 1, 4)
    with tempfile.TemporaryDirectory() as folder:
        pips = []
        for number in range(n_shares):
            share = Path(folder, f"{number}.txt")
            share.write_text("\n".join(entries[number::n_shares]) + "\n", "utf-8")
            pips.append(subprocess.Popen([*PIP, share], stdin=subprocess.DEVNULL))
        failed = [code for code in [process.wait() for process in pips] if code]
    if failed:
        return failed[0]
    compiler = [sys.executable, "-m", "compileall", "-q", "-j", "0", "-x", "/tests?/"]
    subprocess.run([*compiler, sysconfig.get_path("purelib")], stdout=subprocess.DEVNULL)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
