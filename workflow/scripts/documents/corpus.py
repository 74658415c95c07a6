"""Raw data to word counts."""

from reseat.datasets import DataSettings, Registry, build_corpus
from reseat.jobs import job

with job(snakemake.log[0]):
    registry = Registry.load(snakemake.params.registry, snakemake.params.schema)
    settings = DataSettings.from_config(snakemake.config["data"])
    name, features = snakemake.wildcards.dataset, snakemake.params.features
    corpus = build_corpus(registry, name, settings, features)
    print(corpus.summary())
    corpus.save(snakemake.output[0])
