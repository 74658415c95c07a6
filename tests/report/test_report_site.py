"""The pages of the report, read by a parser: links, anchors, pictures, and what they say."""

import dataclasses
import html.parser
import re
import shutil
from collections import Counter
from pathlib import PurePosixPath
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from site_inputs import CATALOGUE, CLAIMS, NAN, card, site_inputs, tidy_rows

from reseat.errors import DataError
from reseat.plots.beside_published import scaled
from reseat.report import ReportInputs, build_site, write_all_runs, write_site
from reseat.report.data import ReportData
from reseat.report.drawings import sparkline
from reseat.report.pages.front import overview
from reseat.report.pages.paper import how_made
from reseat.report.views import meaning
from reseat.summaries import AGREED
from reseat.vocabulary import NUMBER_VERDICTS

VOID = {"area", "br", "col", "hr", "img", "input", "link", "meta", "wbr"}
GENERAL = {"index.html", "data.html", "diagnostics.html", "timings.html"}


class Reader(html.parser.HTMLParser):
    """Collects tags and text, and checks that elements are closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.words = [], [], []
        self.feed(text)
        assert self.open == []

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            classes = (dict(attrs).get("class") or "").split()
            self.open.append((tag, classes))
        if tag == "table":
            assert any("scroll" in classes for _tag, classes in self.open), "a table without a box"

    def handle_endtag(self, tag):
        assert self.open and self.open[-1][0] == tag, f"</{tag}> closes {self.open[-1:]}"
        self.open.pop()

    def handle_data(self, data):
        if not self.open or self.open[-1][0] not in ("style", "script"):
            self.words.append(data)

    @property
    def text(self):
        return re.sub(r"[ \n]+", " ", " ".join(self.words))

    @property
    def ids(self):
        return [attrs["id"] for _tag, attrs in self.tags if "id" in attrs]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    return site_inputs(tmp_path_factory.mktemp("report") / "reports" / "standard")


@pytest.fixture(scope="module")
def site(inputs):
    return build_site(inputs)


@pytest.fixture(scope="module")
def pages(site):
    return {name: Reader(text) for name, text in site[0].items()}


@pytest.fixture(scope="module")
def written(inputs):
    """Return the files of a report that was written beside its tables."""
    paths = write_site(inputs, inputs.tables.parent)
    write_all_runs(inputs.tables.parents[1])
    return paths


def test_every_link_anchor_and_picture_is_there(written, site, pages):
    folder = written[0].parent
    for name, page in pages.items():
        repeated = [key for key, times in Counter(page.ids).items() if times > 1]
        assert not repeated, f"{name}: {repeated}"
        for tag, attrs in page.tags:
            assert tag not in ("iframe", "object")
            assert tag != "script" or not attrs  # inline, so that no other file or server is asked
            for key in ("src", "href", "srcset", "action", "poster"):
                target = attrs.get(key)
                if target is None or target.startswith("data:"):
                    continue
                file, _hash, anchor = target.partition("#")
                assert not re.match(r"\w+:|/", target), f"{name}: <{tag} {key}='{target}'>"
                # Except for the list of all runs, a report is self-contained.
                assert ".." not in PurePosixPath(file).parts or file == "../runs.html"
                if file:
                    assert (folder / file).is_file(), f"{name}: {target}"
                if anchor.startswith("svgView("):
                    assert file.endswith(".svg")
                elif anchor:
                    assert anchor in pages[file or name].ids, f"{name}: {target}"
    style = re.search(r"<style>(.*?)</style>", site[0]["index.html"], re.S).group(1)
    assert "url(" not in style and "@import" not in style


def test_every_page_can_be_reached_and_says_where_one_is(pages):
    for name, page in pages.items():
        links = [attrs for tag, attrs in page.tags if tag == "a"]
        assert links[0]["href"] == "#main" and links[0]["class"] == "skip"
        assert set(pages) <= {attrs["href"] for attrs in links}
        (here,) = [attrs["href"] for attrs in links if attrs.get("aria-current") == "page"]
        assert here == name
        viewport = {"name": "viewport", "content": "width=device-width, initial-scale=1"}
        assert ("meta", viewport) in page.tags
        assert [tag for tag, _attrs in page.tags].count("h1") == 1


def test_every_picture_has_a_text_and_every_box_a_name(pages):
    images = [attrs for page in pages.values() for tag, attrs in page.tags if tag == "img"]
    assert len(images) == 2  # each with a single panel
    assert all(len(attrs["alt"]) > 20 for attrs in images)
    assert any("News" in attrs["alt"] for attrs in images)
    drawn = [attrs for page in pages.values() for tag, attrs in page.tags if tag == "svg"]
    (against,) = {attrs["aria-label"] for attrs in drawn if "Walker" in attrs["aria-label"]}
    assert against == "Published numbers of Walker & Ringger 2008 against ours."
    dots = [attrs["aria-label"] for attrs in drawn if attrs["class"] == "dots"]
    assert len(dots) == 2 and all("measured and published values of" in text for text in dots)
    for page in pages.values():
        for tag, attrs in page.tags:
            if attrs.get("tabindex") == "-1":
                # The keyboard can skip dots, because their numbers are in the tables.
                assert tag == "main" or attrs["href"].partition("#")[2]
            elif "tabindex" in attrs:
                assert attrs["role"] == "region" and attrs["aria-label"], attrs
            if tag == "svg":
                assert attrs["role"] == "img" and attrs["aria-label"]
                kinds = ("dots", "overview")
                assert attrs["class"] in kinds or "after the burn-in" in attrs["aria-label"]


def test_the_scoreboard_is_counted_from_the_comparison(inputs, site, pages):
    comparison = site[1]
    counted = comparison[comparison["counted"].astype(bool)]
    table = re.search(r'<table class="score">.*?</table>', site[0]["index.html"], re.S).group(0)
    cells = re.findall(r"<td(?! colspan).*?</td>", table, re.S)
    cells = [re.sub(r"<[^>]+>", "", cell).strip() for cell in cells]
    rows = [list(map(int, cells[i : i + 7])) for i in range(0, len(cells), 7)]
    papers = [paper.short for paper in inputs.catalogue.papers.values()]
    for short, row in zip([*papers, None], rows, strict=True):
        mine = counted if short is None else counted[counted["paper"] == short]
        verdicts = mine["verdict"].value_counts()
        assert row[:4] == [verdicts.get(verdict, 0) for verdict in NUMBER_VERDICTS]
    found = dict(zip(papers, rows[:-1], strict=True))
    # Table 2 of the documents has both verdicts for each of two systems; table 3 is of other data.
    assert found["Walker & Ringger 2008"] == [2, 2, 0, 4, 1, 0, 1]
    # A time is not counted.
    assert found["Vogt et al. 2010"][:4] == [1, 0, 0, 0]
    assert found["Zanella et al. 2016"] == [0, 0, 0, 0, 0, 1, 0]
    # The only statement about it is this project's own.
    assert found["Kurihara et al. 2006"] == [0, 0, 0, 0, 0, 0, 0]
    assert "MIC-10" in pages["index.html"].text  # among the claims that did not hold
    assert "FIRM-8a" not in pages["index.html"].text
    assert comparison.loc[comparison["verdict"].eq("agree"), "why"].eq("").all()


def test_a_paper_shows_numbers_marks_claims_and_escapes(site, pages):
    page, text = pages["walker-ringger-2008.html"], pages["walker-ringger-2008.html"].text
    for words in ("0.250 ± 0.010", "0.251", "News <19,997>", "One beats <two>", "On a & b.",
                  "lead in <F>", "As printed"):  # fmt: skip
        assert words in text, words
    assert text.count("Not made in this run.") == 17 - 4
    assert "Computed from the clusters of this sample, mean over chains that disagree;" in text
    raw = site[0]["walker-ringger-2008.html"]
    second = raw[raw.index('id="docs_table2"') : raw.index('id="docs_table3"')]
    third = raw[raw.index('id="docs_table3"') : raw.index('id="docs_table4"')]
    # Two of each in the table, and one in its heading.
    assert second.count('class="mark same"') == second.count('class="mark far"') == 3
    assert 'class="mark' not in third and "other data in the paper" in third
    # The claims about a table are shown beside it and link to their evidence.
    assert 'href="#claim-doc-3"' in second and "claim-doc-3" in page.ids
    # The metrics are explained.
    assert f'title="{meaning("VI")}"' in raw and f"<dt>VI</dt><dd>{meaning('VI')}</dd>" in raw


@pytest.fixture(scope="module")
def odd(inputs):
    """Return pages of a run with groups of data sets, odd diagnostics and no published times."""
    drawn = {"preprocessing": {"parser": "generated_points"}}
    datasets = [
        card("near", "distances", "faithful", sha256={"data as read": "1" * 64}, **drawn),
        card("far", "distances", "faithful", sha256={"data as read": "2" * 64}, **drawn),
        card("a", "records", "own", sha256={"both.csv": "3" * 64, "a.csv": "4" * 64}),
        card("b", "records", "own", sha256={"both.csv": "3" * 64}),
        card("c", "documents", "own", sha256={"data as read": "5" * 64}),
    ]
    table = inputs.diagnostics.copy()
    own = table["model"].eq("gibbs") & table["dataset"].eq("news")
    # The sd and the R-hat come only from the rounding of a sum.
    table.loc[own, ["mean", "sd", "rhat"]] = [-273618.4, 3e-11, np.inf]
    table.loc[table["dataset"].eq("italy"), "rhat"] = np.inf
    table.loc[table["dataset"].eq("mail"), ["n_chains", "mean", "sd", "ess"]] = [1, NAN, NAN, NAN]
    changes = {"datasets": datasets, "diagnostics": table, "times": {}}
    return build_site(dataclasses.replace(inputs, **changes))[0]


def test_data_sets_have_their_licences_hashes_and_what_they_replace(pages, odd):
    text = pages["data.html"].text
    for words in ("19,997 documents", "8 × 16 cells", "none stated", "0" * 64, "Enron"):
        assert words in text, words
    assert {"data-news", "data-mail", "data-italy"} <= set(pages["data.html"].ids)
    # No hash of a group of data sets is lost.
    text = Reader(odd["data.html"]).text
    one, two, three, four, five = (digit * 64 for digit in "12345")
    assert "2 SHA-256 hashes" in text and "citation Lang (1995)" in text
    assert f"Near: digest of the data as drawn {one}" in text
    assert f"Far: digest of the data as drawn {two}" in text
    assert f"both.csv {three} A: a.csv {four}" in text and text.count(three) == 1
    assert f"1 SHA-256 hash digest of the data as read {five}" in text


def test_diagnostics_tell_good_chains_from_bad_ones(site, pages, odd):
    text = pages["diagnostics.html"].text
    assert "1 models have an R-hat above 1.01" in text and "12.0 %" in text
    # The verdicts use the same bound.
    assert f"up to {AGREED}" in text and f"R-hat above {AGREED}" in pages["index.html"].text
    assert site[0]["diagnostics.html"].count('<svg class="trace"') == 6
    assert "documents-news" in pages["diagnostics.html"].ids
    # What never moves has no R-hat and is no single chain.
    text = odd["diagnostics.html"]
    assert "1 models have an R-hat above" in Reader(text).text and "\N{INFINITY}" in text
    for words in ("single chains", "several chains, no R-hat"):
        assert f"<dt>{words}</dt><dd>1</dd>" in text
    # Columns sort by the values that their text stands for; those without an R-hat come last.
    assert re.findall(r'<td data-sort="(.*?)">', text) == ["Infinity", "", "", "Infinity"]


def test_timings_sort_by_seconds_and_stand_beside_those_of_the_authors(site, pages, odd):
    found = re.findall(r'<td data-sort="([^"]+)">(.*?)</td>', site[0]["timings.html"])
    assert ("288000.0", "80 h 00 min") in found and ("4.0", "4.0 s") in found
    text = pages["timings.html"].text
    assert "80 h 00 min" in text and "4.0 s" in text  # of the documents: from the published file
    assert "hours for 5,000 sweeps" in text and "2 h 00 min" in text
    assert "80 h 00 min" not in Reader(odd["timings.html"]).text  # no paper prints times


def test_what_an_earlier_configuration_left_is_not_shown_and_an_empty_table_is_refused(
    inputs, site, tmp_path
):
    shutil.copytree(inputs.tables, tmp_path / "tables")
    inputs = dataclasses.replace(inputs, tables=tmp_path / "tables")
    rows = tidy_rows("docs_table1", "news", "faithful")
    rows.to_csv(inputs.tables / "docs_table1.csv", index=False)
    again, compared, other_card = build_site(inputs)
    assert again == site[0] and other_card["made"] == site[2]["made"]
    pd.testing.assert_frame_equal(compared, site[1])
    path = inputs.tables / "docs_table2.csv"
    path.write_text(path.read_text().splitlines()[0] + "\n")
    with pytest.raises(DataError, match="docs_table2.csv has no rows"):
        build_site(inputs)


def test_the_site_is_the_same_every_time_and_written_whole(site, written):
    folder = written[0].parent
    assert {path.name for path in written} == set(site[0]) | {"comparison.csv", "run.json"}
    for name, text in site[0].items():
        assert (folder / name).read_text(encoding="utf-8") == text
    stored = pd.read_csv(folder / "comparison.csv")
    assert len(stored) == len(site[1]) and list(stored) == list(site[1])


def test_a_site_without_anything_made_still_says_so(tmp_path):
    inputs = ReportInputs("demo", "demo", CATALOGUE, tmp_path, tmp_path, CLAIMS.iloc[:0])
    pages, comparison, card = build_site(inputs)
    text = " ".join(Reader(page).text for page in pages.values())
    assert text.count("Not made in this run.") == len(CATALOGUE.artefacts)
    assert "No timings were recorded." in text and "No chains were found." in text
    assert len(comparison) == 0 and card["made"] == 0


def test_a_trace_is_scaled_by_what_follows_the_burn_in():
    values = np.concatenate([np.full(50, -1000.0), np.linspace(1, 2.5, 50)])[None]
    drawn = sparkline(values, 0.5, "a < b")
    assert "from 1.0000 to 2.5000" in drawn and "a &lt; b" in drawn
    assert drawn.count("<path") == 1 and len(drawn) < 1500
    nothing = sparkline(np.full((2, 10), np.nan), 0.0, "nothing")
    assert nothing.count("no finite value") == 2 and "0 to 1" not in nothing


def test_every_number_that_can_be_compared_is_a_dot_that_leads_to_its_table(site, pages):
    page, comparison = site[0]["index.html"], site[1]
    counted = comparison[comparison["counted"].astype(bool)]
    dots = re.findall(r'<a class="(same|far|open)" tabindex="-1" href="([^"]+)"><title>', page)
    verdicts = {"same": "agree", "far": "differ"}
    compared = counted["verdict"][counted["verdict"].ne("not comparable")]
    assert Counter(verdicts[kind] for kind, _link in dots) == Counter(compared)
    assert "walker-ringger-2008.html#docs_table2" in {link for _kind, link in dots}
    # Shapes differ as well as colours, and numbers that are equal lie on the line.
    assert '<a class="same"' in page and '<path class="shape"' in page
    assert scaled(0) == 0 and scaled(-3) == -scaled(3)


def test_the_front_page_says_what_was_learned_and_why_numbers_cannot_be_compared(site, pages):
    text, comparison = pages["index.html"].text, site[1]
    counted = comparison[comparison["counted"].astype(bool)]
    other = counted["why"].eq("other data in the paper's place").sum()
    said = f"Data are lost. Of {len(counted)} printed numbers, {other} cannot be tested"
    assert other and said in text
    assert "What is not printed decides" not in text  # this run has no table for it
    reasons = counted.loc[counted["verdict"].eq("not comparable"), "why"].value_counts()
    assert f"Why {reasons.sum()} numbers cannot be compared" in text
    assert all(f"{number} {why}" in text for why, number in reasons.items())


def test_dots_have_the_errors_of_both():
    cell = {
        **{"paper": "Paper", "artefact": "t", "label": "Table 1", "dataset": "news"},
        **{"system": "s", "metric": "ARI", "why": "", "counted": True, "verdict": "differ"},
        **{"ours": 1.0, "error": 0.03, "published": 2.0, "combined_error": 0.05},
    }
    paper = SimpleNamespace(short="Paper", page="paper.html")
    far = [cell | {"ours": end, "published": end, "error": NAN} for end in (0.1, 10.0)]
    (panel,) = overview([paper], pd.DataFrame([cell, *far]), {"news": "News"})
    drawn = r'<path d="M([\d.]+) [\d.]+H([\d.]+)M[\d.]+ ([\d.]+)V([\d.]+)"'
    (bars,) = re.findall(drawn, panel["svg"])
    left, right, low, high = map(float, bars)
    # Bars are two standard errors; 0.04 is the paper's share of the error of the difference.
    wide, tall = scaled(2 + 0.08) - scaled(2 - 0.08), scaled(1 + 0.06) - scaled(1 - 0.06)
    assert (right - left) / (low - high) == pytest.approx(wide / tall, rel=0.05)
    assert "published 2, ours 1.000 ± 0.030" in panel["svg"]
    assert panel["counts"] == {"not converged": 0, "agree": 0, "differ": 3}
    stuck = pd.DataFrame([cell | {"verdict": "not converged", "why": "R-hat 1.30"}])
    (panel,) = overview([paper], stuck, {})
    assert panel["svg"].count('<a class="unsettled"') == panel["svg"].count("<rect") == 1
    assert "not converged: R-hat 1.30" in panel["svg"]


def test_a_paper_begins_with_what_held_and_what_did_not(pages):
    text = pages["walker-ringger-2008.html"].text
    assert "What held. 1 of the 2 claims is confirmed: that one beats <two> ( DOC-1 )." in text
    assert "What did not. None is refuted; 1 cannot be decided" in text
    assert "Of 4 comparable numbers, 2 agree with ours and 2 differ." in text
    assert "most often for this reason: other data in the paper's place." in text
    zanella = pages["zanella-2016.html"].text
    assert "1 is refuted: that it is no worse ( MIC-10 )." in zanella


def test_statements_that_are_not_of_the_paper_stand_apart(site):
    raw = site[0]["kurihara-2006.html"]
    apart = raw[raw.index('id="controls"') :]
    assert "Counted in no score" in apart and 'id="claim-firm-8a"' in apart
    assert 'class="badge refuted' in apart and "A control." in apart
    text = Reader(raw).text
    assert "None of the 0 claims is confirmed." in text and "None is refuted" in text
    assert 'id="controls"' not in site[0]["zanella-2016.html"]


def test_commands_make_the_run_that_is_shown(inputs, pages):
    runs = (("standard", 2008, ""), ("standard-seed7", 7, ""), ("mine", 7, " run=mine"))
    for run, seed, own in runs:
        settings = {**inputs.settings, "seed": seed}
        report = ReportData(dataclasses.replace(inputs, run=run, settings=settings))
        made = how_made(report, CATALOGUE.artefacts["docs_fig2"])
        expected = f"snakemake --cores 2 docs_fig2 --config scale=standard seed={seed}{own}"
        assert made["command"] == expected
        assert made["explain"] == f"reseat explain docs_fig2 --run {run}"
    text = pages["walker-ringger-2008.html"].text
    assert "snakemake --cores 2 docs_fig2 --config scale=standard seed=7" in text
    assert "log_joint_traces in src/reseat/papers/documents/figures.py" in text
    assert "reseat explain docs_table2 --run standard" in text and "8 chains" in text


def test_generated_data_are_not_judged(inputs):
    made_by = {"scale": "demo", "commit": "0123456789abcdef-dirty"}
    commits = {"docs_table2": ["a" * 40, "b" * 40], "docs_fig2": ["c" * 40]}
    pages = build_site(dataclasses.replace(inputs, commits=commits, **made_by))[0]
    assert all(f'<code class="note">{one * 40}</code>' in pages["index.html"] for one in "abc")
    assert pages["walker-ringger-2008.html"].count("a" * 40 + '</code><code class="note">bbb') == 1
    assert "commit <code>0123456789ab-dirty</code>" in pages["index.html"]
    for name, page in pages.items():
        text = Reader(page).text
        assert 'class="mark' not in page, name
        assert not re.search('<span class="badge (confirmed|refuted|untestable)', page), name
        if name not in ("data.html", "timings.html"):
            assert "This is a demonstration on generated data." in text, name
    assert "times as fast" not in pages["timings.html"]
    assert "Nothing was learned" in pages["index.html"]
    assert 'id="learned"' not in pages["index.html"]
    assert 'class="overview"' not in pages["index.html"]
    assert "MIC-10" in Reader(pages["zanella-2016.html"]).text  # a real run would judge this claim


def test_claims_are_clauses_that_say_what_their_effect_is_and_artefacts_bear_on_them():
    claims = CATALOGUE.claims()
    assert {key.partition("-")[0] for key in claims} == {"DOC", "MIC", "TIWD", "FIRM", "SC"}
    for key, claim in claims.items():
        assert not re.match(r"(it|they|that|its)\b", claim.says), f"{key} leans on another"
        assert not claim.says.endswith(".")
        assert len(claim.effect) > 15 and not claim.effect.endswith("."), key
    for name, artefact in CATALOGUE.artefacts.items():
        assert set(artefact.claims) <= claims.keys(), name
