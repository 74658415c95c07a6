"""SVG in fewer bytes, with the same drawing."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
from matplotlib.figure import Figure

from reseat.plots.svg import compact_svg


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
