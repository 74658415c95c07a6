"""The report: one static page about everything that was made."""

from pathlib import Path

import pandas as pd

from reseat.datasets import Corpus
from reseat.experiments.documents.tidy import read_scores
from reseat.report import (
    ReportInputs,
    dataset_cards,
    describe_runs,
    environment,
    load_artefacts,
    read_benchmarks,
    write_page,
)

page = Path(snakemake.output.page)
folder = Path(snakemake.params.benchmarks)
write_page(
    ReportInputs(
        scale=snakemake.params.scale,
        catalogue=load_artefacts(snakemake.input.catalogue),
        tables=page.parent / "tables",
        figures=page.parent / "figures",
        claims=pd.read_csv(snakemake.input.claims),
        datasets=dataset_cards(map(Corpus.load, snakemake.input.corpora), snakemake.params.roles),
        runs=describe_runs(read_scores(snakemake.input.scores), snakemake.input.traces),
        benchmarks=read_benchmarks(folder.rglob("*.tsv"), folder),
        environment=environment(),
        settings=snakemake.params.settings,
    ),
    page,
)
