"""Writing of the published run: small enough for a repository, and the same for the same run."""

import csv
import gzip
import hashlib
import io
import json
import math
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any

import pandas as pd
import yaml

from reseat.errors import DataError
from reseat.files.atomic import atomic_folder, sha256_of
from reseat.kept_run import costs
from reseat.kept_run.costs import MANIFEST, PACKED, read_card, read_manifest
from reseat.provenance.records import History, Step, named_run
from reseat.report.comparison import TIME
from reseat.report.timings import read_benchmarks

#: Path of the published run below the folder of the project.
FOLDER = "reports/published"
#: Scales, the smallest first.
SCALES = ("demo", "standard", "paper")
#: Largest size of the folder, size above which an SVG is replaced by a smaller PNG, and size above
#: which a table is compressed, because repository websites do not show it, in bytes.
MAX_BYTES, LARGE_SVG, LARGE_TABLE = 12_000_000, 300_000, 500_000
#: Upper bound on the bytes of the manifest's entry for a file.
MANIFEST_LINE = 250
#: What is removed from a page that is too large, in this order, and what takes its place: trace
#: plots, and the tables below the lines that sum them up.
SHORTENED = (
    (re.compile(rb'<svg class="trace".*?</svg>', re.S), b""),
    (
        re.compile(
            rb'<details (class="card fold"[^>]*)><summary>(.*?)</summary>.*?</details>', re.S
        ),
        rb"<p \1>\2</p>",
    ),
)

#: Files of a run that are required in addition to its tables and figures.
NEEDED = "claims.csv comparison.csv diagnostics.csv configuration.yaml index.html run.json".split()

#: Pages that are left out first if not all of them fit, and the files that contain their numbers.
NUMBERS_OF = {
    "data.html": ("manifest.json",),
    "diagnostics.html": ("diagnostics.csv", "chains.csv"),
    "timings.html": ("jobs.csv", "costs.csv"),
}

CHAIN_COLUMNS = "path sha256 dataset model chain seed burn_in n_samples thin".split()


