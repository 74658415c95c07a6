"""The page of a paper: its claims, and every table and figure compared with the paper's."""

import math
from pathlib import Path

from reseat.errors import DataError
from reseat.provenance.runs import DEFAULT_SEED, run_name
from reseat.report.comparison import AGREES, NEAR, of_the_paper, reasons, tally
from reseat.report.drawings import dot_plots, is_tall, panels, picture
from reseat.report.numbers import span
from reseat.report.views import comparison_views, contingency_view, pairs_views
from reseat.vocabulary import (
    AGREE,
    CLAIM_VERDICTS,
    CONFIRMED,
    DIFFER,
    NOT_COMPARABLE,
    NOT_CONVERGED,
    REFUTED,
    UNTESTABLE,
)

#: Number of numbers of a figure above which they are folded, and of claims that a sentence names.
MAX_NUMBERS, MAX_LISTED = 40, 2

#: What only the view of an artefact that was made has, and of these only some.
LATER = ("image", "tall", "panels", "files", "tables", "folded", "dots", "contingency")

#: Prefix that is omitted below the heading that says the same.
BEYOND = "Beyond the paper - "


def paper_page(report, paper):
    """Return the template context of the page of a paper."""
    claims = report.claims.get(paper.short, [])
    made = [artefact for artefact in paper.artefacts if artefact.name in report.tables]
    for claim in claims:
        claim["artefacts"] = [artefact for artefact in made if claim["key"] in artefact.claims]
    views = [_artefact(report, artefact, claims) for artefact in paper.artefacts]
    score, cells = report.score(paper), report.comparison
    stated = of_the_paper(claims)
    shown = [m for view in views for table in view["tables"] for m in table["metrics"]]
    what = {metric["name"].partition(", ")[0]: metric["what"] for metric in shown}
    by_verdict = {v: [claim for claim in stated if claim["verdict"] == v] for v in CLAIM_VERDICTS}
    return {
        "paper": paper,
        "family": report.inputs.catalogue.families[paper.family],
        "brief": summary(score, by_verdict, cells[cells["paper"] == paper.short]),
        "claims": by_verdict,
        "controls": [claim for claim in claims if claim["uncounted"]],
        "parts": _parts(views),
        "meanings": {name: what[name] for name in sorted(what) if what[name]},
        "agrees": AGREES,
        "near": NEAR,
    }


def _parts(views):
    """Return the sections of the page: the paper's figures, its tables, and then all else."""
    titles = {"figures": "Figures", "tables": "Tables", "beyond": "Beyond the paper"}
    found = {key: {"key": key, "title": title, "views": []} for key, title in titles.items()}
    for view in views:
        kind = "figures" if view["artefact"].kind == "figure" else "tables"
        found[kind if view["artefact"].published else "beyond"]["views"].append(view)
    return [part for part in found.values() if part["views"]]


