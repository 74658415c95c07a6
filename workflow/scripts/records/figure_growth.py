"""Figure 1: one prior draw for each number of items."""

from pathlib import Path

import pandas as pd

from reseat.experiments.records.growth import growth_table
from reseat.experiments.records.published import Published
from reseat.experiments.tidy import write_table
from reseat.jobs import job
from reseat.plots import prior_growth, save_figure

with job(snakemake.log[0]):
    published = Published.load(Path(snakemake.input.published[0]).parent)
    draws = pd.read_csv(snakemake.input.draws)
    table = growth_table(snakemake.params.artefact, draws, published.fig1)
    write_table(table, snakemake.output.table)
    save_figure(prior_growth(table), snakemake.output.pdf.removesuffix(".pdf"))
