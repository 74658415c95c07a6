"""The catalogue of artefacts, the timings and the page."""

import getpass
import html.parser
import platform
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from matplotlib.figure import Figure

from reseat.errors import ConfigError, DataError
from reseat.experiments.documents.contingency import contingency_rows
from reseat.experiments.tidy import COLUMNS
from reseat.plots import save_figure
from reseat.report import (
    ReportInputs,
    build_page,
    chain_rates,
    describe_runs,
    environment,
    list_artefacts,
    load_artefacts,
    read_benchmarks,
    summarise_benchmarks,
    write_page,
)
from reseat.report.numbers import closeness, duration, number, signed
from reseat.report.views import claim_views, comparison_views, verdict_counts

ROOT = Path(__file__).resolve().parents[1]
CATALOGUE = ROOT / "config" / "artefacts.yaml"
SCHEMA = ROOT / "workflow" / "schemas" / "artefacts.schema.yaml"
N_ARTEFACTS = 12 + 10 + 8 + 11  # documents, records, distances, relational


# --- The catalogue ---------------------------------------------------------------------------


def test_catalogue_names_every_artefact_of_the_documents_paper():
    catalogue = load_artefacts(CATALOGUE, SCHEMA)
    names = {a.name for a in catalogue.of_family("documents")}
    tables = {f"docs_table{n}" for n in range(1, 8)}
    figures = {f"docs_fig{n}" for n in (2, 3, 4)}
    assert names == tables | figures | {"docs_extensions", "docs_readings"}
    assert catalogue.artefacts["docs_table5"].published == "Table 5"
    assert catalogue.artefacts["docs_fig3"].paper.short == "Walker & Ringger 2008"


def test_catalogue_names_every_artefact_of_the_records_paper():
    catalogue = load_artefacts(CATALOGUE, SCHEMA)
    kinds = {a.name: a.kind for a in catalogue.of_family("records")}
    figures = ("fig1", "fig2", "fig3", "thm1", "chaperones", "prior_check")
    assert {name for name, kind in kinds.items() if kind == "figure"} == {
        f"micro_{name}" for name in figures
    }
    tables = {"micro_table1", "micro_real", "micro_readings", "cross_priors"}
    assert {name for name, kind in kinds.items() if kind == "table"} == tables
    assert catalogue.artefacts["micro_fig3"].published == "Supplement, Figure 1"
    assert catalogue.artefacts["cross_priors"].paper.short == "Zanella et al. 2016"


def test_catalogue_names_every_artefact_of_the_relational_paper():
    catalogue = load_artefacts(CATALOGUE, SCHEMA)
    kinds = {a.name: a.kind for a in catalogue.of_family("relational")}
    figures = {f"firm_fig{n}" for n in range(1, 6)} | {"firm_vb_vs_gibbs"}
    assert {name for name, kind in kinds.items() if kind == "figure"} == figures
    tables = {f"firm_{name}" for name in ("table1", "coverage", "restarts", "svo", "kemp")}
    assert {name for name, kind in kinds.items() if kind == "table"} == tables
    assert catalogue.artefacts["firm_coverage"].published == "Section 5.2"
    assert catalogue.artefacts["firm_fig4"].paper.short == "Kurihara et al. 2006"
    assert all(len(artefact.shows) <= 120 for artefact in catalogue.artefacts.values())


def test_list_has_a_line_for_each_artefact():
    text = list_artefacts(load_artefacts(CATALOGUE))
    lines = [line for line in text.splitlines() if line.startswith("  docs_")]
    assert len(lines) == 12
    assert re.search(r"^  docs_table2 +Table 2 +Five scores", text, re.M)


