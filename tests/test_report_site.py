"""The pages of the report, read by a parser: links, anchors, pictures, and what they say."""

import dataclasses
import html.parser
import re
from collections import Counter
from pathlib import PurePosixPath

import numpy as np
import pandas as pd
import pytest
from site_inputs import CATALOGUE, CLAIMS, site_inputs

from reseat.errors import DataError
from reseat.report import ReportInputs, build_site, write_all_runs, write_site
from reseat.report.sparklines import sparkline

VOID = {"area", "br", "col", "hr", "img", "input", "link", "meta", "wbr"}
CLOSED = {"rect", "path"}  # of SVG, closed where they start
GENERAL = {"index.html", "data.html", "diagnostics.html", "timings.html"}


class Reader(html.parser.HTMLParser):
    """Collects tags and text, and checks that elements are closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.words, self.inside = [], [], [], []
        self.feed(text)
        assert self.open == []

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.inside.append((tag, [kind for kind, _classes in self.open]))
        if tag not in VOID:
            classes = (dict(attrs).get("class") or "").split()
            self.open.append((tag, classes))
        if tag == "table":
            assert any("scroll" in classes for _tag, classes in self.open), "a table without a box"

    def handle_endtag(self, tag):
        assert self.open and self.open[-1][0] == tag, f"</{tag}> closes {self.open[-1:]}"
        self.open.pop()

    def handle_data(self, data):
        if not self.open or self.open[-1][0] != "style":
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


def test_there_is_a_page_for_every_paper(inputs, pages):
    papers = {f"{key}.html" for key in inputs.catalogue.papers}
    assert set(pages) == GENERAL | papers


def test_every_link_anchor_and_picture_is_there(inputs, site, pages, tmp_path):
    write_site(inputs, inputs.tables.parent)
    write_all_runs(inputs.tables.parents[1])
    for name, page in pages.items():
        repeated = [key for key, times in Counter(page.ids).items() if times > 1]
        assert not repeated, f"{name}: {repeated}"
        for tag, attrs in page.tags:
            assert tag not in ("script", "iframe", "object")
            for key in ("src", "href", "srcset", "action", "poster"):
                target = attrs.get(key)
                if target is None or target.startswith("data:"):
                    continue
                file, _hash, anchor = target.partition("#")
                assert not re.match(r"\w+:|/", target), f"{name}: <{tag} {key}='{target}'>"
                # But for the list of all runs, a report is whole by itself.
                assert ".." not in PurePosixPath(file).parts or file == "../runs.html"
                if file:
                    assert (inputs.tables.parent / file).is_file(), f"{name}: {target}"
                if anchor:
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
        metas = {
            attrs.get("name"): attrs.get("content") for tag, attrs in page.tags if tag == "meta"
        }
        assert metas["viewport"] == "width=device-width, initial-scale=1"
        assert [tag for tag, _attrs in page.tags].count("h1") == 1


def test_every_picture_has_a_text_and_every_box_a_name(pages):
    images = [attrs for page in pages.values() for tag, attrs in page.tags if tag == "img"]
    assert len(images) == 2
    assert all(len(attrs["alt"]) > 20 for attrs in images)
    assert any("News" in attrs["alt"] for attrs in images)
    drawn = [attrs for page in pages.values() for tag, attrs in page.tags if tag == "svg"]
    dots = [attrs["aria-label"] for attrs in drawn if attrs["class"] == "dots"]
    assert len(dots) == 2 and all("measured and published values of" in text for text in dots)
    for page in pages.values():
        for tag, attrs in page.tags:
            if "tabindex" in attrs and tag != "main":
                assert attrs["role"] == "region" and attrs["aria-label"], attrs
            if tag == "svg":
                assert attrs["role"] == "img" and attrs["aria-label"]
                assert attrs["class"] == "dots" or "after the burn-in" in attrs["aria-label"]


def test_the_scoreboard_is_counted_from_the_comparison(inputs, site, pages):
    comparison = site[1]
    counted = comparison[comparison["counted"].astype(bool)]
    table = re.search(r'<table class="score">.*?</table>', site[0]["index.html"], re.S).group(0)
    cells = [
        re.sub(r"<[^>]+>", "", cell).strip() for cell in re.findall(r"<td.*?</td>", table, re.S)
    ]
    rows = [list(map(int, cells[i : i + 6])) for i in range(0, len(cells), 6)]
    papers = [paper.short for paper in inputs.catalogue.papers.values()]
    for short, row in zip([*papers, None], rows, strict=True):
        mine = counted if short is None else counted[counted["paper"] == short]
        verdicts = mine["verdict"].value_counts()
        assert row[:3] == [verdicts.get(v, 0) for v in ("agree", "differ", "not comparable")]
    found = dict(zip(papers, rows[:-1], strict=True))
    # Docs table 2 has both verdicts for each of two systems; table 3 stands on other data.
    assert found["Walker & Ringger 2008"] == [2, 2, 4, 1, 0, 1]
    assert found["Vogt et al. 2010"][:3] == [1, 0, 1]  # of two numbers one is a time
    assert found["Zanella et al. 2016"] == [0, 0, 0, 0, 1, 0]
    assert "MIC-10" in pages["index.html"].text  # among what did not hold
    assert (
        pd.isna(comparison.loc[comparison["verdict"].eq("agree"), "why"]).all()
        or (comparison.loc[comparison["verdict"].eq("agree"), "why"] == "").all()
    )


def test_a_paper_shows_numbers_marks_claims_and_escapes(site, pages):
    page, text = pages["walker-ringger-2008.html"], pages["walker-ringger-2008.html"].text
    for words in ("0.2500", "0.251", "News <19,997>", "One beats <two>", "On a & b.", "As printed"):
        assert words in text, words
    assert text.count("Not made in this run.") == 12 - 4
    raw = site[0]["walker-ringger-2008.html"]
    second = raw[raw.index('id="docs_table2"') : raw.index('id="docs_table3"')]
    third = raw[raw.index('id="docs_table3"') : raw.index('id="docs_table4"')]
    assert second.count('class="mark same"') == second.count('class="mark far"') == 2
    assert 'class="mark' not in third and "other data in the paper" in third
    # The claims on a table stand beside it, and lead to their evidence.
    assert 'href="#claim-doc-3"' in second and "claim-doc-3" in page.ids


def test_data_sets_have_their_licences_hashes_and_what_they_replace(pages):
    text = pages["data.html"].text
    for words in ("19\u202f997 documents", "8 × 16 cells", "none stated", "0" * 64, "Enron"):
        assert words in text, words
    assert {"data-news", "data-mail", "data-italy"} <= set(pages["data.html"].ids)


def test_diagnostics_tell_good_chains_from_bad_ones(site, pages):
    text = pages["diagnostics.html"].text
    assert "1 models have an R-hat above 1.01" in text and "12.0 %" in text
    assert site[0]["diagnostics.html"].count('<svg class="trace"') == 6
    assert "documents-news" in pages["diagnostics.html"].ids


def test_timings_stand_beside_those_of_the_authors(pages):
    text = pages["timings.html"].text
    assert "80 h 00 min" in text and "4.0 s" in text  # of the documents: from the published file
    assert "hours for 5,000 sweeps" in text and "2 h 00 min" in text


def test_times_that_are_not_in_the_published_file_are_refused(inputs, tmp_path):
    (tmp_path / "docs_setup.csv").write_text("system,metric,value\nall,other,1\n")
    with pytest.raises(DataError, match="docs_setup.csv has 0 rows with .*hours_per_chain"):
        build_site(dataclasses.replace(inputs, published=tmp_path))


def test_an_empty_table_is_refused(tmp_path):
    inputs = site_inputs(tmp_path / "reports" / "standard")
    path = inputs.tables / "docs_table2.csv"
    path.write_text(path.read_text().splitlines()[0] + "\n")
    with pytest.raises(DataError, match="docs_table2.csv has no rows"):
        build_site(inputs)


def test_the_site_is_the_same_every_time_and_written_whole(inputs, site):
    written = write_site(inputs, inputs.tables.parent)
    assert {path.name for path in written} == set(site[0]) | {"comparison.csv", "run.json"}
    for name, text in site[0].items():
        assert (inputs.tables.parent / name).read_text(encoding="utf-8") == text
    stored = pd.read_csv(inputs.tables.parent / "comparison.csv")
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
    assert "0.5000" not in sparkline(np.full((2, 10), np.nan), 0.0, "nothing")