def publish(root: str | os.PathLike, run: str, smaller: bool = False) -> Path:
    """Replace ``reports/published`` with the results of a run; the same run gives the same bytes.

    With `smaller`, it may have a smaller scale, or fewer tables and figures, than the run replaced.
    """
    root, run = Path(root), named_run(run)
    source = root / "reports" / run
    if source.resolve() == (root / FOLDER).resolve():
        raise DataError(f"{source} is the destination itself; specify the run to publish.")
    missing = [name for name in NEEDED if not (source / name).is_file()]
    if missing:
        raise DataError(
            f"{source} has no {', '.join(missing)}: finish the run (make all) before you publish "
            "it."
        )
    history = History(root, run)
    _check_hashes(history, root, [source / name for name in NEEDED])
    # Other files there are left from other configurations.
    steps = history.steps(f"reports/{run}/{name}" for name in NEEDED)
    contents = _tables_and_figures(history, source)
    page = history.maker(f"reports/{run}/index.html")
    pages = [root / entry["path"] for entry in page["outputs"] if entry["path"].endswith(".html")]
    _check_hashes(history, root, [*(source / name for name in contents), *pages])
    for path in (chain["path"] for chain in chain_rows(steps)):
        if not (root / path).exists():
            raise _outdated(f"{path} is missing")
    if not smaller:
        _refuse_larger(root, source)
    contents |= {name: (source / name).read_bytes() for name in NEEDED[:3]}
    contents |= _overview(source / "comparison.csv")
    settings = yaml.safe_load((source / "configuration.yaml").read_text(encoding="utf-8"))
    told = yaml.safe_dump(without_paths(settings), sort_keys=False, allow_unicode=True)
    contents["configuration.yaml"] = told.encode()
    contents["chains.csv"] = _csv(CHAIN_COLUMNS, chain_rows(steps))
    tables = [f"reports/{run}/{name}" for name in contents if name.startswith("tables/")]
    contents |= _costs(history, steps, tables)
    contents = dict(map(_packed, contents.items()))
    facts = facts_of(steps, root, source)
    manifest = len(json.dumps(facts, indent=1)) + MANIFEST_LINE * (len(contents) + 20)
    room = MAX_BYTES - sum(map(len, contents.values())) - manifest
    contents |= _pages(pages, contents, room)
    facts["files"] = {}
    for name in sorted(contents):
        content, maker = contents[name], history.maker(f"reports/{run}/{name.removesuffix(PACKED)}")
        entry = {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
        if maker is not None and maker["code"].get("commit"):
            entry["commit"] = maker["code"]["commit"]
        facts["files"][name] = entry
    contents[MANIFEST] = (json.dumps(facts, indent=1, ensure_ascii=False) + "\n").encode()
    total = sum(map(len, contents.values()))
    if total > MAX_BYTES:
        largest = sorted(contents, key=lambda name: -len(contents[name]))[:5]
        raise DataError(
            f"The published run would take {total / 1e6:.1f} MB, more than the "
            f"{MAX_BYTES / 1e6:.0f} MB that a repository should keep; the largest files are "
            f"{', '.join(largest)}."
        )
    _check_paths(contents, root)
    with atomic_folder(root / FOLDER) as folder:
        for name, content in contents.items():
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
    return root / FOLDER


def _outdated(said: str) -> DataError:
    return DataError(f"{said}; run the workflow again before you publish it.")


def _refuse_larger(root: Path, source: Path) -> None:
    """Raise a DataError if the published run has a larger scale, or more tables and figures."""
    manifest = root / FOLDER / MANIFEST
    if not manifest.is_file():
        return
    published, card = read_manifest(manifest), read_card(source)
    remedy = "add --smaller (make publish ARGS=--smaller) to replace it."
    before, now = published["scale"], card["scale"]
    if {now, before} <= {*SCALES} and SCALES.index(now) < SCALES.index(before):
        raise DataError(
            f"{root / FOLDER} contains a run of the scale {before}, and {source.name} is only of "
            f"the scale {now}; {remedy}"
        )
    before, now = published["artefacts"]["made"], card["made"]
    if now < before:
        raise DataError(
            f"{root / FOLDER} contains a run with {before} tables and figures, and {source.name} "
            f"has only {now} of them; {remedy}"
        )


def _tables_and_figures(history, source):
    """Return the names and contents of the tables and figures from which the report was made."""
    page = history.maker(source.relative_to(history.root).joinpath("run.json").as_posix())
    shown = sorted(history.root / entry["path"] for entry in page["inputs"])
    tables = [path for path in shown if path.match(f"reports/{source.name}/tables/*.csv")]
    figures = [path for path in shown if path.match(f"reports/{source.name}/figures/*.svg")]
    if not tables:
        raise DataError(f"{source / 'tables'} contains no tables; run the workflow first.")
    for entry in page["inputs"]:
        if history.made_again(entry):
            raise _outdated(f"{entry['path']} was made again after the report")
    paths = [*tables, *map(_lighter, figures)]
    return {path.relative_to(source).as_posix(): path.read_bytes() for path in paths}


def _overview(path):
    """Draw all published numbers, except times, against ours."""
    from reseat.plots import published_against_ours, save_figure

    comparison = pd.read_csv(path)
    counted = comparison[comparison["counted"].astype(bool) & comparison["why"].ne(TIME)]
    with tempfile.TemporaryDirectory() as folder:
        paths = save_figure(published_against_ours(counted), Path(folder, "overview"))
        kept = _lighter(paths["svg"])
        return {kept.name: kept.read_bytes()}


def _lighter(vector):
    """Return the SVG, or the PNG beside it if the SVG is large and the PNG is smaller."""
    raster, size = vector.with_suffix(".png"), vector.stat().st_size
    smaller = raster.is_file() and raster.stat().st_size < size
    return raster if size > LARGE_SVG and smaller else vector


def _check_hashes(history, root, paths):
    """Raise a DataError for a file that has changed since its job wrote it."""
    made = history.outputs
    for path in paths:
        name = path.relative_to(root).as_posix()
        if not path.is_file():
            raise _outdated(f"{path} is missing")
        if name not in made:
            raise DataError(
                f"{path} has no record of the job that wrote it; run the workflow again."
            )
        if sha256_of(path) != made[name]["sha256"]:
            rule = history.maker(name)["rule"]
            raise _outdated(f"{path} has changed since the job {rule} wrote it")


def _costs(history, steps, tables):
    """Return the tables of the costs of jobs and of artefacts."""
    logs = (step.record["log"] for step in steps)
    measured = read_benchmarks(logs, history.root).set_index("job").dropna()
    jobs = costs.job_costs(steps, measured.to_dict("index"))
    artefacts = costs.artefact_costs(history, tables, jobs)
    own = [{"job": name} | cost for name, cost in jobs.items()]
    summed = [{"artefact": name} | cost for name, cost in artefacts.items()]
    measures = ("seconds", "memory_mb", "disk_mb")
    return {
        costs.JOB_COSTS: _csv(("job", "rule", *measures), own),
        costs.ARTEFACT_COSTS: _csv(("artefact", "jobs", *measures), summed),
    }


def _csv(columns, rows):
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def _pages(pages, contents, room):
    """Return the pages as far as they fit, and for others one that says how to make it."""

    def importance(page):
        return page.name != "index.html", page.name in NUMBERS_OF, page.stat().st_size, page.name

    pages = sorted(pages, key=importance)
    known = {*contents, MANIFEST, *(page.name for page in pages)}
    found = {}
    for page in pages:
        content = repair_links(page.read_text(encoding="utf-8"), known).encode()
        for what, instead in SHORTENED:
            if len(content) > room:
                content = what.sub(instead, content)
        if len(content) > room:
            content = _left_out(page.name, known).encode()
        room -= len(content)
        found[page.name] = content
    return found


def _packed(entry):
    """Return the name and content of a file, compressed if it is a large table."""
    name, content = entry
    if not name.endswith(".csv") or len(content) <= LARGE_TABLE:
        return entry
    return name + PACKED, gzip.compress(content, mtime=0)  # no time stamp


def _left_out(name, known):
    files = NUMBERS_OF.get(name, ("comparison.csv",))
    files = [file if file in known else file + PACKED for file in files]
    numbers = " and ".join(f'<a href="{file}">{file}</a>' for file in files)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><meta charset="utf-8"><title>{name}</title>\n'
        "<p>This page is too large to keep with the published run. <code>make all</code> makes "
        f'it; its numbers are in {numbers}. <a href="index.html">Back</a></p></html>\n'
    )