def changed(tmp_path, **changes):
    raw = yaml.safe_load(CATALOGUE.read_text())
    for path, value in changes.items():
        *sections, last = path.split("__")
        place = raw
        for section in sections:
            place = place[section]
        place[last] = value
    copy = tmp_path / "artefacts.yaml"
    copy.write_text(yaml.safe_dump(raw))
    return copy


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("artefacts__docs_fig2__kind", "movie", "artefacts.docs_fig2.kind: 'movie' is none of"),
        ("artefacts__docs_fig2__colour", "red", "docs_fig2: the key 'colour' is not known"),
        ("artefacts__docs_fig2__paper", "nobody", "docs_fig2.paper: 'nobody' is not a key of pap"),
        ("papers__walker-ringger-2008__family", "x", "family: 'x' is not a key of families"),
        ("papers__walker-ringger-2008__year", "2008", "year: must be of type integer, not '2008'"),
    ],
)
def test_a_wrong_catalogue_is_refused_in_a_sentence(tmp_path, path, value, words):
    with pytest.raises(ConfigError, match=words):
        load_artefacts(changed(tmp_path, **{path: value}), SCHEMA)


def test_a_catalogue_that_is_not_yaml_is_refused(tmp_path):
    (tmp_path / "a.yaml").write_text("families: [")
    with pytest.raises(ConfigError, match="a.yaml cannot be read as YAML"):
        load_artefacts(tmp_path / "a.yaml")


# --- Numbers ---------------------------------------------------------------------------------


def test_numbers_are_short_and_honest():
    assert number(0.420174) == "0.4202"
    assert number(-0.00017) == "−0.0002"
    assert number(0.00001) == "1.0e−05"
    assert number(0.0) == "0.0000"
    assert number(1234567) == "1\u202f234\u202f567"
    assert number(123.456) == "123.5"
    assert number(float("nan")) == "–"
    assert signed(0.5) == "+0.5000" and signed(-0.5) == "−0.5000"
    assert [duration(s) for s in (0.44, 61, 200, 7500)] == [
        "0.4 s",
        "61 s",
        "3 min 20 s",
        "2 h 05 min",
    ]


def test_closeness_is_relative_to_the_published_value():
    assert closeness(1.019, 1.0) == "same"
    assert closeness(0.91, 1.0) == "near"
    assert closeness(0.4, 1.0) == "far"
    assert closeness(0.0, 0.0) == "same" and closeness(1e-9, 0.0) == "far"
    assert closeness(np.nan, 1.0) == closeness(1.0, np.nan) == ""


# --- Timings ---------------------------------------------------------------------------------


HEADER = "s\th:m:s\tmax_rss\tmax_vms\tmax_uss\tmax_pss\tio_in\tio_out\tmean_load\tcpu_time\n"


@pytest.fixture
def benchmarks(tmp_path):
    files = {
        "documents/news/gibbs/chains/block-0": (10.0, 100.0),
        "documents/news/gibbs/chains/block-11": (30.0, 150.0),
        "documents/news/gibbs/scores": (5.0, 80.0),
        "documents/news/gibbs_dp/chains-3": (7.0, 90.0),
        "documents/docs_table2": (1.5, 60.0),
    }
    for name, (seconds, memory) in files.items():
        path = tmp_path / f"{name}.tsv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{HEADER}{seconds}\t0:00:10\t{memory}\t1\t-\t-\t0\t0\t99\t{seconds}\n")
    (tmp_path / "documents/unfinished.tsv").write_text("")
    return read_benchmarks(tmp_path.rglob("*.tsv"), tmp_path)


def test_benchmarks_are_read_and_joined(benchmarks):
    assert len(benchmarks) == 5
    summary = summarise_benchmarks(benchmarks).set_index("job")
    blocks = summary.loc["documents/news/gibbs/chains/block-*"]
    assert tuple(blocks) == (2, 40.0, 30.0, 150.0)
    assert "documents/docs_table2" in summary.index
    assert summary["seconds"].is_monotonic_decreasing


