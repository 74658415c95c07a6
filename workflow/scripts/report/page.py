"""The report: one static page about everything that was made."""

from pathlib import Path

import pandas as pd

from reseat.datasets import Corpus
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
            datasets=dataset_cards(map(Corpus.load, given.corpora), params.roles),
            runs=describe_runs(read_scores(given.scores), given.traces),
            benchmarks=read_benchmarks(folder.rglob("*.tsv"), folder),
            environment=environment(),
            settings=params.settings,
        ),
        page,
    )
