"""Comparison of reseat with other programs on data sets of realistic size.

    python benchmarks/own_data.py                     everything
    python benchmarks/own_data.py --quick             small sets, a minute
    python benchmarks/own_data.py --only digits       one set; may be repeated
    python benchmarks/own_data.py --csv table.csv     put the rows into a table as well
    python benchmarks/own_data.py --peers PYTHON      an interpreter that has splink, goldenmatch,
                                                      fast_hdbscan, graph-tool, dedupe or
                                                      tweetopic; what it lacks is left out

Every method runs in a fresh process with one thread.  Seconds are CPU time, without imports and
reading; memory is the peak of the process, imports included, and a method that asks for more than
8 GB fails.  Methods that need a number of clusters are given the true one, which no user knows.
Each item that HDBSCAN assigns to no cluster counts as a cluster of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from child import foreign_environment, reason
from own_methods import METHODS
from own_sets import SETS, save
from tables import add_rows
from timing import machine, say

from reseat.metrics import adjusted_rand, pair_f

__all__ = ["compare"]

HERE = Path(__file__).resolve().parent
#: Seconds up to which a method is run three times, and after which it is stopped.
CHEAP, PATIENCE = 2.0, 3600
ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="small sets")
    parser.add_argument("--only", action="append", choices=SETS, metavar="SET")
    parser.add_argument("--method", action="append", choices=METHODS, metavar="METHOD")
    parser.add_argument("--csv", type=Path, help="where the table goes besides")
    parser.add_argument("--peers", type=Path, help="interpreter of the other programs")
    options = parser.parse_args(arguments)
    sets, methods, rows = list(SETS), list(METHODS), []
    for name in options.only or sets:
        found = compare(name, options.quick, options.method or methods, options.peers)
        rows += found
        if options.csv:  # at once, because later methods may take an hour
            add_rows(
                options.csv,
                found,
                ("set", "method"),
                lambda row: (sets.index(row["set"]), methods.index(row["method"])),
            )
    print(machine())
    print(pd.DataFrame(rows).drop(columns="about").to_string(index=False, na_rep=""))


def compare(name: str, quick: bool, methods, peers: Path | None = None) -> list[dict]:
    """Return one row for each method that can cluster data of this kind.

    `peers` is the interpreter for the methods that need another program.
    """
    found, rows = SETS[name](quick), []
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "data.npz")
        save(found, source)
        for method in methods:
            if found.kind not in METHODS[method].kinds:
                continue
            python = Path(sys.executable)
            if METHODS[method].program:
                python = peers or python
                if not _has(python, METHODS[method].program):
                    say(f"{name}: {method} is left out, it is not installed")
                    continue
            say(f"{name}: {method}")
            row = {"set": name, "method": method}
            rows.append(row | _measure(python, method, found, source) | {
                "given": METHODS[method].given_of(found.kind), "about": found.about
            })  # fmt: skip
    return rows


def _has(python: Path, program: str) -> bool:
    command = [python, "-c", f"import {program}"]
    return subprocess.run(command, capture_output=True, env=_environment(python)).returncode == 0


def _environment(python: Path) -> dict[str, str]:
    """Return the environment of a process; another interpreter does not look for our packages."""
    kept = os.environ if python == Path(sys.executable) else foreign_environment()
    return {**kept, **ONE_THREAD}


def _measure(python: Path, method: str, found, source: Path) -> dict[str, float]:
    target = source.with_name("labels.npy")
    command = [python, HERE / "own_methods.py", method, found.kind, source, target]
    said, seconds = {}, []
    while not seconds or (len(seconds) < 3 and max(seconds) <= CHEAP):
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE,
                                  env=_environment(python))  # fmt: skip
        except subprocess.TimeoutExpired:
            say(f"given up after {PATIENCE} s")
            return {}
        if done.returncode:
            say(f"it failed: {reason(done.stderr, done.returncode)}")
            return {}
        said = json.loads(done.stdout.splitlines()[-1])
        seconds.append(said["seconds"])
    labels = np.load(target)
    alone = labels < 0
    labels[alone] = labels.max() + 1 + np.arange(alone.sum())
    return {
        "ARI": round(adjusted_rand(found.truth, labels), 3),
        "pair F": round(pair_f(found.truth, labels), 3),
        "clusters": np.unique(labels).size,
        "of": found.n_clusters,
        "seconds": float(f"{statistics.median(seconds):.2g}"),
        "MB": round(said["peak"]),
    }


if __name__ == "__main__":
    main()
