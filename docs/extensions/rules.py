"""Pictures of the rules of a family and their dependencies, from Snakemake's own rule graph."""

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
    """Return an SVG of the rules of a family at demo scale: its artefacts and what they need."""
    names, arrows = rule_graph()
    own = {name for name in names if name.startswith(f"{family}_")}
    boxes, arrows = _together(*_needed(arrows, own | names & artefacts_of(family)))
    files = [ROOT / "workflow" / "Snakefile", *sorted((ROOT / "workflow").rglob("*.smk"))]
    return _svg(boxes, arrows, f"Rules of the family {family}"), files


@functools.cache
def rule_graph():
    """Return the names of all rules, and pairs of a rule and a rule that waits for it."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "snakemake", "--snakefile", ROOT / "Snakefile"]
        done = subprocess.run(
            [
                *command,
                "--workflow-profile",
                "none",
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
    """Return the part of the graph that leads to the rules `wanted`, without implied arrows."""
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
    """Put rules that wait for the same rules, and are awaited by the same, into one box."""
    boxes = {}
    for name in sorted(names):
        waits = frozenset(a for a, b in arrows if b == name)
        waited = frozenset(b for a, b in arrows if a == name)
        boxes.setdefault((waits, waited), []).append(name)
    box_of = {name: tuple(box) for box in boxes.values() for name in box}
    return set(box_of.values()), {(box_of[a], box_of[b]) for a, b in arrows}


def _layout(boxes, arrows):
    """Return left, right and middle height of each box, and width and height of the picture."""
    parents = {box: [a for a, b in arrows if b == box] for box in boxes}

    @functools.cache
    def column(box):
        return 1 + max(map(column, parents[box]), default=-1)

    columns = [[] for _ in range(1 + max(map(column, boxes)))]
    for box in sorted(boxes):
        columns[column(box)].append(box)
    heights = [sum(_height(box) + GAP_Y for box in part) - GAP_Y for part in columns]
    total, left, places = max(heights), 0, {}
    for part, height in zip(columns, heights, strict=True):
        # Boxes are at the height of those for which they wait, so that arrows rarely cross.
        part.sort(key=lambda box: _mean([places[a][2] for a in parents[box]], total / 2))
        right = left + 2 * PAD + LETTER * max(len(name) for box in part for name in box)
        top = (total - height) / 2
        for box in part:
            places[box] = left, right, top + _height(box) / 2
            top += _height(box) + GAP_Y
        left = right + GAP_X
    return places, left - GAP_X, total


def _svg(boxes, arrows, title):
    places, width, height = _layout(boxes, arrows)
    lines = []
    for a, b in sorted(arrows):
        (_left, start, y), (end, _right, z) = places[a], places[b]
        bend = min(GAP_X, (end - start) / 2)
        path = f"M{start:.0f} {y:.0f}C{start + bend:.0f} {y:.0f} {end - bend:.0f} {z:.0f}"
        lines.append(f'<path d="{path} {end - 4:.0f} {z:.0f}" marker-end="url(#head)"/>')
    for box, (left, right, middle) in sorted(places.items()):
        top, size = middle - _height(box) / 2, f'width="{right - left:.0f}" height="{_height(box)}"'
        lines.append(f'<rect x="{left:.0f}" y="{top:.0f}" {size}/>')
        for number, name in enumerate(box):
            y = top + PAD + LINE * (number + 0.72)
            lines.append(f'<text x="{left + PAD:.0f}" y="{y:.0f}">{escape(name)}</text>')
    return SVG.format(title=escape(title), w=width + 2, h=height + 2, parts="\n".join(lines))


#: The picture, in a box in which a wide one scrolls, with the definition of arrowheads.
SVG = """\
<div class="rules" tabindex="0">
<svg role="img" aria-label="{title}" width="{w:.0f}" height="{h:.0f}"
 viewBox="-1 -1 {w:.0f} {h:.0f}">
<defs><marker id="head" markerWidth="7" markerHeight="7" refX="4" refY="3" orient="auto">
<path class="tip" d="M0 0L6 3L0 6Z"/></marker></defs>
{parts}
</svg>
</div>"""


def _height(box):
    return 2 * PAD + LINE * len(box) - 4


def _mean(values, otherwise):
    return sum(values) / len(values) if values else otherwise
