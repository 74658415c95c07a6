"""Table 1: cells of many tokens whose pairs belong to many classes."""

from reseat.experiments.relational.tables import cells_table
from reseat.experiments.relational.tidy import read_results
from reseat.experiments.tidy import write_table
from reseat.jobs import job

with job(snakemake.log[0]):
    cells = read_results(snakemake.input.cells, "cells")
    write_table(cells_table(snakemake.params.artefact, cells), snakemake.output.table)