def test_rates_count_chains_of_their_own_model_only(benchmarks):
    runs = [
        {"dataset": "news", "model": "gibbs", "n_chains": 100, "n_sweeps": 50},
        {"dataset": "news", "model": "gibbs_dp", "n_chains": 7, "n_sweeps": 10},
        {"dataset": "mail", "model": "gibbs", "n_chains": 7, "n_sweeps": 10},
    ]
    rates = chain_rates(benchmarks, runs)
    assert list(rates["model"]) == ["gibbs", "gibbs_dp"]
    assert rates.loc[0, "chains_per_second"] == 100 / 40
    assert rates.loc[0, "sweeps_per_second"] == 100 * 50 / 40
    assert rates.loc[1, "seconds"] == 7.0


def test_runs_take_their_length_from_the_traces(tmp_path):
    scores = pd.DataFrame(
        {
            "dataset": ["news"] * 3,
            "model": ["gibbs", "gibbs", "em_mle"],
            "chain": [0, 1, 0],
        }
    )
    path = tmp_path / "news" / "gibbs" / "traces.npz"
    path.parent.mkdir(parents=True)
    np.savez(path, log_joint=np.zeros((2, 30)), n_clusters=np.zeros((2, 30)), burn_in=10)
    gibbs, em = sorted(describe_runs(scores, [path]), key=lambda run: -run["n_chains"])
    assert (gibbs["n_chains"], gibbs["n_sweeps"], gibbs["burn_in"]) == (2, 30, 10)
    assert (em["model"], em["n_chains"], em["n_sweeps"]) == ("em_mle", 1, None)


def test_environment_names_versions_and_neither_host_nor_user():
    facts = environment()
    assert facts["numpy"] == np.__version__ and platform.python_version() in facts["Python"]
    text = " ".join(facts.values())
    assert platform.node() not in text
    assert f"/{getpass.getuser()}" not in text


# --- Views -----------------------------------------------------------------------------------


def tidy_rows(artefact, dataset, status, systems=("Gibbs", "EM")):
    rows = []
    for system in systems:
        for metric, mean, printed in (
            ("ARI", 0.25, 0.2510),
            ("VI", 2.0, 3.0),
            ("own", 1.5, np.nan),
        ):
            rows.append(
                dict(
                    zip(
                        COLUMNS,
                        (artefact, "role", dataset, status, status == "faithful", system, "map"),
                        strict=False,
                    )
                )
                | {"metric": metric, "mean": mean, "se": 0.01, "n_chains": 8}
                | {"published": printed, "difference": mean - printed, "z": -1.25}
            )
    return pd.DataFrame(rows, columns=list(COLUMNS))


def test_comparison_marks_sizes_on_the_papers_own_data_only():
    ours = comparison_views(tidy_rows("t", "news", "faithful"), {"news": "News"})[0]
    assert ours["title"] == "News" and [m["arrow"] for m in ours["metrics"]] == ["↑", "↓", "↑"]
    cells = ours["rows"][0]["cells"]
    assert [cell["mark"] for cell in cells] == ["same", "far", ""]
    assert cells[0]["published"] == "0.2510" and cells[0]["difference"] == "−0.0010"
    assert cells[0]["z"] == "−1.2" and cells[2]["published"] == ""
    other = comparison_views(tidy_rows("t", "mail", "stand-in"), {})[0]
    assert [cell["mark"] for cell in other["rows"][0]["cells"]] == ["", "", ""]
    assert other["rows"][0]["cells"][0]["difference"] == "−0.0010"


def test_counts_rates_and_the_true_value_of_a_records_table():
    rows = tidy_rows("t", "italy_d02", "faithful", systems=("DP",))
    rows = rows.assign(
        metric=["E[K]", "FNR", "E[delta]"],
        mean=[594.04, 0.074, 0.0213],
        published=[593.9, 0.03, 0.02],
        truth=[587.0, 0.0, 0.02],
        agrees=[True, False, np.nan],
    )
    view = comparison_views(rows, {})[0]
    assert [m["arrow"] for m in view["metrics"]] == ["", "↓", ""]
    clusters, missed, delta = view["rows"][0]["cells"]
    assert (clusters["mean"], clusters["truth"], clusters["mark"]) == ("594.0", "587", "agrees")
    # An error rate is its own distance from the truth.
    assert (missed["mean"], missed["truth"], missed["mark"]) == ("0.0740", "", "differs")
    assert (delta["mean"], delta["truth"], delta["mark"]) == ("0.0213", "0.0200", "")
    elsewhere = comparison_views(rows.assign(comparable=False), {})[0]["rows"][0]["cells"]
    assert [cell["mark"] for cell in elsewhere] == ["", "", ""]


