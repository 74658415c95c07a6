"""The front page: what was reproduced, on which data, and with what results."""

from html import escape

from reseat.plots.beside_published import error_of_published, limits, round_ticks, scaled
from reseat.report.comparison import AGREES, of_the_paper, reasons
from reseat.report.lookup import lessons
from reseat.report.numbers import absent, number, with_error
from reseat.summaries import AGREED
from reseat.vocabulary import AGREE, DIFFER, NOT_CONVERGED, REFUTED, STATUSES


def front_page(report):
    """Return the template context of the front page."""
    inputs = report.inputs
    of_paper, papers = inputs.catalogue.papers.values(), []
    for paper in of_paper:
        data = report.data_of([artefact.name for artefact in paper.artefacts])
        found = [entry["status"] for entry in data if entry["known"]]
        counts = {status: found.count(status) for status in STATUSES}
        family = inputs.catalogue.families[paper.family]
        papers.append({"paper": paper, "family": family, "data": counts, **report.score(paper)})
    shown = (report.comparison, report.titles)
    return {
        "papers": papers,
        "lessons": [] if report.generated else list(lessons(report.numbers)),
        "reasons": reasons(report.comparison),
        "overview": [] if report.generated else overview(of_paper, *shown),
        "total": report.total(),
        "refuted": [
            (paper, claim)
            for paper in of_paper
            for claim in of_the_paper(report.claims.get(paper.short, ()))
            if claim["verdict"] == REFUTED
        ],
        "n_chains": sum(run["n_chains"] for run in inputs.runs),
        "seconds": float(inputs.benchmarks["seconds"].sum()),
        "commits": sorted({commit for each in inputs.commits.values() for commit in each}),
        "agrees": AGREES,
        "converged": AGREED,
    }


#: Side of a panel, space to its left, below and above, and radius of a dot.
SIDE, LEFT, BELOW, ABOVE, RADIUS = 260, 44, 36, 10, 3.6

#: Smallest distance of two ticks.
APART = 30
#: CSS classes of the dots, each with its own shape and colour; later dots cover earlier ones.
KINDS = {NOT_CONVERGED: "unsettled", AGREE: "same", DIFFER: "far"}


def overview(papers, comparison, titles):
    """Draw a panel for each paper with its counted numbers, which link to their artefacts."""
    panels = []
    known = comparison[
        comparison["counted"].eq(True)
        & comparison["ours"].notna()
        & comparison["verdict"].isin(KINDS)
    ]
    for paper in papers:
        own = known[known["paper"] == paper.short]
        if len(own):
            counts = {verdict: int(own["verdict"].eq(verdict).sum()) for verdict in KINDS}
            svg = _panel(paper, own, titles)
            panels.append({"paper": paper, "svg": svg, "counts": counts})
    return panels


def _panel(paper, cells, titles):
    low, high = limits([*cells["ours"], *cells["published"]])

    def at(value):  # bars may end outside the panel
        place = (float(scaled(value)) - low) / (high - low)
        return SIDE * min(max(place, 0.0), 1.0)

    width, height = LEFT + SIDE + 8, ABOVE + SIDE + BELOW
    said = f"Published numbers of {paper.short} against ours."
    parts = [f'<svg class="overview" viewBox="0 0 {width} {height}" role="img"']
    parts.append(f' aria-label="{escape(said)}">')
    for tick, place in round_ticks(low, high, APART / SIDE):
        parts += _tick(LEFT + SIDE * place, ABOVE + SIDE * (1 - place), tick)
    parts.append(f'<path class="equal" d="M{LEFT} {ABOVE + SIDE}L{LEFT + SIDE} {ABOVE}"/>')
    middle = ABOVE + SIDE / 2
    parts.append(f'<text class="axis" x="{LEFT + SIDE / 2}" y="{height - 4}">published</text>')
    turned = f'transform="rotate(-90 11 {middle})"'
    parts.append(f'<text class="axis" x="11" y="{middle}" {turned}>ours</text>')
    for verdict in KINDS:
        for cell in cells[cells["verdict"] == verdict].to_dict("records"):
            x, y = LEFT + at(cell["published"]), ABOVE + SIDE - at(cell["ours"])
            parts += _dot(paper, cell, titles, x, y, _bars(cell, x, y, at))
    return "".join([*parts, "</svg>"])


def _tick(x, y, value):
    text = number(value, 0) if value == int(value) else f"{value:g}"
    yield f'<path class="grid" d="M{x:.1f} {ABOVE}V{ABOVE + SIDE}M{LEFT} {y:.1f}H{LEFT + SIDE}"/>'
    yield f'<text class="tick" x="{x:.1f}" y="{ABOVE + SIDE + 13}">{text}</text>'
    yield f'<text class="tick side" x="{LEFT - 5}" y="{y + 3:.1f}">{text}</text>'


def _bars(cell, x, y, at):
    """Draw error bars of two standard errors, where known, of our and of the published number."""
    if absent(cell["error"]):
        return ""
    ours = 2 * cell["error"]
    paper = 2 * error_of_published(cell["error"], cell["combined_error"])
    low, high = (LEFT + at(cell["published"] + sign * paper) for sign in (-1, 1))
    down, up = (ABOVE + SIDE - at(cell["ours"] + sign * ours) for sign in (-1, 1))
    return f'<path d="M{low:.1f} {y:.1f}H{high:.1f}M{x:.1f} {down:.1f}V{up:.1f}"/>'


def _dot(paper, cell, titles, x, y, bars):
    name = titles.get(cell["dataset"], cell["dataset"])
    ours, error = with_error(cell["ours"], cell["error"])
    said = f"{cell['label']}, {name}, {cell['system']}, {cell['metric']}: "
    said += f"published {number(cell['published'])}, ours {ours}" + (f" ± {error}" if error else "")
    if cell["verdict"] == NOT_CONVERGED:
        said += f"; {cell['verdict']}: {cell['why']}"
    kind, r = KINDS[cell["verdict"]], RADIUS
    shape = {
        "same": f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r}"/>',
        "far": f'<path class="shape" d="M{x:.1f} {y - 1.3 * r:.1f}l{1.2 * r:.1f} {2.2 * r:.1f}'
        f'h{-2.4 * r:.1f}z"/>',
        "unsettled": f'<rect x="{x - r:.1f}" y="{y - r:.1f}" width="{2 * r}" height="{2 * r}"/>',
    }[kind]
    # Keyboard users reach the numbers in the tables; a thousand tab stops would be in the way.
    yield f'<a class="{kind}" tabindex="-1" href="{paper.page}#{cell["artefact"]}">'
    yield f"<title>{escape(said)}</title>{bars}{shape}</a>"
