"""Results that two runs of the workflow must have in common: all of them but measured times."""

import hashlib
import re
from pathlib import Path

import numpy as np
import pandas as pd

from reseat import metrics
from reseat.chains import read_groups

# Where results are; benchmarks and the records of jobs hold nothing but times and processes.
PLACES = ("data/processed/**/*", "results/*/**/*", "reports/**/*")
ELSEWHERE = re.compile("results/[^/]+/(benchmarks|provenance)/")
# Words of sentences that state how long something took, the columns of these sentences, and the
# products that hold nothing but times.
TIMES = "(?i:second|hour|as (?:long|fast) as)"
TOLD = {"claim", "evidence"}
TIMED = {
    *("micro_chaperones", "scaling", "tiwd_scaling", "scdp_times", "scdp_moves"),
    "firm_vb_vs_gibbs",
}
# Files that are not compared: pages show times too, and are made from the tables that are compared.
SHOWN = {".html", ".snakemake_timestamp", "run.json"}


def results(folder):
    """Return the digest of every result of a run, by its path below the folder."""
    found = {}
    for pattern in PLACES:
        for path in Path(folder).glob(pattern):
            name = str(path.relative_to(folder))
            if path.is_file() and not ELSEWHERE.match(name) and not _is_shown(path):
                found[name] = _digest(path)
    return {name: digest for name, digest in sorted(found.items()) if digest}


def differing(one, other):
    """Return the names of results that only one of two runs has, or that differ."""
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


def untimed(table):
    """Return the table without rows and columns of measured times, or None if it has none."""
    rest = metrics.untimed(table)
    if "artefact" in rest:
        rest = rest[~rest["artefact"].isin(TIMED)]
    for column in TOLD & set(rest):
        rest = rest[~rest[column].str.contains(TIMES)]
    return None if rest.shape == table.shape else rest.reset_index(drop=True)


def _is_shown(path):
    return path.suffix in SHOWN or path.name in SHOWN or path.stem in TIMED


def _digest(path):
    if path.suffix in (".nc", ".npz"):
        return _digest_of_arrays(path)
    if path.suffix == ".csv":
        rest = untimed(pd.read_csv(path, dtype=str, keep_default_na=False))
        if rest is not None:
            return hashlib.sha256(rest.to_csv().encode()).hexdigest()
    return hashlib.sha256(path.read_bytes()).hexdigest()


def read_arrays(path):
    """Return the arrays of a chain or an archive, sorted by name, and the attributes of a chain."""
    if path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as archive:
            return sorted(archive.items()), {}
    groups, attributes = read_groups(path)
    found = [(f"{at}/{name}", a) for at, group in groups.items() for name, a in group.items()]
    return sorted((name, np.asarray(array)) for name, array in found), attributes


def _digest_of_arrays(path):
    """Digest arrays and attributes, but not when a file was made and how long something took."""
    arrays, attributes = read_arrays(path)
    digest = hashlib.sha256(repr(sorted(filter(_is_no_time, attributes.items()))).encode())
    for name, array in filter(_is_no_time, arrays):
        digest.update(f"{name} {array.dtype} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _is_no_time(named):
    return "seconds" not in named[0] and named[0] != "created_at"
