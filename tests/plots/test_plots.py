"""Figures: what is drawn, that equal data give equal files, and SVG in fewer bytes."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pandas as pd
import pytest
from drawings import names_in_legend, titles_of
from matplotlib.figure import Figure

from reseat.estimators.pictures import draw_posterior
from reseat.papers.documents.figures import kl_heatmaps, log_joint_traces, scores_by_sample
from reseat.plots import FORMATS, PALETTE, new_figure, save_figure
from reseat.plots.svg import compact_svg, read_panels


@pytest.fixture
def traces():
    sweeps = np.arange(1, 41)
    rise = 2 - np.tanh(sweeps / 5)
    bands = pd.DataFrame({"log_joint": rise, "low": rise + 0.1, "high": rise - 0.1})
    places = {"first": -1000.0, "second": -2e6, "third": -50.0}
    frames = [
        (scale * bands).assign(dataset=name, sweep=sweeps, burn_in=10, status="faithful")
        for name, scale in places.items()
    ]
    frames[2]["status"] = "stand-in"
    return pd.concat(frames)


@pytest.fixture
def by_sample():
    rows = [
        (metric, name, status, s, s / 100, 0.01)
        for metric in ("ARI", "V-Measure")
        for name, status in (("mulan", "stand-in"), ("reuters", "faithful"))
        for s in (30, 10, 20)
    ]
    return pd.DataFrame(rows, columns="metric dataset status sample mean se".split())


def test_traces_have_a_panel_for_each_data_set_and_mark_the_burn_in(traces):
    fig = log_joint_traces(traces, {"second": "Second set"})
    assert titles_of(fig) == ["(a) first", "(b) Second set", "(c) third (stand-in)"]
    ax = fig.axes[0]
    line = ax.lines[0]
    expected = traces[traces["dataset"] == "first"]
    np.testing.assert_array_equal(line.get_xdata(), expected["sweep"])
    np.testing.assert_array_equal(line.get_ydata(), expected["log_joint"])
    assert [text.get_text() for text in ax.texts] == ["burn-in 10"]
    assert list(ax.lines[1].get_xdata()) == [10, 10]
    # The scale fits what follows the first sweeps, which are shown in an inset.
    low, high = ax.get_ylim()
    late = expected[expected["sweep"] >= 5]
    assert low < late["low"].min() and late["high"].max() < high
    deep = traces.copy()
    deep.loc[deep["sweep"] == 1, ["log_joint", "low"]] = -1e9
    assert log_joint_traces(deep).axes[0].get_ylim() == (low, high)
    (rise,) = ax.child_axes
    np.testing.assert_array_equal(rise.lines[0].get_xdata(), np.arange(1, 11))
    assert rise.get_ylim()[0] < expected["log_joint"].iloc[0]
    words = names_in_legend(fig)
    assert words == ["lowest to highest of all chains", "the first chain"]
    assert not [ax for ax in fig.axes if not ax.axison]  # three panels leave no hole


def test_heat_map_is_black_at_zero_and_white_at_one():
    matrix = np.array([[0.0, 1.0], [0.5, 0.25]])
    fig = kl_heatmaps({"self": matrix}, {"self": np.array([0, 0])})
    image, dots = fig.axes[0].collections[0], fig.axes[0].lines[0]
    np.testing.assert_array_equal(image.get_array(), matrix)
    assert image.to_rgba(np.array([0.0]))[0][:3] == pytest.approx((0, 0, 0))
    assert image.to_rgba(np.array([1.0]))[0][:3] == pytest.approx((1, 1, 1))
    assert image.get_clim() == (0, 1)
    # Row 1 is nearest to column 0: a dot in the middle of that square, and none on the diagonal.
    assert (list(dots.get_xdata()), list(dots.get_ydata())) == ([0.5], [1.5])
    # An empty cluster is not marked.
    fig = kl_heatmaps({"self": np.eye(3)}, {"self": np.array([0, 1, -1])})
    assert len(fig.axes[0].lines) == 0
    drawn = fig.axes[0].collections[0].get_array()
    assert drawn.mask.tolist() == [[False] * 3, [False] * 3, [True] * 3]


def test_two_heat_maps_have_their_difference_beside_them():
    first, second = np.array([[0.0, 1.0], [0.5, 0.0]]), np.array([[0.0, 0.75], [0.625, 0.0]])
    table = pd.DataFrame({"dataset": ["mail"], "status": ["stand-in"]})
    fig = kl_heatmaps({"self": first, "later": second}, None, table, {"mail": "Mail"})
    assert fig.get_suptitle() == "Mail (stand-in)"
    assert titles_of(fig) == ["(a) self", "(b) later", "(c) difference, (b) \N{MINUS SIGN} (a)"]
    image = fig.axes[2].collections[0]
    np.testing.assert_array_equal(image.get_array(), second - first)
    assert image.get_clim() == (-0.25, 0.25)


def test_scores_by_sample_are_drawn_in_order_with_a_band(by_sample):
    fig = scores_by_sample(by_sample, {"mulan": "Mulan"})
    assert titles_of(fig) == ["(a) ARI", "(b) V-Measure"]
    line = fig.axes[0].lines[0]
    assert list(line.get_xdata()) == [10, 20, 30]
    assert line.get_ydata() == pytest.approx([0.1, 0.2, 0.3])
    heights = fig.axes[0].collections[0].get_paths()[0].vertices[:, 1]
    assert heights.min() == pytest.approx(0.09) and heights.max() == pytest.approx(0.31)
    assert names_in_legend(fig) == ["Mulan (stand-in)", "reuters"]
    assert {ax.get_ylim() for ax in fig.axes} == {fig.axes[0].get_ylim()}
    assert fig.axes[0].get_ylim()[0] == 0
    alone = scores_by_sample(by_sample[by_sample["dataset"] == "mulan"], {"mulan": "Mulan"})
    assert titles_of(alone)[0] == "(a) ARI, Mulan (stand-in)" and not alone.legends
    apart = by_sample.assign(note=np.where(by_sample["dataset"] == "reuters", "in modes", ""))
    assert names_in_legend(scores_by_sample(apart))[1] == "reuters, chains disagree"


def test_files_are_whole_and_the_same_every_time(tmp_path, monkeypatch, traces, by_sample):
    def heat_maps():
        return kl_heatmaps({"a": np.eye(3), "b": 1 - np.eye(3)})

    starts = {"pdf": b"%PDF", "svg": b"<?xml", "png": b"\x89PNG"}
    first = save_figure(heat_maps(), tmp_path / "x.y")
    second = save_figure(heat_maps(), tmp_path / "two")
    assert set(first) == set(starts) == set(FORMATS)
    assert {path.name for path in tmp_path.glob("x*")} == {f"x.y.{ending}" for ending in starts}
    for extension, path in first.items():
        content = path.read_bytes()
        assert content.startswith(starts[extension])
        assert content == second[extension].read_bytes(), extension
    monkeypatch.setattr("reseat.plots.style.FORMATS", ("svg",))
    for draw, data in ((log_joint_traces, traces), (scores_by_sample, by_sample)):
        texts = [save_figure(draw(data), tmp_path / n)["svg"].read_text() for n in "ab"]
        assert texts[0] == texts[1] and "dc:date" not in texts[0]
    assert ">place of the sample in the chain</text>" in texts[0]  # text is kept


def test_palette_is_distinct_in_grey_or_by_hue():
    channels = np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in PALETTE])
    gaps = np.abs(channels[:, None] - channels[None]).sum(axis=2)
    assert gaps[~np.eye(len(PALETTE), dtype=bool)].min() > 60


def test_very_many_small_clusters_are_drawn_by_their_sizes():
    labels = np.repeat(np.arange(60), 2)
    apart = np.where(np.arange(120) == 0, 60, labels)  # the first of a pair alone
    numbers = np.array([60, 61])
    few = draw_posterior(np.stack([labels, apart]), labels, numbers).axes[0]
    assert few.get_title(loc="left") == "Clusters of each size"
    bars = [(bar.get_x() + bar.get_width() / 2, bar.get_height()) for bar in few.patches]
    assert bars == [(1, 1.0), (2, 59.5)]
    assert [text.get_text() for text in few.texts] == ["1", "60"]
    large = np.repeat(np.arange(3), 40)
    matrix = draw_posterior(np.stack([large, large]), large, np.array([3, 3])).axes[0]
    assert matrix.get_title(loc="left") == "Probability of sharing a cluster" and matrix.images


def panels_of(fig, folder):
    return read_panels(save_figure(fig, folder / "x")["svg"].read_text())


def test_an_svg_tells_where_its_panels_lie(tmp_path, only_svg):
    fig = new_figure(7, 4)
    panels = fig.subplots(2, 2)
    for place, ax in enumerate(panels[0]):
        ax.plot([0, 1], label="line")
        ax.set_title(f"panel {place}", loc="left")
    fig.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside lower center")
    boxes = panels_of(fig, tmp_path)
    # Each column is one panel, as the axes below have no titles; the legend comes last.
    (left, top, width, height), (second, _top, _width, _height), legend = boxes
    assert left + width <= second + 6 and top < 20 and height > 200
    assert legend[1] > top + height - 20 and legend[3] < 40
    assert read_panels("nothing") == []


def test_panels_go_with_the_title_of_their_own_row(tmp_path, only_svg):
    fig = new_figure(7, 4)
    panels = fig.subplots(2, 3, sharex=True, sharey=True)
    for row in panels:
        row[0].set_title("row", loc="left")
    boxes = panels_of(fig, tmp_path)
    (_left, top, width, height), (_second, below, second_width, _height) = boxes
    assert min(width, second_width) > 480 and abs(below - (top + height)) < 20


def test_a_legend_too_long_for_a_phone_is_told_in_parts(tmp_path, only_svg):
    fig = new_figure(7, 3)
    ax = fig.subplots()
    ax.set_title("panel", loc="left")
    for place in range(4):
        ax.plot([0, 1], label=f"entry of words {place}")
    fig.legend(loc="outside lower center", ncols=4)
    _panel, *parts = panels_of(fig, tmp_path)
    assert len(parts) == 2 and all(width <= 270 for _left, _top, width, _height in parts)
    assert parts[0][0] + parts[0][2] <= parts[1][0] + 6


def drawn(tmp_path):
    """Return Matplotlib's SVG of a line, marks in one style, marks in two, and an image."""
    fig = Figure(figsize=(3, 2))
    ax = fig.subplots()
    x = np.linspace(0, 1, 40)
    ax.plot(x, np.sin(9 * x), "o-", label="0.123456")
    ax.scatter(x, x, c=["red", "blue"] * 20)
    ax.imshow(np.outer(x, x), extent=(0, 0.1, 0, 0.1))
    ax.legend()
    path = tmp_path / "drawn.svg"
    fig.savefig(path)
    return path.read_text(encoding="utf-8")


def numbers(text):
    """Return the coordinates of all paths and marks, in order."""
    places = " ".join(re.findall(r'(?<=\s)(?:d|x|y|transform)="([^"]*)"', text))
    return np.array(re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", places), float)


def test_nothing_moves_and_no_style_is_lost(tmp_path):
    before = drawn(tmp_path)
    after = compact_svg(before)
    assert len(after) < 0.85 * len(before) and compact_svg(after) == after
    assert np.abs(numbers(after) - numbers(before)).max() <= 0.005 + 1e-9
    one, other = (list(ElementTree.fromstring(text).iter()) for text in (before, after))
    assert [element.tag for element in one] == [element.tag for element in other]

    def styles(text):
        """Return the style of each mark, its own or that of its group."""
        found = []
        for group in ElementTree.fromstring(text).iter("{http://www.w3.org/2000/svg}g"):
            marks = group.findall("{http://www.w3.org/2000/svg}use")
            found += [mark.get("style", group.get("style")) for mark in marks]
        return found

    assert styles(before) == styles(after) and len(set(styles(after))) > 3
    assert re.findall('base64,[^"]*', before) == re.findall('base64,[^"]*', after) != []
    assert "0.123456" in after  # text stays as it is
