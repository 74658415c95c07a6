"""The report: one static page about everything that was made."""

from dataclasses import replace
from pathlib import Path

import pandas as pd

from reseat.datasets import Corpus, Records, Relations
from reseat.experiments.distances.matrices import load_objects
from reseat.experiments.documents.tidy import read_scores
from reseat.jobs import job
from reseat.report import (
    ReportInputs,
    dataset_cards,
    describe_runs,
    environment,
    load_artefacts,
    read_benchmarks,
    write_page,
)


def read_records(folder):
    """The first draw of a data set, under the name of the data set."""
    records = Records.load(Path(folder) / "0.npz")
    return replace(records, identity=replace(records.identity, name=Path(folder).name))


def read_objects(folder):
    """The same of points and dissimilarities."""
    objects = load_objects(Path(folder) / "0.npz")
    return replace(objects, identity=replace(objects.identity, name=Path(folder).name))


def by_role(roles):
    """Data sets of each role."""
    found = {}
    for dataset, role in roles.items():
        found.setdefault(role, []).append(dataset)
    return found


with job(snakemake.log[0]):
    given, params = snakemake.input, snakemake.params
    page, folder = Path(snakemake.output.page), Path(params.benchmarks)
    write_page(
        ReportInputs(
            scale=params.scale,
            catalogue=load_artefacts(given.catalogue),
            tables=page.parent / "tables",
            figures=page.parent / "figures",
            claims=pd.read_csv(given.claims),
            datasets=[
                *dataset_cards(map(Corpus.load, given.corpora), params.roles),
                *dataset_cards(map(read_records, given.records), by_role(params.record_roles)),
                *dataset_cards(map(read_objects, given.objects), by_role(params.object_roles)),
                *dataset_cards(
                    map(Relations.load, given.relations), by_role(params.relation_roles)
                ),
            ],
            runs=[*describe_runs(read_scores(given.scores), given.traces), *params.more_runs],
            benchmarks=read_benchmarks(folder.rglob("*.tsv"), folder),
            environment=environment(),
            settings=params.settings,
        ),
        page,
    )
