"""Dot plots, small trace plots and images on the pages of the report."""

import re
import struct
from html import escape
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd

from reseat.plots.beside_published import error_of_published
from reseat.plots.svg import read_panels
from reseat.report.numbers import decimals, number

#: Width of the drawing, largest width of its column of names, height of a line for one data set,
#: and additional height for each further one.
WIDTH, MAX_NAME_WIDTH, LINE, MORE = 760, 190, 17, 6
#: Height of the titles above the panels and of the numbers below them, and gap between panels.
ABOVE, BELOW, GAP = 20, 20, 14
#: Largest number of ticks of a panel, width of a character, and number of colours of data sets,
#: which are classes of the style sheet.
MAX_TICKS, LETTER, N_COLOURS = 3, 5.4, 4


def dot_plots(table, titles):
    """Draw a panel per metric for all data sets that share their published values."""
    plots = []
    for names in _same_published(table):
        shown = {name: titles.get(name, name) for name in names}
        svg = _plot(table[table["dataset"].isin(names)], shown)
        plots.append({"names": list(shown.values()), "svg": svg})
    return plots


def _same_published(table):
    """Return groups of data sets with consistent published values, in order of first appearance."""
    groups = []
    for name, part in table.groupby("dataset", sort=False):
        values = part.set_index(["system", "metric"])["published"].dropna().to_dict()
        for names, known in groups:
            if all(known.get(key, value) == value for key, value in values.items()):
                names.append(name)
                known |= values
                break
        else:
            groups.append(([name], values))
    return [names for names, _known in groups]


def _plot(table, titles):
    metrics, systems = pd.unique(table["metric"]), pd.unique(table["system"])
    line = LINE + MORE * (len(titles) - 1)
    left = min(MAX_NAME_WIDTH, LETTER * max(map(len, systems)) + 8)
    width = (WIDTH - left) / len(metrics) - GAP
    foot = ABOVE + line * len(systems)
    parts = [
        f'<svg class="dots" viewBox="0 0 {WIDTH} {foot + BELOW}" role="img" aria-label="Dot plot: '
        f'measured and published values of {escape(", ".join(titles.values()))}.">'
    ]
    heights = {system: ABOVE + line * (place + 0.5) for place, system in enumerate(systems)}
    for system, y in heights.items():
        most = int(left / LETTER)
        name = system if len(system) <= most else f"{system[: most - 1]}\N{HORIZONTAL ELLIPSIS}"
        parts.append(
            f'<text class="name" x="{left - 6:.0f}" y="{y + 3.5:.1f}">{escape(name)}</text>'
        )
        parts.append(f'<path class="grid" d="M{left:.0f} {y:.1f}H{WIDTH}"/>')
    for place, metric in enumerate(metrics):
        x = left + (width + GAP) * place + GAP / 2
        own = table[table["metric"] == metric]
        parts += _panel(metric, own, titles, heights, (x, width, foot))
    return "".join([*parts, "</svg>"])


def _panel(metric, table, titles, heights, place):
    start, width, foot = place
    error = 2 * table["se"].fillna(0.0)
    printed = table.dropna(subset=["published"]).drop_duplicates("system")
    theirs = 2 * error_of_published(printed["se"], printed["combined_error"])
    printed = printed.assign(bar=theirs)
    ends = [*(table["mean"] - error), *(table["mean"] + error)]
    ends += [*(printed["published"] - theirs), *(printed["published"] + theirs)]
    low, high = min(ends), max(ends)
    reach = 0.08 * (high - low) or 0.05 * abs(high) or 0.5
    low, high = low - reach, high + reach

    def at(value):
        return start + width * (value - low) / (high - low)

    yield f'<text class="title" x="{start:.0f}" y="11">{escape(metric)}</text>'
    for tick in ticks(low, high):
        yield f'<path class="grid" d="M{at(tick):.1f} {ABOVE}V{foot}"/>'
        text = f"{tick:,.6g}".replace("-", "\N{MINUS SIGN}")
        yield f'<text class="tick" x="{at(tick):.1f}" y="{foot + 13}">{text}</text>'
    offsets = MORE * (np.arange(len(titles)) - (len(titles) - 1) / 2)
    for offset, (colour, name) in zip(offsets, enumerate(titles), strict=True):
        for row in table[table["dataset"] == name].itertuples():
            y, bar = heights[row.system] + offset, 2 * row.se
            said = f"{row.system}, {titles[name]}: {number(row.mean)}"
            yield f'<g class="c{colour % N_COLOURS}"><title>{escape(said)}</title>'
            if bar and not np.isnan(bar):
                yield f'<path d="M{at(row.mean - bar):.1f} {y:.1f}H{at(row.mean + bar):.1f}"/>'
            yield f'<circle cx="{at(row.mean):.1f}" cy="{y:.1f}" r="3"/></g>'
    for row in printed.itertuples():
        x, y = at(row.published), heights[row.system]
        bar = f"M{at(row.published - row.bar):.1f} {y:.1f}H{at(row.published + row.bar):.1f}"
        yield f'<path class="published" d="M{x:.1f} {y - 4:.1f}l4 4l-4 4l-4-4z{bar}">'
        yield f"<title>{escape(row.system)}, published: {number(row.published)}</title></path>"


