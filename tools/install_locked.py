"""Install the packages of a lock file into the running environment, using several cores.

    python tools/install_locked.py requirements.lock

pip uses one core, and byte-compiles each package after unpacking it.  Here one pip per core, but at
most four, each install a share of the packages and check their hashes; then all packages are
byte-compiled together, except for their own tests, which nobody imports.
"""

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
    """Install the packages; return the exit code of the first pip that failed, or 0."""
    # A requirement starts at the left margin, and its hashes are indented below it.
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
