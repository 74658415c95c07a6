"""The house style of the figures: colours, sizes, and the only function that writes to disk."""

import math
import warnings
from contextlib import contextmanager
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
from matplotlib.transforms import Bbox

from reseat.files.atomic import atomic_path
from reseat.plots.svg import compact_svg, describe_panels

#: Okabe & Ito's palette, which stays distinct under the common colour vision deficiencies; yellow
#: is left out because it cannot be read on white, black because the axes are drawn in it.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")

#: Dashes that distinguish the lines without colour, in the order of :data:`PALETTE`.
DASHES = ("solid", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (5, 1.5, 1.2, 1.5)), (0, (8, 2)), "dotted")

#: Markers in the order of :data:`PALETTE`.
MARKERS = ("o", "s", "^", "v", "P", "X")

#: Width of one column and of the full text of a two-column page, in inches.
COLUMN_WIDTH = 3.4
TEXT_WIDTH = 7.0

#: Width in points that a phone can show without making the type too small.
NARROW = 260

#: Formats that :func:`save_figure` writes.
FORMATS = ("pdf", "svg", "png")

_RC = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial", "sans-serif"],
    "font.size": 8.0,
    "axes.titlesize": 8.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 8.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.7,
    "axes.edgecolor": "#333333",
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.prop_cycle": matplotlib.cycler(color=PALETTE),
    "axes.formatter.useoffset": False,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.5,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "lines.linewidth": 1.2,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "savefig.dpi": 200,
    # Text stays text: it can be searched, copied and read aloud.
    "pdf.fonttype": 42,
    "svg.fonttype": "none",
    # Without a fixed salt the ids inside an SVG change from run to run.
    "svg.hashsalt": "reseat",
}

# The name and version of each back end and the time of day are left out, so that equal data give
# equal bytes.
_METADATA = {
    "pdf": {"CreationDate": None, "Creator": "reseat", "Producer": None},
    "svg": {"Date": None, "Creator": "reseat"},
    "png": {"Software": None},
}


@contextmanager
def house_style():
    """Apply the house style within a context; restore the caller's settings afterwards."""
    with matplotlib.rc_context(_RC):
        yield


def new_figure(width=COLUMN_WIDTH, height=2.4):
    """Return an empty figure, of a size in inches, whose panels will not overlap."""
    return Figure(figsize=(width, height), layout="constrained")


def series_style(index):
    """Return colour, dashes and marker of the `index`-th series; each of them identifies it."""
    position = index % len(PALETTE)
    return {"color": PALETTE[position], "linestyle": DASHES[position], "marker": MARKERS[position]}


def short_number(value, _position=None):
    """Return 1234567 as 1.235M and 12300 as 12.3k, narrow enough to label an axis in a column."""
    sign = "\N{MINUS SIGN}" if value < 0 else ""
    size = abs(value)
    for limit, suffix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if size >= limit:
            return f"{sign}{size / limit:.4g}{suffix}"
    return f"{sign}{size:.4g}"


