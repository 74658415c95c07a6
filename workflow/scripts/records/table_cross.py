"""Every prior on the same records, and on the same documents."""

from reseat.datasets import Corpus
from reseat.experiments.documents.tidy import read_scores
from reseat.experiments.records.cross import cross_table
from reseat.experiments.records.tidy import read_summaries
from reseat.experiments.tidy import write_table
from reseat.jobs import job

with job(snakemake.log[0]):
    given = snakemake.input
    corpora = map(Corpus.load, given.corpora)
    table = cross_table(
        snakemake.params.artefact,
        read_summaries(given.summaries),
        read_scores(given.scores) if given.scores else None,
        {corpus.identity.name: corpus.n_documents for corpus in corpora},
    )
    write_table(table, snakemake.output.table)