def ticks(low, high):
    """Return a few round numbers from `low` to `high`, with steps such as 1, 2, 2.5 or 5."""
    step = 10.0 ** np.floor(np.log10((high - low) / MAX_TICKS))
    for factor in (1, 2, 2.5, 5, 10, 20):
        found = np.arange(np.ceil(low / (step * factor)), np.floor(high / (step * factor)) + 1)
        if found.size <= MAX_TICKS:
            break
    return [float(f"{value:.12g}") + 0.0 for value in found * step * factor]  # no -0


#: Size of the drawing, and largest number of points of a line.
TRACE_WIDTH, TRACE_HEIGHT, MOST_POINTS = 240, 56, 60


def sparkline(values, burn_in, name):
    """Draw the traces of some chains, with the burn-in (a share of the points) shaded."""
    values = np.asarray(values, dtype=float)
    kept = values[:, int(burn_in * values.shape[1]) :]
    kept = kept[np.isfinite(kept)]
    low, high = (float(kept.min()), float(kept.max())) if kept.size else (0.0, 1.0)
    reach = 0.2 * (high - low) or 0.5
    bottom, top = low - reach, high + reach
    values = values[:, :: max(1, -(-values.shape[1] // MOST_POINTS))]
    scaled = np.clip((top - np.nan_to_num(values, nan=low)) / (top - bottom), 0.0, 1.0)
    y = np.round(scaled * (TRACE_HEIGHT - 2) + 1).astype(int)
    x = np.round(np.linspace(0, TRACE_WIDTH, values.shape[1])).astype(int)
    digits = decimals([low, high])
    reached = f"{number(low, digits)} to {number(high, digits)}" if kept.size else ""
    text = f"{name}: after the burn-in {f'from {reached}' if reached else 'no finite value'}"
    parts = [
        f'<svg class="trace" viewBox="0 0 {TRACE_WIDTH} {TRACE_HEIGHT}" preserveAspectRatio="none"',
        f' role="img" aria-label="{escape(text)}">',
        f'<rect class="burn" width="{burn_in * TRACE_WIDTH:.0f}" height="{TRACE_HEIGHT}"/>',
        *(f'<path class="c{i % 4}" d="{_path(x, line)}"/>' for i, line in enumerate(y)),
        "</svg>",
        f'<span class="range">{reached or "no finite value"}</span>',
    ]
    return "".join(parts)


def _path(x, y):
    """Return a path of integer steps between points, a third as long as one of coordinates."""
    steps = zip(np.diff(x), np.diff(y), strict=True)
    return f"M{x[0]} {y[0]}l" + " ".join(f"{dx} {dy}" for dx, dy in steps).replace(" -", "-")


#: Size in bytes above which the PNG is shown instead of the SVG.
MAX_SVG = 1_500_000
#: Width in points from which a panel needs the whole width of a phone.
HALF = 135
#: Number of characters at the beginning of an SVG that contain its description.
HEAD = 4000


def panels(folder, name):
    """Return the panels of a figure separately, for screens too narrow for two side by side."""
    if not (picture(folder, name) or "").endswith(".svg"):
        return []
    folder = Path(folder)
    with open(folder / f"{name}.svg", encoding="utf-8") as file:
        boxes = read_panels(file.read(HEAD))
    if len(boxes) < 2:
        return []
    narrow = median(width for _x, _y, width, _height in boxes) < HALF
    return [
        {
            "half": narrow and width < 1.2 * HALF,
            "src": f"{folder.name}/{name}.svg#svgView(viewBox({x},{y},{width},{height}))",
            "width": width,
            "height": height,
        }
        for x, y, width, height in boxes
    ]


def is_tall(path):
    """Return whether a picture is at least as high as wide, so that it needs the whole page."""
    with open(path, "rb") as file:
        head = file.read(HEAD)
    if head.startswith(b"\x89PNG"):
        width, height = struct.unpack(">II", head[16:24])
    else:
        width, height = map(float, re.search(rb'viewBox="0 0 ([\d.]+) ([\d.]+)"', head).groups())
    return height >= width


def picture(folder, name):
    """Return the address of `NAME.svg`, or `NAME.png` if that is too large, or None if neither."""
    folder = Path(folder)
    vector, raster = folder / f"{name}.svg", folder / f"{name}.png"
    if vector.is_file() and (vector.stat().st_size <= MAX_SVG or not raster.is_file()):
        return f"{folder.name}/{vector.name}"
    return f"{folder.name}/{raster.name}" if raster.is_file() else None
