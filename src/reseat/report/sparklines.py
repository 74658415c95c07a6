"""Small trace plots as inline SVG, in the colours of the page."""

from __future__ import annotations

from html import escape

import numpy as np

from reseat.report.numbers import decimals, number

#: Size of the drawing, and largest number of points of a line.
WIDTH, HEIGHT, MOST_POINTS = 240, 56, 60


def sparkline(values, burn_in, name):
    """Draw the traces of some chains, with the burn-in shaded.

    The vertical scale is that of the draws after the burn-in; a burn-in from far away is clipped.
    `burn_in` is a share of the points, and `name` is for screen readers.
    """
    values = np.asarray(values, dtype=float)
    kept = values[:, int(burn_in * values.shape[1]) :]
    kept = kept[np.isfinite(kept)]
    low, high = (float(kept.min()), float(kept.max())) if kept.size else (0.0, 1.0)
    reach = 0.2 * (high - low) or 0.5
    bottom, top = low - reach, high + reach
    values = values[:, :: max(1, -(-values.shape[1] // MOST_POINTS))]
    scaled = np.clip((top - np.nan_to_num(values, nan=low)) / (top - bottom), 0.0, 1.0)
    y = np.round(scaled * (HEIGHT - 2) + 1).astype(int)
    x = np.round(np.linspace(0, WIDTH, values.shape[1])).astype(int)
    digits = decimals([low, high])
    reached = f"{number(low, digits)} to {number(high, digits)}" if kept.size else ""
    text = f"{name}: after the burn-in {f'from {reached}' if reached else 'no finite value'}"
    parts = [
        f'<svg class="trace" viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none" role="img"',
        f' aria-label="{escape(text)}">',
        f'<rect class="burn" width="{burn_in * WIDTH:.0f}" height="{HEIGHT}"/>',
        *(f'<path class="c{i % 4}" d="{_path(x, line)}"/>' for i, line in enumerate(y)),
        "</svg>",
        f'<span class="range">{reached or "no finite value"}</span>',
    ]
    return "".join(parts)


def _path(x, y):
    """Return a path of integer steps between points, a third as long as one of coordinates."""
    steps = zip(np.diff(x), np.diff(y), strict=True)
    return f"M{x[0]} {y[0]}l" + " ".join(f"{dx} {dy}" for dx, dy in steps).replace(" -", "-")
