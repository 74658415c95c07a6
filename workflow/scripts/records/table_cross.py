"""Every prior on the same records, and on the same documents."""

from reseat.datasets import Card
from reseat.experiments.documents.tidy import read_scores
from reseat.experiments.records.cross import cross_table
from reseat.experiments.records.tidy import read_summaries
from reseat.experiments.tidy import write_table
from reseat.jobs import job

with job(snakemake.log[0]):
    given = snakemake.input
    cards = map(Card.load, given.corpora)
    table = cross_table(
        snakemake.params.artefact,
        read_summaries(given.summaries),
        read_scores(given.scores) if given.scores else None,
        {card.identity.name: card.sizes["documents"] for card in cards},
    )
    write_table(table, snakemake.output.table)
