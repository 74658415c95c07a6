"""The pages of the report in headless Chromium, as a reader opens them from disk."""

import shutil
from pathlib import Path

import pytest
from browser import Browser, find_browser
from site_inputs import site_inputs

from reseat.report import write_all_runs, write_site

pytestmark = pytest.mark.skipif(
    find_browser() is None, reason="No Chromium is installed; install it to test the pages in it."
)

WIDTHS = (380, 900, 1400)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    inputs = site_inputs(tmp_path_factory.mktemp("site") / "reports" / "standard")
    write_site(inputs, inputs.tables.parent)
    write_all_runs(inputs.tables.parents[1])
    return inputs.tables.parent


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    profile = tmp_path_factory.mktemp("profile")
    browser = Browser(profile)
    yield browser
    browser.close()
    shutil.rmtree(profile, ignore_errors=True)


def pages(folder):
    return sorted(folder.glob("*.html"))


def unfold(browser):
    """Open everything that is folded, and load every picture."""
    browser.run("document.querySelectorAll('details').forEach(part => { part.open = true })")
    browser.run("[...document.images].forEach(image => { image.loading = 'eager' })")
    browser.run("Promise.all([...document.images].map(i => i.decode().catch(() => 0)))")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_pages_fit_the_window_and_the_console_stays_silent(browser, folder, dark):
    for page in pages(folder):
        for width in WIDTHS:
            browser.view(width, dark=dark)
            browser.open(page.as_uri())
            unfold(browser)
            needed = browser.run("document.documentElement.scrollWidth")
            assert needed <= width, f"{page.name} is {needed} pixels wide in a window of {width}"
            broken = browser.run(
                "[...document.images].filter(i => !i.naturalWidth).map(i => i.getAttribute('src'))"
            )
            assert broken == [], f"{page.name}: {broken}"
        assert browser.messages == [], f"{page.name}: {browser.messages}"


def test_every_link_leads_somewhere(browser, folder):
    browser.view(900)
    for page in pages(folder):
        browser.open(page.as_uri())
        links = browser.run("[...document.links].map(a => a.href)")
        assert len(links) > 10
        for link in set(links):
            address, _hash, anchor = link.partition("#")
            target = Path(address.removeprefix("file://"))
            assert target.is_file(), f"{page.name}: {link}"
            if anchor and target == page:
                assert browser.run(f"!!document.getElementById('{anchor}')"), link


def test_a_link_into_another_page_arrives(browser, folder):
    browser.view(900)
    address = (folder / "zanella-2016.html").as_uri()
    browser.open(f"{address}#claim-mic-10")
    top = browser.run("document.getElementById('claim-mic-10').getBoundingClientRect().top")
    assert -5 <= top <= 800


@pytest.mark.parametrize("width", [380, 900])
def test_the_keyboard_reaches_everything_and_shows_where_it_is(browser, folder, width):
    browser.view(width)
    for page in pages(folder):
        browser.open(page.as_uri())
        stops = browser.run(
            "document.querySelectorAll('a[href], summary, [tabindex=\"0\"]').length"
        )
        seen = 0
        for _stop in range(min(stops, 40)):
            browser.press("Tab", 9)
            found = browser.run(
                """(() => {
                  const at = document.activeElement, style = getComputedStyle(at)
                  const box = at.getBoundingClientRect()
                  return [at.tagName, at.outerHTML.slice(0, 80), box.right, box.width,
                          style.outlineStyle, parseFloat(style.outlineWidth)]
                })()"""
            )
            tag, text, right, width_of, outline, thickness = found
            if tag == "BODY":
                break
            seen += 1
            assert right > 0 and width_of > 0, f"{page.name}: the focus is out of sight: {text}"
            assert outline != "none" and thickness >= 1, f"{page.name}: no outline: {text}"
        assert seen > 10


def test_the_first_stop_leads_past_the_bar(browser, folder):
    browser.view(900)
    browser.open((folder / "index.html").as_uri())
    browser.press("Tab", 9)
    assert browser.run("document.activeElement.className") == "skip"
    assert browser.run("document.activeElement.getBoundingClientRect().left") >= 0


def test_light_and_dark_differ_and_text_stands_out_in_both(browser, folder):
    grounds = []
    for dark in (False, True):
        browser.view(900, dark=dark)
        browser.open((folder / "index.html").as_uri())
        ground, ink = browser.run(
            """['backgroundColor', 'color'].map(name => getComputedStyle(document.body)[name]
               .match(/\\d+/g).slice(0, 3).map(Number))"""
        )
        grounds.append(_luminance(ground))
        light, dim = sorted((_luminance(ground), _luminance(ink)), reverse=True)
        assert (light + 0.05) / (dim + 0.05) > 7  # contrast, as WCAG measures it
    assert grounds[0] > 0.8 and grounds[1] < 0.05


def _luminance(colour):
    linear = [c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