def _check_paths(contents, root):
    for name, content in contents.items():
        if name.endswith(".png"):
            continue
        text = (gzip.decompress(content) if name.endswith(PACKED) else content).decode()
        if found := machine_paths(text, root):
            raise DataError(
                f"{name} contains a path of this machine ({found[0]}); nothing was published."
            )


ANCHOR = re.compile(r'<a\b[^>]*?\bhref="([^"]*)"[^>]*>(.*?)</a>', re.S)
#: Texts of links to the formats of a figure, of which one is published.
FORMATS = ("PDF", "PNG", "SVG")
HREF = re.compile(r'\s*\bhref="[^"]*"')
#: A figure as a whole, followed by its panels one by one, which are parts of an SVG.
PANELS = re.compile(
    r'class="sheet whole" (href="([^"]*)"[^>]*>.*?</a>)\s*<div class="sheet panels">.*?</div>', re.S
)
IMAGE = re.compile(r'(<img\b[^>]*?\bsrc=")([^"]*)(")')


def without_paths(settings: Any) -> Any:
    """Return settings in which paths outside the project are reduced to their last part."""
    if isinstance(settings, dict):
        return {key: without_paths(value) for key, value in settings.items()}
    if isinstance(settings, list):
        return [without_paths(value) for value in settings]
    # The default folder of mirrors is beside the project; anything further away is the user's.
    if isinstance(settings, str) and settings.startswith(("/", "~", "../..")):
        return PurePosixPath(settings).name
    return settings


def machine_paths(text: str, root: str | os.PathLike) -> list[str]:
    """Return those of the project's folder and the user's home folder that a text mentions."""
    folders = {str(Path(root).resolve()), str(Path.home())} - {"/"}
    # Only as whole names: a short path such as /root may also be part of a longer name, and /code
    # of the tag </code>.
    whole = r"(?<![\w./<-]){}(?![\w-])"
    return [one for one in sorted(folders) if re.search(whole.format(re.escape(one)), text)]


