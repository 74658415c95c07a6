"""Coordinates of the items of a data set, feature by feature."""

from reseat.datasets import Mentions, embed_mentions, store
from reseat.provenance.jobs import job

with job(snakemake.log[0]):
    mentions = Mentions.load(snakemake.input.mentions)
    references = embed_mentions(mentions, **snakemake.params.embedding)
    print(references.identity.name, references.summary())
    store(references, snakemake.output.data)
