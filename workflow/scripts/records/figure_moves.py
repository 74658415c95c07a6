"""Mixing of Gibbs sweeps and chaperones."""

import pandas as pd

from reseat.experiments.records.checks import MOVES, chaperones_table
from reseat.experiments.tidy import write_table
from reseat.jobs import job
from reseat.plots import mixing_of_moves, save_figure

with job(snakemake.log[0]):
    table = chaperones_table(snakemake.params.artefact, pd.read_csv(snakemake.input.runs))
    traces = pd.read_csv(snakemake.input.traces)
    write_table(table, snakemake.output.table)
    save_figure(
        mixing_of_moves(traces, table, MOVES),
        snakemake.output.pdf.removesuffix(".pdf"),
    )
