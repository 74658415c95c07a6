"""Pictures of published and measured numbers: what is drawn, and where."""

import re
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from reseat.report.drawings import dot_plots, ticks


@pytest.fixture
def table():
    rows = [
        {
            "dataset": name,
            "system": system,
            "metric": metric,
            "mean": 0.4,
            "se": 0.01,
            "published": published,
        }
        for name in ("mulan", "reuters")
        for system, published in (("Gibbs", 0.41), ("EM", 0.3), ("new", np.nan))
        for metric in ("ARI", "VI")
    ]
    return pd.DataFrame(rows)


def drawn(plot):
    """Return the SVG element, the places of dots by their titles, and those of diamonds."""
    root = ElementTree.fromstring(plot["svg"])
    ours, published = {}, {}
    for element in root:
        said = element.findtext("title")
        if element.tag == "g":
            circle = element.find("circle")
            ours.setdefault(said, []).append((float(circle.get("cx")), float(circle.get("cy"))))
        elif element.get("class") == "published":
            x, y = map(float, re.match(r"M([\d.]+) ([\d.]+)l", element.get("d")).groups())
            published.setdefault(said, []).append((x, y + 4))
    return root, ours, published


def test_data_sets_that_share_their_published_numbers_share_a_drawing(table):
    (plot,) = dot_plots(table, {"mulan": "Mulan"})
    assert plot["names"] == ["Mulan", "reuters"]
    root, ours, published = drawn(plot)
    names = [text.text for text in root.iter("text") if text.get("class") == "name"]
    assert names == ["Gibbs", "EM", "new"]
    assert [t.text for t in root.iter("text") if t.get("class") == "title"] == ["ARI", "VI"]
    assert set(ours) == {
        f"{system}, {name}: 0.4000"
        for system in ("Gibbs", "EM", "new")
        for name in ("Mulan", "reuters")
    }
    assert set(published) == {"Gibbs, published: 0.4100", "EM, published: 0.3000"}
    assert all(len(places) == 2 for places in [*ours.values(), *published.values()])
    # .3 lies to the left of .4, and .41 to the right, by a tenth of that.
    x = ours["Gibbs, Mulan: 0.4000"][0][0]
    right = published["Gibbs, published: 0.4100"][0][0] - x
    left = x - published["EM, published: 0.3000"][0][0]
    assert left == pytest.approx(10 * right, abs=1) and right > 0
    # One data set is drawn above the published number and the other below it.
    y = [ours[f"Gibbs, {name}: 0.4000"][0][1] for name in ("Mulan", "reuters")]
    assert y[0] < published["Gibbs, published: 0.4100"][0][1] < y[1]


def test_bars_are_two_standard_errors_and_none_is_drawn_without_one(table):
    table.loc[table["system"] == "new", "se"] = np.nan
    root, ours, published = drawn(dot_plots(table, {})[0])
    unit = published["Gibbs, published: 0.4100"][0][0] - ours["Gibbs, mulan: 0.4000"][0][0]
    for element in root.iter("g"):
        bar = element.find("path")
        if element.findtext("title").startswith("new"):
            assert bar is None
        else:
            low, high = map(float, re.match(r"M([\d.]+) [\d.]+H([\d.]+)", bar.get("d")).groups())
            assert high - low == pytest.approx(4 * unit, abs=0.5)


def test_data_sets_with_other_published_numbers_have_drawings_of_their_own(table):
    other = table[table["dataset"] == "reuters"].assign(dataset="news")
    other = other.assign(published=other["published"] + 0.1)
    plots = dot_plots(pd.concat([table, other]), {"news": "News & more"})
    assert [plot["names"] for plot in plots] == [["mulan", "reuters"], ["News & more"]]
    assert set(drawn(plots[1])[2]) == {"Gibbs, published: 0.5100", "EM, published: 0.4000"}


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.28, 0.42, [0.3, 0.35, 0.4]),
        (-1.2, 7.9, [0, 5]),
        (0.97, 1.03, [0.98, 1, 1.02]),
        (-16_200, -15_100, [-16_000, -15_500]),
    ],
)
def test_ticks_are_round_and_few(low, high, expected):
    assert ticks(low, high) == pytest.approx(expected)


def test_one_number_alone_has_room_around_it(table):
    one = table.iloc[:1].assign(se=np.nan, published=0.4)
    _root, ours, _published = drawn(dot_plots(one, {})[0])
    assert 300 < ours["Gibbs, mulan: 0.4000"][0][0] < 500
