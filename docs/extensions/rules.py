"""The rules of a family and what they wait for, drawn from what Snakemake itself says."""

import functools
import re
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path

from catalogue import artefacts_of

ROOT = Path(__file__).resolve().parents[2]
LETTER, LINE, PAD, GAP_X, GAP_Y = 7.3, 17, 9, 36, 14  # in pixels


def picture(page, before, family):
    """An SVG of the rules of a family: its artefacts, what they need, at demo scale."""
    names, arrows = rule_graph()
    own = {name for name in names if name.startswith(f"{family}_")}
    boxes, arrows = _together(*_needed(arrows, own | names & artefacts_of(family)))
    files = [ROOT / "Snakefile", *sorted((ROOT / "workflow").rglob("*.smk"))]
    return _svg(boxes, arrows, f"Rules of the family {family}"), files


@functools.cache
def rule_graph():
    """Names of all rules, and pairs of a rule and one that waits for it.

    Raises
    ------
    OSError
        If Snakemake fails; the message is its own.
    """
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "snakemake", "--snakefile", ROOT / "Snakefile"]
        done = subprocess.run(
            [
                *command,
                "--directory",
                folder,
                "all",
                "--rulegraph",
                "dot",
                "--config",
                "scale=demo",
            ],
            capture_output=True,
            text=True,
        )
    if done.returncode:
        raise OSError(f"snakemake --rulegraph failed:\n{done.stdout}{done.stderr}")
    names = dict(re.findall(r'^\s*(\d+)\[label = "(\w+)', done.stdout, re.M))
    arrows = re.findall(r"^\s*(\d+) -> (\d+)", done.stdout, re.M)
    return set(names.values()), {(names[a], names[b]) for a, b in arrows}


def _needed(arrows, wanted):
    """The part of the graph that ends at the rules `wanted`, without arrows that others imply."""
    parents = {}
    for a, b in arrows:
        parents.setdefault(b, set()).add(a)

    @functools.cache
    def above(name):
        direct = parents.get(name, set())
        return direct.union(*map(above, direct))

    kept = wanted.union(*map(above, wanted))
    direct = {
        (a, b)
        for a, b in arrows
        if b in kept and not any(a in above(other) for other in parents[b] - {a})
    }
    return kept, direct


def _together(names, arrows):
    """Boxes of rules that wait for the same and are waited for by the same."""
    boxes = {}
    for name in sorted(names):
        waits = frozenset(a for a, b in arrows if b == name)
        waited = frozenset(b for a, b in arrows if a == name)
        boxes.setdefault((waits, waited), []).append(name)
    box_of = {name: tuple(box) for box in boxes.values() for name in box}
    return set(box_of.values()), {(box_of[a], box_of[b]) for a, b in arrows}


def _svg(boxes, arrows, title):
    parents = {box: {a for a, b in arrows if b == box} for box in boxes}

    @functools.cache
    def column(box):
        return 1 + max(map(column, parents[box]), default=-1)

    columns = [
        sorted(b for b in boxes if column(b) == n) for n in range(max(map(column, boxes)) + 1)
    ]
    tops, left, x_of = {}, 0, {}
    widths = [
        max(PAD * 2 + LETTER * max(map(len, box)) for box in part for _ in box) for part in columns
    ]
    heights = [sum(_height(box) + GAP_Y for box in part) - GAP_Y for part in columns]
    total = max(heights)
    for part, width, height in zip(columns, widths, heights, strict=True):
        # Beside what they wait for, so that arrows cross seldom.
        part.sort(key=lambda box: _mean([tops[a] for a in parents[box]], total / 2))
        top = (total - height) / 2
        for box in part:
            tops[box], x_of[box] = top + _height(box) / 2, (left, left + width)
            top += _height(box) + GAP_Y
        left += width + GAP_X
    lines = []
    for a, b in sorted(arrows):
        (start, y), (end, z) = (x_of[a][1], tops[a]), (x_of[b][0], tops[b])
        bend = min(GAP_X, (end - start) / 2)
        path = f"M{start:.0f} {y:.0f}C{start + bend:.0f} {y:.0f} {end - bend:.0f} {z:.0f}"
        lines.append(f'<path d="{path} {end - 4:.0f} {z:.0f}" marker-end="url(#head)"/>')
    for box in sorted(boxes):
        x, end = x_of[box]
        top = tops[box] - _height(box) / 2
        lines.append(
            f'<rect x="{x:.0f}" y="{top:.0f}" width="{end - x:.0f}" height="{_height(box)}" rx="5"/>'
        )
        for number, name in enumerate(box):
            y = top + PAD + LINE * (number + 0.72)
            lines.append(f'<text x="{x + PAD:.0f}" y="{y:.0f}">{escape(name)}</text>')
    width, height = left - GAP_X + 2, total + 2
    head = '<marker id="head" markerWidth="7" markerHeight="7" refX="4" refY="3" orient="auto">'
    return "\n".join(
        [
            '<div class="rules" tabindex="0">',
            f'<svg role="img" aria-label="{escape(title)}" width="{width:.0f}" height="{height:.0f}"'
            f' viewBox="-1 -1 {width:.0f} {height:.0f}">',
            f'<defs>{head}<path class="tip" d="M0 0L6 3L0 6Z"/></marker></defs>',
            *lines,
            "</svg>",
            "</div>",
        ]
    )


def _height(box):
    return 2 * PAD + LINE * len(box) - 4


def _mean(values, otherwise):
    return sum(values) / len(values) if values else otherwise
