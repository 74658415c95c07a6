"""Dot plots of measured and published numbers as inline SVG, in the colours of the page."""

from __future__ import annotations

from html import escape

import numpy as np
import pandas as pd

from reseat.report.numbers import number

#: Width of the drawing, largest width of its column of names, height of a line for one data set,
#: and additional height for each further one.
WIDTH, MOST_NAME, LINE, MORE = 760, 190, 17, 6
#: Height of the titles above the panels and of the numbers below them, and gap between panels.
ABOVE, BELOW, GAP = 20, 20, 14
#: Largest number of ticks of a panel.
MOST_TICKS = 3
#: Width of a character.
LETTER = 5.4
#: Number of colours of data sets, which are classes of the style sheet.
N_COLOURS = 4


def dot_plots(table, titles):
    """Draw a panel per metric for all data sets that share their published values.

    Bars are of two standard errors.
    """
    plots = []
    for names in _same_published(table):
        part = table[table["dataset"].isin(names)]
        shown = [titles.get(name, name) for name in names]
        plots.append({"names": shown, "svg": _plot(part, dict(zip(names, shown, strict=True)))})
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
    left = min(MOST_NAME, LETTER * max(map(len, systems)) + 8)
    width = (WIDTH - left) / len(metrics) - GAP
    foot = ABOVE + line * len(systems)
    parts = [
        f'<svg class="dots" viewBox="0 0 {WIDTH} {foot + BELOW}" role="img" aria-label="Dot plot: '
        f'measured and published values of {escape(", ".join(titles.values()))}.">'
    ]
    heights = {system: ABOVE + line * (place + 0.5) for place, system in enumerate(systems)}
    for system, y in heights.items():
        name = _shortened(system, left)
        parts.append(f'<text class="name" x="{left - 6:.0f}" y="{y + 3.5:.1f}">{name}</text>')
        parts.append(f'<path class="grid" d="M{left:.0f} {y:.1f}H{WIDTH}"/>')
    for place, metric in enumerate(metrics):
        x = left + (width + GAP) * place + GAP / 2
        own = table[table["metric"] == metric]
        parts += _panel(metric, own, titles, heights, (x, width, foot))
    return "".join([*parts, "</svg>"])


def _shortened(name, room):
    most = int(room / LETTER)
    return escape(name if len(name) <= most else f"{name[: most - 1]}\N{HORIZONTAL ELLIPSIS}")


def _panel(metric, table, titles, heights, place):
    start, width, foot = place
    error = 2 * table["se"].fillna(0.0)
    ends = [*(table["mean"] - error), *(table["mean"] + error), *table["published"].dropna()]
    low, high = min(ends), max(ends)
    reach = 0.08 * (high - low) or 0.05 * abs(high) or 0.5
    low, high = low - reach, high + reach

    def at(value):
        return start + width * (value - low) / (high - low)

    yield f'<text class="title" x="{start:.0f}" y="11">{escape(metric)}</text>'
    for tick in ticks(low, high):
        yield f'<path class="grid" d="M{at(tick):.1f} {ABOVE}V{foot}"/>'
        yield f'<text class="tick" x="{at(tick):.1f}" y="{foot + 13}">{_short(tick)}</text>'
    offsets = MORE * (np.arange(len(titles)) - (len(titles) - 1) / 2)
    for offset, (colour, name) in zip(offsets, enumerate(titles), strict=True):
        for row in table[table["dataset"] == name].itertuples():
            y, bar = heights[row.system] + offset, "" if np.isnan(row.se) else 2 * row.se
            said = f"{row.system}, {titles[name]}: {number(row.mean)}"
            yield f'<g class="c{colour % N_COLOURS}"><title>{escape(said)}</title>'
            if bar:
                yield f'<path d="M{at(row.mean - bar):.1f} {y:.1f}H{at(row.mean + bar):.1f}"/>'
            yield f'<circle cx="{at(row.mean):.1f}" cy="{y:.1f}" r="3"/></g>'
    for row in table.dropna(subset=["published"]).drop_duplicates("system").itertuples():
        x, y = at(row.published), heights[row.system]
        yield f'<path class="published" d="M{x:.1f} {y - 4:.1f}l4 4l-4 4l-4-4z">'
        yield f"<title>{escape(row.system)}, published: {number(row.published)}</title></path>"


def _short(tick):
    text = f"{tick:,.6g}"
    return text.replace("-", "\N{MINUS SIGN}")


def ticks(low, high):
    """Return a few round numbers from `low` to `high`, with steps such as 1, 2, 2.5 or 5."""
    step = 10.0 ** np.floor(np.log10((high - low) / MOST_TICKS))
    for factor in (1, 2, 2.5, 5, 10, 20):
        found = np.arange(np.ceil(low / (step * factor)), np.floor(high / (step * factor)) + 1)
        if found.size <= MOST_TICKS:
            break
    return [float(f"{value:.12g}") + 0.0 for value in found * step * factor]  # no -0
