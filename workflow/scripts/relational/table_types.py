"""Clusters of relations of more than two types, or of types with several places."""

from reseat.experiments.relational.tables import types_table
from reseat.experiments.relational.tidy import read_results
from reseat.experiments.tidy import write_table
from reseat.jobs import job

with job(snakemake.log[0]):
    types = read_results(snakemake.input.types, "types")
    write_table(types_table(snakemake.params.artefact, types), snakemake.output.table)
