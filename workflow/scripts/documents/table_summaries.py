"""Tables 1 to 3: the summaries of a chain on one of the paper's data sets."""

from reseat.experiments.documents.tables import summaries_table
from reseat.experiments.documents.tidy import read_published, read_scores
from reseat.experiments.tidy import write_table
from reseat.jobs import job

with job(snakemake.log[0]):
    table = summaries_table(
        snakemake.params.artefact,
        snakemake.params.role,
        read_scores(snakemake.input.scores),
        read_published(snakemake.input.published),
    )
    write_table(table, snakemake.output.table)
