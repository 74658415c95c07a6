"""Run the fast half of the tests in surroundings that differ from the developer's.

    python tools/surroundings.py [--only PART_OF_A_NAME] [arguments for pytest]

In each, all tests must pass that neither run Snakemake nor kill processes, and `make` must make a
figure.  A surrounding that this machine cannot provide is skipped, and the reason is printed.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FAST = ("-q", "-m", "not workflow and not kill")
WORKERS = ("-n", "logical", "--maxprocesses", "8", "--dist", "loadfile")


def after(line: str) -> tuple[str, ...]:
    """Return the words that start a command after a line of shell."""
    return ("sh", "-c", f'{line} && exec "$@"', "sh")


STRANGER = ("unshare", "--user", "--map-user=12345", "--map-group=12345")
NAMELESS = {"USER": None, "LOGNAME": None}
# As root of a name space, any user may bring up its loopback, which some tests use.
OFFLINE = ("unshare", "--user", "--map-root-user", "--net", *after("ip link set lo up"))

# Name: words before each command, and variables that are set or, if None, removed.  `{folder}` is
# a temporary folder, which has the letters of the name in its path.  What is unlikely to matter is
# tried at once, because each surrounding takes several minutes.
SURROUNDINGS: dict[str, tuple[tuple[str, ...], dict[str, str | None]]] = {
    "no account, home read-only": (STRANGER, NAMELESS | {"HOME": "/proc"}),
    "no account, no home": (STRANGER, NAMELESS | {"HOME": None}),
    "locale C": ((), {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}),
    "path with ö": ((), {"TMPDIR": "{folder}"}),
    "no network": (OFFLINE, {}),
    "umask, few files, no home, other variables": (
        after("umask 077 && ulimit -n 256"),
        {"HOME": None, "TMPDIR": "/nowhere", "TZ": "Pacific/Kiritimati", "PYTHONHASHSEED": "4711"}
        | {"OMP_NUM_THREADS": "4", "OPENBLAS_NUM_THREADS": "4"},
    ),
}


def main() -> int:
    """Run the surroundings that are asked for; return how many failed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="", help="run those whose names contain this")
    options, pytest = parser.parse_known_args()
    logs = ROOT / "build" / "surroundings"
    logs.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name in SURROUNDINGS:
        if options.only in name:
            began = time.monotonic()
            result = run(name, pytest, logs / f"{name.replace(' ', '-')}.log")
            failed += result.startswith("FAILED")
            print(f"{name:42} {time.monotonic() - began:5.0f} s  {result}", flush=True)
    return failed


def run(name: str, pytest: list[str], log: Path) -> str:
    """Return the result of a surrounding in a line, and write the output of its commands."""
    prefix, changes = SURROUNDINGS[name]
    possible = subprocess.run([*prefix, "true"], capture_output=True, encoding="utf-8")
    if possible.returncode:
        return f"skipped: {possible.stderr.strip()}"
    with tempfile.TemporaryDirectory(prefix=name.replace(" ", "-")) as folder:
        project = copy_of_the_project(folder) if "ö" in name else ROOT
        environment = {k: v for k, v in os.environ.items() if k not in {"MAKEFLAGS", "MAKELEVEL"}}
        for variable, value in changes.items():
            environment.pop(variable, None)
            if value is not None:
                environment[variable] = value.format(folder=folder)
        figure = ("--directory", folder, "--until", "firm_fig1")
        commands = {
            "make": ("make", "all", "SCALE=demo", f"ARGS={' '.join(figure)}"),
            "tests": (".venv/bin/python", "-m", "pytest", *FAST, *WORKERS, *pytest),
        }
        environment["PATH"] = f"{project / '.venv' / 'bin'}{os.pathsep}{environment['PATH']}"
        codes = {}
        with log.open("w", encoding="utf-8") as out:
            for what, words in commands.items():
                command = [*prefix, *words]
                done = subprocess.run(
                    command, cwd=project, env=environment, stdout=out, stderr=subprocess.STDOUT,
                    stdin=subprocess.DEVNULL,
                )  # fmt: skip
                codes[what] = done.returncode
        drawn = any(Path(folder, "reports").rglob("firm_fig1.svg"))
    last = log.read_text(encoding="utf-8", errors="replace").splitlines()[-1:]
    wrong = [what for what, code in codes.items() if code] + ["figure"] * (not drawn)
    return " ".join([f"FAILED ({', '.join(wrong)}; {log}):"] * bool(wrong) + last)


def copy_of_the_project(folder: str) -> Path:
    """Copy the project without its environment, which `make` then creates, and its results."""
    project = Path(folder, "project")
    left = shutil.ignore_patterns(".venv*", "build", "results", "logs", ".snakemake", "*.so")
    shutil.copytree(ROOT, project, symlinks=True, ignore=left)
    return project


if __name__ == "__main__":
    sys.exit(main())
