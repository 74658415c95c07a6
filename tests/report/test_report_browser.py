"""The pages of the report in headless Chromium, as a reader opens them from disk."""

import pytest
from browser import HIDDEN, WIDTHS
from matplotlib.figure import Figure
from places import ROOT
from site_inputs import site_inputs

from reseat.plots import save_figure
from reseat.report import write_all_runs, write_site

#: A table of all runs, and a page that says where the numbers are.
NO_NAVIGATION = {"runs.html", "diagnostics.html"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return the folder of a report, one of whose figures has two panels."""
    inputs = site_inputs(tmp_path_factory.mktemp("site") / "reports" / "standard")
    fig = Figure(figsize=(7, 2))
    for place, ax in enumerate(fig.subplots(1, 2)):
        ax.set_title(f"panel {place}", loc="left")
    save_figure(fig, inputs.figures / "docs_fig2")
    write_site(inputs, inputs.tables.parent)
    write_all_runs(inputs.tables.parents[1])
    return inputs.tables.parent


def pages(folder):
    return sorted(folder.glob("*.html"))


def test_pages_are_whole_at_every_width_and_in_both_schemes(browser, folder):
    found = {path.name: browser.faults(path) for path in pages(folder)}
    assert {name: faults for name, faults in found.items() if faults} == {}


def test_the_navigation_of_published_pages_is_seen(browser):
    for page in pages(ROOT / "reports" / "published"):
        browser.open(page.as_uri())
        links = browser.run("document.querySelectorAll('nav.bar a').length")
        assert links > 3 or page.name in NO_NAVIGATION, page
        for width in WIDTHS:
            browser.view(width)
            assert browser.run(HIDDEN) == [], page


def test_faults_of_a_page_are_found(browser, tmp_path):
    page = tmp_path / "page.html"
    page.write_text(
        """<meta name="viewport" content="width=device-width">
        <style>body { background: white } nav { height: .4rem; overflow: hidden }
        div { width: 90px; overflow: hidden } td { min-width: 200px }</style>
        <nav class="bar"><a href="page.html">Overview</a></nav><a href="gone.html">gone</a>
        <div><table><tr><td>cell</table></div><img src="gone.png"><p style="width: 500px">wide</p>
        <svg><text y="20">one</text><text y="22">other</text><text y="60">apart</text></svg>
        <script>console.error("no")</script>"""
    )
    found = "; ".join(browser.faults(page))
    for fault in ("hidden link: Overview", "cut table: cell", "no picture: gone.png", "not dark",
                  "texts overlap: one / other", "dead link", "at 390 pixels, 5", "no"):  # fmt: skip
        assert fault in found, fault
    assert found.count("overlap") == 2 and "apart" not in found  # once for each width


FOCUS = """(() => {
  const at = document.activeElement, style = getComputedStyle(at), box = at.getBoundingClientRect()
  return [at.tagName, at.outerHTML.slice(0, 80), box.right, box.width, style.outlineStyle,
          parseFloat(style.outlineWidth)]
})()"""


@pytest.mark.parametrize("width", [380, 900])
def test_the_keyboard_reaches_everything_and_shows_where_it_is(browser, folder, width):
    browser.view(width)
    for page in pages(folder):
        browser.open(page.as_uri())
        stops = "document.querySelectorAll('a[href], summary, [tabindex=\"0\"]').length"
        seen = 0
        for _stop in range(min(browser.run(stops), 20)):
            browser.press("Tab", 9)
            tag, text, right, width_of, outline, thickness = browser.run(FOCUS)
            if tag == "BODY":
                break
            seen += 1
            # The first stop, which leads past the bar, is seen only now.
            assert right > 0 and width_of > 0, f"{page.name}: the focus is out of sight: {text}"
            assert outline != "none" and thickness >= 1, f"{page.name}: no outline: {text}"
        assert seen > 10


def test_light_and_dark_differ_and_text_stands_out_in_both(browser, folder):
    grounds = []
    for dark in (False, True):
        browser.view(900, dark=dark)
        browser.open((folder / "index.html").as_uri())
        colours = "['backgroundColor', 'color'].map(name => getComputedStyle(document.body)[name]"
        ground, ink = browser.run(rf"{colours}.match(/\d+/g).slice(0, 3).map(Number))")
        grounds.append(_luminance(ground))
        light, dim = sorted((_luminance(ground), _luminance(ink)), reverse=True)
        assert (light + 0.05) / (dim + 0.05) > 7  # contrast, as WCAG measures it
    assert grounds[0] > 0.8 and grounds[1] < 0.05


def _luminance(colour):
    linear = [c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def visible(browser, selector):
    """Return the texts of the visible elements that a selector matches."""
    return browser.run(
        f"[...document.querySelectorAll('{selector}')].filter(e => e.checkVisibility())"
        ".map(e => e.textContent.replace(/\\s+/g, ' ').trim())"
    )


def search(browser, words):
    """Type words into the search field."""
    browser.run(
        "(() => { const field = document.querySelector('form.find input[type=search]');"
        f"field.value = '{words}'; field.dispatchEvent(new Event('input', {{bubbles: true}})) }})()"
    )


def test_filters_and_search_hide_what_does_not_match(browser, folder):
    browser.view(1280)
    browser.open((folder / "walker-ringger-2008.html").as_uri())
    cards = len(visible(browser, "article.card"))
    assert cards > 10
    box = "document.querySelector('form.find input[value=\"differs\"]')"
    browser.run(f"{box}.click()")
    assert browser.run("[...document.querySelectorAll('article.card')].filter(e => !e.hidden)"
                       ".map(e => e.id)") == ["docs_table2"]  # fmt: skip
    assert visible(browser, "ul.claims > li") == []
    browser.run(f"{box}.click()")
    search(browser, "Marginal WINS")
    assert [text[:5] for text in visible(browser, "ul.claims > li")] == ["DOC-3"]
    assert len(visible(browser, "article.card")) < cards


def test_a_click_on_a_head_sorts_a_table_and_a_second_one_turns_it(browser, folder):
    browser.view(1280)
    browser.open((folder / "walker-ringger-2008.html").as_uri() + "#docs_table2")
    names = "[...document.querySelectorAll('#docs_table2 tbody th')].map(e => e.textContent)"
    assert browser.run(names) == ["Gibbs", "EM"]
    head = "document.querySelector('#docs_table2 thead button')"
    assert visible(browser, "#docs_table2 table")  # the target of the link has been unfolded
    browser.run(f"{head}.click()")
    assert browser.run(names) == ["EM", "Gibbs"]
    browser.run(f"{head}.click()")
    assert browser.run(names) == ["Gibbs", "EM"]


def test_times_and_rhats_sort_by_what_they_stand_for_and_what_has_none_comes_last(browser, folder):
    browser.view(1280)
    for page, table, column in (("timings", "#authors", 2), ("diagnostics", "#documents", 2)):
        browser.open((folder / f"{page}.html").as_uri())
        browser.unfold()
        keys = f"[...document.querySelector('{table} table').tBodies[0].rows]"
        keys += f".map(row => row.cells[{column}]).map(cell => cell.dataset.sort)"
        for turned in (False, True):
            browser.run(f"document.querySelectorAll('{table} thead button')[{column}].click()")
            found = browser.run(keys)
            known = [float(key) for key in found if key]
            assert known == sorted(known, reverse=turned)
            assert found[len(known) :] == [""] * (len(found) - len(known))


def test_pages_are_short_whole_columns_are_seen_and_the_side_bar_has_all_headings(browser, folder):
    browser.view(1280)
    for page in pages(folder):
        browser.open(page.as_uri())
        # Before anything is unfolded, a page takes at most six screens.
        assert browser.run("document.documentElement.scrollHeight") <= 6 * 800, page.name
        browser.unfold()
        cut = "[...document.querySelectorAll('.scroll')].map(e => e.scrollWidth - e.clientWidth)"
        assert all(pixels <= 1 for pixels in browser.run(cut)), page.name
        headings = set(browser.run("[...document.querySelectorAll('main h2')].map(e => e.id)"))
        links = browser.run("[...document.querySelectorAll('nav.side a')].map(e => e.hash)")
        assert headings <= {f"h-{link[1:]}" for link in links}, page.name


def test_panels_stand_below_each_other_on_a_phone(browser, folder):
    page = (folder / "walker-ringger-2008.html").as_uri()
    boxes = """[...document.querySelectorAll('#docs_fig2 img')].filter(i => i.checkVisibility())
               .map(i => { const box = i.getBoundingClientRect(); return [box.left, box.top] })"""
    browser.view(1280)
    browser.open(page)
    browser.unfold()
    assert len(browser.run(boxes)) == 1
    browser.view(380)
    browser.open(page)
    browser.unfold()
    (left, top), (second_left, below) = browser.run(boxes)
    assert abs(left - second_left) < 40 and below > top + 50
    assert browser.messages == []


def test_on_a_phone_claims_are_folded_until_they_are_asked_for(browser, folder):
    page = (folder / "zanella-2016.html").as_uri()
    claim = "document.getElementById('claim-mic-10')"
    for width, address, expected in (
        (1280, "", True),
        (900, "#claim-mic-10", True),
        (380, "#claim-mic-10", True),
        (380, "", False),
    ):
        browser.view(width)
        browser.open("about:blank")
        browser.open(page + address)
        assert browser.run(f"{claim}.checkVisibility()") == expected, (width, address)
        if address:  # the link leads there
            assert -5 <= browser.run(f"{claim}.getBoundingClientRect().top") <= 800
    search(browser, "no worse")
    assert browser.run(f"{claim}.checkVisibility()")
