"""Runs of the workflow that tests disturb."""

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from forked import run_snakemake
from run_results import results
from workflow_runs import KNOWN_SOURCES, ROOT

WHOLE = os.environ.get("RESEAT_FAULTS") == "whole"
# A few jobs of two families; the suite makes only one of the two.
PART = ("docs_fig3", "firm_kemp")
FIGURE, TABLE = PART
# The targets over which power cuts are spread.
EVERYTHING = ("all",) if WHOLE else (TABLE,)

at_length = pytest.mark.skipif(not WHOLE, reason="it takes a minute or more; `make faults` does it")

POWER = Path(__file__).with_name("faults") / "power"
PROFILES = ROOT / "workflow" / "profiles"
CORES = 2
HERE = ("--workflow-profile", PROFILES / "default", "--cores", str(CORES), "--latency-wait", "2")
# Checkpoints are written by the clock, so none is written, or the number of writes would vary.
SETTINGS = ("scale=demo", "chains={checkpoint_seconds: 86400}")

# Parts of paths at whose writing a job can be held: one of several chains, and one of several fits.
CHAINS, FITS = "gibbs/unfinished/", "unfinished_fits/"


class Run:
    """A run of the demo in its own folder."""

    def __init__(self, folder, targets=PART, options=HERE):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.targets, self.options = targets, options
        self.n_starts = 0
        self.groups = []

    def start(self, *arguments, cut="", hold=""):
        """Start Snakemake as the leader of a process group that can be killed as a whole.

        With `cut`, the number of a write and a stage of it, the processes kill themselves there;
        with `hold`, a part of a path, the first job to write such a file stops itself
        (``faults/power/sitecustomize.py``).
        """
        environment = self._begin() | {"RESEAT_CUT": cut or "0 never", "RESEAT_HOLD": hold}
        said = self.folder.with_name(f"{self.folder.name}-{self.n_starts}.txt")
        with open(said, "w", encoding="utf-8") as out:
            process = subprocess.Popen(
                [sys.executable, "-m", "snakemake", *self._arguments(), *arguments],
                stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                env=environment,
                start_new_session=True,
                # a shell that runs the tests in the background lets them ignore Ctrl-C
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
            )  # fmt: skip
        process.said = said.read_text
        self.groups.append(process.pid)
        return process

    def start_and_hold(self, place, *arguments):
        """Start it until a job stops itself while writing; return both, the job by its number."""
        process = self.start(*arguments, hold=place)
        mark = self._writes().with_name(f"{self._writes().name}.held")
        wait_until(lambda: mark.is_file() and mark.read_text().endswith("\n"), process)
        number = int(mark.read_text())
        wait_until(lambda: stopped(number), process)
        return process, number

    def end(self):
        """Kill what still runs, also if it has been stopped."""
        for group in self.groups:
            with suppress(ProcessLookupError):
                os.killpg(group, signal.SIGKILL)

    def finish(self):
        """Finish the run by one undisturbed command; fail the test if the command fails."""
        process = self.start("--rerun-incomplete")
        code = process.wait()
        KNOWN_SOURCES.take(self.folder)
        assert code == 0, process.said()

    def finish_in_a_fork(self):
        """Do the same without starting an interpreter for Snakemake and for each of its jobs."""
        done = run_snakemake(*self._arguments(), "--rerun-incomplete", environment=self._begin())
        assert done.returncode == 0, done.stdout + done.stderr
        KNOWN_SOURCES.take(self.folder)

    def _begin(self):
        """Return the environment of the next start, in which all processes count their writes."""
        self.n_starts += 1
        KNOWN_SOURCES.give(self.folder)
        places = [str(POWER), *filter(None, [os.environ.get("PYTHONPATH")])]
        return os.environ | {
            "PYTHONPATH": os.pathsep.join(places),
            "RESEAT_WRITES": str(self._writes()),
            "RESEAT_BELOW": str(self.folder.resolve()),
        }

    def _arguments(self):
        return (
            *(*self.targets, *self.options, "--snakefile", ROOT / "Snakefile"),
            *("--directory", self.folder, "--config", *SETTINGS),
        )

    def n_writes(self):
        """Return how many files all processes of the last start have written."""
        return self._writes().stat().st_size

    def _writes(self):
        return self.folder.with_name(f"{self.folder.name}-{self.n_starts}.writes")

    def results(self):
        return results(self.folder)

    def jobs(self):
        """Return the process ids of the jobs that run in this folder."""
        place = str(self.folder / ".snakemake" / "scripts")
        return [number for number, words in processes() if any(place in word for word in words)]

    def recorded(self):
        """Return the records of the jobs that have succeeded, of which each has left one."""
        return set(self.folder.glob("results/*/provenance/**/*.json"))

    def locks(self):
        """Return Snakemake's locks: by its path, what tells a lock from an earlier one."""
        found = [(path, path.stat()) for path in self.folder.glob(".snakemake/locks/*.lock")]
        return {path: (stat.st_ino, stat.st_mtime_ns) for path, stat in found}

    def bytes_on_disk(self):
        """Return the size of all files in bytes, each rounded up to whole pages of 4096 bytes."""
        sizes = (path.stat().st_size for path in self.folder.rglob("*") if path.is_file())
        return sum(-(-size // 4096) * 4096 for size in sizes)


def processes():
    """Yield the id and the command line of every process."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                yield int(entry.name), os.fsdecode((entry / "cmdline").read_bytes()).split("\0")
            except OSError:
                pass  # it has ended in the meantime


def stopped(number):
    """Return whether a process has been stopped by a signal."""
    try:
        text = Path(f"/proc/{number}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return text.rpartition(") ")[2].startswith("T")


def wait_until(condition, process):
    """Wait until a condition holds; fail if the process ends before."""
    while not condition():
        assert process.poll() is None, process.said()
        time.sleep(0.05)


class Mount:
    """A mount that lasts as long as the context; needs root.

    The arguments are those of `mount` before the folder.
    """

    def __init__(self, folder, *arguments):
        self.folder, self.arguments = Path(folder), arguments

    def __enter__(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        self.again(*self.arguments)
        return self

    def again(self, *arguments):
        """Mount with other options."""
        subprocess.run(["mount", *arguments, self.folder], check=True, capture_output=True)

    def __exit__(self, *_):
        subprocess.run(["umount", "--lazy", self.folder], check=True)


def why_not_mount():
    """Return why nothing can be mounted here, or an empty string if it can."""
    if sys.platform != "linux" or os.geteuid() != 0 or not shutil.which("mount"):
        return "Only root on Linux can mount a small disk."
    tried = subprocess.run(["unshare", "--mount", "true"], capture_output=True)
    return "This machine does not let anybody mount a disk." if tried.returncode else ""