NAN = np.nan
PAPER = "Walker & Ringger 2008"
CLAIMS = pd.DataFrame(
    [
        (PAPER, "DOC-1: one beats <two>", "confirmed", 0.1, 0.05, 0.15, "On a & b."),
        (PAPER, "DOC-3: marginal wins", "untestable", NAN, NAN, NAN, "None."),
        (PAPER, "DOC-3 (as printed): marginal wins", "refuted", 0.3, NAN, NAN, "Table."),
    ],
    columns=["paper", "claim", "verdict", "effect", "low", "high", "evidence"],
)


def test_claims_are_joined_with_their_printed_form_and_counted_once():
    first, third = claim_views(CLAIMS)["Walker & Ringger 2008"]
    assert first["statement"] == "One beats <two>"
    assert first["measured"][0]["interval"] == "[0.0500, 0.1500]" and first["printed"] == []
    assert third["key"] == "DOC-3" and third["measured"][0]["verdict"] == "untestable"
    assert third["printed"][0]["effect"] == "0.3000"
    assert verdict_counts(CLAIMS) == {"confirmed": 1, "refuted": 0, "untestable": 1}


# --- The page --------------------------------------------------------------------------------

VOID = {"area", "br", "col", "hr", "img", "input", "link", "meta", "wbr"}


