"""Beyond the paper: K unknown, EM from Gibbs, partitions of least expected loss."""

from reseat.experiments.documents.tables import extensions_table
from reseat.experiments.documents.tidy import read_scores
from reseat.experiments.tidy import write_table
from reseat.jobs import job

with job(snakemake.log[0]):
    scores = read_scores(snakemake.input.scores)
    table = extensions_table(snakemake.params.artefact, scores, snakemake.params.roles)
    write_table(table, snakemake.output.table)
