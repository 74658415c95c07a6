"""What a run of everything does at each scale, a digest for each rule; and what the site names."""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import digest_files
from workflow_runs import snakemake

JOBS, NAMES = (digest_files.FOLDER / f"{what}.json" for what in ("jobs", "names"))
SCALES = ("demo", "standard", "paper")
SNAKEFILE = Path(__file__).with_name("workflow") / "jobs.smk"
#: The same data sets are available on every machine, and the others are downloaded.
DATA = 'data={"mirrors": ["data"]}'


def jobs(scale: str, folder: Path) -> list[dict]:
    """Return the jobs of a dry run in a folder, with what each reads, writes and is given."""
    folder.mkdir(exist_ok=True)
    options = ("--dry-run", "--quiet", "all", "--config", f"scale={scale}", DATA)
    snakemake("all", *options, folder=folder, snakefile=SNAKEFILE)
    return json.loads((folder / "jobs.json").read_text(encoding="utf-8"))


def digests(planned: Mapping[str, Sequence[dict]]) -> dict[str, list]:
    """Return the number of jobs and a digest for each scale and rule."""
    texts = {}
    for scale, listed in planned.items():
        for job in listed:
            text = json.dumps(job, sort_keys=True)
            texts.setdefault(f"{scale} {job['rule']}", []).append(text)
    return {
        name: [len(own), hashlib.sha256("\n".join(sorted(own)).encode()).hexdigest()[:16]]
        for name, own in texts.items()
    }


def changed_jobs(stored: Mapping, found: Mapping) -> list[str]:
    """Return a sentence for each scale and rule with other jobs."""
    return [
        f"{name}: {found.get(name, [0])[0]} jobs, of which some are not as before"
        if stored.get(name, [0])[0] == found.get(name, [0])[0]
        else f"{name}: {found.get(name, [0])[0]} jobs instead of {stored.get(name, [0])[0]}"
        for name in sorted(stored.keys() | found.keys())
        if stored.get(name) != found.get(name)
    ]


def names(site: Path) -> dict[str, str]:
    """Return the pages of a built site and the names that they describe, each with its kind."""
    listed = zlib.decompress((site / "objects.inv").read_bytes().split(b"\n", 4)[4]).decode()
    entries = re.findall(r"^(\S+) +(std:doc|py:\S+) ", listed, re.M)
    return dict(sorted(entries))


def changed_names(stored: Mapping, found: Mapping) -> list[str]:
    """Return a sentence for each page or name that is gone, new or of another kind."""
    return [
        f"{name}: {found.get(name, 'nothing')} instead of {stored.get(name, 'nothing')}"
        for name in sorted(stored.keys() | found.keys())
        if stored.get(name) != found.get(name)
    ]
