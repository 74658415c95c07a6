"""The published run: what is kept of a finished one."""

import gzip
import io
import json
import re
import socket

import numpy as np
import pandas as pd
import pytest
from finished_runs import PAGE, contents, make_published, make_run
from given_files import put

from reseat.errors import DataError
from reseat.files.atomic import sha256_of
from reseat.kept_run import PublishedRun, in_words, publish, read_costs, writing
from reseat.kept_run.writing import machine_paths, repair_links, without_paths
from reseat.plots import published_against_ours
from reseat.provenance.runs import benchmark_path

LINKS = '<a href="tables/docs_table2.csv">numbers</a> <a href="jobs.csv">jobs</a>'


def test_a_published_run_holds_what_it_should_and_twice_the_same(tmp_path, overview):
    folder = make_published(tmp_path)
    first = contents(folder)
    expected = {"index.html", "walker.html", "timings.html", "claims.csv", "comparison.csv"}
    expected |= {"diagnostics.csv", "configuration.yaml", "chains.csv", "manifest.json"}
    expected |= {"tables/docs_table2.csv", "figures/a.svg", "figures/b.png"}
    expected |= {"overview.svg", "jobs.csv", "costs.csv"}
    assert set(first) == expected
    manifest = json.loads(first["manifest.json"])
    for name, entry in manifest["files"].items():
        made = entry.pop("commit", "")  # known of what a job made
        assert made == ("abc" if name.startswith(("tables", "figures")) else made)
        assert entry == {"sha256": sha256_of(folder / name), "bytes": len(first[name])}
    assert set(manifest["files"]) == expected - {"manifest.json"}
    chains = pd.read_csv(folder / "chains.csv")
    assert chains["sha256"].tolist() == [
        sha256_of(tmp_path / "results/standard/documents/news/chain-0.nc")
    ]
    assert manifest["chains"] == [
        {"family": "documents", "dataset": "news", "model": "gibbs", "chains": 1, "sweeps": 30}
    ]
    (folder / "left over").write_text("")
    publish(tmp_path, "standard")
    assert contents(folder) == first
    again = overview(tmp_path / "reports" / "standard" / "comparison.csv")
    assert again == {"overview.svg": first["overview.svg"]}


def test_large_tables_are_compressed_and_read(tmp_path, monkeypatch):
    reports = make_run(tmp_path, "standard", pages={"walker": PAGE + LINKS}.items())
    plain = PublishedRun(publish(tmp_path, "standard"))
    whole = contents(plain.folder)
    before = {name: plain.table(name) for name in ("docs_table2", "comparison", "claims")}
    board = plain.scoreboard
    table = (reports / "tables" / "docs_table2.csv").read_bytes()
    monkeypatch.setattr(writing, "LARGE_TABLE", len(table) - 1)
    folder = publish(tmp_path, "standard")
    found = contents(folder)
    packed = {name for name in found if name.endswith(".gz")}
    assert {"comparison.csv.gz", "tables/docs_table2.csv.gz"} <= packed
    assert {name.removesuffix(".gz") for name in found} == set(whole) and len(found) == len(whole)
    assert {"jobs.csv", "diagnostics.csv"} <= set(found)
    assert gzip.decompress(found["tables/docs_table2.csv.gz"]) == table
    assert b'<a href="tables/docs_table2.csv.gz">' in found["walker.html"]
    assert b'<a href="jobs.csv">' in found["walker.html"]
    assert packed <= set(json.loads(found["manifest.json"])["files"])
    run = PublishedRun(folder)
    assert run.names() == ["docs_table2"]
    assert all(run.table(name).equals(table) for name, table in before.items())
    assert run.scoreboard.equals(board)
    assert contents(publish(tmp_path, "standard")) == found

    # A path of this machine is also found in compressed files.
    hidden = {"a.csv.gz": gzip.compress(f"value\n{tmp_path}\n".encode())}
    with pytest.raises(DataError, match=r"a\.csv\.gz contains a path of this machine"):
        writing._check_paths(hidden, tmp_path)


