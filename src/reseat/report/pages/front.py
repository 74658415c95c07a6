"""The front page: what was reproduced, on which data, and with what results."""

from __future__ import annotations

from reseat.report.claims import of_the_paper
from reseat.report.comparison import AGREES, NEAR
from reseat.report.overview import overview
from reseat.summaries import AGREED
from reseat.vocabulary import CLAIM_VERDICTS, NUMBER_VERDICTS, REFUTED, STATUSES


def front_page(report):
    """Return the template context of the front page."""
    inputs = report.inputs
    papers = [
        {
            "paper": paper,
            "family": inputs.catalogue.families[paper.family],
            "data": _by_status(report, paper),
            **report.score(paper),
        }
        for paper in inputs.catalogue.papers.values()
    ]
    seconds = float(inputs.benchmarks["seconds"].sum()) if len(inputs.benchmarks) else None
    of_paper = inputs.catalogue.papers.values()
    return {
        "papers": papers,
        "generated": report.generated,
        "overview": []
        if report.generated
        else overview(of_paper, report.comparison, report.titles),
        "total": {
            "cells": {v: sum(p["cells"][v] for p in papers) for v in NUMBER_VERDICTS},
            "claims": {v: sum(p["claims"][v] for p in papers) for v in CLAIM_VERDICTS},
        },
        "refuted": [
            (paper, claim)
            for paper in of_paper
            for claim in of_the_paper(report.claims.get(paper.short, ()))
            if claim["verdict"] == REFUTED
        ],
        "n_made": len(report.tables),
        "n_artefacts": len(inputs.catalogue.artefacts),
        "n_datasets": len(inputs.datasets),
        "n_chains": sum(run["n_chains"] for run in inputs.runs),
        "seconds": seconds,
        "environment": inputs.environment,
        "settings": inputs.settings,
        "other_code": inputs.other_code,
        "other_packages": inputs.other_packages,
        "agrees": AGREES,
        "near": NEAR,
        "converged": AGREED,
    }


def _by_status(report, paper):
    """Return the number of data sets of each status behind the artefacts of a paper."""
    names = [artefact.name for artefact in paper.artefacts]
    found = [entry["status"] for entry in report.data_of(names) if entry["known"]]
    return {status: found.count(status) for status in STATUSES}
