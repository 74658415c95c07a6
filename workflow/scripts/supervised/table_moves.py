"""Effective draws a second of other moves, forms and priors."""

from reseat.experiments.supervised.costs import moves_table
from reseat.experiments.supervised.tidy import read_results
from reseat.experiments.tidy import write_table
from reseat.jobs import job

with job(snakemake.log[0]):
    table = moves_table(snakemake.params.artefact, read_results(snakemake.input.moves, "moves"))
    write_table(table, snakemake.output.table)
