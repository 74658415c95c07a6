"""A small run to build a report from: tables, figures, claims, data sets and chains."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from places import ROOT

from reseat.papers.catalogue import CATALOGUE
from reseat.papers.diagnostics import DIAGNOSTIC_COLUMNS, RESTART_COLUMNS
from reseat.papers.documents.contingency import contingency_rows
from reseat.papers.tables import COLUMNS
from reseat.plots import save_figure
from reseat.report import ReportInputs

NAN = np.nan

WALKER, ZANELLA = "Walker & Ringger 2008", "Zanella et al. 2016"
KURIHARA = "Kurihara et al. 2006"
CLAIMS = pd.DataFrame(
    [
        (WALKER, "DOC-1: one beats <two>", "confirmed", 0.1, 0.05, 0.15, "On a & b."),
        (WALKER, "DOC-3: marginal wins", "untestable", NAN, NAN, NAN, "None."),
        (WALKER, "DOC-3 (as printed): marginal wins", "refuted", 0.3, NAN, NAN, "Table."),
        (ZANELLA, "MIC-10: it is no worse", "refuted", 2.0, 1.0, 3.0, "Italy."),
        (ZANELLA, "MIC-10 (sampled): it is no worse", "confirmed", 5.0, 4.0, 6.0, "Italy."),
        (KURIHARA, "FIRM-8a: the lead survives", "refuted", 0.1, 0.0, 0.2, "A control."),
    ],
    columns=["paper", "claim", "verdict", "effect", "low", "high", "evidence"],
).assign(source=["paper"] * 5 + ["reseat"], measured=["lead in <F>"] + [NAN] * 5)  # fmt: skip


def tidy_rows(artefact, dataset, status, systems=("Gibbs", "EM")):
    """Return three metrics of some systems: one agrees, one differs, one is not published."""
    identity = {"artefact": artefact, "role": "role", "dataset": dataset, "status": status}
    rows = [
        identity
        | {"comparable": status == "faithful", "system": system, "summary": "map"}
        | {"metric": metric, "mean": mean, "se": 0.01, "n_chains": 8}
        | {"published": printed, "difference": mean - printed, "z": NAN}
        for system in systems
        for metric, mean, printed in (("ARI", 0.25, 0.2510), ("VI", 2.0, 3.0), ("NMI", 1.5, NAN))
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def card(name, family, status, **more):
    """Return the identity card of a data set."""
    own = {"name": name, "title": name.capitalize(), "status": status, "stands_for": ""}
    own |= {"licence": "", "citation": "Lang (1995)", "note": ""}
    own |= {"sha256": {f"{name}.tar.gz": "0" * 64}, "role": "newsgroups", "family": family}
    own |= {"preprocessing": {"stop_list": "short", "options": {"min_length": 2}}}
    return own | {"sizes": {"documents": 19997, "cells": "8 x 16"}} | more


def diagnostics():
    """Return diagnostics of models with a good, an undefined and a bad R-hat, and their traces."""
    rows, traces = [], {}
    rng = np.random.default_rng(1)
    for family, dataset, model, rhat in (
        ("documents", "news", "gibbs", 1.0),
        ("documents", "mail", "gibbs", NAN),
        ("records", "italy", "dp", 1.7),
    ):
        key = {"family": family, "dataset": dataset, "draw": dataset, "model": model}
        for quantity in ("log_joint", "n_clusters"):
            found = {"mean": 1.0, "sd": 0.5, "mcse": 0.1, "ess": 40.0, "rhat": rhat}
            length = {"n_chains": 2, "n_sweeps": 50, "burn_in": 10, "moved": 0.12, "seconds": 4.0}
            rows.append(key | {"quantity": quantity} | length | found)
            traces[f"{family}/{dataset}/{model}/{quantity}"] = rng.normal(size=(2, 50))
    restart = ("relational", "pairs", "irm", "hard", 4, 1.0, 9.0, -10.0, -12.0, 1.0, 1, 0.5)
    return (
        pd.DataFrame(rows, columns=list(DIAGNOSTIC_COLUMNS)),
        pd.DataFrame([restart], columns=list(RESTART_COLUMNS)),
        traces,
    )


def site_inputs(folder):
    """Write the files of a report into a folder and return its inputs."""
    tables, figures = folder / "tables", folder / "figures"
    tables.mkdir(parents=True)
    made = {
        "docs_table2": tidy_rows("docs_table2", "news", "faithful"),
        "docs_table3": tidy_rows("docs_table3", "mail", "stand-in"),
        "docs_fig2": pd.DataFrame({"dataset": ["news"], "status": ["faithful"]}),
        "tiwd_fig3": tidy_rows("tiwd_fig3", "points", "faithful", ("TIWD",)).assign(
            metric=["clusters", "hours for 5,000 sweeps", "sweep"]
        ),
    }
    true, pred = np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1])
    identity = {"artefact": "t", "role": "r", "dataset": "news", "status": "faithful"}
    made["docs_table7"] = contingency_rows(
        identity, true, ("a.b", "c"), [pred], 10, {}, note="mean over chains that disagree"
    )
    for name, table in made.items():
        table.to_csv(tables / f"{name}.csv", index=False)
    for name in ("docs_fig2", "tiwd_fig3"):
        fig = Figure(figsize=(2, 1))
        fig.subplots().plot([0, 1])
        save_figure(fig, figures / name)
    table, restarts, traces = diagnostics()
    for name, frame in (("claims", CLAIMS), ("diagnostics", table)):
        frame.to_csv(folder / f"{name}.csv", index=False)
    jobs = [
        ("documents/news/gibbs/chains-0", 10.0, 9.0, 100.0),
        ("records/italy", 30.0, 28.0, 90.0),
    ]
    return ReportInputs(
        run=folder.name,
        scale="standard",
        catalogue=CATALOGUE,
        tables=tables,
        figures=figures,
        claims=CLAIMS,
        made=list(made),
        times={
            time["file"]: ROOT / "config" / "published" / time["file"]
            for paper in CATALOGUE.papers.values()
            for time in paper.times
        },
        datasets=[
            card("news", "documents", "faithful", title="News <19,997>"),
            card("mail", "documents", "stand-in", stands_for="Enron"),
            card("italy", "records", "faithful"),
            card("points", "distances", "faithful", sha256={}),
        ],
        runs=[
            {"dataset": "news", "model": "gibbs", "n_chains": 8, "n_sweeps": 50, "burn_in": 10},
            {"dataset": "news", "model": "em", "n_chains": 4, "n_sweeps": None, "burn_in": None},
        ],
        benchmarks=pd.DataFrame(jobs, columns=["job", "seconds", "cpu_seconds", "memory_mb"]),
        diagnostics=table,
        restarts=restarts,
        traces=traces,
        environment={"reseat": "0.1", "numpy": "2.4", "processor": "any", "cores": "2"},
        settings={"seed": 7, "data sets left out": "none"},
    )