def test_what_an_earlier_configuration_left_is_not_published(tmp_path):
    """It left chains, a table, a figure, a page, and the records and times of their jobs."""
    reports = make_run(tmp_path, "standard")
    before = contents(publish(tmp_path, "standard"))
    (reports / "notes.html").write_text("of an earlier version, or mine")
    provenance = tmp_path / "results" / "standard" / "provenance"
    stale = json.loads((provenance / "all.json").read_text())
    table, figure = reports / "tables" / "docs_table9.csv", reports / "figures" / "docs_fig9.svg"
    table.write_bytes((reports / "tables" / "docs_table2.csv").read_bytes())
    figure.write_text("<svg/>")
    block = "results/standard/documents/news/block-1"
    chain = tmp_path / block / "chain-1.nc"
    put(chain, b"other draws")
    stale["log"] = "logs/standard/documents/stale.log"
    stale["data"] = [{"name": "mail", "status": "faithful", "sha256": {}}]
    stale["chains"] = [stale["chains"][0] | {"path": f"{block}/chain-1.nc", "chain": 1}]
    folder = {"path": block, "sha256": "3", "size": 5, "files": {"chain-1.nc": sha256_of(chain)}}
    stale["outputs"] = [folder] + [
        {"path": path.relative_to(tmp_path).as_posix(), "sha256": sha256_of(path), "size": 9}
        for path in (table, figure)
    ]
    (provenance / "stale.json").write_text(json.dumps(stale))
    times = tmp_path / benchmark_path(stale["log"])
    put(times, "s\tmax_rss\tcpu_time\n1.0\t100.0\t1.0\n")
    assert contents(publish(tmp_path, "standard")) == before


def test_jobs_and_artefacts_have_their_costs(tmp_path):
    folder = make_published(tmp_path)
    assert read_costs(folder / "jobs.csv")["documents/all"]["seconds"] == "90.0"
    assert PublishedRun(folder).manifest["hours"] == 0.025
    cost = read_costs(folder / "costs.csv")["docs_table2"]
    assert cost["jobs"] == "1" and cost["seconds"] == "90"
    assert in_words(cost).split()[:2] == ["2", "min"]
    assert read_costs(tmp_path / "none.csv") == {}
    # Memory that could not be measured is not known.
    times = tmp_path / benchmark_path("logs/standard/documents/all.log")
    put(times, "s\tmax_rss\tcpu_time\n1.0\t-\t-\n")
    costs = PublishedRun(publish(tmp_path, "standard")).manifest["costs"]
    assert costs["documents"]["largest_job_mb"] is None


def test_nothing_published_names_the_machine(tmp_path, monkeypatch):
    text = b"\n".join(contents(make_published(tmp_path)).values()).decode()
    assert str(tmp_path) not in text and not re.search(rf"\b{socket.gethostname()}\b", text)
    assert "mine: mine.csv" in text and "../shared/data" in text
    assert without_paths({"a": ["/x/y", "~/z", "../../u/v", "plain", 3]}) == {
        "a": ["y", "z", "v", "plain", 3]
    }
    home = "/" + "short"
    monkeypatch.setenv("HOME", home)
    assert machine_paths(f"see {home}/data.csv", tmp_path) == [home]
    assert machine_paths(f"see a{home}, {home}er and https://b.org{home}", tmp_path) == []
    assert machine_paths(f"<short>tag<{home}>", tmp_path) == []
    make_run(tmp_path, "other", pages={"index": f"<p>{tmp_path}/x</p>"})
    with pytest.raises(DataError, match="index.html contains a path of this machine"):
        publish(tmp_path, "other")


def test_the_overview_has_a_panel_a_paper_and_a_point_a_number():
    text = """paper,published,ours,error,combined_error,verdict
a,0.5,0.6,0.1,0.2,agree\na,2.0,,,,differ\nb,100.0,80.0,,,not converged\n"""
    table = pd.read_csv(io.StringIO(text))
    panels = published_against_ours(table).axes
    assert [panel.get_title(loc="left") for panel in panels if panel.axison] == ["a", "b"]
    for panel, points in ((panels[0], [[0.5, 0.6]]), (panels[1], [[100.0, 80.0]])):
        drawn = [container.lines[0].get_xydata() for container in panel.containers]
        assert np.concatenate(drawn).tolist() == points


