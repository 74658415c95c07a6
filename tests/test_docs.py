"""The documentation, built once: no warnings or dead links, every name and key, and in Chromium."""

import importlib
import os
import re
import shutil
import subprocess
import sys
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import pytest
import stored_lists
import yaml
from digest_files import read, remedy
from places import ROOT

sys.path.append(str(ROOT / "docs" / "extensions"))

import catalogue
import configuration
import sections

pytestmark = pytest.mark.long  # the documentation is built

PACKAGES = (
    *("reseat", "reseat.priors", "reseat.likelihoods", "reseat.moves", "reseat.chains"),
    *("reseat.summaries", "reseat.metrics", "reseat.variational", "reseat.baselines"),
    *("reseat.dissimilarities", "reseat.datasets"),
)
FAMILIES = ("documents", "supervised", "records", "relational", "distances")
#: Sphinx keeps nearly all that it makes, so that a frequent search for garbage is in vain.
BUILD = """
import gc, sys
from sphinx.cmd.build import main
gc.set_threshold(100_000)
sys.exit(main(sys.argv[1:]))
"""
PIXEL = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build the pages from a copy of docs/ in a project with one published figure."""
    project = tmp_path_factory.mktemp("project")
    for path in ROOT.iterdir():
        if path.name not in {"docs", "reports", "results", "data", ".git"}:
            (project / path.name).symlink_to(path)
    left_out = shutil.ignore_patterns("_build", "api", "__pycache__")
    shutil.copytree(ROOT / "docs", project / "docs", ignore=left_out)
    figures = project / "reports" / "published" / "figures"
    figures.mkdir(parents=True)
    (figures / "tiwd_fig2.svg").write_text(PIXEL, encoding="utf-8")
    folder = project / "docs" / "_build" / "html"
    command = [sys.executable, "-c", BUILD, "-W", "--keep-going", "-q", project / "docs", folder]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site):
    """Return the HTML of each page, by its path below the site."""
    return {
        path.relative_to(site).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(site.rglob("*.html"))
        if "_static" not in path.parts
    }


def words(html):
    """Return the text of a page without markup, with blanks between its blocks."""
    apart = re.sub(r"<(?=/?(?:dt|dd|p|li|pre|h\d|t[dhr])\b)", " <", html)
    return " ".join(unescape(re.sub(r"<[^>]+>", "", apart)).split())


# ---- what the pages hold -----------------------------------------------------------------


def test_the_pages_and_the_names_on_them_are_those_that_are_stored(site):
    changed = stored_lists.changed_names(read(stored_lists.NAMES), stored_lists.names(site))
    assert not changed, remedy(changed, stored_lists.NAMES, "--names FOLDER", "The site")


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_has_a_page(pages, package):
    names = [name for name in importlib.import_module(package).__all__ if name[0] != "_"]
    assert names
    listed = pages[f"reference/api/{package}.html"]
    for name in names:
        page = pages[f"reference/api/{package}.{name}.html"]
        assert f'id="{package}.{name}"' in page, name
        assert f"{package}.{name}.html" in listed, name


def test_a_page_of_a_class_has_its_text_its_members_and_its_example(pages):
    text = words(pages["reference/api/reseat.WishartDirichlet.html"])
    assert "Clusters from distances only" in text and "Degrees of freedom" in text
    assert ">>> import numpy as np" in text and "coclustering(" in text
    assert "Every thin-th sweep" in text and "See reseat.estimators.base" not in text
    assert "set_fit_request" not in text  # a method that scikit-learn adds
    text = words(pages["reference/api/reseat.likelihoods.CategoricalRecords.html"])
    assert "CategoricalRecords(records, delta=0.05" in text and "Raises" in text
    # A page of a constant says what it holds.
    assert "'hard'" in words(pages["reference/api/reseat.variational.INITIALISATIONS.html"])
    assert "The value -1" in words(pages["reference/api/reseat.moves.UNLABELLED.html"])


@pytest.mark.parametrize("family", FAMILIES)
def test_every_key_of_the_configuration_is_on_a_page(pages, family):
    text = (ROOT / "config" / f"{family}.yaml").read_text(encoding="utf-8")
    settings = yaml.safe_load(text)[family]
    page = pages[f"reference/configuration/{family}.html"]
    shown = set(re.findall(r"<dt>.*?([\w.\[\]]+)</span>", page))
    shown |= {key.rsplit(".", 1)[0] for key in shown}
    keys = configuration.section_in(family).known_keys()
    assert {f"{family}.{key}" for key in keys} <= {".".join(key.split(".")[:2]) for key in shown}
    for key in settings["scales"]["standard"]:
        assert any(name.startswith(f"{family}.scales.SCALE.{key}") for name in shown), key


def test_defaults_and_comments_stand_beside_their_keys(pages):
    text = words(pages["reference/configuration.html"])
    seed = yaml.safe_load((ROOT / "config" / "config.yaml").read_text(encoding="utf-8"))["seed"]
    assert f"seed integer ≥ 0; by default {seed} All random streams of a run are derived" in text
    assert "data.missing stop, skip, standin; by default skip" in text


@pytest.mark.parametrize("family", FAMILIES)
def test_a_model_has_formulas_errors_and_all_its_artefacts(pages, family):
    page = pages[f"models/{family}.html"]
    source = (ROOT / "docs" / "models" / f"{family}.md").read_text(encoding="utf-8")
    assert page.count('<div class="formula"') == source.count("$$") // 2 > 1
    assert "$" not in words(page)
    assert 'id="errors-found-in-the-paper"' in page
    for name in catalogue.artefacts_of(family):
        assert f">{name}</span>" in page, name


def test_rules_of_every_family_are_drawn(pages):
    drawn = re.findall(r'<div class="rules".*?</svg>', pages["workflow.html"], re.S)
    assert len(drawn) == len(FAMILIES)
    for family, picture in zip(FAMILIES, drawn, strict=True):
        names = re.findall(r"<text[^>]*>(\w+)</text>", picture)
        assert len(names) == len(set(names))
        assert catalogue.artefacts_of(family) <= set(names), family
        assert any(name.startswith(f"{family}_") for name in names)
        assert picture.count("marker-end") >= len(re.findall("<rect", picture)) - 3


def test_the_gallery_shows_the_figures_of_the_published_run(pages, site):
    page = pages["gallery.html"]
    image = re.search(r'<img alt="[^"]+" src="([^"]+)"', page)
    assert (site / image[1]).read_text(encoding="utf-8") == PIXEL
    assert 'id="tiwd-fig2"' in page and "tiwd_fig3" not in page


def test_without_a_run_the_gallery_says_how_to_make_one(monkeypatch, tmp_path):
    monkeypatch.setattr(catalogue, "ROOT", tmp_path)
    text, _files = catalogue.gallery(tmp_path / "gallery.md", "")
    assert "make all" in text and "![" not in text


# ---- where links lead and what is loaded ---------------------------------------------------


def test_no_link_is_dead(pages, site):
    anchors = {name: set(re.findall(r'\bid="([^"]+)"', text)) for name, text in pages.items()}
    n_links = 0
    for name, text in pages.items():
        for link in set(re.findall(r'<a\b[^>]*?\bhref="([^"]+)"', text)):
            if re.match(r"[a-z]+:", link):
                assert not link.startswith("file:"), f"{name}: {link}"
                continue
            n_links += 1
            path, _hash, anchor = unescape(link).partition("#")
            target = name if not path else os.path.normpath(Path(name).parent / unquote(path))
            assert (site / target).is_file(), f"{name}: {link}"
            if anchor and target in anchors:
                assert anchor in anchors[target], f"{name}: {link}"
    assert n_links > 2000


def test_every_page_has_one_heading_and_stands_in_its_side_bar(pages):
    for name, text in pages.items():
        assert len(re.findall(r"<h1\b", text)) == 1, name
        bar = re.search(r'<nav class="bd-docs-nav bd-links".*?</nav>', text, re.S)[0]
        assert re.search(r'<a [^>]*class="current reference internal" href="#"', bar), name


def test_nothing_is_loaded_from_another_host(pages, site):
    loads = r'<(?:script|img|link|iframe|source)\b[^>]*?\b(?:src|href)="((?:https?:)?//[^"]*)"'
    for name, text in pages.items():
        assert not re.search(loads, text), name
        assert not re.search("<script[^>]*mathjax", text, re.I), name
    for path in site.rglob("*.css"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//", text), path


# ---- the parts that are made from other files ------------------------------------------------


def test_a_section_is_taken_without_its_heading_and_moved_below_the_present_one():
    text = "# A\nfirst\n## B\none\n```sh\n# no heading\n```\n### C\ntwo\n## D\nthree\n"
    assert sections.cut(text, "B") == (2, ["one", "```sh", "# no heading", "```", "### C", "two"])
    assert sections.cut(text)[1][0] == "first"
    with pytest.raises(LookupError, match="0 sections 'E'"):
        sections.cut(text, "E")
    page = ROOT / "docs" / "extend.md"
    body, files = sections.section(page, "# Adding to reseat\n", "CONTRIBUTING.md")
    assert files == [ROOT / "CONTRIBUTING.md"] and "](extend/prior.md)" in body


def test_comments_go_with_their_keys():
    text = "# Of a.\na:\n  # One\n  # sentence.\n  b: 1\n  c: 2  # beside\n\n# lost\n\nd: {e: 1}\n"
    assert configuration.comments(text) == {
        ("a",): "Of a.",
        ("a", "b"): "One sentence.",
        ("a", "c"): "beside",
        ("d",): "",
    }


# ---- in Chromium -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def looked_at(pages):
    """Return all pages, except that a few pages of public names stand for the rest of these."""
    few = ("reseat", "reseat.priors", "reseat.Microclustering", "reseat.likelihoods.Likelihood")
    names = [f"reference/api/{name}.html" for name in few]
    return names + [name for name in pages if not name.startswith("reference/api/")]


def test_pages_are_whole_at_every_width_and_in_both_schemes(browser, site, looked_at):
    found = {name: browser.faults(site / name) for name in looked_at}
    assert {name: faults for name, faults in found.items() if faults} == {}
    hosts = "performance.getEntriesByType('resource').filter(e => !/^(file|data):/.test(e.name))"
    assert browser.run(f"{hosts}.length") == 0


def test_the_side_bar_opens_on_a_phone(browser, site):
    browser.view(380)
    browser.open((site / "models" / "records.html").as_uri())
    shown = "document.querySelector('.bd-docs-nav').checkVisibility({visibilityProperty: true})"
    assert not browser.run(shown)
    browser.run("document.querySelector('.primary-toggle').click()")
    assert browser.run(shown)
    left, right = browser.run(
        "(box => [box.left, box.right])(document.querySelector('.bd-docs-nav a')"
        ".getBoundingClientRect())"
    )
    assert 0 <= left < right <= 380


def test_the_search_finds_a_name(browser, site):
    browser.view(1280)
    browser.open((site / "search.html").as_uri() + "?q=WishartDirichlet")
    found = browser.run(
        """new Promise(done => {
             let tries = 0
             const look = () => {
               const links = document.querySelectorAll('#search-results li a')
               if (links.length || ++tries > 100) done([...links].map(a => a.getAttribute('href')))
               else setTimeout(look, 100)
             }
             look()
           })"""
    )
    assert any("reseat.WishartDirichlet.html" in link for link in found)
    assert browser.messages == []