def plain_ticks(axis):
    """Label decades as 0.01, 1 and 1000, with 2 and 5 between them if the axis spans few."""
    low, high = axis.get_view_interval()
    span = np.log10(high / low) if low > 0 else 9
    subs = (1.0, 2.0, 5.0) if span < 1.7 else (1.0,)
    axis.set_major_locator(LogLocator(subs=subs))
    axis.set_major_formatter(FuncFormatter(lambda value, _place: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def fix_layout(fig):
    """Place the panels once for all formats, where a layout engine would draw twice per save."""
    engine = fig.get_layout_engine()
    if engine is None:
        return
    with house_style(), warnings.catch_warnings():
        # A single panel has nothing to align, about which Matplotlib warns.
        warnings.filterwarnings("ignore", message="constrained_layout not applied")
        fig.set_dpi(matplotlib.rcParams["savefig.dpi"])  # the width of text depends on it a little
        engine.execute(fig)
    for panel in fig.axes:
        # The solver's last bits differ from run to run, and the names of clip paths depend on them.
        panel.set_position([round(side, 6) for side in panel.get_position().bounds])
    fig.set_layout_engine(None)  # with any engine, even "none", every save draws it twice


def panel_boxes(fig):
    """Return the boxes of laid-out panels in reading order, in points: left, top, width, height."""
    renderer = FigureCanvasAgg(fig).get_renderer()
    bars = [ax for ax in fig.axes if hasattr(ax, "_colorbar")]
    axes = [ax for ax in fig.axes if ax not in bars and ax.axison]
    groups = [[ax] for ax in axes if ax.get_title(loc="left")]
    for ax in axes:
        if not ax.get_title(loc="left"):
            above = min(groups, key=lambda group: _distance(ax, group[0]), default=[])
            above.append(ax)
    groups += [[bar] for bar in bars]
    boxes = [Bbox.union([part.get_tightbbox(renderer) for part in group]) for group in groups]
    for legend in fig.legends:
        boxes += _parts_of(legend, renderer, NARROW * fig.dpi / 72)
    height = fig.get_figheight() * 72
    found = []
    for box in boxes:
        left, bottom, right, top = box.extents * 72 / fig.dpi
        edge = (left - 3, height - top - 3, right + 3, height - bottom + 3)
        x, y = int(max(0, edge[0])), int(max(0, edge[1]))
        found.append((x, y, int(edge[2] - x + 1), int(edge[3] - y + 1)))
    return found


def _distance(ax, titled):
    """Return how far a panel is below a titled one, rows first; infinite if it is above it."""
    own, other = ax.get_position(), titled.get_position()
    rows = round(other.y1 - own.y1, 2)
    return rows if rows >= 0 else math.inf, abs(other.x0 - own.x0)


def _parts_of(legend, renderer, width):
    """Return the boxes of a legend: a row that is too long for a phone is split between entries."""
    legend.draw(renderer)  # sets the positions of its entries
    whole = legend.get_tightbbox(renderer)
    ends = [text.get_window_extent(renderer).x1 for text in legend.get_texts()]
    if whole.width <= width or ends != sorted(ends):
        return [whole]
    found, start = [], whole.x0
    for end, following in zip(ends, [*ends[1:], None], strict=True):
        if following is None or following - start > width:
            found.append(Bbox.from_extents(start, whole.y0, end, whole.y1))
            start = end + renderer.points_to_pixels(4)
    return found


def save_figure(fig, stem):
    """Write a figure as `stem.pdf`, `stem.svg` and `stem.png`, each atomically; return them."""
    stem = Path(stem)
    stem.parent.mkdir(parents=True, exist_ok=True)
    paths = {}
    fix_layout(fig)
    with house_style():
        told = {"Description": describe_panels(panel_boxes(fig))}
        metadata = _METADATA | {"svg": _METADATA["svg"] | told}
        for extension in FORMATS:
            path = stem.with_name(f"{stem.name}.{extension}")
            with atomic_path(path) as temporary:
                fig.savefig(temporary, format=extension, metadata=metadata[extension])
                if extension == "svg":
                    drawn = temporary.read_text(encoding="utf-8")
                    temporary.write_text(compact_svg(drawn), encoding="utf-8")
            paths[extension] = path
    return paths


#: Places in the palette: Dirichlet and Pitman-Yor processes are blue, microclustering priors have
#: warm colours; each pair has a dark and a light one, so that all four differ in grey as well.
_PLACES = {"DP": 0, "PYP": 5, "NBNB": 1, "NBD": 4}


def prior_style(system, others=()):
    """Return the colour, dashes and marker of a prior; `others` get the remaining colours."""
    if system in _PLACES:
        return series_style(list(_PLACES).index(system)) | {"color": PALETTE[_PLACES[system]]}
    unknown = [name for name in others if name not in _PLACES]
    position = unknown.index(system) if system in unknown else 0
    left = [place for place in range(len(PALETTE)) if place not in _PLACES.values()]
    color = PALETTE[left[position % len(left)]]
    return series_style(len(_PLACES) + position) | {"color": color}


def in_order(systems):
    """Return the priors of the paper in the order of its tables, then the others as given."""
    systems = list(dict.fromkeys(systems))
    return [s for s in _PLACES if s in systems] + [s for s in systems if s not in _PLACES]
