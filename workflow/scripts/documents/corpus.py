"""Raw data to word counts."""

from dataclasses import replace

from reseat.datasets import DataSettings, Registry, build_corpus
from reseat.jobs import job

with job(snakemake.log[0]):
    registry = Registry.load(
        snakemake.params.registry, snakemake.params.schema, check_parsers=False
    )
    settings = DataSettings.from_config(snakemake.config["data"])
    corpus = build_corpus(registry, snakemake.params.source, settings, snakemake.params.features)
    # A reading of a data set goes by its own name.
    identity = replace(corpus.identity, name=snakemake.wildcards.dataset)
    corpus = replace(corpus, identity=identity)
    print(corpus.summary())
    corpus.save(snakemake.output[0])
