"""Theorem 1: mean share of the largest cluster."""

import pandas as pd

from reseat.experiments.records.growth import theorem_table
from reseat.experiments.tidy import write_table
from reseat.jobs import job
from reseat.plots import largest_share, save_figure

with job(snakemake.log[0]):
    draws = pd.read_csv(snakemake.input.draws)
    table = theorem_table(snakemake.params.artefact, draws)
    write_table(table, snakemake.output.table)
    save_figure(largest_share(table), snakemake.output.pdf.removesuffix(".pdf"))
