"""Number of clusters and accuracy under other readings."""

from reseat.experiments.distances.tables import readings_table
from reseat.experiments.distances.tidy import read_scores
from reseat.experiments.tidy import write_table
from reseat.jobs import job

with job(snakemake.log[0]):
    table = readings_table(snakemake.params.artefact, read_scores(snakemake.input.scores))
    write_table(table, snakemake.output.table)