class Reader(html.parser.HTMLParser):
    """Collects tags and attributes, and checks that elements are closed in order."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.text = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> closes <{self.open[-1:]}>"
        self.open.pop()

    def handle_data(self, data):
        if self.open[-1:] != ["style"]:
            self.text.append(data)


@pytest.fixture
def inputs(tmp_path, benchmarks):
    tables, figures = tmp_path / "reports" / "tables", tmp_path / "reports" / "figures"
    tables.mkdir(parents=True)
    tidy_rows("docs_table2", "news", "faithful").to_csv(tables / "docs_table2.csv", index=False)
    tidy_rows("docs_table3", "mail", "stand-in").to_csv(tables / "docs_table3.csv", index=False)
    pd.DataFrame({"dataset": ["news"], "status": ["faithful"]}).to_csv(
        tables / "docs_fig2.csv", index=False
    )
    fig = Figure(figsize=(2, 1))
    fig.subplots().plot([0, 1])
    save_figure(fig, figures / "docs_fig2")
    identity = {"artefact": "t", "role": "r", "dataset": "news", "status": "faithful"}
    true, pred = np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1])
    counts = contingency_rows(identity, true, ("a.b", "c"), [pred], 10, {})
    counts.to_csv(tables / "docs_table7.csv", index=False)
    card = {
        "name": "news",
        "title": "News <19,997>",
        "status": "faithful",
        "stands_for": "",
        "licence": "",
        "citation": "Lang (1995)",
        "note": "",
        "sha256": {"news.tar.gz": "0" * 64},
        "preprocessing": {"stop_list": "short", "options": {"min_length": 2}},
        "sizes": {"documents": 19997},
        "role": "newsgroups",
    }
    other = card | {"name": "mail", "title": "Mail", "status": "stand-in", "stands_for": "Enron"}
    return ReportInputs(
        scale="standard",
        catalogue=load_artefacts(CATALOGUE, SCHEMA),
        tables=tables,
        figures=figures,
        claims=CLAIMS,
        datasets=[card, other],
        runs=[
            {"dataset": "news", "model": "gibbs", "n_chains": 8, "n_sweeps": 50, "burn_in": 10},
            {
                "dataset": "news",
                "model": "em_mle",
                "n_chains": 4,
                "n_sweeps": None,
                "burn_in": None,
            },
        ],
        benchmarks=benchmarks,
        environment={"reseat": "0.1", "numpy": "2.4"},
        settings={"seed": 7},
    )


@pytest.fixture
def page(inputs):
    return build_page(inputs)


def read(page):
    reader = Reader()
    reader.feed(page)
    assert reader.open == []
    return reader


def test_page_is_well_formed_and_refers_to_nothing_outside(page):
    reader = read(page)
    ids = [attrs["id"] for _tag, attrs in reader.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    for tag, attrs in reader.tags:
        for key in ("src", "href", "srcset", "action", "poster"):
            target = attrs.get(key)
            if target is None:
                continue
            if target.startswith("#"):
                assert target[1:] in ids, f"<{tag}> points to {target}, which is not there"
            else:
                allowed = ("data:", "tables/", "figures/", "claims.csv")
                assert target.startswith(allowed), f"<{tag} {key}='{target}'>"
        assert tag not in ("script", "link") or attrs.get("href") == "data:,"
    style = re.search(r"<style>(.*?)</style>", page, re.S).group(1)
    assert "url(" not in style and "@import" not in style


def test_page_shows_numbers_marks_badges_and_escapes(page):
    text = re.sub(r"[ \n]+", " ", " ".join(read(page).text))
    for words in (
        "0.2500",
        "paper 0.2510",
        "News <19,997>",
        "One beats <two>",
        "On a & b.",
        "As printed",
        "19\u202f997",
        "block-*",
    ):
        assert words in text, words
    assert text.count("Not made in this run.") == N_ARTEFACTS - 4
    for kind in ("faithful", "stand-in", "confirmed", "refuted", "untestable"):
        assert f'class="badge {kind}"' in page
    assert 'class="mark same"' in page
    # One table of the two is on the paper's own data; both legends and cells carry its marks.
    stand_in = page[page.index('id="docs_table3"') : page.index('id="docs_table4"')]
    assert 'class="mark' not in stand_in and "they do not measure agreement" in stand_in


def test_every_picture_has_a_text(page):
    images = [attrs for tag, attrs in read(page).tags if tag == "img"]
    assert len(images) == 3  # Figure 2 and the dot plots of Tables 2 and 3
    assert all(len(attrs["alt"]) > 20 for attrs in images)
    assert any("News" in attrs["alt"] for attrs in images)


def test_wide_content_scrolls_in_a_box_of_its_own(page):
    reader = html.parser.HTMLParser()
    boxes = []

    def start(tag, attrs):
        if tag == "table":
            assert boxes and boxes[-1], "a table stands outside a scrolling box"
        if tag == "div":
            boxes.append("scroll" in (dict(attrs).get("class") or ""))

    reader.handle_starttag = start
    reader.handle_endtag = lambda tag: boxes.pop() if tag == "div" else None
    reader.feed(page)
    assert boxes == []
    assert re.search(r"\.scroll\s*{[^}]*overflow-x: auto", page)
    assert "prefers-color-scheme: dark" in page
    assert 'name="viewport" content="width=device-width, initial-scale=1"' in page


def test_page_is_the_same_every_time_and_written_whole(inputs, page, tmp_path):
    write_page(inputs, tmp_path / "reports" / "index.html")
    assert (tmp_path / "reports" / "index.html").read_text(encoding="utf-8") == page


def test_an_empty_table_is_refused(inputs):
    path = inputs.tables / "docs_table2.csv"
    path.write_text(path.read_text().splitlines()[0] + "\n")
    with pytest.raises(DataError, match="docs_table2.csv has no rows"):
        build_page(inputs)


def test_page_without_anything_made_still_says_so(tmp_path):
    page = build_page(
        ReportInputs(
            scale="demo",
            catalogue=load_artefacts(CATALOGUE),
            tables=tmp_path,
            figures=tmp_path,
            claims=CLAIMS.iloc[:0],
        )
    )
    text = " ".join(read(page).text)
    assert (
        text.count("Not made in this run.") == N_ARTEFACTS and "No timings were recorded." in text
    )
