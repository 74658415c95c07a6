"""The front page: what was reproduced, on what data, and how that went."""

from __future__ import annotations

from reseat.report.claims import VERDICTS as CLAIM_VERDICTS
from reseat.report.comparison import AGREES, NEAR
from reseat.report.comparison import VERDICTS as CELL_VERDICTS
from reseat.report.overview import overview


def front_page(material):
    """Context of the front page.

    Parameters
    ----------
    material : Material

    Returns
    -------
    dict
    """
    inputs = material.inputs
    papers = [
        {
            "paper": paper,
            "family": inputs.catalogue.families[paper.family],
            "data": _by_status(material, paper),
            **material.score(paper),
        }
        for paper in inputs.catalogue.papers.values()
    ]
    seconds = float(inputs.benchmarks["seconds"].sum()) if len(inputs.benchmarks) else None
    of_paper = inputs.catalogue.papers.values()
    return {
        "papers": papers,
        "generated": material.generated,
        "overview": []
        if material.generated
        else overview(of_paper, material.comparison, material.titles),
        "total": {
            "cells": {v: sum(p["cells"][v] for p in papers) for v in CELL_VERDICTS},
            "claims": {v: sum(p["claims"][v] for p in papers) for v in CLAIM_VERDICTS},
        },
        "refuted": [
            (paper, claim)
            for paper in of_paper
            for claim in material.claims.get(paper.short, ())
            if claim["verdict"] == "refuted"
        ],
        "n_made": len(material.tables),
        "n_artefacts": len(inputs.catalogue.artefacts),
        "n_datasets": len(inputs.datasets),
        "n_chains": sum(run["n_chains"] for run in inputs.runs),
        "seconds": seconds,
        "environment": inputs.environment,
        "settings": inputs.settings,
        "other_code": inputs.other_code,
        "agrees": AGREES,
        "near": NEAR,
    }


def _by_status(material, paper):
    """How many data sets of each status the artefacts of a paper stand on."""
    names = [artefact.name for artefact in material.inputs.catalogue.of_paper(paper)]
    found = [entry["status"] for entry in material.data_of(names) if entry["known"]]
    return {status: found.count(status) for status in ("faithful", "stand-in", "generated")}
