"""The report: a static site about everything that was made."""

from pathlib import Path

import numpy as np
import pandas as pd

from reseat.datasets import Card
from reseat.experiments.catalogue import CATALOGUE
from reseat.experiments.documents.tidy import read_scores
from reseat.jobs import job
from reseat.report import (
    ReportInputs,
    dataset_cards,
    describe_runs,
    environment,
    read_benchmarks,
    write_all_runs,
    write_site,
)


def by_role(roles):
    """Data sets of each role."""
    found = {}
    for dataset, role in roles.items():
        found.setdefault(role, []).append(dataset)
    return found


with job(snakemake.log[0]):
    given, params = snakemake.input, snakemake.params
    reports, folder = Path(snakemake.output.comparison).parent, Path(params.benchmarks)
    kinds = (
        ("documents", given.corpora, params.roles),
        ("records", given.records, by_role(params.record_roles)),
        ("distances", given.objects, by_role(params.object_roles)),
        ("relational", given.relations, by_role(params.relation_roles)),
        ("supervised", given.references, by_role(params.reference_roles)),
    )
    with np.load(given.chain_traces) as stored:
        traces = {name: stored[name] for name in stored.files}
    write_site(
        ReportInputs(
            run=reports.name,
            scale=params.scale,
            catalogue=CATALOGUE,
            tables=reports / "tables",
            figures=reports / "figures",
            claims=pd.read_csv(given.claims),
            published=Path(params.published),
            datasets=[
                card
                for family, paths, roles in kinds
                for card in dataset_cards(map(Card.load, paths), roles, family)
            ],
            runs=[*describe_runs(read_scores(given.scores), given.traces), *params.more_runs],
            benchmarks=read_benchmarks(folder.rglob("*.tsv"), folder),
            diagnostics=pd.read_csv(given.diagnostics, dtype={"draw": str}),
            restarts=pd.read_csv(given.restarts),
            traces=traces,
            environment=environment(),
            settings=params.settings,
            other_code=dict(params.other_code),
        ),
        reports,
    )
    write_all_runs(reports.parent)
