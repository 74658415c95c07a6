"""Finished runs of one table, two figures and one chain, to be published."""

import json

import pandas as pd

from reseat.files.atomic import sha256_of
from reseat.kept_run import writing

WALKER = "Walker & Ringger 2008"
PAGE = """<html><a href="walker.html#x">in</a><a href="../runs.html">all</a>
<a href="figures/a.pdf">pdf</a><a href="https://example.org/">out</a>
<a class="sheet whole" href="figures/b.svg"><img src="figures/b.svg"></a>
<div class="sheet panels"><img src="figures/b.svg#svgView(viewBox(0,0,1.5,2))"></div>
<a class="sheet whole" href="figures/c.svg"><img src="figures/c.svg"></a>
<div class="sheet panels"><img src="figures/c.svg#svgView(1)"></div></html>
"""


COMPARISON = f"""paper,artefact,label,verdict,counted,published,ours,error,combined_error,why
{WALKER},docs_table2,Table 2,agree,True,0.5,0.51,0.01,0.014,
{WALKER},docs_table2,Table 2,differ,True,2.0,3.0,,,
{WALKER},docs_table2,Table 2,differ,False,2.0,3.0,,,
{WALKER},docs_table2,Table 2,not comparable,True,1000.0,,,,
"""
CLAIMS = f"""paper,claim,verdict,effect,low,high,evidence
{WALKER},DOC-1: one beats the other,refuted,,,,
{WALKER},DOC-1 (as printed): one beats the other,confirmed,,,,
"""


def tidy(means, errors, n_chains=8):
    """Return a table of one metric of two systems."""
    same = {"artefact": "docs_table2", "dataset": "news", "status": "faithful"}
    numbers = {"mean": means, "se": errors, "n_chains": n_chains, "published": [2.16, 2.6]}
    return pd.DataFrame({**same, "system": ["Gibbs", "EM"], "metric": "VI", **numbers})


def make_run(root, name, means=(2.1, 2.5), scale="standard", pages=()):
    """Write a finished run of one table, two figures and one chain, with the records of its jobs.

    `pages` gives the contents of some of its pages. Returns the folder of its reports.
    """
    reports, results = root / "reports" / name, root / "results" / name
    for folder in ("tables", "figures"):
        (reports / folder).mkdir(parents=True)
    tidy(means, (0.01, 0.02)).to_csv(reports / "tables" / "docs_table2.csv", index=False)
    (reports / "figures" / "a.svg").write_text("<svg/>")
    (reports / "figures" / "b.svg").write_text("<svg>" + "x" * writing.LARGE_SVG + "</svg>")
    (reports / "figures" / "b.png").write_bytes(b"png")
    (reports / "comparison.csv").write_text(COMPARISON)
    (reports / "claims.csv").write_text(CLAIMS)
    (reports / "diagnostics.csv").write_text("family,rhat\n")
    (reports / "configuration.yaml").write_text(
        f"scale: standard\ndata:\n  paths: {{mine: {root}/mine.csv}}\n  mirrors: [../shared/data]\n"
    )
    for page in ("index", "walker", "timings"):
        (reports / f"{page}.html").write_text(dict(pages).get(page, PAGE))
    card = {"name": name, "scale": scale, "settings": {"seed": 7}, "made": 1, "artefacts": 52}
    (reports / "run.json").write_text(json.dumps(card))
    chain = results / "documents" / "news" / "chain-0.nc"
    chain.parent.mkdir(parents=True)
    chain.write_bytes(b"draws")
    schedule = {"burn_in": 10, "n_samples": 20, "thin": 3, "seed": 7, "chain": 0}
    schedule |= {"dataset": "news", "model": "gibbs"}

    def entries(paths, size):
        return [
            {"path": path.relative_to(root).as_posix(), "sha256": sha256_of(path), "size": size}
            for path in paths
        ]

    outputs = entries([*reports.glob("*/*"), *reports.glob("*.csv")], 500_000)
    pages = [*reports.glob("*.html"), reports / "configuration.yaml", reports / "run.json"]
    folder = chain.parent.relative_to(root).as_posix()
    made = {"path": folder, "sha256": "1"}
    record = {
        "format": 2,
        "run": name,
        "rule": "all",
        "log": f"logs/{name}/documents/all.log",
        "started": "2026-01-01T10:00:00.000+00:00",
        "ended": "2026-01-01T10:01:30.000+00:00",
        "code": {"version": "0.1.0", "commit": "abc", "sources": "def"},
        "inputs": [],
        "data": [{"name": "news", "status": "faithful", "sha256": {"news.txt": "0" * 64}}],
        "outputs": [*outputs, made | {"size": 5, "files": {chain.name: sha256_of(chain)}}],
        "chains": [schedule | {"path": f"{folder}/{chain.name}"}],
    }
    page = record | {
        "rule": "page",
        "log": f"logs/{name}/report/page.log",
        "inputs": [*outputs, made],
        "outputs": entries(pages, 10_000),
        "chains": [],
        "data": [],
    }
    (results / "provenance").mkdir()
    for job in (record, page):
        path = results / "provenance" / f"{job['rule']}.json"
        path.write_text(json.dumps(job))
    return reports


def make_published(root, **more):
    """Make a run called standard, publish it and return the folder of what is published."""
    make_run(root, "standard", **more)
    return writing.publish(root, "standard")


def contents(folder):
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
