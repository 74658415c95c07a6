"""Exact against sampled posterior of a few objects."""

import pandas as pd

from reseat.experiments.distances.checks import check_table
from reseat.experiments.tidy import write_table
from reseat.jobs import job
from reseat.plots import exact_versus_sampled, save_figure

with job(snakemake.log[0]):
    counts = pd.read_csv(snakemake.input.enumeration, dtype={"partition": str})
    table = check_table(snakemake.params.artefact, counts)
    write_table(table, snakemake.output.table)
    save_figure(exact_versus_sampled(table), snakemake.output.pdf.removesuffix(".pdf"))