def _artefact(report, artefact, claims):
    inputs = report.inputs
    made = artefact.name in report.tables
    cells = report.cells.get(artefact.name)
    data = report.data_of([artefact.name])
    label, shows = artefact.published or artefact.name, artefact.shows.removeprefix(BEYOND)
    lacking = inputs.settings.get("made in part", "none")
    view = {
        "artefact": artefact,
        "made": made,
        "in_part": "" if lacking == "none" else lacking.get(artefact.name, ""),
        "heading": artefact.published or shows[:1].upper() + shows[1:],
        "claims": [claim for claim in claims if claim["key"] in artefact.claims],
        "data": data,
        "tally": tally(cells) if made else None,
        "reasons": reasons(cells, counted=False) if made else {},
        **dict.fromkeys(LATER, ()),
        "how": how_made(report, artefact),
        "tags": "",
        "quiet": report.generated,
        "alt": f"{label}: {artefact.shows}. Data: {', '.join(d['title'] for d in data)}.",
    }
    if not made:
        return view
    table = report.tables[artefact.name]
    if report.generated and "published" in table:
        table = table.assign(published=math.nan)  # meaningless beside numbers on generated data
    # By these, the filters of the page find the artefact.
    tags = ["differs"] if view["tally"][DIFFER] else []
    tags += ["refuted"] if any(claim["verdict"] == REFUTED for claim in view["claims"]) else []
    view["tags"] = " ".join([*tags, *sorted({entry["status"] for entry in data})])
    if artefact.kind == "figure":
        figures = Path(inputs.figures)
        view["image"] = picture(figures, artefact.name)
        view["tall"] = view["image"] and is_tall(figures.parent / view["image"])
        view["panels"] = panels(figures, artefact.name)
        files = (f"{artefact.name}.{extension}" for extension in ("pdf", "svg", "png"))
        view["files"] = [f"figures/{file}" for file in files if (figures / file).is_file()]
        if len(cells) and not report.generated:
            view["tables"] = pairs_views(artefact, table, cells, report.titles)
            view["folded"] = len(cells) > MAX_NUMBERS
        return view
    if len(table) == 0:
        path = Path(inputs.tables) / f"{artefact.name}.csv"
        raise DataError(f"{path} has no rows; make the artefact {artefact.name} again.")
    if artefact.kind == "contingency":
        view["contingency"] = contingency_view(table, report.titles, cells)
        return view
    view["tables"] = comparison_views(table, report.titles, cells)
    printed = table[table["published"].notna() & table["mean"].notna()]
    if len(printed) and not any(shown["left_out"] for shown in view["tables"]):
        errors = cells.set_index("row")["combined_error"]
        view["dots"] = dot_plots(printed.join(errors), report.titles)
    return view


def how_made(report, artefact):
    """Return how an artefact is made, to be shown beside it."""
    inputs = report.inputs
    settings = {"scale": inputs.scale, "seed": inputs.settings.get("seed", DEFAULT_SEED)}
    if run_name(settings) != inputs.run:
        settings["run"] = inputs.run
    keys = [f"{key}={value}" for key, value in settings.items()]
    made = dict(artefact.makes) | ({"drawn by": artefact.draws} if artefact.draws else {})
    found = {what: reference.partition(":") for what, reference in made.items()}
    return {
        "command": f"snakemake --cores 2 {artefact.name} --config {' '.join(keys)}",
        "explain": f"reseat explain {artefact.name} --run {inputs.run}",
        "functions": [
            {"what": what, "file": f"src/{module.replace('.', '/')}.py", "name": name}
            for what, (module, _, name) in found.items()
        ],
        "chains": _chains(report, artefact),
        "commits": inputs.commits.get(artefact.name, ()),
    }


def _chains(report, artefact):
    """Return, in words, the number of chains in its own table, or else on its data sets."""
    table = report.tables.get(artefact.name)
    if table is not None and "n_chains" in table:
        known = table["n_chains"].dropna().astype(int)
        if known.any():
            number = span(known.clip(lower=1))
            one = "chain, restart or draw" if number == "1" else "chains, restarts or draws"
            return f"{number} {one} of the data behind a number"
    data = {entry["name"] for entry in report.data_of([artefact.name])}
    chains = report.chains
    own = chains[chains["dataset"].isin(data) & chains["family"].eq(artefact.family)]
    return f"{int(own['n_chains'].sum())} chains on its data sets" if len(own) else ""


def summary(score, claims, cells):
    """Return the facts in the summary of a paper, given its claims by verdict."""
    counts = score["cells"]
    return {
        "claims": sum(map(len, claims.values())),
        **{
            verdict: {"number": len(claims[verdict]), "named": claims[verdict][:MAX_LISTED]}
            for verdict in (CONFIRMED, REFUTED)
        },
        "untestable": len(claims[UNTESTABLE]),
        "agree": counts[AGREE],
        "compared": counts[AGREE] + counts[DIFFER],
        "unsettled": counts[NOT_CONVERGED],
        "open": counts[NOT_COMPARABLE],
        "why": next(iter(reasons(cells)), ""),
    }