def repair_links(page: str, published: set[str]) -> str:
    """Return a page with links to what is not published removed, and PNGs where SVGs are not."""

    def place(target):
        """Return the new target of a link, or an empty string if the file is not published."""
        path = target.partition("#")[0]
        if not path or ":" in path or path in published:
            return target
        if path + PACKED in published:
            return path + PACKED
        raster = str(PurePosixPath(path).with_suffix(".png"))
        return raster if path.endswith(".svg") and raster in published else ""

    def link(found):
        target = place(found[1])
        if not target:  # <a> stays: SVG has no <span>
            return "" if found[2] in FORMATS else HREF.sub("", found[0], count=1)
        return found[0].replace(f'href="{found[1]}"', f'href="{target}"', 1)

    def image(found):
        start, target, end = found.groups()
        return start + (place(target) or target) + end

    def sheet(found):
        return found[0] if place(found[2]) == found[2] else f'class="sheet" {found[1]}'

    return IMAGE.sub(image, ANCHOR.sub(link, PANELS.sub(sheet, page)))


def chain_rows(steps: Sequence[Step]) -> Iterator[dict[str, Any]]:
    """Yield every chain that some jobs ran with the hash of its file, ordered by path."""
    found = {}
    for step in steps:
        hashes = {}  # of each file that is an output, or lies in one
        for entry in step.record["outputs"]:
            hashes[entry["path"]] = entry["sha256"]
            for name, sha256 in entry.get("files", {}).items():
                hashes[f"{entry['path']}/{name}"] = sha256
        for chain in step.record["chains"]:
            found[chain["path"]] = chain | {"sha256": hashes[chain["path"]]}
    for path in sorted(found):
        yield found[path]


def facts_of(steps: Sequence[Step], root: Path, source: Path) -> dict[str, Any]:
    """Return what a reader has to know about a run to judge its numbers."""
    card = read_card(source)
    keys = ("version", "commit", "sources")
    versions = {tuple(step.record["code"].get(key) or "" for key in keys) for step in steps}
    return {
        "run": card["name"],
        "scale": card["scale"],
        "settings": card["settings"],
        "artefacts": {"made": card["made"], "known": card["artefacts"]},
        "code": [dict(zip(keys, version, strict=True)) for version in sorted(versions)],
        "jobs": len(steps),
        "hours": round(_seconds_at_work(steps) / 3600, 3),
        "chains": _chains(steps),
        "data": _data(steps),
        "costs": _cost_facts(steps, root),
    }


def _seconds_at_work(steps):
    """Return the time during which jobs ran, without pauses of a run that was interrupted."""
    times = sorted(
        tuple(datetime.fromisoformat(step.record[key]).timestamp() for key in ("started", "ended"))
        for step in steps
    )
    total, until = 0.0, float("-inf")
    for started, ended in times:
        total += max(0.0, ended - max(started, until))
        until = max(until, ended)
    return total


def _chains(steps):
    """Return the number of chains of each model on each data set, and the length of the longest."""
    found = {}
    for chain in chain_rows(steps):
        key = (Path(chain["path"]).parts[2], chain["dataset"], chain["model"])
        own = found.setdefault(key, {"chains": 0, "sweeps": 0})
        own["chains"] += 1
        own["sweeps"] = max(own["sweeps"], chain["burn_in"] + chain["n_samples"])
    names = ("family", "dataset", "model")
    return [dict(zip(names, key, strict=True)) | found[key] for key in sorted(found)]


def _data(steps):
    found = {entry["name"]: entry for step in steps for entry in step.record["data"]}
    keys = ("name", "title", "status", "stands_for", "sha256")
    return [{key: found[name].get(key) for key in keys} for name in sorted(found)]


def _cost_facts(steps, root):
    """Return the jobs, wall-clock and processor hours, and largest memory of a job, by family."""
    times = read_benchmarks((step.record["log"] for step in steps), root)
    costs = {}
    for family, own in times.groupby(times["job"].str.split("/").str[0]):
        memory = own["memory_mb"].max()
        costs[family] = {
            "jobs": len(own),
            "hours": round(own["seconds"].sum() / 3600, 3),
            "processor_hours": round(own["cpu_seconds"].sum() / 3600, 3),
            "largest_job_mb": None if math.isnan(memory) else round(memory),
        }
    return costs