def test_links_of_published_pages_lead_somewhere():
    page = repair_links(PAGE, {"walker.html", "figures/b.png", "figures/c.svg"})
    assert '<a href="walker.html#x">' in page
    # The link stays an <a>, as in an SVG an element of another name would hide its content.
    assert "<a>all</a>" in page and "<a>pdf</a>" in page
    assert 'href="https://example.org/"' in page and "b.svg" not in page
    # A PNG is shown whole at any width of the screen, as its panels cannot be shown alone.
    assert page.count("b.png") == 2
    assert '<a class="sheet" href="figures/b.png"><img src="figures/b.png"></a>' in page
    assert 'src="figures/c.svg#svgView(1)"' in page and page.count("sheet whole") == 1


#: Files of a run, whether they are removed or changed, and what is said.
CHANGED = "has changed since the job"
SPOILT = [
    ("results/standard/provenance/page.json", True, "has no record of the job that wrote it"),
    ("results/standard/documents/news/chain-0.nc", True, "is missing; run the workflow again"),
    ("reports/standard/comparison.csv", True, "has no comparison.csv: finish the run"),
    ("reports/standard/walker.html", True, "walker.html"),
    ("reports/standard/claims.csv", False, f"claims.csv {CHANGED} all wrote it"),
    ("reports/standard/walker.html", False, f"walker.html {CHANGED} page wrote it"),
    ("reports/standard/run.json", False, f"run.json {CHANGED} page wrote it"),
    ("reports/standard/configuration.yaml", False, f"configuration.yaml {CHANGED} page wrote it"),
]


@pytest.mark.parametrize(("name", "removed", "said"), SPOILT)
def test_a_run_that_is_not_as_its_jobs_left_it_is_not_published(tmp_path, name, removed, said):
    before = contents(make_published(tmp_path))
    path = tmp_path / name
    text = path.read_text()
    path.unlink()
    if not removed:
        path.write_text(text + " ")
    with pytest.raises(DataError, match=said):
        publish(tmp_path, "standard")
    assert contents(tmp_path / "reports" / "published") == before


def test_a_run_that_is_too_large_or_the_published_one_is_refused(tmp_path, monkeypatch):
    before = contents(make_published(tmp_path))
    with pytest.raises(DataError, match="is the destination itself"):
        publish(tmp_path, "published")
    monkeypatch.setattr(writing, "MAX_BYTES", 1000)
    with pytest.raises(DataError, match=r"would take 0\.0 MB, more than .* the largest files are"):
        publish(tmp_path, "standard")
    assert contents(tmp_path / "reports" / "published") == before


def test_a_page_gives_up_its_traces_and_then_its_tables_before_it_is_left_out(
    tmp_path, monkeypatch
):
    make_run(tmp_path, "standard", pages={"walker": "x" * 300_000})
    monkeypatch.setattr(writing, "MAX_BYTES", 300_000)
    folder = publish(tmp_path, "standard")
    assert "too large" in (folder / "walker.html").read_text()
    assert "too large" not in (folder / "timings.html").read_text()
    trace = '<svg class="trace">' + 100_000 * "1 " + "</svg>"
    fold = '<details class="card fold" id="news"><summary>News</summary>{}</details> last'
    page = f"before {trace} between {trace} after "
    for name, table, left in (
        ("short", "<table></table>", fold.format("<table></table>")),
        ("long", 400_000 * "t", '<p class="card fold" id="news">News</p> last'),
    ):
        make_run(tmp_path / name, "standard", pages={"timings": page + fold.format(table)})
        published = publish(tmp_path / name, "standard") / "timings.html"
        assert published.read_text() == f"before  between  after {left}"
