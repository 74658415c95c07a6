"""Exact against sampled posterior of five records."""

import pandas as pd

from reseat.experiments.enumerated import prior_check_table
from reseat.experiments.tidy import write_table
from reseat.jobs import job
from reseat.plots import exact_versus_sampled, save_figure

with job(snakemake.log[0]):
    counts = pd.read_csv(snakemake.input.counts, dtype={"partition": str})
    table = prior_check_table(snakemake.params.artefact, counts)
    write_table(table, snakemake.output.table)
    save_figure(exact_versus_sampled(table), snakemake.output.pdf.removesuffix(".pdf"))
